"""The errors that can be marked, as researchers and programs choose them."""

from __future__ import annotations

import pytest

from annotation.kinds.spans import schemes
from annotation.kinds.spans.scheme import ESA, MQM
from annotation.kinds.spans.setup import MARK_SETUP
from annotation.setup.checklist import checklist
from annotation.studies.standard import OVERALL

pytestmark = pytest.mark.django_db

KINDS = "/studies/ferry/kinds/"
API = "/api/v1/studies/ferry/page-kinds/"
FORM = {"part_1": "spans", "spans-preset": "esa", "spans-missing": "on"}


@pytest.fixture
def study(make_study, alice, client):
    client.force_login(alice)
    return make_study(page_kinds=["spans"])


def test_esa_brings_its_score_as_the_first_question(study, client):
    assert client.post(KINDS, {**FORM, "spans-score": "on"}).status_code == 302
    first, *others = study.aspects.all()
    assert (first.key, first.is_slider, len(others)) == (OVERALL["key"], True, 3)
    assert client.post(KINDS, {**FORM, "spans-score": "on"}).status_code == 302
    assert study.aspects.count() == 4


def test_a_tick_that_was_left_on_adds_no_score_to_another_list(study, client):
    client.post(KINDS, {**FORM, "spans-preset": "mqm", "spans-score": "on"})
    assert not study.aspects.filter(kind="slider").exists()


def test_mqm_brings_its_five_marks_unless_others_are_asked_for(study, client):
    client.post(KINDS, {**FORM, "spans-preset": "mqm"})
    assert schemes.of_study(study) == MQM
    client.post(KINDS, {**FORM, "spans-preset": "mqm", "spans-most": "9"})
    assert schemes.of_study(study).most == 9
    client.post(KINDS, FORM)
    assert schemes.of_study(study) == ESA


def test_settings_of_kinds_that_are_not_chosen_stay_as_they_are(study, client):
    form = {**FORM, "part_1": "ratings", "spans-preset": "mqm"}
    assert client.post(KINDS, form).status_code == 302
    assert schemes.of_study(study) == ESA
    page = client.get(KINDS).content.decode()
    assert 'data-kind="spans" hidden' in page


def test_the_checklist_names_the_scheme(study):
    schemes.keep(study, MQM, "mqm")
    sentences = [
        point.sentence for part in checklist(study=study) for point in part.points
    ]
    assert any("MQM" in words and "8 categories" in words for words in sentences)


class TestApi:
    def test_a_preset_is_enough(self, study, client):
        sent = {"kind_settings": {"spans": {"preset": "mqm", "needed_below": 85}}}
        answer = client.put(API, sent, content_type="application/json")
        assert answer.status_code == 200
        settings = answer.json()["kind_settings"]["spans"]
        assert (settings["preset"], settings["needed_below"]) == ("mqm", 85)
        assert schemes.of_study(study).categories == MQM.categories

    @pytest.mark.parametrize(
        "settings",
        [
            {"preset": "nope"},
            {"most": "many"},
            {"missing": 1},
            {"colour": "red"},
            {"categories": ["Style"]},
        ],
    )
    def test_anything_else_is_refused_and_nothing_changes(
        self, study, client, settings
    ):
        sent = {
            "page_kinds": ["ratings", "spans"],
            "kind_settings": {"spans": settings},
        }
        answer = client.put(API, sent, content_type="application/json")
        assert answer.status_code == 400
        study.refresh_from_db()
        assert study.page_kinds == ["spans"] and not MARK_SETUP.own(study)

    @pytest.mark.parametrize("key", ["ratings", "essays"])
    def test_a_kind_without_settings_takes_none(self, study, client, key):
        sent = {"kind_settings": {key: {"preset": "mqm"}}}
        answer = client.put(API, sent, content_type="application/json")
        assert answer.status_code == 400
