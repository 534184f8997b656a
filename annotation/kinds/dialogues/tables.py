from __future__ import annotations

from collections.abc import Mapping

from annotation.archive.columns import Column
from annotation.page_kinds.tables import NoTables


class DialogueTables(NoTables):
    beside: Mapping[Column, str] = {
        Column(
            "decoy",
            "string",
            "Key of an undamaged turn in a damaged dialogue, which never counts",
        ): "decoy"
    }
