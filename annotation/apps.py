from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        """Say which pages a study has, and who may begin work: needs the models."""
        from annotation import access
        from annotation.views import navigation  # noqa: F401
        from evalapp.queue import attempts

        attempts.asked_before.append(access.why_not_begin)
