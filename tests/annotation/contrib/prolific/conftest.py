from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from annotation import assigning
from annotation.crowd.prolific_client import Client
from annotation.models import Recruitment, Study, Worker
from tests.annotation.seating import NOON, hand_in, hire, lay_out, sit
from tests.support.prolific import TOKEN, Prolific


@pytest.fixture
def prolific() -> Iterator[Prolific]:
    with Prolific().running() as server:
        yield server


@pytest.fixture
def client_of_prolific(prolific: Prolific) -> Client:
    return Client(TOKEN, prolific.url, seconds=1.0, sleep=lambda _: None)


@pytest.fixture
def study(make_study, alice) -> Study:
    """Ann: two pages, both used. Bob: one, discarded. Cid: a page not submitted."""
    study = make_study(
        ratings_per_text=3,
        pay_per_page=Decimal("0.50"),
        currency="GBP",
        platform="prolific",
        completion_code="D0NE2345",
        nothing_left_code="FULL2345",
    )
    lay_out(study)
    ann = hire(study, "ann")
    for _ in range(2):
        hand_in(assigning.claim(worker=ann, now=NOON))
    hand_in(sit(study, "bob"), careful=False)
    sit(study, "cid")
    Worker.objects.update(platform="prolific")
    return study


@pytest.fixture
def recruited(study: Study, prolific: Prolific) -> Study:
    """On Prolific, where all three have taken part, and one who never came here."""
    body = {"reward": 50, "total_available_places": 4, "internal_name": "x"}
    _, found = prolific.answer("POST", "/api/v1/studies/", {}, body)
    prolific.people.clear()
    for name in ("ann", "bob", "cid", "stranger"):
        prolific.joins(name)
    Recruitment.objects.create(study=study, prolific_id=found["id"], reward=50)
    return study
