"""Forty texts, three simulated people and a judge whose precision and recall are known.

Everything goes through the doors that people use: texts are imported, people are
simulated on real pages, the judge is asked over HTTP by the work of a run, and the page
is opened. Its numbers are held against a program that shares no line with the site, and
against span-mt-metrics-eval where that is installed.
"""

from __future__ import annotations

import html
import json
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from io import StringIO
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest
from django.core.management import call_command

from annotation.kinds.spans import schemes, sides, simulation
from annotation.kinds.spans.models import SpanMark
from annotation.models import Study
from annotation.simulation import simulate
from scoring import runs
from scoring.analyses.marked_errors import page_answer
from scoring.judging.ledger import Limit
from scoring.models import MetricReading
from scoring.scores.examples import example_of
from tests.annotation.pairing import open_pairs
from tests.annotation.seating import NOON
from tests.scoring import analysed, spans_by_hand
from tests.scoring.endpoints.servers import completion, message_of
from tests.scoring.spans_by_hand import Span
from tests.scoring.working import work
from tests.support import judges
from tests.support.messages import catch

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
PROMPTS, SYSTEMS, PEOPLE = 20, ("good", "poor"), 3
RECALL, PRECISION, LOST = 0.7, 0.8, 3  # of the judge, and quotes that stand nowhere
QUALITY = {"good": 4.2, "poor": 2.4}
TEST = '{"reason": "So.", "score": 1}'


class Judged(NamedTuple):
    study: Study
    result: dict[str, Any]
    page: str
    errors: dict[int, list[Span]]  # that there are, by text


@pytest.fixture
def judged(tmp_path, settings, monkeypatch, client, alice) -> Judged:
    catch(monkeypatch, "score_chunk", lambda pk: None)
    study = imported(tmp_path)
    open_pairs(study, kinds=("spans",), ratings_per_text=PEOPLE)
    texts = list(study.generations.select_related("system", "prompt").order_by("pk"))
    truth = {t.pk: [QUALITY[t.system.name]] * study.aspects.count() for t in texts}
    simulate(
        study=study,
        workers=PEOPLE,
        mix={"careful": 1.0},
        truth=truth,
        rng=np.random.default_rng(1),
        now=NOON,
    )
    errors = {t.pk: errors_of(study, t) for t in texts}
    reply = answers({example_of(t).text: t for t in texts}, errors)
    with judges.serving(settings, tmp_path, monkeypatch, reply):
        run = runs.start(
            study=study,
            metric="llm_judge",
            options={"model": "endpoint:lab/tiny", "mode": "spans"},
            limit=Limit(1000),
        )
        work(run)
    assert (run.state, run.error) == ("done", "")
    client.force_login(alice)
    page = analysed.page(client, study, "marked_errors")
    result = analysed.computed(study, "marked_errors")
    return Judged(study, result, page, errors)


def imported(folder: Any) -> Study:
    """Texts of words that stand nowhere else, so that most quotes have one place."""
    rng = np.random.default_rng(7)
    rows = ["prefix,label,system,text"]
    for n in range(PROMPTS):
        for system in SYSTEMS:
            letters = rng.choice(list("abdeiklmnoprstu"), (30, 6))
            words = " ".join("".join(word) for word in letters)
            label = ("sad", "glad")[n % 2]
            rows.append(f"Opening {n // 2},{label},{system},{words}.")
    path = folder / "texts.csv"
    path.write_text("\n".join(rows))
    command = ("import_study", "marks", str(path), "--format", "csv")
    call_command(*command, "--owner", "alice", stdout=StringIO())
    return Study.objects.get()


def errors_of(study: Study, text: Any) -> list[Span]:
    scheme = schemes.of_study(study)
    side = sides.of_text(text.prompt, text.text, scheme)["text"]
    quality = QUALITY[text.system.name]
    placed = simulation.true_errors(study, side, quality, scheme)
    return [(one.mark.start, one.mark.end, one.mark.severity) for one in placed]


def answers(texts: dict[str, Any], errors: dict[int, list[Span]]) -> Any:
    """A judge that finds 7 of 10 errors, and is wrong in 1 of 5."""
    rng = np.random.default_rng(3)
    all_errors = [(pk, span) for pk, spans in errors.items() for span in spans]
    n_found = round(RECALL * len(all_errors))
    order = rng.permutation(len(all_errors))[:n_found].tolist()
    quoted: dict[int, list[str]] = defaultdict(list)
    words = {text.pk: text.text for text in texts.values()}
    for k in order:
        pk, (start, end, _) = all_errors[k]
        quoted[pk].append(words[pk][start:end])
    free = list(clean_words(words, errors))
    n_wrong = round(n_found * (1 - PRECISION) / PRECISION)
    for k in rng.permutation(len(free))[:n_wrong].tolist():
        quoted[free[k][0]].append(free[k][1])
    for pk in list(words)[:LOST]:
        quoted[pk].append("these words stand nowhere")

    def reply(body: Any, n: int) -> Any:
        message = message_of(body)
        if "nothing else" in message:
            return completion(TEST)
        text = next(t for full, t in texts.items() if f"Text:\n{full}\n" in message)
        found = [
            {"quote": quote, "context": "", "severity": "major", "missing": False}
            for quote in quoted[text.pk]
        ]
        return completion(json.dumps({"errors": found}))

    return reply


def clean_words(
    words: dict[int, str], errors: dict[int, list[Span]]
) -> Iterator[tuple[int, str]]:
    """Words in which there is no error, each once."""
    for pk, text in words.items():
        at = 0
        for word in text.rstrip(".").split():
            at = text.index(word, at)
            if all(
                end <= at or start >= at + len(word) for start, end, _ in errors[pk]
            ):
                yield pk, word


Marked = dict[int, list[Span]]  # by text


def of_people(study: Study) -> list[Marked]:
    """As the database has them, person by person."""
    by_person: dict[int, Marked] = defaultdict(dict)
    rows = SpanMark.objects.filter(
        seat__survey__study=study, item__generation__isnull=False, seat__state="valid"
    )
    for row in rows.select_related("seat", "item"):
        marks = by_person[row.seat.worker_id].setdefault(row.item.generation_id, [])
        if row.start is not None:
            marks.append((row.start, row.end, row.severity))
    return list(by_person.values())


def of_judge(study: Study) -> Marked:
    rows = MetricReading.objects.filter(generation__study=study)
    return {
        row.generation_id: [(mark[0], mark[1], mark[3]) for mark in row.marks]
        for row in rows
    }


def shared(first: Marked, second: Marked) -> list[tuple[list[Span], list[Span]]]:
    return [(first[pk], second[pk]) for pk in sorted(first.keys() & second.keys())]


def test_the_page_agrees_with_programs_that_nobody_here_wrote_it_with(judged):
    people, judge = of_people(judged.study), of_judge(judged.study)
    assert len(people) == PEOPLE and len(judge) == PROMPTS * len(SYSTEMS)
    [metric] = judged.result["metrics"]
    with_each = [shared(judge, person) for person in people]
    between = [shared(a, b) for a, b in combinations(people, 2)]
    ways = [(spans_by_hand.f_of, spans_by_hand.of_characters)]
    try:
        import span_mt_metrics_eval as package
    except ImportError:
        package = None
    if package:
        ways.append((partial(of_package, package), partial(wmt25_of, package)))
    for way, by_character in ways:
        for part, numbers in zip(
            ("precision", "recall", "f"),
            np.mean([way(pages) for pages in with_each], axis=0).tolist(),
            strict=True,
        ):
            assert metric[part]["value"] == pytest.approx(numbers, abs=1e-12), part
        f = np.mean([by_character(pages)[2] for pages in with_each])
        assert metric["wmt25"]["value"] == pytest.approx(f, abs=1e-12)
        ceiling = float(np.mean([way(pages)[2] for pages in between]))
        assert metric["ceiling"]["value"] == pytest.approx(ceiling, abs=1e-12)
        assert judged.result["people"]["f"]["value"] == pytest.approx(ceiling)


def wmt25_of(package: Any, pages: Any) -> tuple[float, float, float]:
    return of_package(
        package, pages, measure="WMT25", matching="many_to_many", severity_penalty=0.5
    )


def of_package(package: Any, pages: Any, **options: Any) -> tuple[float, float, float]:
    names = ("start", "end", "severity")
    both = [
        [
            [
                {**dict(zip(names, span, strict=True)), "side": "target"}
                for span in page[k]
            ]
            for page in pages
        ]
        for k in (0, 1)
    ]
    answer = package.compute(*both, **options)
    return answer.precision, answer.recall, answer.f_score


def test_the_judge_is_as_good_as_it_was_made_and_the_page_says_how_good(judged):
    pages = shared(of_judge(judged.study), judged.errors)
    precision, recall, _ = spans_by_hand.f_of(pages)
    assert precision == pytest.approx(PRECISION, abs=0.02)
    assert recall == pytest.approx(RECALL, abs=0.02)
    [metric] = judged.result["metrics"]
    assert metric["absent"] == LOST
    assert all(floor["above"]["difference"]["low"] > 0 for floor in metric["floors"])
    assert page_answer.sentence(metric) in html.unescape(judged.page)
