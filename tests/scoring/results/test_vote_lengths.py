from __future__ import annotations

import numpy as np
import pytest

from annotation.models.texts import full_text
from annotation.page_kinds.tables import VoteRow
from scoring.results import vote_lengths

pytestmark = pytest.mark.django_db


def asked(study, *names: str, prompt: int | None = 0, texts=None) -> list[VoteRow]:
    systems = {system.name: system.pk for system in study.systems.all()}
    prompts = [one.pk for one in study.prompts.all()]
    pk = None if prompt is None else prompts[prompt]
    first, second = (systems[name] for name in names)
    return [VoteRow("1", "", first, second, True, "", 1, pk, texts)]


def test_it_is_the_number_of_words_that_workers_read(make_study):
    study = make_study()
    texts = study.generations.filter(prompt=study.prompts.first())
    wanted = [
        len(full_text(one.prompt.prefix, one.text).split())
        for one in (texts.get(system__name=name) for name in "ba")
    ]
    found = vote_lengths.words(study=study, cast=asked(study, "b", "a"))
    assert found.tolist() == [wanted]


def test_a_vote_on_an_unknown_prompt_has_no_lengths(make_study):
    study = make_study()
    known, unknown = asked(study, "a", "b"), asked(study, "a", "b", prompt=None)
    assert vote_lengths.words(study=study, cast=unknown).shape == (0, 0)
    found = vote_lengths.words(study=study, cast=[*known, *unknown])
    assert np.isnan(found).tolist() == [[False, False], [True, True]]


def test_of_several_texts_of_a_system_none_is_guessed(make_study):
    study = make_study(samples=2)
    found = vote_lengths.words(study=study, cast=asked(study, "a", "b"))
    assert found.shape == (0, 0)


def test_a_vote_that_was_cast_here_names_its_texts(make_study):
    study = make_study(samples=2)
    texts = list(study.generations.filter(prompt=study.prompts.first(), sample=2)[:2])
    cast = asked(study, "a", "b", texts=(texts[1].pk, texts[0].pk))
    found = vote_lengths.words(study=study, cast=cast)
    wanted = [len(text.full_text.split()) for text in reversed(texts)]
    assert found.tolist() == [wanted]
