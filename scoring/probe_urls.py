from django.urls import path

from scoring import probe_views

urlpatterns = [
    path("", probe_views.probe_list, name="probing"),
    path("start/", probe_views.probe_start, name="probe_start"),
    path("<int:probe>/", probe_views.probe, name="probe"),
    path("<int:probe>/progress/", probe_views.probe_progress, name="probe_progress"),
    path("<int:probe>/cancel/", probe_views.probe_cancel, name="probe_cancel"),
    path("<int:probe>/retry/", probe_views.probe_retry, name="probe_retry"),
    path(
        "<int:probe>/<slug:table>.<slug:format>",
        probe_views.probe_table,
        name="probe_table",
    ),
]
