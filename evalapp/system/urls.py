from django.urls import path

from evalapp.system import views

urlpatterns = [
    path("health/", views.ready, name="health"),
    path("system/", views.system, name="system"),
    path("system/seen/", views.seen, name="system_seen"),
    path("system/line/", views.line, name="system_line"),
]
