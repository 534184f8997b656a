from __future__ import annotations

import base64
import html
import importlib
import json
import pkgutil
from itertools import product
from urllib.parse import quote, quote_plus

import pytest
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.forms import BaseForm
from rest_framework.views import APIView

import annotation
import evalapp
import scoring
from annotation import storable
from annotation.storable import secrets
from evalapp.api import parsers
from evalapp.limits.forms import Form, Storable, forms


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\0", "contains a NUL character at position 2"),
        ("\ud800", "contains half of a surrogate pair at position 1"),
        ("é\udfff", "contains half of a surrogate pair at position 2"),
        ("\x1b[31m", "contains the control character U+001B at position 1"),
        ("\x7f", "contains the control character U+007F at position 1"),
    ],
)
def test_what_cannot_be_kept_is_named_with_its_place(text, said):
    assert storable.problem(text) == said
    assert storable.problem(storable.cleaned(text)) is None


@pytest.mark.parametrize(
    "text", ["", "a\tb\r\n\f\v", "\x85\xa0 ", "😀 é ü \u200b", "﷽"]
)
def test_white_space_and_signs_of_any_language_can_be_kept(text):
    assert storable.problem(text) is None
    assert storable.cleaned(text) == text


@pytest.mark.parametrize(
    "data", [["a", {"b": ["\0"]}], {"\ud800": 1}, ("a", ("\x07",)), "\x01"]
)
def test_data_is_looked_at_down_to_its_last_text(data):
    assert storable.problem_in(data)


def test_data_may_be_nested_as_deep_as_anybody_likes():
    data: object = "\0"
    for _ in range(100_000):
        data = [data, 1, None, 2.5]
    assert storable.problem_in(data)


def test_a_form_says_which_of_its_words_cannot_be_kept():
    class Words(Form):
        title = forms.CharField()
        lines = forms.MultipleChoiceField(choices=[("a", "a")], required=False)

    form = Words({"title": "a\x07b"})
    said = "This contains the control character U+0007 at position 2."
    assert form.errors == {"title": [f"{said} Delete that character."]}


APPS = ("annotation", "evalapp", "scoring")


def _modules():
    for app in (annotation, evalapp, scoring):
        for found in pkgutil.walk_packages(app.__path__, f"{app.__name__}."):
            if found.name.endswith(".institution.views"):
                continue  # needs an app that only sites with an institution have
            if {"forms", "views", "api", "limits"} & set(found.name.split(".")):
                yield importlib.import_module(found.name)


def _ours(kind: type) -> set[type]:
    known = set(kind.__subclasses__())
    known |= {inner for one in known for inner in _ours(one)}
    return {one for one in known if one.__module__.split(".")[0] in APPS}


def test_every_form_asks():
    assert [*_modules()]
    asking = {one for one in _ours(BaseForm) if issubclass(one, Storable)}
    # Their words are compared with what is stored, or hashed, and go nowhere.
    logins = _ours(AuthenticationForm) | _ours(PasswordChangeForm)
    assert len(asking) > 20
    assert _ours(BaseForm) - asking - logins == set()


def test_every_door_of_the_api_asks():
    assert [*_modules()]
    ours = {parsers.JSONParser, parsers.FormParser, parsers.MultiPartParser}
    assert len(_ours(APIView)) > 20
    for view in _ours(APIView):
        assert set(view.parser_classes) <= ours, view


SECRET = "sk-TOP/key+123=="  # noqa: S105 - of no account


def coded(words: str) -> str:
    return base64.b64encode(words.encode()).decode()


def per_cent(words: str) -> str:
    return "".join(f"%{ord(one):02x}" for one in words)


class TestSecrets:
    @pytest.mark.parametrize(
        "spelled",
        [
            str,
            *(json.dumps, lambda words: json.dumps(json.dumps(words))),
            lambda words: words.replace("/", "\\/"),
            lambda words: "".join(f"\\u{ord(one):04X}" for one in words),
            *(quote_plus, lambda words: quote(quote(words, safe=""), safe="")),
            *(per_cent, lambda words: per_cent(words).upper()),
            lambda words: html.escape(words.replace("+", "&#43;")),
            lambda words: "".join(f"&#x{ord(one):X};" for one in words),
        ],
    )
    def test_no_spelling_of_one_is_kept(self, spelled):
        found = secrets.hidden(f"<{spelled(SECRET)}>", SECRET, "[key]")
        assert found in ("<[key]>", '<"[key]">', '<"\\"[key]\\"">')

    @pytest.mark.parametrize(
        "written",
        [
            str,
            lambda words: words.replace("+", "-").replace("/", "_"),
            lambda words: quote(words, safe=""),
            lambda words: f"{words[:10]}\n{words[10:]}",
        ],
    )
    def test_nor_one_in_base64(self, written):
        befores, afters = ("", "B", "Be", "Bearer ", "user:"), ("", "x", "xy", "xyz")
        for before, after in product(befores, afters):
            text = written(coded(before + SECRET + after))
            hidden = secrets.hidden(f"it said: {text}", SECRET, "[key]")
            # At its ends stand at most the bits that it shares with its neighbours.
            left = hidden.replace("it said: ", "").split("[key]")
            assert len(left) == 2, text
            most = len(coded(before)) + len(coded(after)) + 4
            most += written("=" * 4).count("%") * 8
            assert sum(map(len, left)) <= most, text

    def test_a_word_that_is_no_secret_stays(self):
        assert secrets.hidden("EMPTY lists", "EMPTY", "[key]") == "EMPTY lists"
        assert secrets.hidden("no key here", SECRET, "[key]") == "no key here"

    @pytest.mark.parametrize("one", ["\\", "%25", "&amp;", "&#0000", "s", "sk-TOP/"])
    def test_no_text_keeps_it_busy(self, one):
        text = one * (100_000 // len(one))
        assert secrets.hidden(text, SECRET, "[key]") == text
