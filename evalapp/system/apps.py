from django.apps import AppConfig


class SystemConfig(AppConfig):
    name = "evalapp.system"
