from django.urls import path

from scoring.probing import views

urlpatterns = [
    path("", views.probe_list, name="probing"),
    path("start/", views.probe_start, name="probe_start"),
    path("<int:probe>/", views.probe, name="probe"),
    path("<int:probe>/progress/", views.probe_progress, name="probe_progress"),
    path("<int:probe>/cancel/", views.probe_cancel, name="probe_cancel"),
    path("<int:probe>/retry/", views.probe_retry, name="probe_retry"),
    path(
        "<int:probe>/<slug:table>.<slug:format>",
        views.probe_table,
        name="probe_table",
    ),
]
