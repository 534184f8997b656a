"""The card of a data set: a header that hubs read, and words that do nothing."""

from __future__ import annotations

from dataclasses import replace

import yaml

from scoring.publishing import card
from tests.scoring.publishing.told import NASTY, facts

ROWS = {"texts": 20, "ratings": 40}


def header(text: str) -> dict:
    return yaml.safe_load(text.split("---\n")[1])


def test_the_header_names_each_table_and_its_file() -> None:
    found = header(card.write(facts(), ROWS))
    assert found["configs"] == [
        {
            "config_name": "texts",
            "data_files": "data/texts.parquet",
            "default": True,
        },
        {"config_name": "ratings", "data_files": "data/ratings.parquet"},
    ]
    assert (found["license"], found["size_categories"]) == ("cc-by-4.0", ["n<1K"])


def test_without_a_licence_it_says_that_none_is_known() -> None:
    text = card.write(facts(published=facts().published.__class__()), ROWS)
    assert header(text)["license"] == "unknown"
    assert "have not named a licence" in text


def test_of_a_folder_without_companions_it_promises_no_more_than_there_is() -> None:
    text = card.write(facts(), ROWS)
    assert header(text)["tags"] == ["human-evaluation", "ratings", "evalapp"]
    assert text.endswith("python replication/recompute.py\n```\n\n")
    paper = replace(facts().published, paper="https://example.org/paper")
    text = card.write(facts(published=paper), ROWS)
    assert text.endswith("## Cite it\n\nCite the paper: <https://example.org/paper>.\n")


def test_agreement_stands_beside_its_question() -> None:
    row = next(
        line for line in card.write(facts(), ROWS).splitlines() if "`coherence`" in line
    )
    assert "| 0.500 | 0.400 to 0.600 |" in row


def test_what_others_wrote_is_no_markdown_and_no_header() -> None:
    told = facts(title=f'x"\n---\n{NASTY}', instructions=NASTY, consent=[NASTY])
    text = card.write(told, ROWS)
    assert header(text)["pretty_name"] == told.title
    body = text.split("---\n", 2)[2]
    assert "<script>" not in body
    assert "](http" not in body
    assert "\n---\n" not in body


def test_a_long_text_is_cut() -> None:
    text = card.write(facts(instructions="word " * 10_000), ROWS)
    assert len(text) < 20_000


def test_simulated_ratings_are_called_so() -> None:
    text = card.write(facts(simulated=True), ROWS)
    assert "simulated, not from people" in text
    assert header(text)["annotations_creators"] == ["machine-generated"]
