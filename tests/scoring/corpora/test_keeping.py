"""Corpora come in from files, all of a file or nothing, or from a study's own texts."""

from __future__ import annotations

import gzip
import hashlib
import io
import json

import numpy as np
import pytest
from django.contrib.staticfiles import finders
from django.core.management import CommandError, call_command

from annotation.imports import UploadError
from scoring import corpora, runs
from scoring.corpora import CorpusError, files
from scoring.models import Corpus, CorpusText, MetricRun, Probe, Signature

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    return make_study()


def add(study, content, file_name="human.jsonl", name="human", **given) -> Corpus:
    data = content.encode() if isinstance(content, str) else content
    return corpora.add(
        study=study, name=name, file=io.BytesIO(data), file_name=file_name, **given
    )


def refused(study, content, file_name="human.jsonl", **given) -> list[str]:
    before = Corpus.objects.count(), CorpusText.objects.count()
    with pytest.raises(UploadError) as error:
        add(study, content, file_name, **given)
    assert (Corpus.objects.count(), CorpusText.objects.count()) == before
    return error.value.lines


def lines(*objects) -> str:
    return "".join(json.dumps(one) + "\n" for one in objects)


def texts(corpus) -> list[str]:
    return list(corpora.texts(corpus))


class TestJsonLines:
    def test_each_line_is_a_text_with_its_attributes(self, study):
        made = add(
            study,
            lines(
                {"text": "One.", "topic": " sea ", "year": 1998, "signed": True},
                {"text": "Two.", "topic": None, "score": 0.5},
            ),
        )
        assert made.attributes == ["topic", "year", "signed", "score"]
        assert [text.attributes for text in made.texts.all()] == [
            {"topic": "sea", "year": "1998", "signed": "true", "score": ""},
            {"topic": "", "year": "", "signed": "", "score": "0.5"},
        ]
        assert (made.n_texts, made.n_characters, made.n_duplicates) == (2, 8, 0)

    def test_texts_stay_as_they_are_and_in_their_order(self, study):
        made = add(study, lines({"text": " Zoë\n\nb "}, {"text": "a"}))
        assert texts(made) == [" Zoë\n\nb ", "a"]
        assert list(made.texts.values_list("position", flat=True)) == [0, 1]

    def test_the_first_of_two_that_differ_in_their_ends_only_is_kept(self, study):
        made = add(study, lines({"text": "a"}, {"text": "b"}, {"text": "a \n"}))
        assert (texts(made), made.n_duplicates) == (["a", "b"], 1)
        assert corpora.described(made) == "2 texts (1 duplicate left out)"

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('{"text": " "}', '"text" is empty'),
            ('{"topic": "sea"}', 'field "text" is missing'),
            ('{"text": null}', 'text must be text, not "null"'),
            ('{"text": 7}', 'text must be text, not "7"'),
            ('["a"]', 'expected one object in each line, not "["a"]"'),
            ('{"text": "a", "tags": ["b"]}', 'attribute "tags" must be text'),
            ('{"text": "a", "text": "b"}', 'the key "text" occurs twice'),
            ('{"text": "\\ud800"}', "half of a surrogate pair"),
            ('{"text": "a", "b": "\\u0000"}', "a NUL character"),
            ('{"text": "a", "": "b"}', "name of an attribute has 1 to 64 characters"),
            (f'{{"text": "a", "{"n" * 65}": ""}}', "1 to 64 characters, unlike"),
            (
                f'{{"text": "a", "b": "{"v" * 201}"}}',
                "201 characters; the most is 200",
            ),
            (lines({"text": "a"} | dict.fromkeys(map(str, range(21)), "")), "than 20"),
            (
                '{"text": "a", "log_probability:gpt2": "low"}',
                'must be a number of at most 0, such as -58.3, not "low"',
            ),
            ('{"text": "a", "log_probability:gpt2": 0.1}', "of at most 0"),
            ("no json", "not valid JSON"),
        ],
    )
    def test_what_is_wrong_with_a_line_is_said_with_its_number(self, study, line, said):
        (found,) = refused(study, '{"text": "good"}\n\n' + line)
        assert found.startswith("line 3: ") and said in found

    def test_everything_that_is_wrong_is_said_at_once(self, study):
        found = refused(study, '{"text": ""}\n{"text": "a"}\n{}\n', name="no good")
        assert len(found) == 3
        assert found[0].startswith("The name of a corpus is up to 64 letters")
        assert [line.partition(":")[0] for line in found[1:]] == ["line 1", "line 3"]

    def test_too_many_attributes_are_said_once(self, study):
        many = [{"text": f"t{n}", f"name {n}": ""} for n in range(30)]
        (found,) = refused(study, lines(*many))
        assert found == "line 21: this line brings the attributes to more than 20"


class TestPlainLines:
    def test_each_line_is_a_text_and_empty_ones_are_skipped(self, study):
        made = add(study, "One. \r\n\n  \n Two.\nOne.", "human.TXT")
        assert texts(made) == ["One. ", " Two."]
        assert (made.attributes, made.n_duplicates) == ([], 1)

    def test_a_file_of_empty_lines_has_no_texts(self, study):
        assert refused(study, "\n \n", "a.txt") == ["The file has no texts."]


class TestFiles:
    @pytest.mark.parametrize("name", ["a.jsonl.gz", "a.JSONL.GZ", "a.jsonl"])
    def test_a_packed_file_is_unpacked_whatever_it_is_called(self, study, name):
        packed = gzip.compress(lines({"text": "One."}).encode())
        made = add(study, packed, name)
        assert texts(made) == ["One."]
        assert made.sha256 == hashlib.sha256(packed).hexdigest()

    def test_a_file_that_only_calls_itself_packed_is_refused(self, study):
        (found,) = refused(study, lines({"text": "One."}), "a.jsonl.gz")
        assert "ends in .gz, but it is not packed with gzip" in found

    @pytest.mark.parametrize("end", [b"", b"garbage"])
    def test_a_packed_file_that_is_damaged_is_refused(self, study, end):
        packed = gzip.compress(b"One.\n" * 99)
        content = packed + end if end else packed[:-9]
        (found,) = refused(study, content, "a.txt.gz")
        assert "packed with gzip, but cut short or damaged" in found

    def test_what_unpacks_without_end_is_stopped(self, study, settings):
        settings.UPLOAD_MAX_BYTES = 2**16
        bomb = gzip.compress(b"\n" * 2**19)
        assert len(bomb) < 2**11
        (found,) = refused(study, bomb, "a.txt.gz")
        assert found.startswith("The file, unpacked, is larger than 0.25 MB")

    def test_a_line_without_end_is_stopped_too(self, study, settings):
        settings.UPLOAD_MAX_BYTES = 2**20
        found = refused(study, gzip.compress(b"a" * 2**23), "a.txt.gz")
        assert any("The file, unpacked, is larger than 4 MB" in line for line in found)

    @pytest.mark.parametrize("name", ["a.csv", "a", "a.gz", "txt", ".txt.bz2"])
    def test_an_ending_that_tells_no_format_is_refused(self, study, name):
        (found,) = refused(study, "One.\n", name)
        assert found.startswith("The name of the file must end in .jsonl, .txt")

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"One.\n\xff\n", "line 2: not UTF-8"),
            (b"One.\nT\0wo.\n", "line 2: contains a NUL character"),
            ("One.".encode("utf-16"), "The file is UTF-16"),
            (b"a" * 51, "line 1: text has 51 characters; the most is 50"),
            (b"1\n2\n3\n4\n", "The file has more than 3 texts"),
        ],
    )
    def test_a_file_keeps_to_the_limits_of_an_upload(
        self, study, settings, content, said
    ):
        settings.UPLOAD_MAX_ROWS, settings.UPLOAD_MAX_CHARACTERS = 3, 50
        assert refused(study, content, "a.txt")[0].startswith(said)

    def test_a_file_is_read_from_its_start_wherever_it_stands(self, study):
        file = io.BytesIO(b"One.\nTwo.\n")
        file.read()
        made = corpora.add(study=study, name="x", file=file, file_name="a.txt")
        assert texts(made) == ["One.", "Two."]
        assert made.sha256 == hashlib.sha256(file.getvalue()).hexdigest()

    def test_a_file_that_changes_between_two_readings_is_refused(
        self, study, monkeypatch
    ):
        again = iter([["One."], ["Two."]])

        def read(*args):
            return (files.Row(1, text, {}) for text in next(again))

        monkeypatch.setattr(files, "read", read)
        assert refused(study, "") == [corpora.CHANGED]

    def test_the_sample_file_comes_in(self, study):
        with open(finders.find("samples/corpus.jsonl"), "rb") as file:
            made = add(study, file.read())
        assert made.attributes == ["topic", "year"]


class TestDigest:
    def test_it_is_of_the_texts_not_of_the_file(self, study):
        first = add(study, lines({"text": "a", "topic": "x"}, {"text": "bc"}))
        second = add(study, "a\n\nbc\n", "a.txt", name="second")
        assert first.digest == second.digest != first.sha256

    @pytest.mark.parametrize("content", ["ab\nc\n", "bc\na\n", "a\nbc\nd\n"])
    def test_order_and_ends_of_texts_count(self, study, content):
        first = add(study, "a\nbc\n", "a.txt")
        assert add(study, content, "b.txt", name="other").digest != first.digest


class TestLogProbabilities:
    CONTENT = lines(
        {"text": "a", "log_probability:a": -1.5, "log_probability:b": -9},
        {"text": "bc", "log_probability:a": None, "topic": "sea"},
    )

    def test_each_system_has_its_column(self, study):
        made = add(study, self.CONTENT)
        a, b = (study.systems.get(name=name) for name in "ab")
        np.testing.assert_equal(corpora.log_probabilities(made, a), (-1.5, np.nan))
        np.testing.assert_equal(corpora.log_probabilities(made, b), (-9, np.nan))

    def test_without_a_column_there_are_none(self, study):
        made = add(study, "a\nbc\n", "a.txt")
        assert corpora.log_probabilities(made, study.systems.get(name="a")) == ()

    def test_a_system_may_have_a_long_name(self, study):
        system = study.systems.create(name="s" * 100)
        made = add(study, lines({"text": "a", f"log_probability:{system.name}": -2}))
        assert corpora.log_probabilities(made, system) == (-2.0,)

    def test_they_sort_no_texts(self, study):
        made = add(study, self.CONTENT)
        assert corpora.categories(made) == ["topic"]
        assert [name for name, _ in corpora.frequent_values(made)] == ["topic"]

    def test_they_count_in_the_digest(self, study):
        """Scores are computed from them: others must not pass for these."""
        first = add(study, self.CONTENT)
        other = self.CONTENT.replace("-1.5", "-1.6")
        assert add(study, other, name="other").digest != first.digest


class TestNames:
    @pytest.mark.parametrize("name", ["", "a b", "a/b", "é", "x" * 65, "a\n"])
    def test_a_name_that_is_no_part_of_an_address_is_refused(self, study, name):
        (found,) = refused(study, "One.", "a.txt", name=name)
        assert found.startswith("The name of a corpus is up to 64 letters")

    def test_a_taken_name_is_refused(self, study):
        add(study, "One.", "a.txt")
        (found,) = refused(study, "Two.", "a.txt")
        assert found == ('The study already has a corpus "human": choose another name.')

    def test_another_study_may_have_the_same_name(self, study, make_study):
        add(study, "One.", "a.txt")
        assert add(make_study(name="lake"), "Two.", "a.txt").name == "human"

    def test_a_name_taken_while_the_file_was_read_is_refused(self, study, monkeypatch):
        add(study, "One.", "a.txt")
        monkeypatch.setattr(
            "scoring.corpora.keeping._check_new", lambda study, name: None
        )
        (found,) = refused(study, "Two.", "a.txt")
        assert found.endswith(": choose another name.")

    def test_a_study_has_so_many_and_no_more(self, study, monkeypatch):
        monkeypatch.setattr("scoring.corpora.keeping.MOST_CORPORA", 1)
        add(study, "One.", "a.txt")
        (found,) = refused(study, "One.", "a.txt", name="second")
        assert found.endswith(
            "already has 1 corpora, the most it can have: delete one."
        )

    def test_one_is_found_by_its_name(self, study):
        made = add(study, "One.", "a.txt")
        assert corpora.find(study=study, name="human") == made
        assert corpora.find(study=study, name=None) is None
        with pytest.raises(CorpusError, match='no corpus "x"; there are: human'):
            corpora.find(study=study, name="x")


class TestFromASystem:
    def test_its_full_texts_become_a_corpus_with_their_labels(self, study, alice):
        system = study.systems.get(name="a")
        made = corpora.from_system(study=study, system=system, name="own", user=alice)
        assert texts(made) == [text.full_text for text in system.generations.all()]
        values = list(made.texts.values_list("attributes", flat=True))
        assert values == [{"label": "positive"}, {"label": "negative"}]
        assert (made.file_name, made.created_by) == ("texts of a", alice)

    def test_excluded_texts_and_copies_are_left_out(self, make_study):
        study = make_study(prompts=4)
        system = study.systems.get(name="a")
        first, second, third, _ = system.generations.values_list("pk", flat=True)
        # The first two have one prefix, so their full texts are the same now.
        system.generations.filter(pk__in=(first, second)).update(text="They say.")
        system.generations.filter(pk=third).update(excluded_at=study.created_at)
        made = corpora.from_system(study=study, system=system, name="own")
        assert (made.n_texts, made.n_duplicates) == (2, 1)

    def test_a_system_without_texts_makes_none(self, study):
        system = study.systems.create(name="silent")
        with pytest.raises(CorpusError, match="no text of the system silent"):
            corpora.from_system(study=study, system=system, name="own")
        assert not study.corpora.exists() and not study.events.exists()


class TestRemoving:
    def test_the_texts_go_and_the_log_tells(self, study, alice):
        made = add(study, "One.\nTwo.\n", "a.txt", user=alice)
        corpora.remove(corpus=made, user=alice)
        assert not CorpusText.objects.exists()
        told = study.events.order_by("pk").values_list("verb", "about", "detail")
        assert list(told) == [
            ("added-corpus", "human", "2 texts, of a.txt"),
            ("deleted-corpus", "human", "2 texts"),
        ]
        assert {event.user for event in study.events.all()} == {alice}

    def test_a_finished_run_keeps_its_scores(self, study):
        made = add(study, "One.", "a.txt")
        signed = Signature.objects.create(digest="x", text="x", metric="x", outputs=[])
        run = MetricRun.objects.create(
            study=study, metric="x", corpus=made, state="done", signature=signed
        )
        corpora.remove(corpus=made)
        run.refresh_from_db()
        assert (run.corpus, run.signature) == (None, signed)

    def test_twice_at_once_is_once(self, study):
        made = add(study, "One.", "a.txt")
        corpora.remove(corpus=Corpus.objects.get(pk=made.pk))
        corpora.remove(corpus=made)
        assert study.events.filter(verb="deleted-corpus").count() == 1

    @pytest.mark.parametrize("state", ["queued", "running"])
    @pytest.mark.parametrize("kind", [MetricRun, Probe])
    def test_one_that_is_being_worked_with_stays(self, study, kind, state):
        made = add(study, "One.", "a.txt")
        kind.objects.create(study=study, corpus=made, state=state)
        with pytest.raises(CorpusError, match="is using the corpus human"):
            corpora.remove(corpus=made)
        assert study.corpora.exists()

    def test_no_run_begins_with_one_that_is_gone(self, study):
        made = add(study, "One.", "a.txt")
        corpora.remove(corpus=Corpus.objects.get(pk=made.pk))
        with pytest.raises(runs.RunError, match="human was deleted: choose another"):
            runs.start(study=study, metric="zipf", options={}, corpus=made)
        assert not study.runs.exists()

    @pytest.mark.parametrize("metric", ["length_distance", "zipf"])
    def test_no_run_is_tried_again_without_it(self, study, metric):
        """Zipf would do without, and nothing would tell."""
        made = add(study, "One.", "a.txt")
        run = runs.start(study=study, metric=metric, options={}, corpus=made)
        runs.cancel(run=run)
        corpora.remove(corpus=made)
        run = MetricRun.objects.get(pk=run.pk)
        with pytest.raises(runs.RunError, match="the corpus of this run was deleted"):
            runs.retry(run=run)
        assert run.error == "the corpus of this run was deleted: start another run"

    def test_a_finished_run_says_nothing_of_it(self, study):
        made = add(study, "One.", "a.txt")
        run = MetricRun.objects.create(
            study=study, metric="zipf", corpus=made, state="done"
        )
        corpora.remove(corpus=made)
        run.refresh_from_db()
        assert run.error == ""


class TestFacts:
    def test_words_are_scaled_from_the_first_texts_to_all(self, study, monkeypatch):
        monkeypatch.setattr("scoring.corpora.keeping.SAMPLE", 1)
        made = add(study, "aaa bbb ccc\nddd eee fff ggg hhh\n", "a.txt")
        assert corpora.about_words(made) == pytest.approx(3 / 11 * (11 + 19) / 2)

    def test_the_most_frequent_values_come_first(self, study, monkeypatch):
        monkeypatch.setattr("scoring.corpora.keeping.FREQUENT", 2)
        of = {"a": "sea", "b": "air", "c": "sea", "d": "fen"}
        rows = [{"text": text, "it's__a topic": value} for text, value in of.items()]
        made = add(study, lines(*rows))
        assert corpora.frequent_values(made) == [
            ("it's__a topic", [("sea", 2), ("air", 1)])
        ]

    def test_they_are_counted_once(self, study, django_assert_num_queries):
        made = add(study, lines({"text": "a", "b": "c"}))
        corpora.frequent_values(made)
        with django_assert_num_queries(0):
            assert corpora.frequent_values(made) == [("b", [("c", 1)])]


class TestCommand:
    def test_a_corpus_is_called_after_its_file(self, study, tmp_path, capsys):
        path = tmp_path / "news.txt.gz"
        path.write_bytes(gzip.compress(b"One.\nOne.\n"))
        call_command("import_corpus", "ferry", str(path))
        told = capsys.readouterr().out
        assert told == "ferry, news: 1 text (1 duplicate left out)\n"
        assert study.corpora.get().name == "news"

    def test_it_tells_what_is_wrong(self, study, tmp_path):
        path = tmp_path / "news.jsonl"
        path.write_text('{"text": ""}\n')
        with pytest.raises(CommandError, match='line 1: "text" is empty'):
            call_command("import_corpus", "ferry", str(path))
        with pytest.raises(CommandError, match="No such file"):
            call_command("import_corpus", "ferry", str(tmp_path / "x.txt"))
        with pytest.raises(CommandError, match="no study named 'lake'"):
            call_command("import_corpus", "lake", str(path))


def test_a_run_of_a_metric_without_use_for_a_corpus_is_refused(study):
    made = add(study, "One.", "a.txt")
    with pytest.raises(runs.RunError, match="does not use a corpus"):
        runs.start(study=study, metric="length", options={}, corpus=made)
