"""No word of a worker's page is left to English: each stands in the catalogue.

All are translated by putting brackets around them. What then stands outside of
brackets was forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import translation
from playwright.sync_api import expect

from annotation import studies, surveys
from annotation.crowd import practice
from annotation.models import (
    AttributeLabel,
    Generation,
    Place,
    Prompt,
    Seat,
    Study,
    System,
    Worker,
)
from tests import catalogue
from tests.pages.working import agreement, full_form, url
from tests.support import translations

LANGUAGE = "xx"
PROLIFIC = {"PROLIFIC_PID": "5f1e" * 6}
SANDBOX = "https://workersandbox.mturk.com"
NAMED = ("aria-label", "title", "alt", "placeholder", "data-copied", "data-not-copied")


@pytest.fixture
def bracketed(settings, tmp_path) -> Iterator[None]:
    """Everything is in a language that puts English between brackets."""
    folder = tmp_path / LANGUAGE / "LC_MESSAGES"
    folder.mkdir(parents=True)
    write(folder / "django.mo")
    settings.LOCALE_PATHS = [str(tmp_path)]
    settings.LANGUAGES = [(LANGUAGE, "Brackets")]
    settings.LANGUAGE_CODE = LANGUAGE
    with translation.override(LANGUAGE):
        yield


def write(path: Path) -> None:
    header = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2;"
    said = {
        message: [f"⟦{one}⟧" for one in message[:2] if one]
        for message in catalogue.messages()
    }
    path.write_bytes(translations.compiled(f"{header} plural=(n != 1);\n", said))


class Words(HTMLParser):
    """What a page says: its text without codes, keys and rated texts, and names."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.inside: list[str] = []  # a part that is nobody's to translate

    def handle_starttag(self, tag: str, attrs) -> None:
        given = dict(attrs)
        if self.inside:
            self.inside += [tag] if tag == self.inside[0] else []
        elif tag in ("output", "script", "style") or given.get("translate") == "no":
            self.inside = [tag]
        self.said += [f" {given[name]} " for name in NAMED if given.get(name)]
        is_form = given.get("id") == "rating" or tag == "body"
        words = (v for name, v in given.items() if name.startswith("data-") and is_form)
        self.said += [f" {one} " for one in words if one and " " in one]

    def handle_endtag(self, tag: str) -> None:
        if self.inside and tag == self.inside[0]:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.said.append(data)


def unmarked(page: str) -> list[str]:
    """Words outside of brackets."""
    words = Words()
    words.feed(page)
    # Names stand within a sentence in brackets, too: those go apart.
    texts = " ".join(words.said)
    return outside(texts)


def outside(words: str) -> list[str]:
    before = None
    while before != words:
        before, words = words, re.sub(r"⟦[^⟦⟧]*⟧", " ", words)
    return re.findall(r"[^\W\d_]{2,}", words.replace("EUR", ""))


def texts(study: Study) -> None:
    """Two pages: a label, a beginning and four systems, all between brackets."""
    label = AttributeLabel.objects.create(study=study, name="⟦sad⟧")
    prompt = Prompt.objects.create(
        study=study, prefix="⟦The ferry⟧", label=label, source="⟦At sea.⟧", digest="1"
    )
    for name in "abcd":
        system = System.objects.create(study=study, name=name)
        Generation.objects.bulk_create(
            Generation(
                study=study,
                prompt=prompt,
                system=system,
                key=f"{name}{n}",
                sample=n,
                text=f"It left at {n}. Nobody on deck said a word. Gulls came by.",
            )
            for n in range(2)
        )


@pytest.fixture
def make(bracketed, alice):
    """An open study whose own words are between brackets, and its default ones."""

    def study(name: str, **fields) -> Study:
        given = {
            "title": "⟦Ferries⟧",
            "language": LANGUAGE,
            "content_warning": "⟦Water⟧",
            "pay_per_page": 1,
            "currency": "EUR",
            "completion_code": "23",
            "nothing_left_code": "45",
            "debrief": "⟦Thanks⟧",
            "texts_per_survey": 4,
            "ratings_per_text": 2,
        }
        made = studies.create(name=name, owner=alice, **{**given, **fields})
        texts(made)
        return made

    return study


def opened(study: Study) -> Study:
    surveys.open_study(study=study)
    study.refresh_from_db()
    return study


def walk(study: Study) -> Iterator[HttpResponse]:
    """Through the study by a plain link, and whatever can happen on the way."""
    client, link = Client(), study.get_worker_url()
    yield client.get(link)
    client.get(link, {"worker": "kim"}, follow=True)
    yield client.get(link)
    yield client.post(url("start", study), {})
    yield client.post(url("start", study), {"agree": "on", "version": "other"})
    client.post(url("start", study), agreement(study))
    seat = Seat.objects.get(state=Seat.State.CLAIMED)
    yield client.get(seat.get_absolute_url())
    yield client.get(f"{seat.get_absolute_url()}?check")
    yield client.get(f"{seat.get_absolute_url()}?unsaid=A")
    yield client.get(url("leave", study))
    yield client.get(link)
    report = {"report-1": "⟦Rude⟧", "about": "1"}
    yield client.post(url("report", seat), report, follow=True)
    client.post(url("submit", seat), full_form(seat, then="stop"))
    for page in ("done", "finish", "leave", "withdraw"):
        yield client.get(url(page, study))
    yield client.get(link)
    stranger = Client()
    stranger.get(link, {"worker": "kim"})
    yield stranger.get(link)
    yield stranger.post(url("prove", study), {"code": "no", "back": link})
    client.post(url("start", study), {})
    yield client.get(url("finish", study))
    yield client.get(url("done", study))
    Place.objects.update(free=False)
    yield Client().get(link)
    yield client.get(url("done", study))
    client.post(url("finish", study))
    yield client.get(url("done", study))
    for state in Worker.State.values:
        Worker.objects.update(state=state)
        yield client.get(url("done", study))
    for state in ("draft", "paused", "closed"):
        Study.objects.update(state=state)
        yield Client().get(link)
    yield Client().get(link, {"worker": "a b"})
    yield Client().get(link, {"invite": "none"})


def practise(study: Study) -> Iterator[HttpResponse]:
    client = Client()
    client.get(study.get_worker_url(), PROLIFIC)
    yield client.get(study.get_worker_url())
    client.post(url("start", study), agreement(study))
    yield client.get(url("practice", study))
    yield client.post(url("practice_try", study), {"number": "1"})
    keys = [f"a-1-{aspect.key}" for aspect in study.aspects.all()]
    for number, value in (("1", "1"), ("2", "5")):
        yield client.get(f"{url('practice', study)}?again")
        form = {"number": number, **dict.fromkeys(keys, value)}
        yield client.post(url("practice_try", study), form, follow=True)
    client.post(url("start", study))
    yield client.get(url("leave", study))
    yield client.get(url("withdraw", study))
    yield Client().get(study.get_worker_url())
    yield Client().get(study.get_worker_url(), {"PROLIFIC_PID": "?"})


def wrong(pages: Iterator[HttpResponse]) -> dict[str, list[str]]:
    found = {}
    for number, page in enumerate(pages):
        assert page.status_code < 500 and page.content, (number, page.status_code)
        text = page.content.decode()
        heading = re.search(r"<h1>.*", text)
        assert "⟦" in text, number
        if forgotten := unmarked(text):
            found[f"{number} {page.request['PATH_INFO']} {heading}"] = forgotten
    return found


def test_every_word_of_a_study_can_be_translated(make) -> None:
    assert not wrong(walk(opened(make("plain"))))


def test_every_word_of_practice_and_of_prolific_can_be_translated(make) -> None:
    study = make("practised", platform="prolific")
    practice.define(
        study=study,
        prefix="⟦At sea⟧",
        label="⟦sad⟧",
        attempts=2,
        texts=[practice.Text("⟦It left.⟧", {"coherence": (4, 5)}, "⟦It is whole.⟧")],
    )
    assert not wrong(practise(opened(study)))


def test_every_word_in_a_frame_can_be_translated(make) -> None:
    study = opened(make("framed", platform="mturk", instructions=""))
    Study.objects.filter(pk=study.pk).update(instructions="")
    entry = url("mturk", study)

    def pages() -> Iterator[HttpResponse]:
        client = Client()
        yield client.get(entry)
        yield client.get(entry, {"assignmentId": "3A"})
        yield client.get("/m/none/w/")
        accepted = {"assignmentId": "3A", "hitId": "3H", "workerId": "A1WORKER"}
        first = client.get(entry, {**accepted, "turkSubmitTo": SANDBOX})
        mount = first["Location"].removesuffix(study.get_worker_url())
        client.post(f"{mount}{study.get_worker_url()}start/", agreement(study))
        seat = Seat.objects.get()
        yield client.get(f"{mount}{seat.get_absolute_url()}")
        form = full_form(seat, then="stop")
        client.post(f"{mount}{url('submit', seat)}", form)
        for page in ("withdraw", "leave", "finish"):
            yield client.get(f"{mount}{url(page, study)}")
        client.post(f"{mount}{url('finish', study)}")
        yield client.get(f"{mount}{url('done', study)}")

    assert not wrong(pages())


def test_the_defaults_of_a_new_study_are_translated(make) -> None:
    study = make("fresh")
    said = [study.instructions, study.consent]
    for aspect in study.aspects.all():
        said += [aspect.title, aspect.question, aspect.low, aspect.middle, aspect.high]
    assert all(one.startswith("⟦") and one.rstrip().endswith("⟧") for one in said)


@pytest.mark.django_db(transaction=True)
def test_what_scripts_say_is_translated(page, live_server, make) -> None:
    study = opened(make("scripts"))
    page.goto(live_server.url + study.get_worker_url())
    page.locator("#agree").check()
    page.locator("button.primary").click()
    expect(page.locator("#progress")).to_contain_text("15")
    page.locator("fieldset input").first.click()
    expect(page.locator("#status")).to_contain_text("⟦Saved")
    page.locator("button[value=next]").last.click()
    expect(page.locator("#missing h2")).to_contain_text("14")
    page.context.set_offline(True)
    page.locator("fieldset input").nth(1).click()
    expect(page.locator("#status")).to_contain_text("⟦Not saved yet")
    page.locator("details.aside summary").first.click()
    page.locator("textarea").first.fill("Rude")
    page.locator("button[name=about]").first.click()
    expect(page.locator(".not-sent p")).to_contain_text("⟦Not sent yet")
    seen = page.evaluate(
        "() => { for (const one of document.querySelectorAll('[translate=no], output'))"
        " one.remove(); return document.body.innerText; }"
    )
    assert outside(seen) == []
