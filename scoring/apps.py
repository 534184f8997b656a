from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from annotation.imports import scores_came
        from scoring.runs import uploaded

        scores_came.connect(uploaded.add_columns)
