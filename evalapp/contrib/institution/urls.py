"""Only with OIDC_URL: to go to the institution, and to come back."""

from django.urls import path

from evalapp.contrib.institution import views

urlpatterns = [
    path("login/institution/", views.begin, name="institution_login"),
    path("login/institution/callback/", views.callback, name="institution_callback"),
    path("login/rescue/<str:key>/", views.rescue, name="rescue"),
    path("logout/", views.log_out, name="logout"),
    path("account/institution/link/", views.link, name="institution_link"),
]
