from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from annotation import studies
        from scoring.results import plan

        studies.copied.connect(plan.copy, dispatch_uid="plan")
