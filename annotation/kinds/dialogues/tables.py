from __future__ import annotations

from collections.abc import Mapping

from annotation.page_kinds.tables import NoTables


class DialogueTables(NoTables):
    # Of an undamaged turn in a damaged dialogue, which never counts.
    beside: Mapping[str, str] = {"decoy": "decoy"}
