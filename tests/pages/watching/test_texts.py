from __future__ import annotations

from urllib.parse import quote

import pytest
from django.utils import timezone

from annotation.models import Generation
from tests.annotation.seating import hand_in, lay_out, sit
from tests.support.scored import COHERENCE, rate, score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

URL = "/studies/ferry/text/"
LIST = "/studies/ferry/texts/"
REVIEW = "/studies/ferry/review/"


@pytest.fixture
def study(make_study):
    return make_study(prompts=1)


@pytest.fixture
def text(study) -> Generation:
    return study.generations.first()


def read(client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def exclude(client, text, words="Names a person.", **more):
    data = {"key": text.key, "words": words, **more}
    return client.post(f"{URL}exclude/", data)


class TestNoOutput:
    @pytest.mark.parametrize("url", [URL, LIST, REVIEW])
    def test_it_is_said_and_cannot_be_included_again(self, client, text, url):
        now, why = timezone.now(), "no output"
        Generation.objects.filter(pk=text.pk).update(
            text="", excluded_at=now, excluded_reason=why
        )
        page = read(client, f"{url}?key={text.key}")
        assert "The system gave no output." in page and why in page
        assert "/text/include/" not in page


class TestOneText:
    def test_it_shows_who_gave_what_with_links_to_their_pages(
        self, client, study, text
    ):
        lay_out(study)
        seat = hand_in(sit(study, "ann"))
        found = read(client, f"{URL}?key={text.key}")
        assert f"/studies/ferry/ratings/{seat.public_id}/" in found
        assert "4.00" in found and "n&nbsp;1" in found

    def test_ratings_from_a_file_are_shown_without_pages(self, client, study, text):
        rate(study, "coherence", [[5]] * 4)
        found = read(client, f"{URL}?key={text.key}")
        assert "5.00" in found and "/ratings/" not in found

    def test_a_text_that_was_not_drawn_says_why_it_has_no_ratings(
        self, client, study, text
    ):
        assert "Nobody has rated this text yet" in read(client, f"{URL}?key={text.key}")
        drawn = {"asked": False, "probability": 0.5, "stratum": 0}
        Generation.objects.filter(pk=text.pk).update(**drawn)
        said = "This text was not drawn at random, so nobody is asked to rate it."
        assert said in read(client, f"{URL}?key={text.key}")

    def test_without_a_key_it_is_the_first_text(self, client, study, text):
        assert f"Text {text.key}" in read(client, URL)

    def test_without_texts_it_says_what_will_be_here(self, client, make_study):
        make_study(prompts=0)
        assert "No texts yet" in read(client, URL)

    def test_an_unknown_key_is_not_found(self, client, study):
        assert client.get(f"{URL}?key=nothing").status_code == 404

    def test_a_key_with_any_sign_leads_to_its_text(self, client, study, text):
        Generation.objects.filter(pk=text.pk).update(key="a/b?c=d&é #1")
        key = quote("a/b?c=d&é #1", safe="")
        assert "a/b?c=d&amp;é #1" in read(client, f"{URL}?key={key}")
        assert f"{URL}?key={key}" in read(client, LIST)

    def test_scores_of_metrics_are_asked_for(self, client, study, text):
        score(study, COHERENCE, [n / 10 for n in range(4)])
        url = f"/studies/ferry/results/text-scores/?key={text.key}"
        assert url in read(client, f"{URL}?key={text.key}")
        part = client.get(url, headers={"HX-Request": "true"}).content.decode()
        assert "<html" not in part and "/results/explain/" in part
        assert "<html" in read(client, url)


class TestExcluding:
    def test_a_text_is_excluded_and_included_again(self, client, study, text):
        answer = exclude(client, text)
        assert answer["Location"] == f"{URL}?key={text.key}"
        found = read(client, answer["Location"])
        assert "Names a person." in found and "Include the text again" in found
        client.post(f"{URL}include/", {"key": text.key})
        text.refresh_from_db()
        assert text.excluded_at is None
        log = read(client, "/studies/ferry/log/")
        assert "Excluded text" in log and "Included text" in log

    def test_without_a_reason_nothing_is_excluded(self, client, study, text):
        answer = exclude(client, text, words=" ")
        assert "Enter a reason" in read(client, answer["Location"])
        text.refresh_from_db()
        assert text.excluded_at is None

    def test_from_the_list_it_leads_back_to_the_same_filter(self, client, study, text):
        query = "system=a&page=1"
        answer = exclude(client, text, back="texts", query=query)
        assert answer["Location"] == f"{LIST}?{query}"

    def test_it_never_leads_to_another_site(self, client, study, text):
        answer = exclude(client, text, back="https://example.org/", query="//evil")
        assert answer["Location"] == f"{URL}?key={text.key}"

    @pytest.mark.parametrize("verb", ["exclude", "include"])
    def test_an_unknown_text_is_not_found(self, client, study, verb):
        data = {"key": "nothing", "words": "x"}
        assert client.post(f"{URL}{verb}/", data).status_code == 404

    @pytest.mark.parametrize("verb", ["exclude", "include"])
    def test_texts_of_another_study_are_not_found(
        self, client, study, text, make_study, verb
    ):
        make_study(name="other", prompts=0)
        data = {"key": text.key, "words": "x"}
        url = f"/studies/other/text/{verb}/"
        assert client.post(url, data).status_code == 404


class TestList:
    def keys(self, client, show: str) -> set[str]:
        page = client.get(f"{LIST}?show={show}").context["page"]
        return {text.key for text in page}

    def test_it_shows_excluded_reported_or_unread_texts_only(
        self, client, study, text, alice
    ):
        assert len(self.keys(client, "")) == len(self.keys(client, "unread")) == 4
        assert self.keys(client, "excluded") == self.keys(client, "reported") == set()
        exclude(client, text)
        assert self.keys(client, "excluded") == {text.key}
        assert text.key not in self.keys(client, "unread")

    def test_each_text_can_be_excluded_there(self, client, study):
        assert read(client, LIST).count("Exclude the text") == 4


class TestReview:
    def test_it_begins_with_the_first_text_nobody_has_read(self, client, study, text):
        found = read(client, REVIEW)
        assert "0 of 4 texts reviewed" in found and text.key in found

    def test_keeping_leads_to_the_next_until_all_are_read(self, client, study):
        for n, text in enumerate(study.generations.all(), start=1):
            answer = client.post(f"{REVIEW}read/", {"key": text.key})
            assert f"{n} of 4 texts reviewed" in read(client, answer["Location"])
        assert "Every text has been reviewed" in read(client, REVIEW)

    def test_excluding_leads_to_the_next_as_well(self, client, study, text):
        answer = exclude(client, text, back="review")
        following = study.generations.all()[1]
        assert answer["Location"] == f"{REVIEW}?key={following.key}"
        assert "1 of 4 texts reviewed, 1 excluded" in read(client, answer["Location"])

    def test_a_text_that_was_skipped_comes_again_at_the_end(self, client, study):
        first, *others = study.generations.all()
        for text in others:
            answer = client.post(f"{REVIEW}read/", {"key": text.key})
        assert answer["Location"] == f"{REVIEW}?key={first.key}"

    def test_an_empty_study_says_what_will_be_here(self, client, make_study):
        make_study(prompts=0)
        assert "No texts yet" in read(client, REVIEW)
