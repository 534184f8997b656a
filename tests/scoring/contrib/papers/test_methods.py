"""The paragraph, the tables and the references for a paper."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from scoring import metrics
from scoring.contrib.papers import bibtex, methods
from tests.scoring.publishing.told import COHERENCE, NASTY, ROUGE, facts


def test_the_paragraph_has_the_numbers() -> None:
    text = methods.paragraph(facts())
    assert "20 texts by 2 systems for 10 prompts" in text
    assert "0.500 for Coherence" in text
    assert "ROUGE [@lin-2004-rouge]" in text


def test_a_plan_is_told() -> None:
    told = facts(protocol=replace(facts().protocol, plan="A plan was locked."))
    assert "A plan was locked." in methods.paragraph(told)


def test_latex_has_a_table_of_questions_systems_and_metrics() -> None:
    text = methods.latex(facts())
    assert text.count(r"\begin{table}") == 3
    assert r"3.500 {\scriptsize {[}3.100, 3.900]}" in text


def test_the_table_of_metrics_says_which_coefficient_it_has() -> None:
    text = methods.latex(facts(coefficient="Pearson r within prompts"))
    assert "Pearson r within prompts, higher is better" in text


def test_a_percent_sign_begins_no_comment() -> None:
    text = methods.latex(facts())
    lines = [line for line in text.splitlines() if not line.startswith(r"\begin")]
    assert not [line for line in lines if re.search(r"(?<!\\)%", line)]


def test_what_others_wrote_is_no_latex() -> None:
    aspect = replace(COHERENCE, title=NASTY)
    assert r"\end{document}" not in methods.latex(facts(aspects=[aspect], title=NASTY))
    assert r"\end{document}" not in bibtex.write(facts(title=NASTY))


def test_every_work_that_is_cited_has_an_entry() -> None:
    entries = re.findall(r"^@\w+\{([^,]+),", bibtex.write(facts()), re.MULTILINE)
    assert len(entries) == len(set(entries))
    cited = re.findall(r"\\cite\{([^}]+)\}", methods.latex(facts()))
    assert {key for one in cited for key in one.split(",")} <= set(entries)


@pytest.mark.parametrize("name", metrics.names())
def test_the_paper_behind_every_metric_is_known(name: str) -> None:
    kind = metrics.get(name)
    if getattr(kind, "link", ""):
        assert bibtex.keys_of(kind.link, kind.source)


def test_a_metric_without_a_paper_is_named_all_the_same() -> None:
    own = replace(ROUGE, title="My score", source="", link="")
    assert "% My score: computed elsewhere" in bibtex.write(facts(outputs=[own]))
