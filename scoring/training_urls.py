from django.urls import path

from scoring import training_views

OWN = "<slug:training>/"

urlpatterns = [
    path("", training_views.training_list, name="trainings"),
    path(OWN, training_views.training, name="training"),
    path(f"{OWN}progress/", training_views.training_progress, name="training_progress"),
    path(f"{OWN}cancel/", training_views.training_cancel, name="training_cancel"),
    path(f"{OWN}retry/", training_views.training_retry, name="training_retry"),
    path(f"{OWN}delete/", training_views.training_delete, name="training_delete"),
    path(f"{OWN}model.zip", training_views.training_download, name="training_download"),
    path(
        f"{OWN}<slug:table>.<slug:format>",
        training_views.training_table,
        name="training_table",
    ),
]
