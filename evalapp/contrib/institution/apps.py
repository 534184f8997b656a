from django.conf import settings

from evalapp.doors import Contrib


class InstitutionConfig(Contrib):
    """Without OIDC_URL, its commands alone: they say what to do."""

    name = "evalapp.contrib.institution"
    variables = ("OIDC_URL",)
    urls = {"site": "evalapp.contrib.institution.urls"}

    def ready(self) -> None:
        if settings.INSTITUTION is None:
            self.urls = {}
