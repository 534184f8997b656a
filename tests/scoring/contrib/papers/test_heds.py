"""The datasheet: answers where EvalApp knows them, and a mark where it does not."""

from __future__ import annotations

import json
from dataclasses import replace

from scoring.contrib.papers import heds
from scoring.contrib.papers.heds_questions import QUESTIONS
from scoring.publishing.facts import Estimate, Published
from tests.scoring.publishing.told import COHERENCE, HOW, NASTY, facts


def answers(**changes: object) -> dict[str, str]:
    return {one.number: one.text for one in heds.fill(facts(**changes)).answers}


def test_there_are_as_many_questions_as_the_sheet_has() -> None:
    """Counted in the form at nlp-heds.github.io, by section."""
    by_section = [
        sum(number.startswith(f"{section}.") for number in QUESTIONS)
        for section in range(1, 6)
    ]
    assert by_section == [9, 5, 23, 21, 4]


def test_a_study_that_was_run_here_answers_four_of_five() -> None:
    """With the three standard questions, a contact and authors, but no plan."""
    three = [
        replace(COHERENCE, key=key)
        for key in ("coherence", "consistency", "attribute-relevance")
    ]
    assert heds.fill(facts(aspects=three)).share >= 0.8


def test_what_only_people_know_is_left_unanswered() -> None:
    told = answers(published=Published())
    for number in ("1.1.1", "3.2.2.1", "5.1", "5.3", "5.4"):
        assert told[number] == ""
    assert heds.UNANSWERED in heds.as_markdown(heds.fill(facts()))


def test_section_four_is_answered_for_each_question() -> None:
    two = [COHERENCE, replace(COHERENCE, key="wit", title="Wit", standard=False)]
    sheet = heds.fill(facts(aspects=two))
    of_wit = {one.number: one.text for one in sheet.answers if one.criterion == "Wit"}
    assert len(of_wit) == 21
    assert (of_wit["4.1.1"], of_wit["4.3.3"]) == ("", "5")


def test_agreement_is_told_with_its_interval() -> None:
    assert answers()["4.3.11.2"] == "0.500, 95 % interval 0.400 to 0.600"
    unknown = replace(COHERENCE, alpha=Estimate(None))
    assert answers(aspects=[unknown])["4.3.11.2"] == "InterAA not assessed"


def test_of_ratings_from_files_nothing_of_the_raters_is_made_up() -> None:
    told = answers(protocol=replace(HOW, collected=False))
    for number in ("3.2.3", "3.2.2.2", "3.3.2", "3.3.3.1", "3.3.7"):
        assert told[number] == ""


def test_json_and_markdown_say_the_same() -> None:
    sheet = heds.fill(facts())
    found = json.loads(heds.as_json(sheet))
    assert found["answered"] == sheet.n_answered
    assert f"{sheet.n_answered} of {len(sheet.answers)}" in heds.as_markdown(sheet)


def test_what_others_wrote_is_no_markdown() -> None:
    text = heds.as_markdown(heds.fill(facts(title=NASTY)))
    assert "<script>" not in text
