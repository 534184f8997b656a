"""Conversations in files: messages in jsonl, tables with a row a turn, FED."""

from __future__ import annotations

import io
import json

import pytest
from django.utils import timezone

from annotation import imports
from annotation.imports import UploadError
from annotation.models import Annotation, Aspect, Dialogue, Generation, Storing
from annotation.studies.copying import copy
from tests.annotation.imports import given
from tests.support import fed, shared

HI = {"role": "user", "content": "Hi!"}
HELLO = {"role": "assistant", "content": "Hello."}
HOW = {"role": "user", "content": "How are you?"}
FINE = {"role": "assistant", "content": "Fine, and you?"}
TALK = [HI, HELLO, HOW, FINE]


def line(messages, **fields) -> bytes:
    return (
        json.dumps({"system": "bot", "messages": messages, **fields}).encode() + b"\n"
    )


def read(content: bytes, format: str = "jsonl", **options):
    chosen = {"scale": imports.AUTO, **options}
    return imports.read(format=format, file=io.BytesIO(content), options=chosen).rows


def refused(content: bytes, format: str = "jsonl") -> str:
    with pytest.raises(UploadError) as error:
        read(content, format)
    return "\n".join(error.value.lines)


class TestMessages:
    def test_the_whole_and_the_turns_of_the_assistant_are_texts(self):
        whole, first, second = read(line(TALK, key="d1"))
        said = ("User: Hi!", "Assistant: Hello.", "User: How are you?")
        assert whole.text == "\n".join((*said, "Assistant: Fine, and you?"))
        assert (whole.key, whole.source, whole.turn) == ("d1", "", None)
        assert (first.key, first.text, first.turn) == ("d1#2", "Hello.", 1)
        assert second.source == "User: Hi!\nAssistant: Hello.\nUser: How are you?"
        assert {row.system for row in (whole, first, second)} == {"bot"}

    def test_without_an_id_it_is_called_by_its_number(self):
        rows = read(line(TALK) + line([HI, FINE]))
        assert [row.key for row in rows] == [
            *("t-0001", "t-0001#2", "t-0001#4", "t-0002", "t-0002#2"),
        ]

    def test_marked_turns_are_those_that_say_so(self):
        talk = [{**HI, "marked": True}, HELLO, HOW, FINE]
        assert [row.turn for row in read(line(talk))] == [None, 0]

    def test_where_none_is_marked_those_with_ratings_are(self):
        talk = [HI, HELLO, HOW, {**FINE, "ratings": {"fluency": [4, 5]}}]
        whole, turn = read(line(talk))
        assert (turn.turn, [one.value for one in turn.ratings]) == (3, [4, 5])

    @pytest.mark.parametrize(
        ("roles", "marked"),
        [
            (("system", "user", "assistant"), [2]),
            (("User", "System", "User", "System"), [1, 3]),
            (("user", "model"), [1]),
        ],
    )
    def test_else_those_of_the_machine_by_its_usual_names(self, roles, marked):
        talk = [{"role": role, "text": "Yes."} for role in roles]
        assert [row.turn for row in read(line(talk))][1:] == marked

    def test_false_for_one_means_that_only_the_whole_is_rated(self):
        talk = [{"role": "Ann", "text": "Hi.", "marked": False}]
        assert [row.turn for row in read(line(talk))] == [None]

    def test_ratings_of_the_dialogue_are_of_the_whole(self):
        talk = [HI, {**HELLO, "ratings": {"fluency": [4]}}]
        whole, turn = read(line(talk, ratings={"depth": {"ann": 2}}))
        assert [tuple(one) for one in whole.ratings] == [("depth", "ann", 2)]
        assert (whole.about, turn.about) == ("dialogue", "text")

    def test_a_turn_keeps_its_references_and_content_in_parts(self):
        parts = [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]
        talk = [
            HI,
            {"role": "assistant", "content": parts, "references": ["Good day."]},
        ]
        _, turn = read(line(talk))
        assert (turn.text, turn.references) == ("One.\nTwo.", ["Good day."])

    def test_people_may_begin_in_the_same_way(self):
        rows = read(line(TALK, key="a") + line([HI, HELLO], key="b"))
        assert [row.text for row in rows].count("Hello.") == 2

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (line([]), "the dialogue has no turns"),
            (line("Hi"), "messages must be a list of objects"),
            (line([{"content": "Hi"}]), "turn 1: nothing says who speaks"),
            (line([{"role": "bot"}]), "turn 1: content must be text"),
            (line([HI, {**HELLO, "content": " "}]), "turn 2: has no text"),
            (line([{**HELLO, "marked": "yes"}]), "marked must be true or false"),
            (line([{"role": "Ann", "text": "Hi."}]), "no turn is marked"),
            (line(TALK, text="x"), "text cannot be given together with messages"),
            (line(TALK, key="k" * 57), "up to 56 characters"),
            (line([HI] * 501), "501 turns; the most is 500"),
            (line([HI, {**HELLO, "content": "a " * 20_000}]), "the most is 20,000"),
            (
                line([{**HELLO, "ratings": {"x": [1]}}], ratings={"x": [1]}),
                "rated of single turns and of whole dialogues",
            ),
            (
                line([HI, {**HELLO, "ratings": {"x": [1]}, "marked": False}]),
                "turn 2 has ratings, but is not marked",
            ),
            (line(TALK) * 2, "the same dialogue as on line 1"),
            (line(TALK, key="a") * 2, 'key "a" is already on line 1'),
        ],
    )
    def test_what_will_not_do_is_said_in_a_sentence(self, content, said):
        assert said in refused(content)

    def test_of_a_bad_dialogue_nothing_is_kept(self):
        bad = [HI, {**HELLO, "ratings": {"fluency": [9]}}, HOW, FINE]
        rows = read(line(bad) + line(TALK, key="d2"), scale="1-5", leave_out=True)
        assert [row.key for row in rows] == ["d2", "d2#2", "d2#4"]


TURNS = ("dialogue", "turn", "role", "text", "marked", "system", "rating:fluency")
OF_D1 = [
    ("d1", 1, "User", "Hi!", "", "bot", ""),
    ("d1", 2, "Bot", "Hello.", "yes", "bot", 4),
    ("d1", 3, "User", "Bye.", "", "bot", ""),
]


class TestTables:
    def test_a_row_is_a_turn(self):
        whole, turn = read(given.table(TURNS, OF_D1), "columns")
        assert (whole.key, len(whole.messages)) == ("d1", 3)
        assert (turn.turn, turn.source, turn.text) == (1, "User: Hi!", "Hello.")
        assert [one.value for one in turn.ratings] == [4]

    def test_its_number_decides_on_the_place(self):
        whole, turn = read(given.table(TURNS, OF_D1[::-1]), "columns")
        assert [one.text for one in whole.messages] == ["Hi!", "Hello.", "Bye."]

    def test_a_row_without_role_and_text_rates_the_whole(self):
        header = (*TURNS, "rating:depth")
        rows = [(*row, "") for row in OF_D1] + [("d1", "", "", "", "", "", "", 5)]
        whole, _ = read(given.table(header, rows), "columns")
        assert [tuple(one) for one in whole.ratings] == [("depth", "", 5)]

    def test_rows_of_several_raters_are_one_turn(self):
        header = (*TURNS, "rater")
        twice = [(*row, rater) for rater in ("ann", "ben") for row in OF_D1]
        _, turn = read(given.table(header, twice), "columns")
        assert [(one.rater, one.value) for one in turn.ratings] == [
            ("ann", 4),
            ("ben", 4),
        ]

    def test_messages_may_stand_in_a_cell(self):
        table = given.table(("system", "messages"), [("bot", json.dumps(TALK))])
        assert [row.turn for row in read(table, "columns")] == [None, 1, 3]

    @pytest.mark.parametrize(
        ("rows", "said"),
        [
            ([*OF_D1, ("d2", 1, "Bot", "A", "1", "b", ""), OF_D1[0]], "put its turns"),
            ([("d1", 1, "", "Hi", "", "b", "")], "nothing says who speaks"),
            ([("d1", 1, "Bot", "", "", "b", "")], "the turn has no text"),
            ([("d1", 1, "Bot", "A", "so", "b", "")], "marked must be yes or no"),
            ([("d1", "x", "Bot", "A", "1", "b", "")], "the number of a turn is"),
            ([*OF_D1, ("d1", 1, "User", "No", "", "bot", "")], "with another text"),
            ([*OF_D1, ("d1", 4, "Bot", "A", "", "cat", "")], 'system is "cat" here'),
        ],
    )
    def test_what_will_not_do_is_said_in_a_sentence(self, rows, said):
        twice = [
            ("d0", 1, "Bot", "A", "1", "b", 3),
            ("d0", 2, "User", "B", "", "b", ""),
        ]
        assert said in refused(given.table(TURNS, [*twice, *rows]), "columns")

    def test_half_a_mapping_is_refused(self):
        table, mapping = given.table(TURNS, OF_D1), {"text": "text", "role": "role"}
        with pytest.raises(UploadError, match="ID of the dialogue"):
            read(table, "columns", map=mapping)


class TestFed:
    def test_a_file_of_its_layout_is_125_dialogues_with_375_turns(self):
        sheet = imports.read(
            format="columns", file=io.BytesIO(fed.content()), options={"scale": "auto"}
        )
        assert sheet.preset == "fed"
        counts = sheet.counts
        assert (counts.dialogues, counts.turns, counts.texts) == (125, 375, 500)
        rated = 375 * 4 * 5 + 125 * (3 * 5 - 1)  # one of each is N/A
        assert counts.ratings == rated
        assert counts.about["overall"] == "text"
        assert counts.about["overall-dialogue"] == "dialogue"

    def test_a_last_response_is_put_behind_its_dialogue(self):
        whole, *turns = read(json.dumps(fed.records()[:4]).encode(), "columns")
        assert [row.turn for row in turns] == [3, 5, 7]
        assert whole.messages[-1].text == turns[-1].text

    def test_a_turn_whose_dialogue_is_not_there_has_one_of_its_own(self):
        some = fed.records()
        rows = read(json.dumps([*some[:1], *some[4:8]]).encode(), "columns")
        assert [row.turn for row in rows] == [None, 3, None, 3, 5, 7]

    def test_the_real_file_is_read(self):
        path = shared.path("data/fed/fed_data.json")
        with path.open("rb") as file:
            sheet = imports.read(
                format="columns", file=file, options={"scale": imports.AUTO}
            )
        assert (sheet.counts.dialogues, sheet.counts.turns) == (125, 375)
        assert sheet.counts.ratings == 23_583


@pytest.mark.django_db
class TestStored:
    def store(self, alice, content: bytes = b"", format="columns"):
        result = imports.run(
            study_name="talks",
            format=format,
            file=io.BytesIO(content or fed.content()),
            file_name="fed.json",
            owner=alice,
            options={"scale": imports.AUTO},
        )
        return result.study

    def test_turns_are_generations_whose_prompt_is_what_was_said_before(self, alice):
        study = self.store(alice)
        dialogue = study.dialogues.first()
        whole = dialogue.generations.get(turn=None)
        assert (whole.key, whole.is_dialogue) == (dialogue.key, True)
        assert whole.text.count("\n") + 1 == len(dialogue.turns)
        turn = dialogue.generations.get(turn=3)
        assert turn.text == dialogue.turns[3].text
        before = "\n".join(whole.text.split("\n")[:3])
        assert turn.prompt.source == before
        assert turn.system.name == whole.system.name == "Aster"

    def test_questions_are_about_turns_or_dialogues_with_their_own_scales(self, alice):
        study = self.store(alice)
        about = dict(study.aspects.values_list("key", "about"))
        assert about["interesting"] == "text" and about["coherent"] == "dialogue"
        assert study.aspects.get(key="understandable").ends == (0, 1)
        assert study.aspects.get(key="overall-dialogue").ends == (0, 4)

    def test_ratings_of_one_level_do_not_go_to_questions_of_the_other(self, alice):
        study = self.store(alice)
        talk = [HI, {**HELLO, "ratings": {"coherent": [1]}}]
        with pytest.raises(UploadError, match="whole dialogues in the study"):
            imports.into(
                study=study,
                format="jsonl",
                file=io.BytesIO(line(talk)),
                file_name="more.jsonl",
            )

    def test_a_second_file_adds_to_them(self, alice):
        study = self.store(alice)
        imports.into(
            study=study,
            format="jsonl",
            file=io.BytesIO(line(TALK)),
            file_name="more.jsonl",
        )
        assert study.dialogues.count() == 126
        assert study.dialogues.last().key == "t-0501"

    def test_a_copy_has_its_own(self, alice):
        study = self.store(alice, line(TALK, key="d1"), "jsonl")
        made = copy(
            source=study, name="again", user=alice, now=timezone.now(), with_texts=True
        )
        own = made.dialogues.get()
        assert own.pk != study.dialogues.get().pk
        assert set(own.generations.values_list("key", "turn")) == {
            ("d1", None),
            ("d1#2", 1),
            ("d1#4", 3),
        }

    def test_an_import_that_ends_midway_leaves_none(self, alice):
        def stop(n: int) -> None:
            raise UploadError(["stopped"])

        with pytest.raises(UploadError, match="stopped"):
            imports.run(
                study_name="talks",
                format="jsonl",
                file=io.BytesIO(line(TALK)),
                file_name="x.jsonl",
                owner=alice,
                stored=stop,
            )
        assert not Dialogue.objects.exists() and not Generation.objects.exists()
        assert not Storing.objects.exists() and not Annotation.objects.exists()
        assert not Aspect.objects.exists()


def test_the_sample_to_download_is_read():
    from django.contrib.staticfiles import finders

    with open(finders.find("samples/dialogues.jsonl"), "rb") as file:
        content = file.read()
    for format in ("jsonl", "columns"):
        assert [row.turn for row in read(content, format)] == [None, 1, 3] * 2
