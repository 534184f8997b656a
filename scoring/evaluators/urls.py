from django.urls import path

from scoring.evaluators import views

urlpatterns = [
    path("evaluators/", views.evaluators, name="evaluators"),
    path("evaluators/new/", views.new, name="evaluators_new"),
    path("evaluators/patterns/", views.new_patterns, name="evaluators_patterns"),
    path(
        "evaluators/upload/files/", views.upload_files, name="evaluators_upload_files"
    ),
    path("evaluators/upload/json/", views.upload_json, name="evaluators_upload_json"),
    path("evaluators/labels/", views.from_labels, name="evaluators_from_labels"),
    path("evaluators.json", views.download, name="evaluators_json"),
    path("evaluators/<int:evaluators>/", views.edit, name="evaluators_edit"),
    path("evaluators/<int:evaluators>/delete/", views.delete, name="evaluators_delete"),
]
