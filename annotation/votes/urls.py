from django.urls import path

from annotation.votes import views

urlpatterns = [
    path("votes/<int:pk>/delete/", views.votes_delete, name="votes_delete"),
    path("systems/kinds/", views.system_kinds, name="system_kinds"),
]
