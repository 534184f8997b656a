from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        """Say which pages a study has, and who joins in what: needs the models."""
        from annotation import studies
        from annotation.imports import removing, scores_came
        from annotation.imports.undoing import undo_asked
        from scoring.results import navigation, plan  # noqa: F401
        from scoring.runs import intakes, uploaded

        studies.copied.connect(plan.copy, dispatch_uid="plan")
        scores_came.connect(uploaded.add_columns)
        intakes.register_all()
        removing.connect(intakes.remove_scores)
        undo_asked.connect(intakes.why_not_undone)
