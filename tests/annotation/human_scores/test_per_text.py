from __future__ import annotations

import numpy as np
import pytest

from annotation import answering, human_scores
from annotation.models import Annotation, Import, ImportedMean, Item, Seat
from tests.annotation.seating import LATER, NOON, hand_in, lay_out, page, sit


@pytest.fixture
def study(make_study):
    """One survey of four texts, three places."""
    study = make_study(prompts=1, ratings_per_text=3)
    lay_out(study)
    return study


@pytest.fixture
def file(study):
    return Import.objects.create(study=study, format="csv", file_name="a", sha256="0")


@pytest.fixture
def coherence(study):
    return study.aspects.get(key="coherence")


@pytest.fixture
def texts(study):
    return list(study.generations.order_by("pk"))


def submit(study, name, *, real, negative=1):
    seat = sit(study, name)
    answers = page(seat, real=real, negative=negative)
    return answering.submit(seat=seat, answers=answers, now=NOON)


def rate(file, text, aspect, value, rater=""):
    Annotation.objects.create(
        imported=file,
        generation=text,
        aspect=aspect,
        value=value,
        rater=rater,
        updated_at=NOON,
    )


class TestCounts:
    def test_it_counts_each_value_of_each_text(self, study, coherence, texts):
        submit(study, "ann", real=4)
        submit(study, "ben", real=4)
        submit(study, "cat", real=2)
        found = human_scores.counts(study=study, aspect=coherence)
        assert found.generations.tolist() == [text.pk for text in texts]
        assert found.values.tolist() == [1, 2, 3, 4, 5]
        assert found.counts.tolist() == [[0, 1, 0, 2, 0]] * 4

    def test_its_arrays_have_the_types_promised(self, study, coherence):
        submit(study, "ann", real=4)
        found = human_scores.counts(study=study, aspect=coherence)
        assert [array.dtype for array in found] == [np.int64, np.float64, np.int64]

    def test_negatives_are_never_in_it(self, study, coherence):
        submit(study, "ann", real=4, negative=1)
        found = human_scores.counts(study=study, aspect=coherence)
        assert found.counts[:, 0].sum() == 0

    def test_discarded_pages_count_only_when_asked_for(self, study, coherence):
        submit(study, "ann", real=4)
        submit(study, "careless", real=2, negative=5)
        kept = human_scores.counts(study=study, aspect=coherence)
        every = human_scores.counts(study=study, aspect=coherence, with_discarded=True)
        assert kept.counts.tolist() == [[0, 0, 0, 1, 0]] * 4
        assert every.counts.tolist() == [[0, 1, 0, 1, 0]] * 4

    @pytest.mark.parametrize("with_discarded", [False, True])
    def test_neither_unfinished_nor_surplus_pages_count(
        self, study, coherence, with_discarded
    ):
        late = sit(study, "late")
        for name in ("ann", "ben", "cat"):
            hand_in(sit(study, name, LATER), now=LATER)
        assert hand_in(late, now=LATER).state == "surplus"
        found = human_scores.counts(
            study=study, aspect=coherence, with_discarded=with_discarded
        )
        assert found.counts.sum(axis=1).tolist() == [3] * 4

    def test_an_open_page_does_not_count_yet(self, study, coherence):
        seat = sit(study, "ann")
        answering.save(seat=seat, position=1, aspect="coherence", value=3, now=NOON)
        assert len(human_scores.counts(study=study, aspect=coherence).generations) == 0

    def test_imported_ratings_count(self, study, coherence, texts, file):
        rate(file, texts[2], coherence, 5, "r1")
        rate(file, texts[2], coherence, 3, "r2")
        found = human_scores.counts(study=study, aspect=coherence)
        assert found.generations.tolist() == [texts[2].pk]
        assert found.counts.tolist() == [[0, 0, 1, 0, 1]]

    def test_nothing_rated_gives_empty_arrays(self, study, coherence):
        found = human_scores.counts(study=study, aspect=coherence)
        assert found.counts.shape == (0, 5)

    def test_one_query(self, study, coherence, django_assert_num_queries):
        submit(study, "ann", real=4)
        with django_assert_num_queries(1):
            human_scores.counts(study=study, aspect=coherence)


class TestMeans:
    def test_it_averages_ratings(self, study, texts):
        submit(study, "ann", real=4)
        submit(study, "ben", real=3)
        found = human_scores.means(study=study)
        assert found.aspects == ["coherence", "consistency", "relevance"]
        assert found.generations.tolist() == [text.pk for text in texts]
        assert found.values.tolist() == [[3.5] * 3] * 4
        assert found.n_ratings.tolist() == [[2] * 3] * 4

    def test_a_missing_score_is_nan(self, study, coherence, texts, file):
        rate(file, texts[0], coherence, 5)
        found = human_scores.means(study=study)
        assert found.values[0, 0] == 5
        assert np.isnan(found.values[0, 1:]).all()
        assert found.n_ratings.tolist() == [[1, 0, 0]]

    def test_imported_means_are_in_it(self, study, coherence, texts, file):
        ImportedMean.objects.create(
            imported=file, generation=texts[1], aspect=coherence, mean=2.25, n=8
        )
        found = human_scores.means(study=study)
        assert (found.values[0, 0], found.n_ratings[0, 0]) == (2.25, 8)
        assert len(human_scores.counts(study=study, aspect=coherence).generations) == 0

    def test_a_mean_without_its_n_counts_no_ratings(
        self, study, coherence, texts, file
    ):
        ImportedMean.objects.create(
            imported=file, generation=texts[1], aspect=coherence, mean=2.25
        )
        found = human_scores.means(study=study)
        assert (found.values[0, 0], found.n_ratings[0, 0]) == (2.25, 0)

    @pytest.mark.parametrize(("n", "expected"), [(3, 3.5), (None, 5.0)])
    def test_ratings_and_an_imported_mean_are_weighed(
        self, study, coherence, texts, file, n, expected
    ):
        rate(file, texts[0], coherence, 5)
        ImportedMean.objects.create(
            imported=file, generation=texts[0], aspect=coherence, mean=3.0, n=n
        )
        assert human_scores.means(study=study).values[0, 0] == expected

    def test_with_discarded_adds_discarded_pages(self, study):
        submit(study, "ann", real=4)
        submit(study, "careless", real=2, negative=5)
        assert human_scores.means(study=study).values[0, 0] == 4
        every = human_scores.means(study=study, with_discarded=True)
        assert every.values[0, 0] == 3

    def test_nothing_rated_gives_empty_arrays(self, study):
        assert human_scores.means(study=study).values.shape == (0, 3)

    def test_those_of_some_texts_are_the_same_as_among_all(self, study, texts, file):
        submit(study, "ann", real=4)
        coherence = study.aspects.get(key="coherence")
        ImportedMean.objects.create(
            imported=file, generation=texts[1], aspect=coherence, mean=3.0, n=1
        )
        some = [texts[2].pk, texts[1].pk]
        found = human_scores.means(study=study, generations=some)
        every = human_scores.means(study=study)
        assert found.generations.tolist() == every.generations[1:3].tolist()
        assert found.values.tolist() == every.values[1:3].tolist()
        assert found.n_ratings.tolist() == every.n_ratings[1:3].tolist()
        assert not len(human_scores.means(study=study, generations=[]).generations)

    def test_three_queries(self, study, django_assert_num_queries):
        submit(study, "ann", real=4)
        with django_assert_num_queries(3):
            human_scores.means(study=study)

    def test_another_study_is_not_in_it(self, study, make_study, alice):
        submit(study, "ann", real=4)
        other = type(study).objects.create(name="other")
        assert len(human_scores.means(study=other).generations) == 0


class TestStamp:
    def test_saving_an_answer_does_not_change_it(self, study):
        seat = sit(study, "ann")
        before = human_scores.stamp(study=study)
        answering.save(seat=seat, position=1, aspect="coherence", value=3, now=NOON)
        assert human_scores.stamp(study=study) == before

    def test_a_judged_page_does(self, study):
        before = human_scores.stamp(study=study)
        submit(study, "ann", real=4)
        assert human_scores.stamp(study=study) != before

    def test_so_do_an_import_and_a_withdrawn_worker(self, study):
        seat = submit(study, "ann", real=4)
        stamps = {human_scores.stamp(study=study)}
        Import.objects.create(study=study, format="csv", file_name="a", sha256="0")
        stamps.add(human_scores.stamp(study=study))
        Annotation.objects.filter(seat=seat).delete()
        Seat.objects.filter(pk=seat.pk).delete()
        stamps.add(human_scores.stamp(study=study))
        assert len(stamps) == 3


class TestRated:
    def keys(self, study):
        found = human_scores.rated(study.aspects.all())
        return list(found.values_list("key", flat=True))

    def test_nothing_is_rated_at_first(self, study):
        assert self.keys(study) == []

    def test_valid_pages_count_and_discarded_ones_do_not(self, study):
        submit(study, "ann", real=1, negative=5)
        assert self.keys(study) == []
        submit(study, "ben", real=4)
        assert self.keys(study) == ["coherence", "consistency", "relevance"]

    def test_what_came_in_a_file_counts_for_its_aspect(
        self, study, texts, file, coherence
    ):
        rate(file, texts[0], coherence, 3)
        assert self.keys(study) == ["coherence"]

    def test_so_does_a_mean(self, study, texts, file, coherence):
        ImportedMean.objects.create(
            imported=file, generation=texts[0], aspect=coherence, mean=3.5
        )
        assert self.keys(study) == ["coherence"]

    def test_of_an_excluded_text_nothing_counts(self, study, texts, file, coherence):
        rate(file, texts[0], coherence, 3)
        study.generations.update(excluded_at=NOON)
        assert self.keys(study) == []


def test_no_page_counts_an_item_twice(study, coherence):
    submit(study, "ann", real=4)
    real = Item.objects.filter(generation__isnull=False).count()
    found = human_scores.counts(study=study, aspect=coherence)
    assert found.counts.sum() == real


class TestInformed:
    """Pages submitted by people who had read the debriefing."""

    @pytest.fixture
    def informed(self, study):
        submit(study, "ann", real=4)
        seat = submit(study, "ben", real=2)
        before = human_scores.stamp(study=study)
        Seat.objects.filter(pk=seat.pk).update(informed=True)
        assert human_scores.stamp(study=study) != before
        return study

    def test_they_are_left_out_and_counted(self, informed, coherence):
        assert np.all(human_scores.means(study=informed).values == 4)
        counted = human_scores.counts(study=informed, aspect=coherence)
        assert counted.counts.sum() == 4
        assert human_scores.n_informed(study=informed) == 1

    def test_they_can_be_asked_for(self, informed):
        every = human_scores.ratings(study=informed, with_informed=True)
        assert every.count() == 2 * human_scores.ratings(study=informed).count()

    def test_ratings_from_files_know_of_no_debriefing(self, study, file, texts):
        rate(file, texts[0], study.aspects.first(), 3)
        assert human_scores.ratings(study=study).count() == 1

    def test_an_aspect_rated_by_them_alone_is_not_rated(self, informed):
        Seat.objects.update(informed=True)
        assert not human_scores.rated(informed.aspects.all()).exists()
