from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.models import Reference, System
from scoring.metrics import MetricError
from scoring.metrics._learning.training import Rated
from scoring.training import data as training_data
from tests.scoring.trained import begun, rated_study, reviews
from tests.support.scored import give_means

pytestmark = pytest.mark.usefixtures("trained_here")


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def lake(make_study):
    return rated_study(make_study)


def read(checkpoint, folder):
    return training_data.read(checkpoint, folder)


class TestTexts:
    def test_they_come_in_the_order_of_the_corpus_with_their_labels(
        self, study, tiny, tmp_path
    ):
        corpus = reviews(study, n=12)
        data = read(begun(study, tiny), tmp_path)
        texts = corpus.texts.order_by("position").values_list("text", flat=True)
        assert list(data.texts) == list(texts)
        assert list(data.labels) == ["good", "bad"] * 6

    def test_a_text_without_a_label_is_not_learned(self, study, tiny, tmp_path):
        corpus = reviews(study, n=12)
        corpus.texts.filter(position=3).update(attributes={"verdict": ""})
        data = read(begun(study, tiny), tmp_path)
        assert len(data.texts) == len(data.labels) == 11
        assert not any(text.endswith(" 3") for text in data.texts)

    def test_labels_are_read_only_where_an_attribute_is_learned(
        self, study, tiny, tmp_path
    ):
        data = read(begun(study, tiny, attribute=""), tmp_path)
        assert (len(data.texts), list(data.labels)) == (20, [])

    def test_texts_without_a_source_are_left_out_where_sources_are_read(
        self, study, tiny, tmp_path
    ):
        corpus = reviews(study, n=12)
        checkpoint = begun(study, tiny, attribute="")
        corpus.texts.update(attributes={"source": "Was it good?"})
        corpus.texts.filter(position=3).update(attributes={"source": ""})
        checkpoint.options["reads"] = "source"
        data = read(checkpoint, tmp_path)
        assert len(data.texts) == 11
        assert list(data.sources) == ["Was it good?"] * 11

    def test_of_a_huge_corpus_only_the_first_are_read(
        self, study, tiny, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(training_data, "MOST_TEXTS", 10)
        assert len(read(begun(study, tiny), tmp_path).texts) == 10

    def test_all_that_the_study_scores_must_not_be_learned(self, study, tiny, tmp_path):
        study.generations.filter(system__name="a").update(excluded_at=timezone.now())
        data = read(begun(study, tiny), tmp_path)
        assert list(data.evaluated) == [
            one.full_text for one in study.generations.select_related("prompt")
        ]

    def test_the_number_of_queries_does_not_grow_with_the_texts(
        self, make_study, lake, tiny, tmp_path, django_assert_max_num_queries
    ):
        study = make_study(prompts=16)
        aspect = lake.aspects.get(key="coherence")
        checkpoint = begun(study, tiny, aspect=aspect)
        with django_assert_max_num_queries(14):
            read(checkpoint, tmp_path)


class TestRatings:
    def test_each_rated_text_stands_beside_each_reference(self, lake):
        prompt = lake.prompts.first()
        Reference.objects.create(prompt=prompt, text="Another.", position=1)
        found = training_data.pairs(lake.aspects.get(key="coherence"))
        texts = list(lake.generations.values_list("text", flat=True))
        first = "Reference 0 rows over calm water."
        assert [pair.rated for pair in found[:3]] == [
            Rated(texts[0], first, 0.0, prompt.digest),
            Rated(texts[0], "Another.", 0.0, prompt.digest),
            Rated(texts[1], first, 0.25, prompt.digest),
        ]
        assert len(found) == 2 * 2 + 3  # the sixth text has no rating
        assert found[0].key == lake.generations.first().key

    def test_higher_is_better_whatever_the_aspect_says(self, lake):
        lake.aspects.update(higher_is_better=False)
        found = training_data.pairs(lake.aspects.get(key="coherence"))
        assert [one.rated.rating for one in found] == [1, 0.75, 0.5, 0.25, 0]

    def test_ratings_are_shares_of_the_scale_of_their_question(self, lake):
        lake.aspects.filter(key="coherence").update(scale_min=0, scale_max=10)
        found = training_data.pairs(lake.aspects.get(key="coherence"))
        ratings = sorted({round(one.rated.rating, 9) for one in found})
        assert ratings == [0.1, 0.2, 0.3, 0.4, 0.5]

    def test_where_there_is_no_reference_what_people_wrote_stands_in(self, lake):
        Reference.objects.all().delete()
        aspect = lake.aspects.get(key="coherence")
        assert training_data.pairs(aspect) == []
        lake.systems.filter(name="y").update(kind=System.Kind.HUMAN)
        found = training_data.pairs(aspect)
        texts = list(lake.generations.values_list("text", flat=True))
        # No human text is its own reference, and here each prompt has but one.
        assert [one.rated.text for one in found] == texts[0::2]
        assert [one.rated.reference for one in found] == texts[1::2]

    def test_texts_that_overlap_with_the_study_are_named(self, study, lake):
        pairs = training_data.pairs(lake.aspects.get(key="coherence"))
        assert training_data.overlapping(pairs, study) == []
        copy = lake.generations.first()
        copy.text = study.generations.last().full_text
        copy.save()
        pairs = training_data.pairs(lake.aspects.get(key="coherence"))
        assert training_data.overlapping(pairs, study) == [copy.key]

    def test_so_is_one_whose_reference_does(self, study, lake):
        text = study.generations.last().full_text
        lake.prompts.last().references.update(text=text)
        pairs = training_data.pairs(lake.aspects.get(key="coherence"))
        assert training_data.overlapping(pairs, study) == [
            lake.prompts.last().generations.first().key
        ]


class TestLater:
    def test_what_came_after_the_first_slice_is_not_learned(
        self, study, lake, tiny, tmp_path
    ):
        aspect = lake.aspects.get(key="coherence")
        checkpoint = begun(study, tiny, aspect=aspect)
        before = read(checkpoint, tmp_path)
        lake.generations.first().means.all().delete()
        one = study.generations.last()
        one.pk, one.key, one.sample = None, "new", 9
        one.save()
        assert read(checkpoint, tmp_path) == before
        assert read(checkpoint, tmp_path / "other") != before

    @pytest.mark.parametrize(
        ("what", "told"),
        [("corpus", "the corpus reviews"), ("aspect", "the ratings lake/coherence")],
    )
    def test_what_was_deleted_since_is_named(
        self, study, lake, tiny, tmp_path, what, told
    ):
        aspect = lake.aspects.get(key="coherence")
        checkpoint = begun(study, tiny, aspect=aspect)
        setattr(checkpoint, what, None)
        with pytest.raises(MetricError, match=f"needs {told}, which was del"):
            read(checkpoint, tmp_path)

    def test_ratings_that_were_not_chosen_are_not_missed(self, study, tiny, tmp_path):
        give_means(study, "coherence", [1, 2, 3])
        assert read(begun(study, tiny), tmp_path).rated == []


class TestATestCorpus:
    def test_its_texts_and_labels_are_read_beside_those_that_are_learned(
        self, study, tiny, tmp_path
    ):
        checkpoint = begun(study, tiny)
        checkpoint.test = reviews(study, n=6, name="official")
        data = read(checkpoint, tmp_path)
        assert (len(data.texts), len(data.tests)) == (20, 6)
        assert list(data.test_labels) == ["good", "bad"] * 3

    def test_if_it_was_deleted_the_training_says_so(self, study, tiny, tmp_path):
        checkpoint = begun(study, tiny)
        checkpoint.chunks.update(details={"test": "the test corpus official"})
        with pytest.raises(MetricError, match="needs the test corpus official, which"):
            read(checkpoint, tmp_path)
