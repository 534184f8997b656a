from __future__ import annotations

from typing import TYPE_CHECKING

from evalapp import navigation
from evalapp.doors import Contrib

if TYPE_CHECKING:
    from annotation.models import Study


class MailingConfig(Contrib):
    name = "annotation.contrib.mailing"
    urls = {"study": "annotation.contrib.mailing.urls"}

    def ready(self) -> None:
        from annotation.contrib.mailing.sending import MAILINGS
        from evalapp.work import kinds

        kinds.register(MAILINGS)
        navigation.add("setup", _pages, after="study_invites")


def _pages(study: Study) -> list[navigation.Page]:
    also = ("mailing_list", "mailing_write")
    page = navigation.Page("Emails", "study_mailing", also=also)
    return [page] if study.sees_people else []
