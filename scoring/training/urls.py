from django.urls import path

from scoring.training import views

OWN = "<slug:training>/"

urlpatterns = [
    path("", views.training_list, name="trainings"),
    path(OWN, views.training, name="training"),
    path(f"{OWN}progress/", views.training_progress, name="training_progress"),
    path(f"{OWN}cancel/", views.training_cancel, name="training_cancel"),
    path(f"{OWN}retry/", views.training_retry, name="training_retry"),
    path(f"{OWN}delete/", views.training_delete, name="training_delete"),
    path(f"{OWN}model.zip", views.training_download, name="training_download"),
    path(
        f"{OWN}<slug:table>.<slug:format>",
        views.training_table,
        name="training_table",
    ),
]
