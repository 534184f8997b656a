import gzip
import re
from pathlib import Path

import brotli
import pytest
from django.contrib.staticfiles import finders
from django.test import RequestFactory

from evalapp import settings as app_settings
from evalapp.assets import packing
from evalapp.assets.hashing import HashedStorage, hashed_name, with_hash
from evalapp.assets.serving import Assets

ROOT = Path(__file__).resolve().parents[3]
STYLE = "css/base.css"
YEAR = 60 * 60 * 24 * 365


@pytest.fixture
def small(monkeypatch, settings, tmp_path):
    """Only the project's own style sheet, with its copies in a folder of the test."""
    settings.DATA_DIR = tmp_path / "data"
    files = [(STYLE, str(ROOT / "static" / STYLE))]
    monkeypatch.setattr(packing, "all_files", lambda: iter(files))
    monkeypatch.setattr("evalapp.assets.serving.all_files", lambda: iter(files))
    settings.STATIC_ROOT = None
    return files


def static(name):
    return HashedStorage().url(name)


def answer(address, encoding=""):
    headers = {"HTTP_ACCEPT_ENCODING": encoding}
    return Assets(lambda request: None)(RequestFactory().get(address, **headers))


def test_a_file_has_an_address_that_browsers_keep_for_a_year(small):
    found = answer(static(STYLE))
    kept = re.search(r"max-age=(\d+)", found["Cache-Control"])
    assert int(kept[1]) >= YEAR
    assert "immutable" in found["Cache-Control"]
    assert b"".join(found) == (ROOT / "static" / STYLE).read_bytes()


def test_its_own_name_is_kept_for_a_minute(small):
    assert answer(f"/static/{STYLE}")["Cache-Control"] == "max-age=60, public"


def test_a_browser_gets_the_copy_that_it_can_read(small):
    packing.pack()
    whole = (ROOT / "static" / STYLE).read_bytes()
    best, good, none = (answer(static(STYLE), e) for e in ("gzip, br", "gzip", ""))
    assert best["Content-Encoding"] == "br"
    assert brotli.decompress(b"".join(best)) == whole
    assert gzip.decompress(b"".join(good)) == whole
    assert "Content-Encoding" not in none
    assert best["Content-Type"] == 'text/css; charset="utf-8"'
    assert "Accept-Encoding" in best["Vary"]


def test_files_are_compressed_once(small):
    assert packing.pack() == 1
    assert packing.pack() == 0


def test_another_content_has_another_address_and_copy(small, tmp_path):
    path = tmp_path / "one.css"
    path.write_text("a" * 1000)
    small[:] = [("one.css", str(path))]
    before = with_hash("one.css", str(path))
    packing.pack()
    path.write_text("b" * 1001)
    assert with_hash("one.css", str(path)) != before
    assert packing.pack() == 1
    assert len(list(packing.folder().iterdir())) == 2  # the old copies are gone


def test_a_file_that_does_not_exist_keeps_its_name():
    assert hashed_name("css/nothing.css") == "css/nothing.css"


def test_a_name_without_an_ending_gets_a_hash_too(tmp_path):
    (tmp_path / "LICENSE").write_text("x")
    found = with_hash("a.b/LICENSE", str(tmp_path / "LICENSE"))
    assert found.startswith("a.b/LICENSE.")


def test_every_file_that_a_template_names_exists():
    names = {
        name
        for path in (ROOT / "templates").rglob("*.html")
        for name in re.findall(r'{% static "([^"]+)" %}', path.read_text())
    }
    assert len(names) > 10
    assert not {name for name in names if not finders.find(name)}


def test_the_site_is_set_up_to_use_hashed_addresses():
    assert app_settings.STORAGES["staticfiles"]["BACKEND"].endswith("HashedStorage")
    assert "evalapp.assets.serving.Assets" in app_settings.MIDDLEWARE
