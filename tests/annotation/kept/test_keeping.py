from __future__ import annotations

from datetime import timedelta

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from annotation import kept
from annotation.kept import keeping
from annotation.models import Summary
from annotation.watching import attention, monitor
from annotation.watching.figures_of_all import figures
from tests.annotation.seating import NOON, hand_in, lay_out, sit

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=1)
PAGES = ("study", "study_monitor", "study_quality", "study_workers")


@pytest.fixture
def study(make_study, monkeypatch):
    """Two pages were submitted, and that is a large study here."""
    monkeypatch.setattr(keeping, "MOST_PAGES", 1)
    monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
    study = make_study()
    lay_out(study)
    for name in ("w1", "w2"):
        hand_in(sit(study, name))
    return study


def work(now=NOON):
    for pk in Summary.objects.filter(state="queued").values_list("pk", flat=True):
        kept.SUMMARY_WORK.perform(pk=pk, owner="here/1/a", clock=lambda: now)


def test_a_small_study_is_worked_out_at_once(make_study):
    found = kept.read(study=make_study(), name="filled", now=NOON)
    assert found.value and found.fresh
    assert not Summary.objects.exists()


def test_a_large_one_shows_nothing_until_a_worker_has_been_there(study):
    assert kept.read(study=study, name="filled", now=NOON).value is None
    work()
    found = kept.read(study=study, name="filled", now=NOON)
    assert (found.value, found.fresh) == (monitor.filled(study=study), True)


@pytest.mark.parametrize("name", kept.SUMMARIES)
def test_each_summary_comes_back_as_it_was_worked_out(study, name):
    question, worker = study.aspects.first(), study.workers.first()
    variants = {
        "stopping": f"{question.pk}/-1/2",
        "raters": str(worker.pk),
        "preview": "{}",
    }
    asked = {"study": study, "name": name, "variant": variants.get(name, "")}
    kept.read(**asked, now=NOON)
    work()
    assert not Summary.objects.exclude(state="done").exists()
    found = kept.read(**asked, now=NOON).value
    assert found == keeping._function(name)(study, asked["variant"])


def test_with_newer_pages_the_old_figures_stay_until_new_ones_are_there(study):
    kept.read(study=study, name="filled", now=NOON)
    work()
    hand_in(sit(study, "w3"))
    soon = kept.read(study=study, name="filled", now=NOON + timedelta(seconds=5))
    assert soon.is_old and not Summary.objects.filter(state="queued").exists()
    assert kept.read(study=study, name="filled", now=LATER).at == NOON
    work(LATER)
    assert kept.read(study=study, name="filled", now=LATER).fresh


def test_what_went_wrong_is_told(study, monkeypatch):
    def broken(study, variant):
        raise ValueError("no")

    kept.read(study=study, name="filled", now=NOON)
    monkeypatch.setattr(keeping, "_function", lambda name: broken)
    work()
    assert "no" in kept.read(study=study, name="filled", now=NOON).error


def test_what_failed_is_tried_again_after_a_rest(study, monkeypatch):
    def broken(study, variant):
        raise ValueError("no")

    kept.read(study=study, name="filled", now=NOON)
    with monkeypatch.context() as patched:
        patched.setattr(keeping, "_function", lambda name: broken)
        work()
    kept.read(study=study, name="filled", now=NOON + timedelta(minutes=9))
    assert Summary.objects.get().state == "failed"
    kept.read(study=study, name="filled", now=LATER)
    work(LATER)
    assert kept.read(study=study, name="filled", now=LATER).fresh


def test_a_result_in_an_older_form_is_none(study, monkeypatch):
    kept.read(study=study, name="filled", now=NOON)
    work()
    where, version = keeping.SUMMARIES["filled"]
    monkeypatch.setitem(keeping.SUMMARIES, "filled", (where, version + 1))
    assert kept.read(study=study, name="filled", now=NOON).value is None


def test_a_worker_who_was_excluded_since_is_off_the_list(study):
    study.workers.update(state="excluded")
    assert attention.read(study=study).subjects == []


def test_the_alphas_have_the_aspects_as_they_are_now(study):
    found = figures(study)
    study.aspects.filter(key="coherence").update(title="Flow")
    titles = [one.aspect.title for one in found.alphas(study)]
    assert "Flow" in titles and len(titles) == len(found.agreement)


@pytest.mark.parametrize("page", PAGES)
def test_pages_say_that_figures_are_worked_out_and_then_show_them(
    client, alice, study, page
):
    client.force_login(alice)
    address, said = reverse(page, args=[study.name]), "worked out in the background"
    assert said in client.get(address).content.decode()
    work()
    assert said not in client.get(address).content.decode()


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_a_large_study_read_no_rating(
    client, alice, study, page, django_assert_max_num_queries
):
    client.force_login(alice)
    with django_assert_max_num_queries(70) as asked:
        client.get(reverse(page, args=[study.name]))
    read = [one["sql"] for one in asked.captured_queries]
    assert not [sql for sql in read if 'annotation_annotation"."value' in sql]


def test_old_figures_say_of_when_they_are_where_newer_ones_failed():
    old = kept.Kept(value=1, at=NOON, fresh=False, error="no")
    found = render_to_string("annotation/_kept.html", {"kept": old})
    assert "could not be worked out: no" in found and "as of" in found
    new = render_to_string(
        "annotation/_kept.html", {"kept": kept.Kept(None, error="no")}
    )
    assert "as of" not in new
