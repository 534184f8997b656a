"""Below a study's address: emails with invite links."""

from django.urls import path

from annotation.contrib.mailing import views

urlpatterns = [
    path("mailing/", views.study_mailing, name="study_mailing"),
    path("mailing/list/", views.mailing_list, name="mailing_list"),
    path("mailing/write/", views.mailing_write, name="mailing_write"),
    path("mailing/forget/", views.mailing_forget, name="mailing_forget"),
    path("mailing/<int:pk>/cancel/", views.mailing_cancel, name="mailing_cancel"),
    path("mailing/<int:pk>/retry/", views.mailing_retry, name="mailing_retry"),
]
