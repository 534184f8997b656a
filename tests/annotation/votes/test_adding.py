"""Votes on pairs of systems come in from files, all of a file or nothing."""

from __future__ import annotations

import io
import json
from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from annotation import votes
from annotation.imports import UploadError, undoing
from annotation.models import Import, System, Vote
from scoring.results import study_arrays
from tests.support import shared

pytestmark = pytest.mark.django_db

HEADER = "pair,first,second,outcome,worker"


@pytest.fixture
def study(make_study):
    """Systems a, b, c and d, and two prompts."""
    return make_study()


def add(study, content, **given):
    given = {"format": "votes", "file_name": "votes.csv", **given}
    data = content.encode() if isinstance(content, str) else content
    return votes.add(study=study, file=io.BytesIO(data), **given)


def refused(study, content, **given):
    before = [kind.objects.count() for kind in (Import, System, Vote)]
    with pytest.raises(UploadError) as error:
        add(study, content, **given)
    assert [kind.objects.count() for kind in (Import, System, Vote)] == before
    return error.value.lines


def rows(study):
    columns = ("pair", "first__name", "second__name", "outcome", "rater")
    return list(study.votes.values_list(*columns))


def test_each_row_is_a_vote(study):
    added = add(study, f"{HEADER}\np1,a,b,1,ann\np1,b,c,tie,ann\np2,a,c,2,\n")
    assert rows(study) == [
        ("p1", "a", "b", 1, "ann"),
        ("p1", "b", "c", 0, "ann"),
        ("p2", "a", "c", 2, ""),
    ]
    assert str(added) == "3 votes on 2 pairs"
    assert added.record.n_rows == 3 and len(added.record.sha256) == 64


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        *(("1", 1), ("first", 1), ("a", 1), ("First", 1)),
        *(("2", 2), ("SECOND", 2), ("b", 2), ("tie", 0), ("Tie", 0)),
    ],
)
def test_an_outcome_may_be_said_in_many_words(study, word, outcome):
    add(study, f"{HEADER}\np,a,b,{word},ann\n")
    assert study.votes.get().outcome == outcome


def test_a_system_may_be_called_1_but_then_1_means_nothing(study):
    System.objects.create(study=study, name="1")
    assert refused(study, f"{HEADER}\np,a,1,1,ann\n") == [
        'line 2: outcome "1" could mean either system: write first or second'
    ]
    add(study, f"{HEADER}\np,a,1,second,ann\nq,1,a,1,ann\n")
    assert [outcome for _, _, _, outcome, _ in rows(study)] == [2, 1]


def test_lines_of_json_are_read_too(study):
    first = {"pair": 7, "first": "a", "second": "b", "outcome": 2, "prompt": 2}
    second = {**first, "pair": "8", "ordered": False, "question": "style"}
    add(study, "\n".join(map(json.dumps, (first, second))))
    one, two = study.votes.all()
    assert (one.pair, one.outcome, one.ordered, one.question) == ("7", 2, True, "")
    assert one.prompt == study.prompts.last()
    assert (two.pair, two.ordered, two.question) == ("8", False, "style")


@pytest.mark.parametrize(("word", "ordered"), [("no", False), ("1", True), ("", True)])
def test_a_file_may_not_know_which_text_was_shown_first(study, word, ordered):
    add(study, f"{HEADER},ordered\np,a,b,1,ann,{word}\n")
    assert study.votes.get().ordered is ordered


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (",a,b,1,w", 'line 2: "pair" is empty'),
        ("p,a,,1,w", 'line 2: "second" is empty'),
        ("p,a,b,,w", 'line 2: "outcome" is empty'),
        ("p,a,a,1,w", 'line 2: first and second are both "a"'),
        ("p,a,b,c,w", 'line 2: outcome must be 1, 2, tie, "a" or "b", not "c"'),
        ("p,a,b,0,w", 'line 2: outcome must be 1, 2, tie, "a" or "b", not "0"'),
        (f"{'p' * 65},a,b,1,w", "line 2: pair has 65 characters; the most is 64"),
        (f"p,a,b,1,{'w' * 129}", "line 2: worker has 129 characters; the most is 128"),
        ("p,a,b,1", "line 2: 4 cells, but the header line names 5"),
        (
            "p,a,x,1,w",
            'line 2: the study has no system "x"; it has a, b, c, d',
        ),
    ],
)
def test_votes_that_cannot_be(study, row, said):
    assert refused(study, f"{HEADER}\n{row}\n") == [said]


def test_everything_that_is_wrong_is_said_at_once(study):
    lines = refused(study, f"{HEADER}\np,a,b,9,w\np,x,b,1,w\nq,y,x,1,w\n")
    assert [line.partition(": ")[0] for line in lines] == ["line 2", "line 3", "line 4"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "The file has no votes."),
        (f"{HEADER}\n", "The file has no votes."),
        ("pair,first,second\np,a,b\n", 'line 1: column "outcome" is missing'),
        (
            f"{HEADER},x\np,a,b,1,w,\n",
            'line 1: unknown column "x"; there are pair',
        ),
        ('{"pair": "p"}\n[]\n', 'line 1: field "first" is missing'),
        ('{"pair": "p"', "line 1: not valid JSON: "),
        (b"\xff\xfep,a,b", "The file is UTF-16: save it as UTF-8."),
        (
            '{"pair": "\\ud800", "first": "a", "second": "b", "outcome": 1}',
            "line 1: contains half of a surrogate pair",
        ),
        (f"{HEADER},ordered\np,a,b,1,w,maybe\n", "line 2: ordered must be yes or no"),
        (f"{HEADER},prompt\np,a,b,1,w,3\n", "line 2: the study has no prompt 3"),
        (f"{HEADER},prompt\np,a,b,1,w,0\n", "line 2: prompt must be a whole number"),
    ],
)
def test_files_that_cannot_be_read(study, content, said):
    assert refused(study, content)[0].startswith(said)


def test_a_rater_votes_once_on_a_pair(study):
    lines = refused(study, f"{HEADER}\np,a,b,1,ann\np,a,b,2,ben\np,a,b,2,ann\n")
    assert lines == ['line 4: duplicate: "ann" has voted on the pair "p" on line 2 too']


def test_a_rater_does_not_vote_again_in_another_file(study):
    add(study, f"{HEADER}\np,a,b,1,ann\n")
    assert refused(study, f"{HEADER}\np,a,b,2,ann\n") == [
        'line 2: duplicate: "ann" already voted on the pair "p" in an earlier file'
    ]


def test_a_vote_that_comes_in_meanwhile_is_no_error_of_the_server(study, monkeypatch):
    add(study, f"{HEADER}\np,a,b,1,ann\n")
    monkeypatch.setattr("annotation.votes.adding._check_present", lambda *given: None)
    assert refused(study, f"{HEADER}\np,a,b,2,ann\n") == [
        "The study changed while the file was being read. Try again."
    ]


def test_a_rater_may_see_a_pair_in_both_orders_and_without_a_name(study):
    add(study, f"{HEADER}\np,a,b,1,ann\np,b,a,1,ann\np,a,b,1,\np,a,b,1,\n")
    assert study.votes.count() == 4


def test_new_systems_are_made_only_if_that_is_wanted(study):
    content = f"{HEADER}\np,a,human,2,w\n"
    assert 'no system "human"' in refused(study, content)[0]
    assert add(study, content, create_systems=True).created == ["human"]
    assert study.systems.get(name="human").kind == "generator"


def test_too_many_votes_are_refused(study, settings):
    settings.UPLOAD_MAX_ROWS = 2
    lines = refused(study, f"{HEADER}\n" + "".join(f"p{n},a,b,1,\n" for n in range(3)))
    assert lines == ["The file has more than 2 votes: split it."]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("p,a,b,1,q{}", "21 questions, but"),
        ("p,a,s{},1,", "101 systems that the"),
    ],
)
def test_a_column_that_is_filled_in_by_mistake_is_refused(study, row, said):
    n = int(said.split()[0])
    content = "pair,first,second,outcome,question\n"
    content += "".join(row.format(k) + "\n" for k in range(n))
    assert (
        f"The file would give the study {said}"
        in refused(study, content, create_systems=True)[0]
    )


def test_deleting_a_file_takes_its_votes_and_the_systems_that_only_it_named(study):
    first = add(study, f"{HEADER}\np,a,x,1,\n", create_systems=True).record
    second = add(study, f"{HEADER}\np,y,x,1,\n", create_systems=True).record
    undoing.undo(record=first)
    assert set(study.systems.values_list("name", flat=True)) == set("abcdxy")
    undoing.undo(record=second)
    assert set(study.systems.values_list("name", flat=True)) >= set("abcd")
    assert "y" not in study.systems.values_list("name", flat=True)
    assert not study.votes.exists() and not study.imports.exists()


def test_the_log_says_what_was_done(study, alice):
    record = add(study, f"{HEADER}\np,a,b,1,\n", user=alice).record
    undoing.undo(record=record, user=alice)
    told = study.events.order_by("pk").values_list("verb", "about", "detail")
    assert list(told) == [
        ("added-votes", "votes.csv", "1 vote on 1 pair"),
        ("undid-import", "votes.csv", f"1 row, added on {record.created_at:%Y-%m-%d}"),
    ]


def test_the_statistics_get_them_in_order(study):
    add(study, f"{HEADER}\np,a,b,1,ann\nq,d,c,tie,ben\n")
    found = study_arrays.load(study=study, needs={"votes"}).votes
    assert found.first.tolist() == [0, 3] and found.second.tolist() == [1, 2]
    assert found.outcome.tolist() == [1, 0] and found.rater.tolist() == ["ann", "ben"]


def test_the_votes_of_rankgen_come_in_as_they_were_published(study):
    folder = shared.path("data/rankgen")
    for name in ("gpt2_medium.csv", "t5_xxl_c4.csv"):
        given = {"format": "rankgen", "create_systems": True, "file_name": name}
        add(study, (folder / name).read_bytes(), **given)
    found = study.votes.select_related("first", "second")
    assert found.count() == 609
    # 100 beginnings for each generator, of which 50 are the same.
    assert len({vote.pair for vote in found}) == 150
    assert len({(vote.pair, vote.question) for vote in found}) == 200
    questions = Counter(vote.question for vote in found)
    assert questions == {"gpt2_medium": 309, "t5_xxl_descartes": 300}
    assert {vote.first.name for vote in found} == {"beam", "nucleus"}
    assert {vote.outcome for vote in found} == {1, 2}


RANKGEN = "Input.Prefix,Input.Dataset,Input.Order,Input.Model,Answer.utterance,WorkerId"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('x,wiki,"a,b",m,Both,w', "line 2: Answer.utterance must begin with Text 1"),
        ("x,wiki,a,m,Text 1,w", "line 2: Input.Order must name two systems"),
        ('x,wiki,"a,a",m,Text 1,w', "line 2: Input.Order must name two systems"),
    ],
)
def test_results_of_rankgen_that_cannot_be(study, row, said):
    lines = refused(study, f"{RANKGEN}\n{row}\n", format="rankgen")
    assert lines[0].startswith(said)


class TestCommand:
    def call(self, study, path, *more):
        out = io.StringIO()
        call_command("import_votes", study, str(path), *more, stdout=out)
        return out.getvalue()

    def test_it_adds_a_file(self, study, tmp_path):
        path = tmp_path / "votes.csv"
        path.write_text(f"{HEADER}\np,a,x,1,\n")
        said = self.call("ferry", path, "--create-systems")
        assert said == "ferry: 1 vote on 1 pair, and new systems: x\n"

    def test_it_says_what_is_wrong(self, study, tmp_path):
        path = tmp_path / "votes.csv"
        path.write_text(f"{HEADER}\np,a,x,1,\n")
        with pytest.raises(CommandError, match='no system "x"'):
            self.call("ferry", path)
        with pytest.raises(CommandError, match="No such file"):
            self.call("ferry", tmp_path / "none.csv")
        with pytest.raises(CommandError, match="no study named 'fery'"):
            self.call("fery", path)


def test_the_sample_file_fits_the_sample_study(study):
    from django.contrib.staticfiles import finders

    with open(finders.find("samples/votes.csv"), "rb") as file:
        content = file.read()
    added = add(study, content, create_systems=True)
    assert added.n_votes == 9 and added.created == ["plain", "rambling", "broken"]
