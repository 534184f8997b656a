from django.urls import path

from evalapp.accounts import views

urlpatterns = [
    path("", views.account, name="account"),
    path("profile/", views.profile, name="account_profile"),
    path("password/", views.password, name="account_password"),
    path("tokens/make/", views.token_make, name="token_make"),
    path("tokens/<int:pk>/rotate/", views.token_rotate, name="token_rotate"),
    path("tokens/<int:pk>/revoke/", views.token_revoke, name="token_revoke"),
]
