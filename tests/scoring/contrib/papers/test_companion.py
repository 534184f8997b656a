"""What the app adds to a data set, and what is said of it there."""

from __future__ import annotations

import json
import re

from scoring.contrib.papers.companion import COMPANION
from scoring.publishing import card, companions
from tests.scoring.publishing.told import facts

DIGESTS = {"texts": "0" * 64}


def test_the_app_registers_it_once() -> None:
    assert companions.COMPANIONS.count(COMPANION) == 1


def test_all_that_the_card_names_is_in_the_folder() -> None:
    names = COMPANION.files(facts(), DIGESTS)
    said = re.findall(r"`([^`]+)`", f"{COMPANION.card} {COMPANION.cite}")
    assert len(said) == 5
    for name in said:
        assert any(file.startswith(name) for file in names), name


def test_the_card_says_where_the_references_are() -> None:
    text = card.write(facts(), {"texts": 20}, [COMPANION])
    assert text.endswith("## Cite it\n\nSee `paper/references.bib`.\n")
    assert "- evalapp\n- croissant\n" in text


def test_the_report_says_how_much_of_the_datasheet_is_answered() -> None:
    n_answered, n = map(int, re.findall(r"\d+", COMPANION.report(facts())))
    sheet = json.loads(COMPANION.files(facts(), DIGESTS)["heds.json"])
    assert (n_answered, n) == (sheet["answered"], sheet["questions"])
    assert 0 < n_answered < n


def test_the_preview_names_each_question_that_is_left() -> None:
    values = COMPANION.values(facts())
    assert "5.1 Which committee approved the experiment?" in values["unanswered"]
