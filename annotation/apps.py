from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        """Say which pages a study has: needs the models."""
        from annotation.views import navigation  # noqa: F401
