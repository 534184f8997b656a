from django.urls import path

from scoring.contrib.probing import views

urlpatterns = [
    path("probing/", views.probe_list, name="probing"),
    path("probing/start/", views.probe_start, name="probe_start"),
    path("probing/<int:probe>/", views.probe, name="probe"),
    path("probing/<int:probe>/progress/", views.probe_progress, name="probe_progress"),
    path("probing/<int:probe>/cancel/", views.probe_cancel, name="probe_cancel"),
    path("probing/<int:probe>/retry/", views.probe_retry, name="probe_retry"),
    path(
        "probing/<int:probe>/<slug:table>.<slug:format>",
        views.probe_table,
        name="probe_table",
    ),
]
