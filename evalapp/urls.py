from django.conf import settings
from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path

from evalapp import doors
from evalapp.limits.login import LoginForm

admin.site.site_header = "EvalApp administration"
admin.site.site_title = "EvalApp"
admin.site.index_title = "Administration"

handler400 = "evalapp.limits.refusing.bad_request"
handler404 = "evalapp.limits.refusing.page_not_found"
handler500 = "evalapp.faults.server_error"

urlpatterns = [
    path("", include("evalapp.system.urls")),
    path(
        "login/",
        auth_views.LoginView.as_view(
            authentication_form=LoginForm,
            extra_context={
                "institution": settings.INSTITUTION,
                "password_login": settings.PASSWORD_LOGIN,
            },
        ),
        name="login",
    ),
    *doors.patterns("site"),  # before the others: a log-out may say more
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("account/", include("evalapp.accounts.urls")),
    path("admin/", admin.site.urls),
    path("w/", include("annotation.crowd.urls.pages")),
    path("mail/", include("annotation.recipients.urls")),
    path("api/", include("evalapp.api_urls")),  # as it was before it had a number
    path("api/v1/", include("evalapp.api_urls")),  # last: links lead here
    path("studies/<slug:name>/", include(doors.patterns("study"))),
    path("", include("annotation.urls")),
    path("", include("scoring.urls")),
]
