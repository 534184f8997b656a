from django.apps import AppConfig

from evalapp.api import framework

framework.load()


class SystemConfig(AppConfig):
    name = "evalapp.system"

    def ready(self) -> None:
        from evalapp.system import checks  # noqa: F401 -- registers them
