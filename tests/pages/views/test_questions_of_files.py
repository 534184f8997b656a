"""A question about a file is asked and answered wherever files come in."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from annotation.models import Annotation, Aspect, Generation, Import, Study
from tests.pages.views.test_import import fields, own_folder, press, send

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice", "own_folder")]
__all__ = ["own_folder"]

WORDS = "text,rater,quality\n" + "".join(
    f"A text that is number {n}.,ann,{('Agree', 'Disagree', 'Neutral')[n % 3]}\n"
    for n in range(9)
)
UNKNOWN = WORDS.replace("Agree", "Plop").replace("Disagree", "Plip")
NUMBERS = [4, 2, 3] * 3


def values() -> list[int]:
    rows = Annotation.objects.order_by("generation_id")
    return list(rows.values_list("value", flat=True))


# In the browser -----------------------------------------------------------------------


def test_the_page_asks_and_shows_what_is_proposed(client):
    page = send(client, WORDS)
    [question] = page.context["columns"].questions()
    assert question["code"] == "words"
    assert {word: field.value() for word, _, field in question["rows"]} == {
        "Disagree": 2,
        "Neutral": 3,
        "Agree": 4,
    }
    assert "Please check 1 thing" in page.content.decode()
    assert not Study.objects.exists()


def test_the_import_confirms_it(client):
    press(client, send(client, WORDS))
    assert values() == NUMBERS
    aspect = Aspect.objects.get()
    assert aspect.labels == {2: "Disagree", 3: "Neutral", 4: "Agree", 1: "1", 5: "5"}
    options = Import.objects.get().options
    assert options["values"] == {"quality": {"Disagree": 2, "Neutral": 3, "Agree": 4}}


def test_another_number_and_no_answer_are_taken(client):
    page = send(client, WORDS)
    [question] = page.context["columns"].questions()
    names = {word: field.html_name for word, _, field in question["rows"]}
    answered = {names["Agree"]: "5", names["Neutral"]: "none"}
    press(client, page, **answered)
    assert values() == [5, 2] * 3


@pytest.mark.parametrize("answer", ["", "many", "101", "-1", "2.5"])
def test_a_wrong_number_is_said_beside_it(client, answer):
    page = send(client, WORDS)
    [question] = page.context["columns"].questions()
    name = question["rows"][0][2].html_name
    page = press(client, page, **{name: answer})
    assert page.status_code == 400
    assert page.context["columns"].errors[name]
    assert not Study.objects.exists()


def test_words_of_no_scale_wait_for_numbers(client):
    page = send(client, UNKNOWN)
    assert press(client, page).status_code == 400
    assert not Study.objects.exists()
    [question] = page.context["columns"].questions()
    answered = {field.html_name: n for n, (_, _, field) in enumerate(question["rows"])}
    press(client, page, **answered)
    assert sorted(values()) == [0, 0, 0, 1, 1, 1, 2, 2, 2]


# By command and by request ------------------------------------------------------------


def test_the_command_ends_with_the_question_and_its_option(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text(WORDS)
    with pytest.raises(CommandError) as ended:
        call_command("import_study", "rated", path, stdout=StringIO())
    assert ended.value.returncode == 3
    option = "--ratings 'quality: Disagree=2,Neutral=3,Agree=4'"
    assert option in str(ended.value)
    assert not Study.objects.exists()
    given = "quality: Disagree=2,Neutral=3,Agree=4"
    call_command("import_study", "rated", path, ratings=[given], stdout=StringIO())
    assert values() == NUMBERS


def test_yes_takes_what_is_proposed_but_invents_nothing(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text(WORDS)
    call_command("import_study", "rated", path, "--yes", stdout=StringIO())
    assert values() == NUMBERS
    path.write_text(UNKNOWN)
    with pytest.raises(CommandError) as ended:
        call_command("import_study", "other", path, "--yes", stdout=StringIO())
    assert ended.value.returncode == 3


def post(study: Study, user, content: str = "", **given):
    client = APIClient()
    client.force_authenticate(user)
    file = SimpleUploadedFile("rated.csv", (content or WORDS).encode())
    return client.post(
        f"/api/studies/{study.name}/uploads/",
        {"file": file, "format": "columns", **given},
        format="multipart",
    )


def test_a_request_is_answered_with_the_question(make_study, alice):
    study = make_study(prompts=0, systems=(), aspects=("quality",))
    answer = post(study, alice)
    assert answer.status_code == 409
    [question] = answer.json()["questions"]
    assert question["table"] == {"Disagree": 2, "Neutral": 3, "Agree": 4}
    assert answer.json()["errors"] == [question["sentence"]]
    assert not study.generations.exists()
    answer = post(study, alice, values='{"quality": {"Disagree": 2, "Agree": 4}}')
    assert answer.status_code == 409  # Neutral is still open
    table = '{"quality": {"Disagree": 2, "Agree": 4, "Neutral": ""}}'
    assert post(study, alice, values=table).status_code == 201
    assert values() == [4, 2] * 3


@pytest.mark.parametrize("given", ["[]", '{"a": 1}', '{"a": {"b": 101}}', "x", "null"])
def test_a_wrong_table_is_refused_in_a_sentence(make_study, alice, given):
    study = make_study(prompts=0, systems=(), aspects=("quality",))
    answer = post(study, alice, values=given)
    assert answer.status_code in (400, 409), answer.json()
    assert answer.json()["errors"]


def test_nothing_of_the_page_is_sent_twice(client):
    """What the page shows is what the form sends back."""
    page = send(client, WORDS)
    sent = fields(page)
    assert {n: v for n, v in sent.items() if n.startswith("answer-")} == {
        "answer-0-0": 2,
        "answer-0-1": 3,
        "answer-0-2": 4,
    }


# What a row or a text is --------------------------------------------------------------

WIDE = "prompt,ours,gpt4\n" + "".join(
    f"What is lake {n}?,Our text has number {n}.,The other text is {n}.\n"
    for n in range(5)
)
TWICE = "text,rater,quality\n" + "".join(
    f"A text that is number {n}.,ann,{k}\n" for n in range(4) for k in (1, 5)
)


def test_a_row_of_several_texts_is_asked_about_and_confirmed(client):
    page = send(client, WIDE)
    text = page.content.decode()
    assert "Each row has texts of 2 systems: ours and gpt4. Is that so?" in text
    assert "choose “None: my own columns” as “Ready mapping” below" in text
    press(client, page)
    assert Generation.objects.count() == 10
    names = Generation.objects.values_list("system__name", flat=True)
    assert set(names) == {"ours", "gpt4"}


@pytest.mark.parametrize(("again", "n"), [("text", 8), ("first", 4)])
def test_the_page_asks_what_is_rated_twice(client, again, n):
    page = send(client, TWICE)
    assert "4 lines rate a text that the same rater has rated before" in (
        page.content.decode()
    )
    press(client, page, again=again)
    assert Generation.objects.count() == Annotation.objects.count() == n


def test_the_command_takes_both_answers(tmp_path):
    for name, content, option in (
        ("wide", WIDE, {"preset": "wide_by_system"}),
        ("twice", TWICE, {"again": "first"}),
    ):
        path = tmp_path / f"{name}.csv"
        path.write_text(content)
        with pytest.raises(CommandError) as ended:
            call_command("import_study", name, path, stdout=StringIO())
        assert ended.value.returncode == 3
        call_command("import_study", name, path, stdout=StringIO(), **option)
    assert Generation.objects.count() == 14


# Rows that somebody rejected, and letters that can be read in two ways ----------------

REJECTED = "text,rater,status,quality\n" + "".join(
    f"A text that is number {n}.,ann,{('APPROVED', 'REJECTED')[n % 2]},{n + 1}\n"
    for n in range(4)
)


def test_rejected_rows_are_left_out_unless_somebody_uses_them(client):
    page = send(client, REJECTED)
    [question] = page.context["columns"].questions()
    names = {word: field.html_name for word, _, field in question["rows"]}
    assert fields(page)[names["REJECTED"]] == ""
    press(client, page)
    assert values() == [1, 3]


def test_somebody_can_use_rejected_rows(client):
    page = send(client, REJECTED)
    [question] = page.context["columns"].questions()
    names = {word: field.html_name for word, _, field in question["rows"]}
    press(client, page, **{names["REJECTED"]: "1"})
    assert values() == [1, 2, 3, 4]


def test_the_page_shows_words_in_each_encoding(client):
    page = send(client, "text,quality\nBu kışın oldu.,4\n".encode("cp1254"))
    shown = page.content.decode()
    assert "Windows-1252 (Western Europe): kýþýn" in shown
    assert "Windows-1254 (Turkish): kışın" in shown
    assert "choose it under “Encoding” below" in shown


def test_an_answer_counts_for_all_that_it_was_asked_about(client):
    lines = [f"A text number {n}.,{w},{w}" for n, w in enumerate(["Agree", "Neutral"])]
    page = send(client, "\n".join(["text,quality,fluency", *lines]))
    [question] = page.context["columns"].questions()
    assert list(question["alike"]) == ["quality", "fluency"]
    names = {word: field.html_name for word, _, field in question["rows"]}
    press(client, page, **{names["Agree"]: "5"})
    assert sorted(values()) == [3, 3, 5, 5]


@pytest.mark.parametrize(
    ("given", "n"),
    [
        ({"preset": "wide_by_system"}, 10),
        ({"preset": "", "map": '{"ours": "text", "gpt4": "ignore"}'}, 5),
    ],
)
def test_a_request_says_what_a_row_is(make_study, alice, given, n):
    study = make_study(prompts=0, systems=())
    assert post(study, alice, WIDE).status_code == 409
    assert post(study, alice, WIDE, **given).status_code == 201
    assert study.generations.count() == n


@pytest.mark.parametrize(("again", "n"), [("text", 8), ("first", 4)])
def test_a_request_says_what_is_rated_twice(make_study, alice, again, n):
    study = make_study(prompts=0, systems=(), aspects=("quality",))
    [question] = post(study, alice, TWICE).json()["questions"]
    assert question["code"] == "again"
    assert post(study, alice, TWICE, again=again).status_code == 201
    assert study.generations.count() == n
