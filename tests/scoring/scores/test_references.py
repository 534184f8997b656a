"""Scores that depend on corrections, and what becomes of them when these change."""

import pytest

from annotation.models import Reference
from scoring.models import Score, SystemScore
from scoring.runs import starting
from scoring.scores import evaluator_files, references
from scoring.scores.examples import example_of
from tests.scoring.working import work

pytestmark = pytest.mark.django_db
TARGETED = {"reference_kind": "targeted"}


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1, systems=("a", "b"))
    study.prompts.get().references.create(text="A good answer.", position=0)
    return study


def correct(text, correction: str) -> Reference:
    place = text.references.count()
    return text.references.create(kind="targeted", text=correction, position=place)


def run(study, metric="ter", **options):
    found = starting.start(study=study, metric=metric, options=options)
    work(found)
    assert found.state == "done", found.error
    return found


def scores(signature) -> list[float | None]:
    rows = Score.objects.filter(signature=signature).order_by("generation")
    return list(rows.values_list("value", flat=True))


def test_a_text_comes_with_its_own_corrections_only(study):
    a, b = study.generations.all()
    correct(a, "corrected a")
    correct(b, "corrected b")
    assert example_of(a).targeted == ("corrected a",)
    assert example_of(b).targeted == ("corrected b",)
    assert example_of(a).references == example_of(b).references == ("A good answer.",)


def test_a_text_that_nobody_corrected_has_a_reason(study):
    a, b = study.generations.all()
    correct(a, a.text)
    found = run(study, **TARGETED)
    assert scores(found.signature) == [0.0, None]
    reason = Score.objects.get(generation=b).reason
    assert reason == "nobody has corrected this text"


def test_a_study_without_corrections_says_so_at_once(study):
    with pytest.raises(starting.RunError, match="needs corrections of its texts"):
        starting.start(study=study, metric="ter", options=TARGETED)
    study.prompts.get().references.all().delete()
    with pytest.raises(starting.RunError, match="needs corrections"):
        starting.start(study=study, metric="chrf", options={"reference_kind": "all"})


class TestChange:
    def test_a_new_correction_removes_the_score_of_its_text_and_of_no_other(
        self, study
    ):
        a, b = study.generations.all()
        correct(a, f"{a.text} more"), correct(b, b.text)
        found = run(study, **TARGETED)
        kept = Score.objects.get(generation=b).pk
        correct(a, a.text)
        assert references.drop_outdated(study=study) == 1
        assert Score.objects.get().pk == kept
        work_again = run(study, **TARGETED)
        assert work_again.signature == found.signature
        assert scores(found.signature) == [0.0, 0.0]
        assert references.drop_outdated(study=study) == 0

    def test_so_does_one_that_is_gone(self, study):
        a, b = study.generations.all()
        first = correct(a, a.text)
        correct(b, b.text)
        found = run(study, **TARGETED)
        first.delete()
        run(study, **TARGETED)
        assert scores(found.signature) == [None, 0.0]

    def test_scores_with_prewritten_references_stay(self, study):
        found = run(study)
        before = scores(found.signature)
        correct(study.generations.first(), "corrected")
        assert references.drop_outdated(study=study) == 0
        assert scores(found.signature) == before and None not in before

    def test_numbers_of_systems_age_as_well(self, study):
        a, b = study.generations.all()
        correct(a, f"{a.text} more"), correct(b, b.text)
        run(study, metric="corpus_ter", **TARGETED)
        assert SystemScore.objects.count() == 2
        correct(a, a.text)
        assert references.drop_outdated(study=study) == 1
        assert SystemScore.objects.get().system.name == "b"

    def test_the_pulse_looks_at_all_studies(self, study, django_assert_num_queries):
        from django.utils import timezone

        a = study.generations.first()
        correct(a, a.text)
        run(study, **TARGETED)
        correct(a, "other")
        references.tidy(now=timezone.now())
        assert not Score.objects.filter(generation=a).exists()
        Score.objects.all().delete()

    def test_parts_of_an_earlier_scoring_do_not_stay_behind(self, study):
        import numpy as np

        a, b = study.generations.all()
        correct(a, a.text), correct(b, b.text)
        second = correct(a, f"{a.text} more")
        found = run(study, **TARGETED)
        second.delete()
        run(study, **TARGETED)
        ids = np.array([a.pk, b.pk])
        parts = evaluator_files.evaluators(study=study, ids=ids)
        s, _ = parts[found.signature_id, "ter"]
        assert (~np.isnan(s)).sum(axis=1).tolist() == [1, 1]
