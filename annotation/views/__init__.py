from annotation.views.access import get_study_for

__all__ = ["get_study_for"]
