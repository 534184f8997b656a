import json
from collections import Counter

import pytest

from annotation import imports, sentences, surveys
from annotation.models import Study
from annotation.simulation import sample

ROWS = [json.loads(line) for line in sample.PATH.read_text("utf-8").splitlines()]


def test_it_is_six_prefixes_by_two_labels_by_four_systems_by_two_samples():
    cells = {(r["prefix"], r["label"], r["system"], r["sample"]) for r in ROWS}
    sizes = [len(set(column)) for column in zip(*cells, strict=True)]
    assert sizes == [6, 2, 4, 2]
    assert len(cells) == len(ROWS) == 96


def test_a_text_has_three_to_five_sentences_behind_its_prefix():
    for row in ROWS:
        text, key = row["text"], row["key"]
        assert text.startswith(row["prefix"] + " "), key
        assert 40 <= len(text.split()) <= 80, key
        assert 3 <= len(sentences.split(text)) <= 5, key
        assert text == " ".join(text.split()), key


def test_no_sentence_is_used_in_two_texts():
    uses = Counter(s for row in ROWS for s in set(sentences.split(row["text"])))
    assert max(uses.values()) == 1


def test_length_does_not_tell_the_systems_apart():
    lengths = {
        system: [len(r["text"]) for r in ROWS if r["system"] == system]
        for system in sample.QUALITY
    }
    means = [sum(some) / len(some) for some in lengths.values()]
    assert max(means) < 1.15 * min(means)


def test_each_system_is_worse_than_the_one_before():
    assert set(sample.QUALITY) == {row["system"] for row in ROWS}
    for aspect in ("coherence", "consistency", "attribute-relevance"):
        means = [means[aspect] for means in sample.QUALITY.values()]
        assert all(1 <= mean <= 5 for mean in means)
        assert means[0] == max(means)
    totals = [sum(means.values()) for means in sample.QUALITY.values()]
    assert totals == sorted(totals, reverse=True)


def test_it_is_licensed_as_the_project():
    assert "Apache-2.0" in sample.PATH.with_name("README.md").read_text("utf-8")


@pytest.fixture
def study(alice):
    with sample.PATH.open("rb") as file:
        return imports.run(
            study_name="sample",
            format=sample.FORMAT,
            file=file,
            file_name=sample.PATH.name,
            owner=alice,
        ).study


def test_it_can_be_imported_and_opened(study):
    surveys.open_study(study=study)
    assert study.state == Study.State.OPEN
    assert study.surveys.count() == 24
    assert {s.items.count() for s in study.surveys.all()} == {5}
    assert set(study.labels.values_list("name", flat=True)) == set(sample.VERBALIZERS)
    assert set(study.aspects.values_list("key", flat=True)) == set(
        sample.QUALITY["plain"]
    )


def test_its_negatives_are_of_the_same_prompt_and_of_ordinary_length(study):
    for survey in surveys.draw(study=study):
        same = survey.negative.source.prompt_id == survey.prompt_id
        assert same != (survey.negative.perturbation == "transplant")
        real = [len(i.generation.text) for i in survey.items.all() if i.generation]
        length = len(survey.negative.text)
        if survey.negative.perturbation not in ("drop", "truncate"):
            assert 0.8 * min(real) <= length <= 1.2 * max(real)
