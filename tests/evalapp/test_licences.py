from __future__ import annotations

from email.message import Message
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evalapp import licences
from evalapp.licences import Package, is_allowed, licence_of


def says(*fields: tuple[str, str]) -> str:
    metadata = Message()
    for name, value in (("Name", "x"), *fields):
        metadata[name] = value
    return licence_of(metadata)


BSD = ("Classifier", "License :: OSI Approved :: BSD License")
APACHE = ("Classifier", "License :: OSI Approved :: Apache Software License")


class TestReading:
    def test_an_expression_goes_before_all(self):
        assert says(("License-Expression", "MIT"), BSD) == "MIT"

    def test_several_classifiers_all_hold(self):
        assert says(BSD, APACHE, ("License", "Dual")) == "BSD AND Apache-2.0"

    def test_words_are_translated(self):
        assert says(("License", "BSD 3-Clause OR MIT")) == "BSD-3-Clause OR MIT"

    def test_a_classifier_that_names_none_is_passed_over(self):
        osi = ("Classifier", "License :: OSI Approved")
        assert says(osi, ("License", "MIT")) == "MIT"

    def test_one_that_says_nothing_is_unknown_and_refused(self):
        assert says() == "unknown"
        assert not is_allowed("unknown")


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("LGPL-3.0-only", True),
        ("GPL-3.0-or-later", False),
        ("AGPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("GPL-2.0-only OR MIT AND BSD", True),
        ("(MIT OR GPL-2.0-only) AND BSD", False),
        ("(MIT OR ISC) AND BSD", True),
        ("Apache-2.0 WITH LLVM-exception AND MIT", True),
    ],
)
def test_accepted_is_what_can_be_had_without_copyleft(expression, allowed):
    assert is_allowed(expression) == allowed


def test_there_is_one_exception():
    assert Package("krippendorff", "0.9.0", "GPL-3.0-or-later").is_accepted
    assert not Package("other", "1", "GPL-3.0-or-later").is_accepted
    assert set(licences.EXCEPTIONS) == {"krippendorff"}


def test_what_is_installed_is_listed(monkeypatch):
    call_command("licences", stdout=(out := StringIO()))
    lines = out.getvalue().splitlines()
    assert any(line.startswith("Django 5") and "BSD" in line for line in lines)
    assert any(
        "krippendorff" in line and "falls under the GPL" in line for line in lines
    )


def test_the_check_names_what_is_refused(monkeypatch):
    one = Package("other", "1", "GPL-3.0-only")
    monkeypatch.setattr(licences, "installed", lambda: [one])
    with pytest.raises(CommandError, match="got GPL-3.0-only of other. Replace"):
        call_command("licences", "--check", stdout=StringIO())
    call_command("licences", stdout=StringIO())  # only lists
