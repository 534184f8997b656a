from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "evalapp.accounts"

    def ready(self) -> None:
        from evalapp.accounts import checks, closing  # noqa: F401 -- registers them
