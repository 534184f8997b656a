from __future__ import annotations

from typing import TYPE_CHECKING

from evalapp import navigation
from evalapp.doors import Contrib

if TYPE_CHECKING:
    from annotation.models import Study


class ProlificConfig(Contrib):
    name = "annotation.contrib.prolific"
    urls = {"study": "annotation.contrib.prolific.urls"}

    def ready(self) -> None:
        navigation.add("workers", _pages, after="study_payments")


def _pages(study: Study) -> list[navigation.Page]:
    from annotation import platforms

    page = navigation.Page("Recruit", "study_recruit", also=("recruit_draft",))
    is_there = study.sees_people and study.platform == platforms.PROLIFIC
    return [page] if is_there else []
