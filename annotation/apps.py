from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        """Say which pages a study has, what is added to it, and who may begin work."""
        from annotation import access, page_kinds
        from annotation.imports import intakes
        from annotation.kinds import KINDS
        from annotation.views import navigation  # noqa: F401
        from annotation.votes.intake import INTAKE
        from evalapp.work import retries

        page_kinds.register(*KINDS)
        intakes.register(INTAKE)
        retries.asked_before.append(access.why_not_begin)
