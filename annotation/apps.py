from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        """Say which pages a study has, what is added to it, and who may begin work."""
        from annotation import page_kinds
        from annotation.kinds import KINDS

        page_kinds.register(*KINDS)  # first: forms have the options of each

        from annotation import access
        from annotation.assistant import IMPORTS
        from annotation.imports import intakes
        from annotation.kept import SUMMARY_WORK
        from annotation.quality.applying import QUALITY
        from annotation.surveys import OPENINGS
        from annotation.views import navigation  # noqa: F401
        from annotation.votes.intake import INTAKE
        from evalapp.work import kinds, retries

        intakes.register(INTAKE)
        kinds.register(IMPORTS, SUMMARY_WORK, QUALITY, OPENINGS)
        kinds.find_study.append(access.get_study_for)
        retries.asked_before.append(access.why_not_begin)
