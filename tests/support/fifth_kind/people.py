"""A study of the fifth kind: run by test_adding_a_kind.py where its folder is."""

from __future__ import annotations

import io

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client

from annotation import page_kinds, surveys
from annotation.models import Annotation, Place, Seat, Study
from annotation.page_kinds import Rater, SimulatedPage
from annotation.simulation import simulate
from tests.pages.working import begin, url
from tests.support.scored import COHERENCE, score

MIX = ["careful"] * 6 + ["noisy"] * 3 + ["straight-lining"]
PAGES = (
    *(
        "",
        "setup/",
        "kinds/",
        "settings/",
        "preview/",
        "texts/",
        "surveys/",
        "surveys/1/",
    ),
    *("quality/", "simulate/", "workers/", "monitor/", "export/", "results/"),
)


@pytest.fixture
def study(make_study) -> Study:
    study = make_study(page_kinds=["yes_no"], prompts=10)
    surveys.open_study(study=study)
    return study


def form(seat: Seat, kind: str, rng: np.random.Generator) -> dict[str, str]:
    """What such a person sends."""
    study = seat.survey.study
    simulation = page_kinds.get(seat.survey.kind).simulation
    rows = simulation.items(seat.survey.items.all()).in_bulk()
    worse = dict(study.generations.values_list("pk", "system__name"))
    truth = {pk: [4.5 - "abcd".index(name)] * 3 for pk, name in worse.items()}
    items, aspects = [rows[pk] for pk in seat.order], list(study.aspects.all())
    page = SimulatedPage(study, seat, items, aspects, truth)
    answers = simulation.answers(page, Rater(kind, 0.0), rng)
    scored = {f"a-{n}-{key}": str(v) for (n, key), v in answers.items() if v and key}
    return {**scored, "doubt-1": "1", "then": "next"}


def work(study: Study, name: str, kind: str, rng: np.random.Generator) -> Client:
    """All pages that there are for one worker."""
    client, seat = begin(study, name)
    while seat is not None:
        page = client.get(seat.get_absolute_url()).content.decode()
        assert page.count("yes-or-no") == 3 * len(seat.order)
        client.post(url("submit", seat), form(seat, kind, rng))
        seat = Seat.objects.filter(worker=seat.worker, state="claimed").first()
    return client


def test_people_say_yes_or_no_and_the_study_has_an_answer(study, alice) -> None:
    rng = np.random.default_rng(1)
    for number, kind in enumerate(MIX):
        if Place.objects.filter(free=True).exists():
            work(study, f"person-{number}", kind, rng)
    assert not Place.objects.filter(free=True).exists()
    assert {*Annotation.objects.values_list("value", flat=True)} == {1, 5}
    seats = Seat.objects.filter(state="valid")
    assert seats.count() == 2 * study.surveys.count()
    assert all(seat.doubts.get().item_id == seat.order[0] for seat in seats)
    score(
        study,
        COHERENCE,
        [-"abcd".index(t.system.name) for t in study.generations.all()],
    )
    said = io.StringIO()
    call_command("answer", "ferry", stdout=said)
    assert "agree" in said.getvalue(), said.getvalue()
    client = Client()
    client.force_login(alice)
    for page in (*PAGES, f"ratings/{seats.first().public_id}/"):
        assert client.get(f"/studies/ferry/{page}").status_code == 200, page


def test_it_is_simulated_like_the_others(study) -> None:
    report = simulate(study=study, workers=8, rng=np.random.default_rng(2))
    assert report.valid == report.wanted


def test_it_can_be_chosen(client, alice, make_study) -> None:
    make_study()
    client.force_login(alice)
    page = client.get("/studies/ferry/kinds/").content.decode()
    assert "Yes or no: each text gets one of two answers" in page
    kinds = {"part_1": "yes_no", "yes_no-words": ""}
    assert client.post("/studies/ferry/kinds/", kinds).status_code == 400
    client.post("/studies/ferry/kinds/", kinds | {"yes_no-words": "I doubt it"})
    assert Study.objects.get().page_kinds == ["yes_no"]
    preview = client.get("/studies/ferry/preview/").content.decode()
    assert preview.count("I doubt it") == 4 * 3
