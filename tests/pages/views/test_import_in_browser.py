"""The first minutes of someone new: from a file of her own to a study."""

from __future__ import annotations

import pytest

from annotation.models import Generation, Study
from tests.annotation.imports import given
from tests.pages.browsing import faults, log_in, overflow_once_drawn, until

pytestmark = pytest.mark.django_db(transaction=True)

EXCEL = given.excel(
    ("id", "model", "prompt", "output"),
    *(
        (n, ("gpt", "t5")[n % 2], f"Write about lake {n // 4}.", f"Lake {n}. It lay.")
        for n in range(12)
    ),
)
LINES = [
    {"id": n, "model": "gpt", "prompt": f"Lake {n // 4}", "output": f"Lake {n}. Calm."}
    for n in range(11)
]
BROKEN = given.jsonl(*LINES[:6], '{"id": 99, "output": "Unfinished', *LINES[6:])
DROP = """([name, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name));
  document.querySelector("[data-drop]").dispatchEvent(
    new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


@pytest.fixture
def at_new_study(page, live_server, alice, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    log_in(page, live_server.url)
    page.goto(f"{page.base}/studies/new/")
    return page


def drop(page, name: str, content: bytes) -> None:
    page.evaluate(DROP, [name, list(content)])
    page.wait_for_url("**/uploads/**")


def press(page, name: str) -> None:
    page.get_by_role("button", name=name).click()
    page.wait_for_url("**/studies/**")


def test_hanna_s_file_as_it_is(at_new_study):
    page = at_new_study
    drop(page, "hanna_stories_annotations.csv", given.hanna())
    assert page.get_by_text("Recognised as HANNA").is_visible()
    assert faults(page) == []
    press(page, "Import 4 texts")
    study = Study.objects.get()
    assert study.is_rated_elsewhere and study.aspects.count() == 6
    page.get_by_role("link", name="Choose metrics").wait_for()
    assert page.problems == []


@pytest.mark.path
def test_an_excel_file_with_columns_of_its_own(at_new_study):
    page = at_new_study
    drop(page, "outputs.xlsx", EXCEL)
    page.get_by_label("What “model” is").select_option("ignore")
    assert until(page, "() => outcome.textContent.includes('not named')")
    page.get_by_label("What “model” is").select_option("system")
    assert until(page, "() => outcome.textContent.includes('2 (gpt, t5)')")
    page.get_by_label("Name", exact=True).fill("lakes")
    press(page, "Import 12 texts")
    study = Study.objects.get(name="lakes")
    assert study.systems.count() == 2 and study.prompts.count() == 3
    assert page.problems == []


def test_lines_with_a_broken_one(at_new_study):
    page = at_new_study
    drop(page, "outputs.jsonl", BROKEN)
    assert page.get_by_text("Line 7 is not valid JSON").is_visible()
    assert faults(page) == []
    press(page, "Leave out 1 line and import 11 texts")
    assert Generation.objects.count() == 11
    assert page.problems == []


def test_what_cannot_be_read_is_cured_by_another_file(at_new_study):
    page = at_new_study
    drop(page, "old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    assert page.get_by_text("save it as xlsx").is_visible()
    page.get_by_role("button", name="Choose another file").click()
    page.wait_for_url("**/studies/new/")
    page.get_by_label("Drop a file here").set_input_files(
        files=[{"name": "a.csv", "mimeType": "text/csv", "buffer": b"output\nLake.\n"}]
    )
    page.wait_for_url("**/uploads/**")
    press(page, "Import 1 text")
    assert Generation.objects.count() == 1


def test_choosing_a_file_fits_a_phone(at_new_study):
    page = at_new_study
    assert faults(page) == []
    assert overflow_once_drawn(page) == 0
