from django.apps import AppConfig


class SystemConfig(AppConfig):
    name = "evalapp.system"

    def ready(self) -> None:
        from evalapp.system import checks  # noqa: F401 -- registers them
