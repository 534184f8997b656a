"""After failures of every kind, the key of an endpoint stands nowhere.

The server repeats it in bodies, headers, errors, names of models. It is looked for in
every column of every table, in all files of DATA_DIR, in what was logged at the lowest
level, on all pages of the study, and in the reproduction bundle.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import subprocess
import sys
import zipfile

import pytest
from django.conf import settings
from django.db import connection

from annotation.models import Generation
from scoring.endpoints import client as judge_client
from scoring.judging import anchor_sets, anchors, text_sample, trials
from scoring.judging.ledger import Limit
from scoring.metrics import __main__ as command
from scoring.metrics import get
from scoring.models import JudgeCall, JudgeTrial, Score
from scoring.replication import writing
from scoring.runs import starting
from tests.scoring.endpoints.servers import KEY, Server, error, message_of
from tests.scoring.endpoints.telling_server import (
    ESCAPED,
    TELLING,
    telling,
    telling_texts,
)
from tests.scoring.judging.asked import judges_file
from tests.scoring.judging.asked import work as work_at
from tests.scoring.working import NOON, work
from tests.support.messages import catch

HIDDEN = "[key]"
LIMIT = Limit(calls=10_000)
ADDRESS = re.compile(r'(?:href|src|hx-get)="(/[^"#]*)"')
MODES = ("answer", "samples", "form", "logprobs")


@pytest.fixture
def server(monkeypatch, tmp_path):
    """One that tells the key, and no patience between attempts."""
    monkeypatch.setenv("LAB_KEY", KEY)
    monkeypatch.setattr(judge_client, "FIRST_PAUSE", 0.001)
    with Server(telling).running() as found:
        known = {"key_env": "LAB_KEY", "changes": "split"}
        judges_file(monkeypatch, tmp_path, found.url, **known)
        yield found


def in_tables(sought: str) -> list[str]:
    """Tables with a row that holds it, in any column."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            if any(sought in _told(row) for row in cursor.fetchall()):
                found.append(table)
    return found


def _told(row) -> str:
    plain = (bytes(one) if isinstance(one, memoryview) else one for one in row)
    return "\0".join(
        one.decode(errors="replace") if isinstance(one, bytes) else str(one)
        for one in plain
    )


def in_files(sought: str) -> list[str]:
    files = (path for path in settings.DATA_DIR.rglob("*") if path.is_file())
    return [str(path) for path in files if sought.encode() in path.read_bytes()]


def in_bundle(study, path, sought: str) -> list[str]:
    writing.write(study=study, path=path, now=NOON)
    with zipfile.ZipFile(path) as bundle:
        members = bundle.namelist()
        assert len(members) > 3
        return [one for one in members if sought.encode() in bundle.read(one)]


def pages(client, *first: str, most: int = 90) -> dict[str, str]:
    """What is shown at these addresses, and below the study wherever they lead."""
    found: dict[str, str] = {}
    waiting = list(first)
    while waiting and len(found) < most:
        address = waiting.pop(0)
        if address in found or "/logout" in address:
            continue
        response = client.get(address, follow=True)
        body = b"".join(response) if response.streaming else response.content
        found[address] = body.decode(errors="replace") + repr(response.headers)
        linked = (one.replace("&amp;", "&") for one in ADDRESS.findall(found[address]))
        waiting += [one for one in linked if "/studies/ferry/" in one]
    return found


def logged(caplog) -> str:
    records = [repr(vars(one)) for one in caplog.records]
    return caplog.text + "".join(records)


@pytest.mark.django_db(transaction=True)
class TestRunOfTheSite:
    @pytest.fixture
    def study(self, make_study, monkeypatch):
        """A text for each kind of failure, and one for none."""
        for name in ("score_chunk", "analyse", "make_bundle"):
            catch(monkeypatch, name, lambda *_: None)
        study = make_study(prompts=2, systems=("a",), samples=len(TELLING) // 2 + 1)
        named = [*TELLING, "nothing", "at all"]
        for row, name in zip(Generation.objects.order_by("pk"), named, strict=False):
            row.text = f"{row.prompt.prefix} <{name}>"
            row.save()
        return study

    def run(self, study, alice, **options):
        made = starting.start(
            study=study,
            metric="llm_judge",
            options={
                "model": "endpoint:lab/tiny",
                "aspects": "quality: How good is the text?",
                "samples": 2,
                **options,
            },
            user=alice,
            limit=LIMIT,
        )
        work(made)
        return made

    @pytest.mark.slow
    def test_it_is_nowhere(self, study, alice, client, server, caplog, capfd, tmp_path):
        caplog.set_level(logging.DEBUG)
        runs = [self.run(study, alice, mode=mode) for mode in MODES]
        server.reply = lambda body, n: error(401, KEY, X_Key=KEY)
        # Another question: what was answered before is not asked again.
        refused = self.run(study, alice, mode="answer", aspects="other: How odd?")
        client.force_login(alice)
        shown = pages(
            client,
            *(f"/studies/ferry/runs/{one.pk}/" for one in (*runs, refused)),
            "/studies/ferry/",
        )
        assert {one["authorization"] for one in server.headers} == {f"Bearer {KEY}"}
        assert {run.state for run in runs} == {"done"} and refused.state == "failed"
        self.everything_was_asked()
        assert KEY not in logged(caplog) and caplog.records
        assert KEY not in "".join(capfd.readouterr())
        for spelled in (KEY, ESCAPED, ESCAPED.upper().replace("\\U", "\\u")):
            assert in_tables(spelled) == in_files(spelled) == []
        assert [one for one, page in shown.items() if KEY in page] == []
        assert in_bundle(study, tmp_path / "bundle.zip", KEY) == []
        self.it_would_be_found(shown)

    @pytest.mark.slow
    def test_nor_where_log_probabilities_are_asked_for(
        self, study, alice, client, server, caplog, capfd, tmp_path
    ):
        caplog.set_level(logging.DEBUG)
        server.reply = telling_texts
        made = starting.start(
            study=study,
            metric="perplexity",
            options={"model": "endpoint:lab/tiny"},
            user=alice,
            limit=LIMIT,
        )
        work(made)
        assert made.state == "done"
        scored = Score.objects.filter(signature=made.signature)
        assert scored.filter(value=None).count() >= len(TELLING)
        assert scored.exclude(value=None).exists()
        client.force_login(alice)
        address = f"/studies/ferry/metrics/{made.pk}/"
        shown = pages(client, address, f"{address}calls/", most=10)
        assert KEY not in logged(caplog) + "".join(capfd.readouterr())
        for spelled in (KEY, ESCAPED):
            assert in_tables(spelled) == in_files(spelled) == []
        assert [one for one, page in shown.items() if KEY in page] == []
        kept = JudgeCall.objects.filter(sample=1, problem="", answer__contains=HIDDEN)
        assert kept.exists()

    def everything_was_asked(self):
        """Every kind of failure, in every mode."""
        kept = JudgeCall.objects.filter(sample__gt=0)
        assert kept.count() > len(MODES) * len(TELLING)
        problems = set(kept.values_list("problem", flat=True))
        for said in ("refused", "blocked", "error 500", "another model", "incomplete"):
            assert any(said in problem for problem in problems), said

    def it_would_be_found(self, shown):
        """What stands in its place is found by the same means."""
        assert {"scoring_judgecall", "scoring_score"} <= set(in_tables(HIDDEN))
        assert any(HIDDEN in page for page in shown.values())
        assert len(shown) > 30


@pytest.mark.django_db(transaction=True)
class TestTrialsOfTheSite:
    """Pairs, the stress lab, anchors and evaluation steps."""

    WRITTEN = ("headers", "content", "escaped", "form", "log-probabilities")

    @pytest.fixture
    def study(self, make_study, monkeypatch):
        """All texts of a prompt have the failure of that prompt, or none."""
        for name in ("try_judge", "analyse", "make_bundle"):
            catch(monkeypatch, name, lambda *_: None)
        study = make_study(prompts=len(TELLING) + 1, systems=("a", "b"))
        named = dict(zip(study.prompts.all(), [*TELLING, "nothing"], strict=False))
        for k, row in enumerate(study.generations.select_related("prompt")):
            row.text = f"Number {k} <{named.get(row.prompt, 'nothing')}>"
            row.save()
        return study

    def started(self, study, kind, setup, **options):
        given = {"model": "endpoint:lab/tiny", "mode": "answer", **options}
        trial = trials.start(
            study=study, kind=kind, options=given, setup=setup, limit=LIMIT
        )
        return work_at(trial)

    def steps(self, study, names):
        asked = [f"a{k}: Is it <{name}>?" for k, name in enumerate(names)]
        setup = {"given": {}, "sets": []}
        return self.started(study, "steps", setup, aspects="\n".join(asked))

    def anchors(self, study, **options):
        texts = anchors.draw_anchors(study, "coherence", 52)
        given = {"model": "endpoint:lab/tiny", **options}
        anchor_sets.freeze(
            study=study, options=given, texts=texts, looks=1, limit=LIMIT
        )
        return work_at(JudgeTrial.objects.get(kind="anchors"))

    def all_kinds(self, study):
        question = text_sample.questions(study)[0]
        asked = {"aspects": json.dumps([question])}
        pairs = {"aspect": "coherence", "n": 60, "voted": False}
        stress = {"question": "coherence", "texts": 52, "experiments": ["order"]}
        return [
            self.started(study, "pairs", pairs, **asked),
            self.started(study, "stress", stress, **asked, mode="logprobs"),
            self.anchors(study, **asked, mode="form"),
            self.steps(study, self.WRITTEN),
        ]

    @pytest.mark.slow
    def test_it_is_nowhere(self, study, alice, client, server, caplog, capfd, tmp_path):
        caplog.set_level(logging.DEBUG)
        done, names = self.all_kinds(study), list(TELLING)
        failed = [self.steps(study, names[k::3]) for k in range(3)]
        server.reply = lambda body, n: error(401, KEY, X_Key=KEY)
        failed.append(self.steps(study, ["at all"]))
        client.force_login(alice)
        own = [one.get_absolute_url() for one in (*done, *failed)]
        shown = pages(client, *own, "/studies/ferry/judges/")
        assert {one["authorization"] for one in server.headers} == {f"Bearer {KEY}"}
        assert [one.error for one in done] == [""] * 4
        assert {one.state for one in failed} == {"failed"}
        self.everything_was_asked()
        assert KEY not in logged(caplog) and caplog.records
        assert KEY not in "".join(capfd.readouterr())
        for spelled in (KEY, ESCAPED, ESCAPED.upper().replace("\\U", "\\u")):
            assert in_tables(spelled) == in_files(spelled) == []
        assert [one for one, page in shown.items() if KEY in page] == []
        assert in_bundle(study, tmp_path / "bundle.zip", KEY) == []
        # What stands in its place is found by the same means.
        assert {"scoring_judgecall", "scoring_judgetrial"} <= set(in_tables(HIDDEN))
        assert any(HIDDEN in shown[address] for address in own)

    def everything_was_asked(self):
        """Every kind of trial has met most kinds of failure."""
        for kind in JudgeTrial.Kind:
            kept = JudgeCall.objects.filter(trial__kind=kind, sample__gt=0)
            problems = set(kept.values_list("problem", flat=True))
            for said in ("refused", "blocked", "error 500", "another model"):
                assert any(said in problem for problem in problems), (kind, said)


class TestCommandLine:
    """Without the site: also where the libraries log all that they do."""

    @pytest.mark.parametrize("mode", MODES)
    def test_it_is_nowhere(self, server, mode, caplog, capsys, monkeypatch):
        caplog.set_level(logging.DEBUG)
        lines = [json.dumps({"text": f"<{name}>"}) for name in (*TELLING, "nothing")]
        given = io.TextIOWrapper(io.BytesIO("\n".join(lines).encode()))
        monkeypatch.setattr(sys, "stdin", given)
        options = ["--model", "endpoint:lab/tiny", "--mode", mode, "--samples", "2"]
        assert (
            command.main(["llm_judge", *options[: 4 if mode != "samples" else 6]]) == 0
        )
        said = capsys.readouterr()
        assert KEY not in said.out + said.err and HIDDEN in said.out
        assert KEY not in logged(caplog) and caplog.records

    def test_nor_with_the_debugging_of_the_libraries(self, server):
        server.reply = lambda body, n: (
            error(401, KEY) if "<" in message_of(body) else telling(body, n)
        )
        arguments = ["llm_judge", "--model", "endpoint:lab/tiny", "--mode", "answer"]
        code = (
            "import logging, sys; logging.basicConfig(level=0)\n"
            "from scoring.metrics import __main__ as command\n"
            f"sys.exit(command.main({arguments!r}))"
        )
        found = subprocess.run(
            [sys.executable, "-X", "dev", "-c", code],
            input=b'{"text": "<nothing>"}',
            capture_output=True,
            env={**os.environ, "OPENAI_LOG": "debug"},
        )
        assert found.returncode == 2 and b"check the variable LAB_KEY" in found.stderr
        assert b"DEBUG" in found.stderr
        assert KEY.encode() not in found.stdout + found.stderr

    @pytest.mark.parametrize("name", ["perplexity", "bartscore"])
    def test_nor_where_log_probabilities_are_asked_for(self, server, name, capsys):
        for reply in TELLING.values():
            server.reply = lambda body, n, reply=reply: reply()
            with pytest.raises(Exception) as caught:
                get(name)(model="endpoint:lab/tiny").load()
            assert KEY not in str(caught.value)
