"""Files of programs in which people rate, as these write them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked, read_of, unused

QUALTRICS = {
    "German": (
        *("Startdatum", "Status", "Fortschritt", "Beendet", "Antwort-ID"),
        *("Wahr", "Falsch", "Umfragevorschau"),
    ),
    "French": (
        *("Date de début", "Type de réponse", "Progression", "Terminé"),
        *("ID de réponse", "Vrai", "Faux", "Aperçu du sondage"),
    ),
    "Spanish": (
        *("Fecha de inicio", "Tipo de respuesta", "Progreso", "Finalizado"),
        *("ID de respuesta", "Verdadero", "Falso", "Vista previa de encuesta"),
    ),
}
ENGLISH = ("StartDate", "Status", "Progress", "Finished", "ResponseId")
PARTICIPANTS = ("APPROVED", "RETURNED", "REJECTED")


@pytest.mark.parametrize("language", QUALTRICS)
@pytest.mark.parametrize("is_named_in_english", [True, False])
def test_qualtrics_speaks_the_language_of_its_user(language, is_named_in_english):
    *names, yes, no, preview = QUALTRICS[language]
    header = [*(ENGLISH if is_named_in_english else names), "text_shown", "coherence"]
    asked = [*names, "The text", "Wie kohärent?"]
    ids = [f'{{"ImportId":"q{n}"}}' for n in range(len(header))]
    people = [("IP", 100, yes), ("IP", 100, yes), (preview, 100, yes), ("IP", 50, no)]
    rows = [
        ("2025", *one, f"R_{n}", f"A text with number {n}.", n + 1)
        for n, one in enumerate(people)
    ]
    sheet = checked(given.table(header, [asked, ids, *rows]))
    assert sheet.preset == "qualtrics"
    assert read_of(sheet) == {
        ("A text with number 0.", "R_0", 1),
        ("A text with number 1.", "R_1", 2),
    }
    assert not sheet.problems


def toloka(statuses: Sequence[str]) -> imports.Sheet:
    header = (
        *("INPUT:text", "INPUT:system", "OUTPUT:coherence", "OUTPUT:why"),
        *("GOLDEN:coherence", "HINT:text", "ASSIGNMENT:link"),
        *("ASSIGNMENT:worker_id", "ASSIGNMENT:status"),
    )
    long = "Because it goes on and on about a lake that nobody has ever seen."
    rows = [
        (f"A text number {n}.", "m1", n + 1, long, 5, "Look.", "http://x", f"w{n}", one)
        for n, one in enumerate(statuses)
    ]
    return checked(given.table(header, rows, "\t"))


def test_toloka_has_ratings_in_outputs():
    sheet = toloka(["APPROVED", "SUBMITTED"])
    assert sheet.preset == "toloka"
    assert read_of(sheet) == {
        ("A text number 0.", "w0", 1),
        ("A text number 1.", "w1", 2),
    }
    assert list(sheet.counts.aspects) == ["coherence"]
    assert sheet.counts.systems == {"m1"}
    assert sheet.questions == []
    assert unused(sheet)["GOLDEN:coherence"] == unused(sheet)["OUTPUT:why"] == 2


def test_rejected_work_of_toloka_is_asked_about():
    [question] = toloka(["APPROVED", "REJECTED"]).questions
    assert (question.code, question.table) == ("rows", {"APPROVED": 1, "REJECTED": ""})


def prodigy(**fields: object) -> bytes:
    answers = ("accept", "reject", "ignore")
    return given.jsonl(
        *(
            {
                "text": f"A text with number {n}.",
                "_input_hash": n,
                "_task_hash": n,
                "_annotator_id": "ann",
                "answer": answers[n % 3],
                **fields,
            }
            for n in range(6)
        )
    )


def test_what_was_chosen_in_prodigy_is_a_rating():
    options = [{"id": "a", "text": "4"}, {"id": "b", "text": "5"}]
    sheet = checked(prodigy(options=options, accept=["b"], meta={"system": "m1"}))
    assert [one.code for one in sheet.questions] == ["rows"]
    assert read_of(sheet) == {(f"A text with number {n}.", "ann", 5) for n in (0, 3)}
    assert sheet.counts.systems == {"m1"}
    every = {"status": {"accept": 1, "reject": 1, "ignore": 1}}
    sheet = checked(prodigy(options=options, accept=["b"]), values=every)
    assert (sheet.questions, sheet.counts.ratings) == ([], 6)


def test_several_choices_in_prodigy_are_no_rating():
    sheet = checked(prodigy(options=[{"id": 1}, {"id": 2}], accept=[1, 2]))
    assert sheet.counts.ratings == 0
    assert unused(sheet)["accept"] == 12


def test_a_label_in_prodigy_is_right_or_wrong():
    sheet = checked(prodigy(label="COHERENT"))
    [question] = sheet.questions
    assert question.table == {"reject": 0, "accept": 1, "ignore": ""}
    assert list(sheet.counts.aspects) == ["coherent"]


def prolific(**options: object) -> imports.Sheet:
    rows = [
        (f"s{k}", f"person{k}", status, f"A text with number {n}.", k + n)
        for n in range(3)
        for k, status in enumerate(PARTICIPANTS)
    ]
    header = ("Submission id", "Participant id", "Status", "text", "coherence")
    return checked(given.table(header, rows), **options)


def test_participants_who_went_are_asked_about():
    sheet = prolific()
    [question] = sheet.questions
    assert question.sentence == (
        'Column “Status” says "RETURNED", "REJECTED" in 6 rows. Are these left out?'
    )
    assert {rater for _, rater, _ in read_of(sheet)} == {"person0"}
    assert unused(sheet)["coherence"] == 6
    assert prolific(yes=True).questions == []


def test_participants_who_went_can_count():
    said = {"Status": {"APPROVED": 1, "RETURNED": 1, "REJECTED": ""}}
    sheet = prolific(values=said)
    assert sheet.questions == []
    assert {rater for _, rater, _ in read_of(sheet)} == {"person0", "person1"}


@pytest.mark.parametrize("words", [("APPROVED",), ("done", "open")])
def test_a_status_without_rejected_rows_is_not_asked_about(words):
    rows = [(f"A text with number {n}.", words[n % len(words)], 4) for n in range(6)]
    sheet = checked(given.table(("text", "status", "coherence"), rows))
    assert (sheet.questions, sheet.counts.ratings) == ([], 6)


def test_survey_monkey_has_a_header_of_two_rows():
    upper = ("Respondent ID", "Collector ID", "Start Date", "How good is each text?")
    lower = ("", "", "", "The lake froze over in winter.", "The sea was very calm.")
    upper = (*upper, "", "Any comments?")
    lower = (*lower, "Open-Ended Response")
    rows = [(n, 7, "2025", n, n + 1, "Nice.") for n in (1, 2)]
    sheet = checked(given.table(upper, [lower, *rows]))
    assert sheet.preset == "survey_monkey"
    assert read_of(sheet) == {
        ("The lake froze over in winter.", "1", 1),
        ("The lake froze over in winter.", "2", 2),
        ("The sea was very calm.", "1", 2),
        ("The sea was very calm.", "2", 3),
    }
    assert list(sheet.counts.aspects.values()) == ["How good is each text"]


@pytest.mark.parametrize("answer", ["{}", "A{}", "AO0{}"])
def test_lime_survey_has_the_texts_in_its_header(answer):
    header = (
        *("Response ID", "Date submitted", "Last page", "Start language"),
        "How good is it? [The lake froze over in winter.]",
        "How good is it? [The sea was very calm.]",
    )
    rows = [
        (n, "2025-01-01", 3, "en", answer.format(n), answer.format(n + 1))
        for n in (1, 2)
    ]
    rows.append((3, "", 1, "en", answer.format(5), ""))
    sheet = checked(given.table(header, rows))
    assert sheet.preset == "lime_survey"
    assert read_of(sheet) == {
        ("The lake froze over in winter.", "1", 1),
        ("The lake froze over in winter.", "2", 2),
        ("The sea was very calm.", "1", 2),
        ("The sea was very calm.", "2", 3),
    }
    assert all(question.has_proposal for question in sheet.questions)


@pytest.mark.parametrize("name", ["a_export__csv", "z_export__csv"])
def test_the_export_of_prolific_says_which_raters_count(name):
    rows = [
        (f"person{k}", f"A text with number {n}.", k + n)
        for n in range(3)
        for k in range(3)
    ]
    people = [
        (f"s{k}", f"person{k}", status, 30) for k, status in enumerate(PARTICIPANTS)
    ]
    pack = given.packed(
        ratings__csv=given.table(("participant_id", "text", "coherence"), rows),
        **{
            name: given.table(
                ("Submission id", "Participant id", "Status", "Age"), people
            )
        },
    )
    sheet = checked(pack)
    [question] = sheet.questions
    assert question.sentence == (
        'Prolific says "RETURNED", "REJECTED" of 2 participants. Are their rows left'
        " out?"
    )
    assert {rater for _, rater, _ in read_of(sheet)} == {"person0"}
    assert unused(sheet)["Age"] == 3
    used = {"Prolific": {"RETURNED": 1, "REJECTED": "", "APPROVED": 1}}
    sheet = checked(pack, values=used)
    assert {rater for _, rater, _ in read_of(sheet)} == {"person0", "person1"}
    assert sheet.questions == []
