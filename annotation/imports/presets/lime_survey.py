"""LimeSurvey: a row for each person, a column for each text that was rated.

The head of a column is "question [text]", as an export with full question texts has it.
With codes for heads (G1Q1[SQ001]) the texts are not in the file. Answers that were not
sent off are not used. (manual.limesurvey.org, export results)
"""

from __future__ import annotations

from collections.abc import Sequence

from annotation.imports import _verbs
from annotation.imports._account import Account, filled
from annotation.imports.files import Record, Table
from annotation.imports.presets._preset import Preset, Records
from annotation.imports.presets._surveys import Survey, plain

SENT = ("submitdate", "date submitted", "datum abgeschickt", "date de soumission")
PAGES = ("lastpage", "last page", "letzte seite", "dernière page")
OWN = (
    *(*SENT, *PAGES, "startlanguage", "start language", "start-sprache", "seed"),
    *("langue de départ", "startdate", "date started", "datestamp", "ipaddr"),
    *("date last action", "ip address", "refurl", "referrer url", "interviewtime"),
    *("total time", "datum gestartet", "datum letzte aktivität", "zufallsstartwert"),
)
SURVEY = Survey(
    who=("token", "access code", "zugangscode", "id", "response id", "antwort id"),
    own=frozenset(OWN),
)
NOT_SENT = "the answers were not sent off"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    names = set(map(plain, table.columns))
    return not names.isdisjoint(SENT) and not names.isdisjoint(PAGES)


def _unfold(records: Records, account: Account) -> Records:
    return SURVEY.unfold(_verbs.where(records, _is_sent, account, NOT_SENT), account)


def _is_sent(cells: _verbs.Cells) -> bool:
    return any(filled(v) for c, v in cells.items() if plain(c) in SENT)


PRESET = Preset(
    title="LimeSurvey",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    note="Answers that were not sent off are not used. The texts must stand in the"
    " header: export the full texts of questions, not their codes.",
)
