"""For people who got an email and have no account."""

from django.urls import path

from annotation.recipients import views

urlpatterns = [path("<str:signed>/", views.refusal, name="mail_refusal")]
