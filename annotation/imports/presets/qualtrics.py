"""Qualtrics: a row for each response.

The text that was shown stands in a column; or the second row of the header has it, a
column for each text ("Rate the fluency. - The lake froze over.").
The header has three rows: names, questions, and {"ImportId": ...}. Who answered is the
ResponseId. Previews, tests, spam and unfinished responses are not used.
(qualtrics.com/support, data export; github.com/ropensci/qualtRics)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from annotation.imports import _verbs
from annotation.imports._account import Account
from annotation.imports._cells import number
from annotation.imports.files import Record, Table
from annotation.imports.presets import _grids
from annotation.imports.presets._preset import Preset, Records

ID, STATUS, FINISHED = "ResponseId", "Status", "Finished"
PROGRESS, DONE = "Progress", 100
DASH = " - "  # between a question and a row of its table
RATER = "rater"  # what the ID of a response is
HEADER = "it is a row of the header"
PREVIEW = "the response is a preview, a test or spam"
UNFINISHED = "the response is not finished"
OF_SURVEY = "it is about the survey, not about the text"
# Numbers, if values are exported as numbers, or parts of words: previews, tests, spam.
NOT_PEOPLE = ("1", "2", "8", "9", "12", "17")
NOT_PEOPLE_WORDS = ("preview", "test", "spam", "vorschau", "aperçu", "vista previa")
NO = ("false", "0", "no", "falsch", "nein", "faux", "falso", "non")
TEXTS = ("text_shown", "shown_text", "text shown", "stimulus", "item_text", "shown")
# What its own columns are called in other languages and with labels, in small letters.
ELSEWHERE = {
    **dict.fromkeys(
        ("response id", "antwort-id", "id de réponse", "id de la réponse")
        + ("id de respuesta", "id risposta", "id da resposta"),
        ID,
    ),
    **dict.fromkeys(
        ("response type", "antworttyp", "art der antwort", "type de réponse")
        + ("état", "tipo de respuesta", "estado"),
        STATUS,
    ),
    **dict.fromkeys(("beendet", "fertig", "terminé", "finalizado"), FINISHED),
    **dict.fromkeys(("fortschritt", "progression", "progreso"), PROGRESS),
}
OWN_ELSEWHERE = (
    *("start date", "end date", "ip address", "recorded date", "startdatum"),
    *("enddatum", "ip-adresse", "dauer (in sekunden)", "aufzeichnungsdatum"),
    *("aufgezeichnetes datum", "nachname des empfängers", "vorname des empfängers"),
    *("e-mail-adresse des empfängers", "externe datenreferenz", "benutzersprache"),
    *("breitengrad des standorts", "längengrad des standorts", "verteilungskanal"),
    *("date de début", "date de fin", "adresse ip", "durée (en secondes)"),
    *("date d'enregistrement", "date enregistrée", "nom du destinataire"),
    *("prénom du destinataire", "canal de distribution", "langue de l'utilisateur"),
    *("fecha de inicio", "fecha de finalización", "dirección ip"),
    *("duración (en segundos)", "fecha de registro", "canal de distribución"),
    *("idioma del usuario", "location latitude", "location longitude"),
    *("distribution channel", "user language", "external data reference"),
    *("recipient last name", "recipient first name", "recipient email"),
)
ITS_OWN = frozenset(OWN_ELSEWHERE) | frozenset(
    name.lower()
    for name in (
        *("StartDate", "EndDate", STATUS, "IPAddress", PROGRESS, FINISHED),
        *("Duration (in seconds)", "RecordedDate", "RecipientLastName"),
        *("RecipientFirstName", "RecipientEmail", "ExternalReference"),
        *("ExternalDataReference", "LocationLatitude", "LocationLongitude"),
        *("DistributionChannel", "UserLanguage", "Q_RecaptchaScore"),
        *("Q_RelevantIDDuplicate", "Q_DuplicateRespondent", "Q_BallotBoxStuffing"),
        *("PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "workerId", "assignmentId"),
    )
)


def _unfold(records: Records, account: Account) -> Records:
    named = _verbs.rename(records, _name)
    first = next(named, None)  # the questions, which are no cells of anybody
    if first is None:
        return
    data = chain([first], named) if _is_response(first.cells) else named
    kept = _verbs.where(data, _is_response, account, HEADER)
    kept = _verbs.where(kept, _is_of_people, account, PREVIEW)
    kept = _verbs.where(kept, _is_finished, account, UNFINISHED)
    kept = _verbs.without(kept, lambda c: c.lower() in ITS_OWN, account, OF_SURVEY)
    parts = {} if "text" in first.cells else _grids.parts(_heads(first.cells))
    if parts:
        kept = _grids.ratings_only(_verbs.melt(kept, parts.get, account), account)
    yield from kept


def _heads(cells: _verbs.Cells) -> dict[str, tuple[str, str]]:
    """Of the second row of the header: "Rate the fluency. - The lake froze over." """
    found = {}
    if _is_response(cells):
        return {}
    for column, question in cells.items():
        if isinstance(question, str) and column.lower() not in ITS_OWN:
            asked, dash, item = question.partition(DASH)
            if dash and asked.strip() and item.strip():
                found[column] = asked, item
    return found


def _is_response(cells: _verbs.Cells) -> bool:
    said = _said(cells, RATER)
    return ELSEWHERE.get(said) != ID and "importid" not in said


def _is_of_people(cells: _verbs.Cells) -> bool:
    said = _said(cells, STATUS)
    return said not in NOT_PEOPLE and not any(one in said for one in NOT_PEOPLE_WORDS)


def _is_finished(cells: _verbs.Cells) -> bool:
    if FINISHED not in cells and (progress := number(cells.get(PROGRESS))) is not None:
        return progress >= DONE
    return _said(cells, FINISHED) not in NO


def _said(cells: _verbs.Cells, column: str) -> str:
    return str(cells.get(column, "")).strip().lower()


def _name(column: str) -> str:
    plain = column.strip().lower().replace("’", "'")
    name = ELSEWHERE.get(plain, column)
    if name == ID:
        return RATER
    return "text" if plain in TEXTS else name


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    names = set(map(_name, table.columns))
    return (
        RATER in names
        and not names.isdisjoint((STATUS, FINISHED, PROGRESS))
        and (ID in table.columns or table.questions is not None)
    )


PRESET = Preset(
    title="Qualtrics",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    takes_questions=True,
    note="Previews, tests and unfinished responses are not used.",
)
