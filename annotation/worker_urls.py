from django.urls import path

app_name = "worker"

urlpatterns: list[path] = []
