"""An empty text of a known system is no mistake of the file: the system failed."""

from __future__ import annotations

import io

import pytest
from django.utils import timezone

from annotation import exports, imports, studies, surveys
from annotation.models import Generation, Item, Study
from annotation.models.texts import full_text

pytestmark = pytest.mark.django_db

HEADER = "prefix,label,system,text"
ROWS = "The lake,,a,It is cold.\nThe lake,,b,\nThe sea,,a,It is wet.\nThe sea,,b, \n"


def run(content: str, *, format: str = "csv", **given) -> imports.ImportResult:
    file = io.BytesIO(content.encode())
    names = {"format": format, "file_name": "texts.csv", **given}
    if "study" in given:
        return imports.into(file=file, **names)
    return imports.run(study_name="lake", owner=None, file=file, **names)


def failed(study: Study) -> list[Generation]:
    return list(study.generations.without_words().order_by("pk"))


def test_it_is_kept_and_excluded_for_that_reason():
    now = timezone.now()
    study = run(f"{HEADER}\n{ROWS}", now=now).study
    rows = failed(study)
    assert [(row.system.name, row.prompt.prefix) for row in rows] == [
        ("b", "The lake"),
        ("b", "The sea"),
    ]
    facts = {(row.text, row.excluded_at, row.excluded_reason) for row in rows}
    assert facts == {("", now, "no output")}
    others = study.generations.exclude(pk__in=[row.pk for row in rows])
    assert set(others.values_list("excluded_at", "excluded_reason")) == {(None, "")}


def test_people_are_not_asked_about_it():
    study = run(f"{HEADER}\n" + ROWS.replace(",,", ",sad,")).study
    surveys.draw(study=study)
    items = Item.objects.filter(survey__study=study, generation__isnull=False)
    shown = items.values_list("generation__text", flat=True)
    assert sorted(shown) == ["It is cold.", "It is wet."]


def test_its_full_text_is_empty_too():
    assert full_text("The lake", "") == ""
    study = run(f"{HEADER}\n{ROWS}").study
    assert [row.full_text for row in failed(study)] == ["", ""]


@pytest.mark.parametrize("format", ["csv", "columns"])
def test_the_account_is_whole_and_a_sentence_says_it(format):
    result = run(f"{HEADER}\n{ROWS}", format=format)
    assert all(entry.not_used == 0 for entry in result.account)
    by_column = {entry.column: (entry.filled, entry.used) for entry in result.account}
    assert by_column["text"] == (2, 2)
    assert by_column["system"] == (4, 4)
    assert (result.n_texts, result.n_no_output) == (4, 2)
    assert str(result).endswith(
        " 2 texts are empty: imported as no output of system b. No page shows them;"
        " metrics count them."
    )
    assert result.record.options["no_output"] == {"b": 2}


def test_several_systems_are_named_with_their_numbers():
    rows = "".join(f"x{n},,s{n % 7},\n" for n in range(8)) + "x,,a,Text.\n"
    told = run(f"{HEADER}\n{rows}").no_output
    assert "no output of systems s0 (2), s1 (1), s2 (1), s3 (1), s4 (1) and 2" in told


def test_one_is_singular():
    told = run(f"{HEADER}\nx,,a,Text.\ny,,a,\n").no_output
    assert told.startswith("1 text is empty: imported as no output of system a.")


def test_ratings_that_a_file_has_of_it_are_kept_but_do_not_count():
    result = run(f"{HEADER},rating:fun\nx,,a,Text.,5\nx,,b,,1;1\n")
    assert "Ratings of them (2) count only with excluded texts" in result.no_output
    (row,) = failed(result.study)
    assert [one.value for one in row.annotations.all()] == [1, 1]


def test_a_source_or_label_is_a_prompt_and_null_is_empty():
    lines = (
        '{"prefix": null, "label": null, "system": "a", "text": "T.", "source": "S"}\n'
        '{"prefix": null, "label": null, "system": "b", "text": null, "source": "S"}\n'
        '{"prefix": null, "label": "sad", "system": "b", "text": ""}\n'
    )
    assert len(failed(run(lines, format="jsonl").study)) == 2


def test_numbered_samples_may_fail_alike():
    rows = "x,,a,Text.,1\nx,,a,,2\nx,,a,,3\n"
    study = run(f"{HEADER},sample\n{rows}").study
    assert [row.sample for row in failed(study)] == [2, 3]


def test_it_is_not_added_twice():
    study = run(f"{HEADER}\n{ROWS}").study
    with pytest.raises(imports.UploadError, match="already has this text"):
        run(f"{HEADER}\nx,,a,Text.\nThe lake,,b,\n", study=study)
    assert len(failed(study)) == 2


def test_a_copy_and_an_export_have_it():
    study = run(f"{HEADER}\n{ROWS}").study
    copy = studies.copy(
        source=study, name="copy", user=None, now=timezone.now(), with_texts=True
    )
    assert {row.excluded_reason for row in failed(copy)} == {"no output"}
    row = list(exports.texts(study=copy))[1]
    assert (row["text"], row["full_text"]) == ("", "")
    assert (row["excluded"], row["excluded_reason"]) == (True, "no output")
