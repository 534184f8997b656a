"""From the database to arrays: the same human scores as everywhere else."""

from __future__ import annotations

import numpy as np
import pytest

from annotation import human_scores, surveys
from annotation.models import ImportedMean, Prompt
from scoring import runs
from scoring.results import study_arrays
from tests.annotation.seating import hand_in, lay_out, sit, state
from tests.scoring.working import work
from tests.support.scored import COHERENCE, LOSS, ZIPF, rate, score, score_systems


@pytest.fixture
def study(make_study):
    return make_study()


def means(study, **counted) -> np.ndarray:
    """By text, NaN for those without, as the one door gives them."""
    found = human_scores.means(study=study, **counted)
    ids = list(study.generations.order_by("pk").values_list("pk", flat=True))
    table = np.full((len(ids), study.aspects.count()), np.nan)
    table[[ids.index(pk) for pk in found.generations]] = found.values
    return table


def test_the_texts_are_in_the_order_of_their_upload(study):
    data = study_arrays.load(study=study, needs=())
    keys = study.generations.order_by("pk").values_list("key", flat=True)
    assert data.texts.key.tolist() == list(keys)
    assert data.texts.system.tolist() == [0, 1, 2, 3] * 2
    assert data.texts.prompt.tolist() == [0] * 4 + [1] * 4
    assert set(data.texts.prefix.tolist()) == {0}


def test_without_runs_there_are_the_lengths(study):
    data = study_arrays.load(study=study, needs={"scores"})
    assert [output.metric for output in data.outputs] == ["length"] * 3
    assert data.scores.shape == (8, 3)
    assert [o.id for o in study_arrays.outputs(study=study)] == [
        o.id for o in data.outputs
    ]


def test_scores_stand_beside_their_texts(study):
    score(study, COHERENCE, [n / 10 for n in range(8)])
    data = study_arrays.load(study=study, needs={"scores"})
    column = [output.metric != "length" for output in data.outputs].index(True)
    assert data.scores[:, column].tolist() == [n / 10 for n in range(8)]
    ids = [output.id for output in study_arrays.outputs(study=study)]
    assert ids == [output.id for output in data.outputs]


def test_numbers_of_systems_stand_by_seed(study):
    score_systems(study, LOSS, {"a": [1.0, None, 5.0], "c": 2.0}, metric="kl")
    score_systems(study, ZIPF, {"b": 7.0}, metric="zipf")
    data = study_arrays.load(study=study, needs={"systems"})
    assert [output.key for output in data.system_outputs] == ["nll", "zipf"]
    no = np.nan
    kl = [[1, no, 5], [no] * 3, [2, no, no], [no] * 3]
    np.testing.assert_array_equal(data.system_seeds[:, 0], kl)
    np.testing.assert_array_equal(data.system_scores[:, 0], [3, no, 2, no])
    np.testing.assert_array_equal(data.system_scores[:, 1], [no, 7, no, no])


def test_numbers_from_before_texts_were_added_are_left_out(study, extra, sent):
    work(runs.start(study=study, metric="crowd", options={}))
    text = study.generations.filter(system__name="b").first()
    text.pk, text.key, text.sample = None, "new", 9
    text.save()
    data = study_arrays.load(study=study, needs={"systems"})
    texts = [output.key for output in data.system_outputs].index("texts")
    found = data.system_scores[:, texts]
    np.testing.assert_array_equal(found, [2, np.nan, 2, 2])


class TestHumanScores:
    @pytest.fixture
    def rated(self, study):
        """Valid and discarded pages, a file of ratings, and means of files."""
        lay_out(study)
        assert state(hand_in(sit(study, "w1"))) == "valid"
        assert state(hand_in(sit(study, "w2"), careful=False)) == "discarded"
        sit(study, "w3")
        rate(study, "coherence", [[n % 5 + 1] * (n % 3) for n in range(8)])
        source = study.imports.first()
        texts = list(study.generations.order_by("pk"))
        for text, n in ((texts[0], 3), (texts[1], None), (texts[4], None)):
            ImportedMean.objects.create(
                imported=source,
                generation=text,
                aspect=study.aspects.first(),
                mean=2.3,
                n=n,
            )
        texts[2].excluded_at = "2026-01-01T00:00Z"
        texts[2].save()
        return study

    @pytest.mark.parametrize("with_discarded", [False, True])
    def test_they_are_those_of_the_one_door(self, rated, with_discarded):
        data = study_arrays.load(study=rated, needs={"ratings"})
        found, _ = data.human_means(with_discarded=with_discarded)
        counted = {"with_discarded": with_discarded, "with_excluded": True}
        np.testing.assert_array_equal(found, means(rated, **counted))

    def test_so_are_the_counts_behind_alpha(self, rated):
        data = study_arrays.load(study=rated, needs={"ratings"})
        for place, aspect in enumerate(rated.aspects.all()):
            counts, values = data.counts(place)
            door = human_scores.counts(study=rated, aspect=aspect, with_excluded=True)
            assert values.tolist() == door.values.tolist()
            assert counts[counts.sum(axis=1) > 0].tolist() == door.counts.tolist()


def test_equal_data_have_an_equal_digest(study):
    first = study_arrays.load(study=study).digest()
    assert first == study_arrays.load(study=study).digest()
    study.generations.create(key="new", prompt=study.generations.first().prompt)
    assert first != study_arrays.load(study=study).digest()


@pytest.mark.parametrize("prompts", [2, 6])
def test_queries_do_not_grow_with_texts(
    make_study, django_assert_max_num_queries, prompts
):
    study = make_study(prompts=prompts)
    study_arrays.load(study=study)  # counts the lengths once
    with django_assert_max_num_queries(32):
        study_arrays.load(study=study)


def test_the_stamp_changes_with_ratings_scores_and_texts(study):
    stamps = [study_arrays.stamp(study=study)]
    rate(study, "coherence", [[1]] * 8)
    stamps.append(study_arrays.stamp(study=study))
    work(runs.start(study=study, metric="length", options={}))
    stamps.append(study_arrays.stamp(study=study))
    study.generations.create(key="new", prompt=study.generations.first().prompt)
    stamps.append(study_arrays.stamp(study=study))
    assert len(set(stamps)) == 4


def test_which_texts_were_drawn_comes_with_their_probability(make_study):
    study = make_study(prompts=10, rated_share=50)
    before = study_arrays.stamp(study=study)
    assert len(study_arrays.load(study=study, needs=()).drawn) == 0
    surveys.open_study(study=study)
    drawn = study_arrays.load(study=study, needs=()).drawn
    asked = study.generations.order_by("pk").values_list("asked", flat=True)
    assert drawn.asked.tolist() == list(asked) and drawn.asked.sum() == 20
    assert drawn.stratum.tolist() == [0, 1, 2, 3] * 10
    assert set(drawn.probability.tolist()) == {0.5}
    assert study_arrays.stamp(study=study) != before


def test_a_text_that_comes_in_while_others_are_read_has_no_row(make_study, monkeypatch):
    study = make_study(prompts=10, rated_share=50)
    surveys.open_study(study=study)
    read = study_arrays.Units

    def and_one_more(study):
        found = read(study)
        prompt = Prompt.objects.create(study=study, position=99)
        study.generations.create(key="new", prompt=prompt)
        return found

    monkeypatch.setattr(study_arrays, "Units", and_one_more)
    data = study_arrays.load(study=study, needs=())
    assert len(data.drawn.asked) == len(data.texts.key) == 40


def test_texts_that_came_after_the_draw_are_in_no_stratum(make_study):
    study = make_study(prompts=10, rated_share=50)
    surveys.open_study(study=study)
    last = study.generations.last()
    nothing = dict.fromkeys(("asked", "probability", "stratum"))
    study.generations.filter(pk=last.pk).update(**nothing)
    drawn = study_arrays.load(study=study, needs=()).drawn
    assert drawn.stratum[-1] == -1 and not drawn.asked[-1]
    assert np.isnan(drawn.probability[-1])


def test_empty_texts_are_marked_if_there_are_any(study):
    assert study_arrays.load(study=study, needs=()).no_output.size == 0
    empty = study.generations.order_by("pk")[2]
    study.generations.filter(pk=empty.pk).update(text="")
    data = study_arrays.load(study=study, needs=())
    assert data.texts.key[data.no_output].tolist() == [empty.key]
