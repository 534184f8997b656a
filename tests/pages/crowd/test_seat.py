"""What a rating page brings along beside the answers, and what surrounds it."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.test import Client

from annotation import surveys
from annotation.models import Annotation, Place, Report, Seat, Study, Worker
from tests.pages.working import agreement, begin, finish, full_form, url


@pytest.fixture
def study(make_study):
    """Two pages of one prompt, which pay."""
    study = make_study(
        prompts=1,
        samples=2,
        contact="lab@example.org",
        pay_per_page=Decimal("0.60"),
        currency="EUR",
        nothing_left_code="FULL2345",
    )
    surveys.open_study(study=study)
    return study


def page_of(client: Client, seat: Seat, query: str = "") -> str:
    page = client.get(seat.get_absolute_url() + query).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))


def welcome(study: Study, client: Client | None = None) -> str:
    return (client or Client()).get(study.get_worker_url()).content.decode()


class TestProgress:
    def test_it_says_which_page_of_how_many(self, study):
        client, seat = begin(study)
        assert "Page 1 of 2" in page_of(client, seat)
        client.post(url("submit", seat), full_form(seat, then="next"))
        seat = Seat.objects.get(state=Seat.State.CLAIMED)
        assert "Page 2 of 2" in page_of(client, seat)

    def test_pages_that_others_hold_are_not_promised(self, study):
        client, seat = begin(study)
        Place.objects.filter(free=True).update(free=False)
        assert "Page 1 of 1" in page_of(client, seat)
        assert "last page for you" in page_of(client, seat)

    def test_nobody_is_promised_more_than_they_may_rate(self, study):
        Study.objects.filter(pk=study.pk).update(max_pages=1)
        assert "<dd>1</dd>" in welcome(study)
        client, seat = begin(study)
        assert "Page 1 of 1" in page_of(client, seat)

    def test_time_and_pay_are_said_before_and_beside_the_page(self, study):
        Study.objects.filter(pk=study.pk).update(minutes_per_page=7)
        assert "About 7 minutes a page" in welcome(study)
        assert "0.60 EUR for every page that you submit, also if" in welcome(study)
        client, seat = begin(study)
        assert "about 7 min, 0.60 EUR" in page_of(client, seat)

    def test_without_pay_nothing_is_said_of_it(self, make_study):
        study = make_study(name="free", prompts=1, samples=2)
        surveys.open_study(study=study)
        assert "<dt>Pay</dt>" not in welcome(study)


class TestReport:
    def send(self, client: Client, seat: Seat, about: str = "2", **form: str):
        return client.post(url("report", seat), {"about": about, **form})

    def test_it_is_kept_and_confirmed_in_its_place(self, study):
        client, seat = begin(study)
        answer = self.send(client, seat, **{"report-2": "It offends."})
        assert answer.url == f"{seat.get_absolute_url()}#reported-B"
        report = Report.objects.get()
        assert (report.item_id, report.reason) == (seat.order[1], "It offends.")
        page = client.get(seat.get_absolute_url()).content.decode()
        assert page.count("You have reported this text") == 1
        assert 'id="reported-B"' in page

    def test_it_takes_answers_comment_and_times_along(self, study):
        client, seat = begin(study)
        form = {"report-2": "It offends.", "a-1-coherence": "3", "comment": "Hm."}
        self.send(client, seat, **form, visible="1:0")
        seat.refresh_from_db()
        assert Annotation.objects.get().value == 3
        assert (seat.comment, seat.visible) == ("Hm.", {"1": 0})

    def test_without_words_it_asks_for_them(self, study):
        client, seat = begin(study)
        answer = self.send(client, seat, **{"report-2": " "})
        assert answer.url == f"{seat.get_absolute_url()}?unsaid=B"
        assert "Say in a few words" in client.get(answer.url).content.decode()
        assert not Report.objects.exists()

    @pytest.mark.parametrize("about", ["", "0", "6", "x", "²"])
    def test_a_text_that_is_not_there_leads_back_to_the_page(self, study, about):
        client, seat = begin(study)
        assert self.send(client, seat, about=about).url == seat.get_absolute_url()

    @pytest.mark.parametrize("door", ["submit", "keep"])
    def test_what_was_written_and_not_sent_comes_with_the_page(self, study, door):
        client, seat = begin(study)
        form = full_form(seat, **{"report-5": "It is cut off."})
        client.post(url(door, seat), form)
        assert Report.objects.get().item_id == seat.order[4]

    def test_it_can_still_be_sent_after_the_page_was(self, study):
        client, seat = begin(study)
        client.post(url("submit", seat), full_form(seat))
        self.send(client, seat, **{"report-2": "It offends."})
        assert Report.objects.count() == 1

    def test_the_answer_does_not_tell_real_from_damaged(self, study):
        client, seat = begin(study)
        pages = set()
        for position, letter in enumerate("ABCDE", start=1):
            form = {f"report-{position}": "It offends."}
            answer = self.send(client, seat, about=str(position), **form)
            assert answer.url.endswith(f"#reported-{letter}")
            page = client.get(seat.get_absolute_url()).content.decode()
            pages.add(page.count("You have reported this text") - position)
        assert pages == {0}

    def test_a_get_reports_nothing(self, study):
        client, seat = begin(study)
        answer = client.get(url("report", seat))
        assert (answer.status_code, answer.url) == (302, seat.get_absolute_url())
        assert not Report.objects.exists()


class TestComment:
    def test_it_is_saved_alone_and_shown_again(self, study):
        client, seat = begin(study)
        sent = client.post(url("answer", seat), {"comment": " <b>Odd</b>\x00 "})
        assert sent.status_code == 204
        seat.refresh_from_db()
        assert seat.comment == "<b>Odd</b>"
        page = client.get(seat.get_absolute_url()).content.decode()
        assert "&lt;b&gt;Odd&lt;/b&gt;</textarea>" in page

    def test_it_comes_with_the_page_and_can_be_taken_back(self, study):
        client, seat = begin(study)
        client.post(url("answer", seat), {"comment": "Odd"})
        client.post(url("submit", seat), full_form(seat, comment=""))
        seat.refresh_from_db()
        assert (seat.comment, seat.state) == ("", Seat.State.VALID)

    def test_a_form_without_one_leaves_it(self, study):
        client, seat = begin(study)
        client.post(url("answer", seat), {"comment": "Odd"})
        client.post(url("answer", seat), {"a-1-coherence": "3"})
        seat.refresh_from_db()
        assert seat.comment == "Odd"


class TestTimes:
    @pytest.mark.parametrize(
        ("sent", "kept"),
        [
            ("1:0 5:0", {"1": 0, "5": 0}),
            ("6:9 0:9 99:9", {}),
            ("1:-5", {}),
            ("[1, {}]", {}),
            ("1:" + "9" * 4000, {}),
            ("x" * 100_000, {}),
        ],
    )
    def test_only_times_of_texts_on_the_page_are_kept(self, study, sent, kept):
        client, seat = begin(study)
        form = {"visible": sent, "a-1-coherence": "3"}
        assert client.post(url("answer", seat), form).status_code == 204
        seat.refresh_from_db()
        assert seat.visible == kept

    def test_nobody_claims_hours_in_a_minute(self, study):
        client, seat = begin(study)
        client.post(url("answer", seat), {"visible": "1:999999999"})
        seat.refresh_from_db()
        assert 0 <= seat.visible["1"] < 60_000

    def test_the_page_goes_on_from_them(self, study):
        client, seat = begin(study)
        Seat.objects.update(visible={"1": 5300, "3": 20})
        page = client.get(seat.get_absolute_url()).content.decode()
        assert 'name="visible" value="1:5300 3:20"' in page


class TestDeadEnds:
    def test_a_newcomer_to_a_full_study_need_not_read_it_first(self, study):
        Place.objects.update(free=False)
        page = welcome(study)
        assert "There is nothing left to rate" in page
        assert ">FULL2345</output>" in page
        assert not Worker.objects.exists()

    @pytest.mark.parametrize(
        ("state", "words"),
        [
            ("blocked", "no more pages for you"),
            ("excluded", "has ended"),
            ("screened", "Thank you for trying"),
            ("withdrawn", "You have left this study"),
        ],
    )
    def test_who_is_stopped_reads_why_on_every_way(self, study, state, words):
        client, seat = begin(study)
        Worker.objects.update(state=state)
        for path in (
            study.get_worker_url(),
            seat.get_absolute_url(),
            url("leave", study),
        ):
            page = client.get(path, follow=True).content.decode()
            assert words in page
            assert "lab@example.org" in page
        client.post(url("start", study), agreement(study))
        assert Seat.objects.count() == 1

    def test_who_is_stopped_while_rating_changes_nothing_more(self, study):
        client, seat = begin(study)
        Worker.objects.update(state="withdrawn")
        sent = client.post(url("answer", seat), {"a-1-coherence": "3"})
        assert sent.status_code == 409
        for door in ("keep", "submit"):
            client.post(url(door, seat), full_form(seat))
        seat.refresh_from_db()
        assert seat.state == Seat.State.CLAIMED
        assert not Annotation.objects.exists()

    def test_the_end_says_what_was_paid_and_what_it_was_about(self, study):
        Study.objects.update(debrief="We compare **two** programs. <b>x</b>")
        client, seat = begin(study)
        client.post(url("submit", seat), full_form(seat, then="stop"))
        page = finish(client, study)
        assert "also if we cannot use your ratings" in page
        assert "<strong>two</strong>" in page
        assert "&lt;b&gt;x" in page
