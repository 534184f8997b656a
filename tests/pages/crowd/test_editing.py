"""What a page of corrections takes over HTTP, and what it gives away."""

from __future__ import annotations

import re

import pytest

from annotation import surveys
from annotation.kinds.edits.content import originals
from annotation.models import Edit, Seat

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    study = make_study(
        prompts=2, systems=("gpt", "t5"), page_kinds=["edit"], ratings_per_text=1
    )
    surveys.open_study(study=study)
    return study


@pytest.fixture
def seat(client, study) -> Seat:
    page = client.get(study.get_worker_url()).content.decode()
    version = re.search(r'name="version" value="(\w+)"', page)[1]
    start = re.search(r'action="([^"]+/start/)"', page)[1]
    client.post(start, {"agree": "on", "version": version})
    return Seat.objects.select_related("survey__study", "survey__prompt").get()


def answer(client, seat, **fields):
    names = {name.replace("_", "-"): value for name, value in fields.items()}
    return client.post(f"{seat.get_absolute_url()}answer/", names)


def test_it_names_neither_texts_nor_the_damaged_one(client, seat):
    page = client.get(seat.get_absolute_url()).content.decode()
    markup = re.sub(r">[^<]*<", "><", page)  # without the words that people read
    for word in ("perturb", "damaged", "system", "gpt"):
        assert not re.search(rf"[\"'-]{word}[\"'-]", markup), word


def test_every_field_looks_the_same_whatever_text_it_holds(client, seat):
    page = client.get(seat.get_absolute_url()).content.decode()
    fields = re.findall(r"<fieldset.*?</fieldset>", page, re.S)
    assert len(fields) == 3
    plain = {
        re.sub(r">[^<]*<", "><", re.sub(r'\d+|[A-C]"|Text [A-C]', "", field))
        for field in fields
    }
    assert len(plain) == 1


def test_what_the_texts_have_in_common_stands_beside_them(client, seat, study):
    study.prompts.update(source="A note about the harbour.")
    page = client.get(seat.get_absolute_url()).content.decode()
    assert "A note about the harbour." in page
    assert seat.survey.prompt.label.name in page


def test_line_ends_of_a_form_are_those_of_the_text(client, seat):
    own = originals(seat)[1]
    assert answer(client, seat, e_1=f"{own.rest}\r\n\r\nMore.").status_code == 204
    assert Edit.objects.get().rest == f"{own.rest}\n\nMore."


def test_what_a_database_cannot_keep_is_left_out(client, seat):
    assert answer(client, seat, e_1="So\x00 it went").status_code == 204
    assert "\x00" not in Edit.objects.get().rest


def test_a_text_that_is_too_long_is_refused_and_the_draft_stays(client, seat):
    answer(client, seat, e_1="A draft.")
    most = originals(seat)[1].most
    assert answer(client, seat, e_1="x" * (most + 1)).status_code == 400
    page = client.post(f"{seat.get_absolute_url()}submit/", {"e-1": "x" * (most + 1)})
    assert page.status_code == 302 and "check" in page.url
    assert Edit.objects.get().rest == "A draft."


def test_a_tick_and_its_removal_are_saved(client, seat):
    answer(client, seat, u_2="1")
    assert Edit.objects.get().unchanged
    answer(client, seat, u_2="0")
    assert not Edit.objects.get().unchanged


@pytest.mark.parametrize(
    "fields", [{"e_9": "x"}, {"u_1": "maybe"}, {"a_1_coherence": "3"}]
)
def test_what_is_no_answer_here_is_told_apart(client, seat, fields):
    assert answer(client, seat, **fields).status_code == 400
    assert not Edit.objects.exists()


def test_markup_in_a_text_is_shown_as_it_is_written(client, seat, study):
    nasty = "</textarea><script>alert(1)</script>&amp;"
    answer(client, seat, e_1=nasty)
    page = client.get(seat.get_absolute_url()).content.decode()
    assert nasty not in page and "&lt;/textarea&gt;&lt;script&gt;" in page


def test_a_text_that_begins_with_an_empty_line_keeps_it(client, seat):
    answer(client, seat, e_1="\nSecond line.")
    page = client.get(seat.get_absolute_url()).content.decode()
    # A browser drops the first line end of a field.
    assert ">\n\nSecond line.</textarea>" in page


def test_a_page_that_is_handed_in_takes_no_more(client, seat):
    texts = {f"e-{n}": f"{one.rest} x" for n, one in originals(seat).items()}
    client.post(f"{seat.get_absolute_url()}submit/", {**texts, "then": "stop"})
    assert Seat.objects.get(pk=seat.pk).state == Seat.State.VALID
    assert answer(client, seat, e_1="later").status_code == 409
    assert not Edit.objects.filter(rest="later").exists()
