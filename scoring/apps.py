from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        """Say which pages a study has: needs the models."""
        from scoring.results import navigation  # noqa: F401
