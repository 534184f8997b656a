import json
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from evalapp.assets import modules
from evalapp.assets.hashing import HashedStorage, hashed_name

STATIC = Path(__file__).resolve().parents[3] / "static"
SPANS = "annotation/kinds/spans"


def test_what_a_module_imports_is_followed_to_the_end():
    imported = modules.imports(f"{SPANS}/marking.js")
    assert {f"{SPANS}/offsets.js", "annotation/kinds/edits/words.js"} <= {
        *imported.at_once
    }
    assert f"{SPANS}/marking.js" not in imported.at_once
    assert len(imported.at_once) == len({*imported.at_once})


def test_what_is_imported_later_is_not_loaded_at_once():
    imported = modules.imports("annotation/crowd/rating.js")
    assert "annotation/crowd/writing.js" in imported.later
    assert "annotation/crowd/writing.js" not in imported.at_once


def test_the_map_leads_to_addresses_with_hashes(monkeypatch):
    monkeypatch.setattr(modules, "staticfiles_storage", HashedStorage())
    name = "annotation/crowd/saving.js"
    imported = json.loads(modules.import_map((name,)))["imports"]
    assert imported == {f"/static/{name}": f"/static/{hashed_name(name)}"}


@pytest.mark.parametrize(
    "path", sorted(STATIC.rglob("*.js")), ids=lambda path: path.stem
)
def test_every_import_of_every_script_is_read(path):
    """A line that is written otherwise would be loaded without a hash."""
    code = re.sub(r"^\s*//.*", "", path.read_text(), flags=re.MULTILINE)
    named = len(re.findall(r'(?:from|import)\s*\(?\s*["\'`]\.', code))
    imported = modules._direct(str(path.relative_to(STATIC)))
    assert len(imported.at_once) + len(imported.later) == named
    assert all(map(finders.find, (*imported.at_once, *imported.later)))
