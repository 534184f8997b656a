"""Worker pages speak the language of their study, and only these pages do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from annotation import studies, surveys
from annotation.models import Aspect, Seat, Study
from tests.pages.crowd.test_words import texts
from tests.pages.working import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def make(alice):
    def study(language: str, **fields) -> Study:
        made = studies.create(
            name=language, owner=alice, language=language, ratings_per_text=2, **fields
        )
        texts(made)
        surveys.open_study(study=made)
        made.refresh_from_db()
        return made

    return study


def begin(client: Client, study: Study) -> Seat:
    """Agree as a browser does, by the words on the page."""
    page = client.get(study.get_worker_url()).content.decode()
    version = page.partition('name="version" value="')[2].partition('"')[0]
    client.post(url("start", study), {"agree": "on", "version": version})
    return Seat.objects.get(worker__study=study)


def test_a_study_speaks_its_language_from_the_first_page_to_the_last(make) -> None:
    study, client = make("de", pay_per_page="1.5", currency="EUR"), Client()
    welcome = client.get(study.get_worker_url()).content.decode()
    assert '<html lang="de">' in welcome and "Bevor Sie beginnen" in welcome
    assert "<title>Willkommen · Texte bewerten</title>" in welcome
    assert "1,50 EUR für jede abgesendete Seite" in welcome
    seat = begin(client, study)
    page = client.get(seat.get_absolute_url()).content.decode()
    assert "Passen die Sätze zu einem Text zusammen?" in page
    assert "Noch {n} Antworten" in page and "1,50" in page
    assert "Wie gut drückt der Text „⟦sad⟧“ aus?" in page
    left = client.get(url("leave", study)).content.decode()
    assert "Ihre Antworten sind gespeichert" in left


def test_pages_from_right_to_left_say_so(make) -> None:
    study, client = make("ar"), Client()
    page = client.get(study.get_worker_url()).content.decode()
    assert '<html lang="ar" dir="rtl">' in page
    seat = begin(client, study)
    page = client.get(seat.get_absolute_url()).content.decode()
    # Texts run as their own script does.
    assert '<div class="text" dir="auto" translate="no">' in page
    assert '<legend dir="auto">' in page


def test_the_ends_of_a_slider_run_as_their_own_script_does(make) -> None:
    study, client = make("ar"), Client()
    study.aspects.update(kind=Aspect.Kind.SLIDER, level=Aspect.Level.INTERVAL)
    page = client.get(begin(client, study).get_absolute_url()).content.decode()
    ends = study.aspects.values_list("low", flat=True)
    assert all(f"<b>0</b> <bdi>{low}</bdi>" in page for low in ends)


def test_what_django_says_itself_follows(make) -> None:
    study, client = make("ar"), Client()
    client.get(study.get_worker_url())
    refused = client.post(url("start", study), {}).content.decode()
    assert "ضع علامة في المربع للمشاركة." in refused


def test_the_next_page_on_the_same_thread_is_in_english_again(make, client, alice):
    worker, study = Client(), make("ja")
    assert 'lang="ja"' in worker.get(study.get_worker_url()).content.decode()
    client.force_login(alice)
    researcher = client.get(f"/studies/{study.name}/settings/").content.decode()
    assert '<html lang="en"' in researcher and "Questions and pay" in researcher


def test_researchers_see_previews_in_the_language_of_the_study(make, client, alice):
    study = make("ar")
    client.force_login(alice)
    page = client.get(f"/studies/{study.name}/preview/").content.decode()
    assert '<html lang="ar" dir="rtl">' in page


def test_what_a_worker_agreed_to_stays_agreed_to(make) -> None:
    study, client = make("ar", pay_per_page="1.5"), Client()
    begin(client, study)
    back = client.get(study.get_worker_url()).content.decode()
    assert 'name="agree"' not in back and "مرحباً بعودتك" in back


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_every_language_has_a_first_page_and_a_page_to_rate(make, language) -> None:
    study, client = make(language), Client()
    welcome = client.get(study.get_worker_url()).content.decode()
    assert f'<html lang="{language}"' in welcome
    seat = begin(client, study)
    assert client.get(seat.get_absolute_url()).status_code == 200


OF_WORKERS = [
    f"annotation/crowd/{name}.css" for name in "worker pages scale long".split()
]


@pytest.mark.parametrize("sheet", ["css/base.css", *OF_WORKERS])
def test_stylesheets_of_workers_name_no_side(sheet: str) -> None:
    """Left and right change places in Arabic: say start and end."""
    text = (Path(settings.BASE_DIR) / "static" / sheet).read_text()
    sides = r"(?:^|[\s;{-])(?:left|right)\s*:|-(?:left|right)\b|:\s*(?:left|right)\b"
    assert re.findall(sides, text) == []
    # Four values in one line are top, right, bottom, left.
    four = re.findall(r"(?:margin|padding):((?: [^\s;()]+){4});", text)
    assert [one for one in four if one.split()[1] != one.split()[3]] == []
