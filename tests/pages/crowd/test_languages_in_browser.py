"""German, whose words are long, and Arabic, mirrored, on every worker page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from annotation import studies, surveys
from annotation.crowd import practice
from annotation.models import (
    AttributeLabel,
    Generation,
    Prompt,
    Study,
    System,
)
from tests.pages.browsing import faults
from tests.pages.crowd import turned_away
from tests.pages.rating import PHONE, rate

pytestmark = pytest.mark.django_db(transaction=True)

GERMAN = (
    "Die Fähre legte im Morgengrauen ab. Niemand an Deck sagte ein Wort."
    " Die Geschwindigkeitsbegrenzung im Hafenbecken galt auch für Küstenschutzschiffe."
)
ARABIC = (
    "غادرت العبّارة الميناء عند الفجر. لم يقل أحد على سطحها كلمة واحدة."
    " كانت النوارس تحوم فوق الماء البارد، ثم عاد الصمت."
)
JAPANESE = (
    "船は夜明けに港を出た。「行こう！」と船長は言った。誰も答えなかった。"
    "カモメが冷たい海の上を飛んでいた。"
)
OPENINGS = {"de": "An diesem Morgen", "ar": "في ذلك الصباح", "ja": "その朝、"}
LABELS = {"de": "Zuversichtlichkeit", "ar": "حزين", "ja": "悲しみ"}
TEXTS = {"de": GERMAN, "ar": ARABIC, "ja": JAPANESE}

# What is cut off, or sticks out of its box, in a bar, on a button or below a scale.
CUT_OFF = """() => [...document.querySelectorAll(
    ".bar-top :is(h1, p, a), .button, .ends span, .facts :is(dt, dd), legend, .map a"
  )].filter((one) => one.checkVisibility() && one.clientWidth)
    .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.outerHTML)"""


def texts(study: Study) -> None:
    """Two pages; of the texts of each, one is in Latin letters."""
    label = AttributeLabel.objects.create(study=study, name=LABELS[study.language])
    prefix = OPENINGS[study.language]
    prompt = Prompt.objects.create(study=study, prefix=prefix, label=label, digest="1")
    for name in "abc":
        system = System.objects.create(study=study, name=name)
        for n in range(2):
            own = "Nobody spoke (not even the captain)! Then it rained."
            text = own if name == "c" else TEXTS[study.language] + f" ({n}{name})"
            Generation.objects.create(
                study=study,
                prompt=prompt,
                system=system,
                key=f"{name}{n}",
                sample=n,
                text=f"{prefix} {text}" if name != "c" else text,
            )


def made(alice, language: str, **fields) -> Study:
    study = studies.create(
        name=f"in-{language}",
        owner=alice,
        language=language,
        contact="forschung@example.org",
        pay_per_page="1.5",
        currency="EUR",
        completion_code="ABCD2345",
        ratings_per_text=1,
        texts_per_survey=3,
        **fields,
    )
    texts(study)
    practice.define(
        study=study,
        prefix=OPENINGS[language],
        label=LABELS[language],
        attempts=2,
        texts=[practice.Text(TEXTS[language], {"coherence": (4, 5)}, "…")],
    )
    surveys.open_study(study=study)
    study.refresh_from_db()
    return study


def press(page: Page, selector: str = "main button.primary") -> None:
    page.locator(selector).last.click()


def stops(page: Page, base: str, study: Study) -> Iterator[str]:
    """Every page that a worker may meet, found by what it is, not by what it says."""
    link = base + study.get_worker_url()
    yield from _practising(page, link)
    yield from _rating(page)
    yield from _finishing(page, link)
    yield from turned_away.stops(page, link)
    page.goto(f"{link}?invite=none")
    yield "not invited"


def _practising(page: Page, link: str) -> Iterator[str]:
    page.goto(link)
    yield "welcome"
    page.locator("form").evaluate("(form) => form.noValidate = true")
    press(page)
    page.locator("#agree-error").wait_for()
    yield "not agreed"
    page.locator("#agree").check()
    press(page)
    page.locator("input[name=number]").wait_for(state="attached")
    yield "practice"
    for value in (1, 5):
        for row in page.locator("fieldset").all():
            rate(row, value)
        press(page)
        page.locator(".notice h3").first.wait_for()
        yield f"practice answered with {value}"
        if value == 1:
            page.locator("main a.primary").click()
            page.locator("fieldset").first.wait_for()
    press(page)
    page.locator("#rating").wait_for()


def _rating(page: Page) -> Iterator[str]:
    yield "rating"
    press(page, "#rating button[value=next]")
    page.locator("#missing a").first.wait_for()
    yield "missing"
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    yield "keys"
    page.keyboard.press("Escape")
    page.locator("[data-opens=instructions]").click()
    yield "instructions"
    page.keyboard.press("Escape")
    page.locator("#rating details summary").first.click()
    page.locator("button[name=about]").first.click()
    page.locator(".problem").first.wait_for()
    yield "an empty report"
    page.locator("button[formaction$='keep/']").click()
    page.locator("main h2").first.wait_for()
    yield "leave"


def _finishing(page: Page, link: str) -> Iterator[str]:
    page.goto(link)
    yield "welcome back"
    press(page)
    page.locator("#rating").wait_for()
    for row in page.locator("fieldset").all():
        rate(row, 3)
    press(page, "#rating button[value=stop]")
    page.wait_for_url("**/finish/")
    page.goto(page.url.replace("/finish/", "/done/"))
    yield "between"
    page.goto(page.url.replace("/done/", "/withdraw/"))
    yield "withdraw"
    page.goto(page.url.replace("/withdraw/", "/finish/"))
    yield "finish"
    page.locator("main button.primary").click()
    page.wait_for_url("**/done/")
    yield "done"


@pytest.mark.parametrize("language", ["de", "ar"])
def test_every_page_fits_a_phone_and_is_accessible(page, live_server, alice, language):
    study = made(alice, language)
    found: dict[str, list[str]] = {}
    for stop in stops(page, live_server.url, study):
        found[stop] = faults(page)  # ends at the width of a phone
        found[stop] += page.evaluate(CUT_OFF)
        assert page.locator("html").get_attribute("lang") == language
    assert len(found) == 24
    assert not {stop: wrong for stop, wrong in found.items() if wrong}
    assert [p for p in page.problems if "Failed to load resource" not in p] == []


def at_a_page(page: Page, base: str, study: Study) -> None:
    for stop in stops(page, base, study):
        if stop == "rating":
            return


def test_pages_from_right_to_left_are_mirrored_and_texts_run_their_own_way(
    page, live_server, alice
) -> None:
    at_a_page(page, live_server.url, made(alice, "ar"))
    for size in (PHONE, {"width": 1280, "height": 800}):
        page.set_viewport_size(size)
        boxes = [
            one.bounding_box()
            for one in page.locator(".scale").first.locator("label").all()
        ]
        assert [box["x"] for box in boxes] == sorted(
            (box["x"] for box in boxes), reverse=True
        )
        ends = page.locator(".bar-top :is(h1, nav)").all()
        heading, links = (one.bounding_box() for one in ends)
        assert heading["x"] > links["x"]
    runs = page.locator(".card .text").evaluate_all(
        "(all) => all.map((one) => [/^[A-Za-z]/.test(one.textContent.trim()),"
        " getComputedStyle(one).direction])"
    )
    assert {(is_latin, way) for is_latin, way in runs} <= {
        (True, "ltr"),
        (False, "rtl"),
    }
    assert page.locator("textarea").first.get_attribute("dir") == "auto"


@pytest.mark.path
def test_arrows_move_the_way_they_point(page, live_server, alice) -> None:
    """Left is more where the lowest answer is on the right."""
    at_a_page(page, live_server.url, made(alice, "ar"))
    first = page.locator("fieldset").first
    first.locator("input[value='3']").click()
    page.keyboard.press("ArrowLeft")
    expect(first.locator("input[value='4']")).to_be_checked()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(first.locator("input[value='2']")).to_be_checked()
    own_digits = (
        "one.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, ...key}))"
    )
    for key, code, value in (("٤", "Digit4", "4"), ("(", "Digit5", "5")):
        third = page.locator("fieldset").nth(2)
        third.locator("input").first.focus()
        third.locator("input").first.evaluate(
            f"(one, key) => {own_digits}", {"key": key, "code": code}
        )
        expect(third.locator(f"input[value='{value}']")).to_be_checked()
    page.locator("body").evaluate(f"(one, key) => {own_digits}", {"key": "؟"})
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    first.locator("input[value='2']").focus()
    page.keyboard.press("5")
    expect(first.locator("input[value='5']")).to_be_checked()
    expect(page.locator("#status")).to_have_text("حُفظت الآن")
