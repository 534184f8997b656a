from django.apps import AppConfig


class SpendingConfig(AppConfig):
    name = "evalapp.spending"

    def ready(self) -> None:
        from evalapp.spending import confirming  # noqa: F401 -- notes logins
