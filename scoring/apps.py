from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        """Say which pages a study has, and what a copy takes along: needs the models."""
        from annotation import studies
        from scoring.results import navigation, plan  # noqa: F401

        studies.copied.connect(plan.copy, dispatch_uid="plan")
