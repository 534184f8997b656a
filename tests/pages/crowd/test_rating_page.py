"""The rating page with Django's client: what it shows, keeps and takes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from annotation import page_kinds, surveys
from annotation.models import Annotation, Negative, Place, Seat
from annotation.page_kinds.content import Card
from tests.annotation.seating import expire
from tests.pages.working import (
    begin,
    finish,
    full_form,
    rows_in_tables,
    url,
)

CONSENT = "We keep your ratings."


@pytest.fixture
def study(make_study):
    """Two pages of one prompt."""
    study = make_study(prompts=1, samples=2, consent=CONSENT, contact="lab@example.org")
    surveys.open_study(study=study)
    return study


def cards(seat: Seat) -> Sequence[Card]:
    return page_kinds.get(seat.survey.kind).content.page(seat).cards


class TestRatingPage:
    def test_it_shows_every_text_in_full_and_in_the_order_of_the_seat(self, study):
        client, seat = begin(study)
        page = unescape(client.get(seat.get_absolute_url()).content.decode())
        texts = [card.text for card in cards(seat)]
        assert len(texts) == 5
        assert all(text.startswith(seat.survey.prompt.prefix) for text in texts)
        places = [page.index(text) for text in texts]
        assert places == sorted(places)

    def test_nothing_is_preselected(self, study):
        client, seat = begin(study)
        page = client.get(seat.get_absolute_url()).content.decode()
        assert page.count('type="radio"') == 5 * 3 * 5
        assert not re.search(r"<input[^>]*\schecked", page)

    def test_saved_answers_are_there_after_a_reload(self, study):
        client, seat = begin(study)
        client.post(url("answer", seat), {"a-2-coherence": "4"})
        page = client.get(seat.get_absolute_url()).content.decode()
        assert re.findall(r"<input[^>]*\schecked", page) == [
            '<input type="radio" name="a-2-coherence" value="4" checked'
        ]

    def test_looking_at_it_changes_nothing(self, study):
        client, seat = begin(study)
        before = rows_in_tables(), Place.objects.get(pk=seat.place_id).lease_until
        client.get(seat.get_absolute_url())
        after = rows_in_tables(), Place.objects.get(pk=seat.place_id).lease_until
        assert after == before

    def test_texts_are_shown_as_text(self, study):
        client, seat = begin(study)
        Negative.objects.filter(survey=seat.survey).update(text="<script>x</script>")
        page = client.get(seat.get_absolute_url()).content.decode()
        assert "<script>x" not in page
        assert "&lt;script&gt;x" in page

    def test_a_source_stands_beside_the_texts(self, study):
        client, seat = begin(study)
        seat.survey.study.prompts.update(source="A chat about the weather.")
        page = client.get(seat.get_absolute_url()).content.decode()
        assert "A chat about the weather." in page

    def test_a_question_may_name_the_attribute(self, study):
        study.aspects.update(question="Does it fit {label}?")
        client, seat = begin(study)
        page = client.get(seat.get_absolute_url()).content.decode()
        assert f"Does it fit “{seat.survey.prompt.label}”?" in page
        assert "Does it fit the given feeling or topic?" in page  # in the instructions
        assert "{label}" not in page

    def test_it_is_stored_nowhere(self, study):
        client, seat = begin(study)
        answer = client.get(seat.get_absolute_url())
        assert "no-store" in answer["Cache-Control"]

    def test_it_is_light(self, study):
        client, seat = begin(study)
        assert len(client.get(seat.get_absolute_url()).content) < 40_000

    def test_its_queries_do_not_grow(self, study, django_assert_max_num_queries):
        client, seat = begin(study)
        client.post(url("keep", seat), full_form(seat))
        with django_assert_max_num_queries(9):
            client.get(seat.get_absolute_url())

    def test_it_can_be_read_again_after_the_lease_has_lapsed(self, study):
        client, seat = begin(study)
        client.post(url("answer", seat), {"a-1-coherence": "3"})
        expire(study=study, now=timezone.now() + timedelta(days=1))
        assert "checked" in client.get(seat.get_absolute_url()).content.decode()
        answer = client.post(url("submit", seat), full_form(seat))
        seat.refresh_from_db()
        assert (answer.status_code, seat.state) == (302, Seat.State.VALID)


class TestBlindness:
    def skeleton(self, seat: Seat, client: Client) -> str:
        """The page without what differs between any two pages: texts, seat, token."""
        page = unescape(client.get(seat.get_absolute_url()).content.decode())
        for text in {card.text for card in cards(seat)}:
            page = page.replace(text, "TEXT")
        page = re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r"\1", page)
        page = re.sub(r' nonce="[^"]+"', "", page)
        return page.replace(str(seat.public_id), "SEAT")

    def test_a_page_looks_the_same_wherever_the_damaged_text_stands(self, study):
        client, seat = begin(study)
        real = [item.pk for item in seat.survey.items.exclude(generation=None)]
        damaged = seat.survey.items.get(generation=None).pk
        pages = set()
        for position in range(5):
            seat.order = [*real[:position], damaged, *real[position:]]
            seat.save()
            pages.add(self.skeleton(seat, client))
        assert len(pages) == 1
        assert pages.pop().count("TEXT") == 5

    def test_the_map_tells_texts_apart_by_their_letter_only(self, study):
        client, seat = begin(study)
        page = client.get(seat.get_absolute_url()).content.decode()
        (strip,) = re.findall(r'<nav class="map".*?</nav>', page, re.DOTALL)
        links = re.findall(r"<li>.*?</li>", strip)
        assert len(links) == 5
        assert len({re.sub(r"\b[A-E]\b", "LETTER", link) for link in links}) == 1

    def test_no_system_perturbation_or_key_is_in_the_source(self, study):
        study.systems.filter(name="a").update(name="gpt-nine")
        client, seat = begin(study)
        page = client.get(seat.get_absolute_url()).content.decode()
        for secret in (
            "gpt-nine",
            "ferry",
            "perturb",
            seat.survey.negative.perturbation,
        ):
            assert secret not in self.without_texts(page, seat)

    def test_no_number_of_a_row_is_in_the_source(self, study):
        client, seat = begin(study)
        page = self.without_texts(
            client.get(seat.get_absolute_url()).content.decode(), seat
        )
        attributes = re.findall(r'(?:id|name|value|data-[\w-]+|href)="([^"]*)"', page)
        allowed = (
            r"a-[1-5]-\w+|[1-5]|#?[\w-]*|/static/.*|/w/(seat/)?SEAT/\w+/|SEAT"
            r"|data:image/svg.*|[^0-9]*"
        )
        assert not [a for a in attributes if not re.fullmatch(allowed, a)]

    def without_texts(self, page: str, seat: Seat) -> str:
        page = unescape(page)
        for card in cards(seat):
            page = page.replace(card.text, "")
        for public_id in (seat.public_id, seat.survey.study.public_id):
            page = page.replace(str(public_id), "SEAT")
        return page


class TestAnswer:
    def test_it_keeps_one_answer(self, study):
        client, seat = begin(study)
        answer = client.post(url("answer", seat), {"a-3-consistency": "2"})
        kept = Annotation.objects.get()
        assert answer.status_code == 204
        assert (kept.item_id, kept.aspect.key, kept.value) == (
            seat.order[2],
            "consistency",
            2,
        )

    def test_the_last_answer_counts(self, study):
        client, seat = begin(study)
        for value in "25":
            client.post(url("answer", seat), {"a-1-coherence": value})
        assert Annotation.objects.get().value == 5

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("a-1-coherence", "6"),
            ("a-1-coherence", "0"),
            ("a-1-coherence", "-1"),
            ("a-1-coherence", "x"),
            ("a-1-coherence", "9" * 5000),
            ("a-6-coherence", "3"),
            ("a-0-coherence", "3"),
            ("a-1-style", "3"),
            ("something", "3"),
        ],
    )
    def test_it_refuses_what_is_no_answer_on_this_page(self, study, name, value):
        client, seat = begin(study)
        assert client.post(url("answer", seat), {name: value}).status_code == 400
        assert not Annotation.objects.exists()

    def test_a_submitted_page_stays_as_it_is(self, study):
        client, seat = begin(study)
        client.post(url("submit", seat), full_form(seat))
        answer = client.post(url("answer", seat), {"a-1-coherence": "3"})
        assert answer.status_code == 409
        assert not Annotation.objects.filter(value=3).exists()

    def test_it_works_while_the_study_is_paused(self, study):
        client, seat = begin(study)
        surveys.pause(study=study)
        answer = client.post(url("answer", seat), {"a-1-coherence": "3"})
        assert answer.status_code == 204

    def test_it_needs_a_token_against_forged_requests(self, study):
        client, seat = begin(study, client=Client(enforce_csrf_checks=False))
        client.handler.enforce_csrf_checks = True
        answer = client.post(url("answer", seat), {"a-1-coherence": "3"})
        assert answer.status_code == 403


class TestSubmit:
    def test_a_plain_form_hands_the_page_in_and_leads_to_the_next(self, study):
        client, seat = begin(study)
        answer = client.post(url("submit", seat), full_form(seat, then="next"))
        seat.refresh_from_db()
        following = Seat.objects.exclude(pk=seat.pk).get()
        assert seat.state == Seat.State.VALID
        assert answer.url == following.get_absolute_url()
        assert "Page 2" in client.get(answer.url).content.decode()

    def test_missing_answers_are_named_at_the_top_and_the_others_kept(self, study):
        client, seat = begin(study)
        form = full_form(seat)
        del form["a-2-coherence"], form["a-4-relevance"]
        answer = client.post(url("submit", seat), form)
        assert answer.url == f"{seat.get_absolute_url()}?check#missing"
        page = client.get(answer.url).content.decode()
        assert "Answers missing: 2" in page
        assert '<a href="#a-2-coherence">Text B: How good is the coherence?</a>' in page
        assert '<a href="#a-4-relevance">Text D: How good is the relevance?</a>' in page
        assert page.count('<li><a href="#a-') == 2
        assert len(re.findall(r"<input[^>]*\schecked", page)) == 13
        seat.refresh_from_db()
        assert seat.state == Seat.State.CLAIMED

    def test_a_value_off_the_scale_counts_as_missing(self, study):
        client, seat = begin(study)
        form = {**full_form(seat), "a-1-coherence": "9"}
        page = client.post(url("submit", seat), form, follow=True).content.decode()
        assert "Answers missing: 1" in page
        assert "Text A: How good is the coherence?" in page

    def test_answers_saved_before_need_not_come_again(self, study):
        client, seat = begin(study)
        for name, value in full_form(seat).items():
            client.post(url("answer", seat), {name: value})
        client.post(url("submit", seat), {"then": "stop"})
        seat.refresh_from_db()
        assert seat.state == Seat.State.VALID

    def test_a_double_submit_counts_once_and_leads_to_the_same_page(self, study):
        client, seat = begin(study)
        form = full_form(seat, then="next")
        first = client.post(url("submit", seat), form)
        second = client.post(url("submit", seat), form)
        assert first.url == second.url
        assert Annotation.objects.count() == 15
        assert Seat.objects.count() == 2

    def test_who_stops_is_asked_once_and_gets_no_further_seat(self, study):
        client, seat = begin(study)
        answer = client.post(url("submit", seat), full_form(seat, then="stop"))
        assert answer.url == url("finish", study)
        assert Seat.objects.count() == 1

    def test_the_back_button_leads_to_the_end_not_to_a_second_try(self, study):
        client, seat = begin(study)
        client.post(url("submit", seat), full_form(seat))
        assert client.get(seat.get_absolute_url()).url == url("done", study)

    def test_the_last_page_says_so_and_ends_with_the_code(self, study):
        client, seat = begin(study)
        assert (
            "There are more pages"
            in client.get(seat.get_absolute_url()).content.decode()
        )
        last = client.post(url("submit", seat), full_form(seat), follow=True)
        assert "last page for you" in last.content.decode()
        seat = Seat.objects.get(state=Seat.State.CLAIMED)
        end = client.post(url("submit", seat), full_form(seat, then="next"))
        assert end.url == url("done", study)

    def test_a_discarded_page_is_thanked_for_like_any_other(self, study):
        client, seat = begin(study)
        form = {
            name: {"1": "5", "4": "1"}[value] for name, value in full_form(seat).items()
        }
        client.post(url("submit", seat), {**form, "then": "stop"})
        seat.refresh_from_db()
        assert seat.state == Seat.State.DISCARDED
        page = finish(client, study)
        assert study.completion_code in page
        assert "discard" not in page
