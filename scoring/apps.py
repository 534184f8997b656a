from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        """Say which pages a study has, and who joins in what: needs the models."""
        from annotation import page_kinds, studies
        from annotation.imports import removing, scores_came
        from annotation.imports.undoing import undo_asked
        from evalapp.work import kinds
        from scoring.archive import tables
        from scoring.judging.trials import TRIALS
        from scoring.publishing.shelf import SHELF as DATA_SETS
        from scoring.results import navigation, plan  # noqa: F401
        from scoring.results.analysing import ANALYSES
        from scoring.runs import intakes, uploaded
        from scoring.runs.work import RUNS
        from scoring.training.work import TRAININGS

        kinds.register(RUNS, TRAININGS, TRIALS, ANALYSES, DATA_SETS)
        for kind in page_kinds.every():
            for archived in kind.tables.archived:
                tables.add(archived.table)
        studies.copied.connect(plan.copy, dispatch_uid="plan")
        scores_came.connect(uploaded.add_columns)
        intakes.register_all()
        removing.connect(intakes.remove_scores)
        undo_asked.connect(intakes.why_not_undone)
