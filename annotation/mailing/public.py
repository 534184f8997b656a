"""For people who got an email and have no account."""

from django.urls import path

from annotation.mailing import refusing

urlpatterns = [path("<str:signed>/", refusing.refusal, name="mail_refusal")]
