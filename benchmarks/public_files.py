"""Public files as they are: what the importer reads, beside what was published.

    .venv/bin/python benchmarks/public_files.py FOLDER

FOLDER has git directories of the repositories in `FILES`, as `OWNER+NAME/repo`; those
that are absent are skipped. Only numbers are printed. Each file is read as a new study
would be, with all that is proposed taken; how many questions that answered is told.
"""

from __future__ import annotations

import argparse
import collections
import csv
import io
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")

JUDGE_BENCH = "dmg-illc+JUDGE-BENCH"
MQM = "google+wmt-mqm-human-evaluation"
ALPACA = "tatsu-lab+alpaca_eval"
LEADERBOARD = (
    "src/alpaca_eval/leaderboards/data_AlpacaEval_2/"
    "weighted_alpaca_eval_gpt4_turbo_leaderboard.csv"
)


class Numbers(NamedTuple):
    """What a file says, by ours or by the other program."""

    texts: int
    ratings: int
    means: Mapping[str, float]  # by question or system


Published = Callable[["Repository", str], Numbers]


class Repository(NamedTuple):
    path: Path

    def content(self, name: str) -> bytes:
        return self._git("show", f"HEAD:{name}")

    def names(self, begin: str, end: str) -> list[str]:
        """Those of a folder that are in the snapshot: the largest are not."""
        listed = self._git("ls-tree", "-r", "-l", "HEAD").decode()
        pairs = [line.partition("\t") for line in listed.splitlines()]
        names = [n for about, _, n in pairs if not about.endswith("BAD")]
        return [n for n in names if n.startswith(begin) and n.endswith(end)]

    def _git(self, *words: str) -> bytes:
        command = ["git", f"--git-dir={self.path}", *words]
        return subprocess.run(command, capture_output=True, check=True).stdout


# What other programs read: json and csv alone -----------------------------------------


def of_judge_bench(repository: Repository, name: str) -> Numbers:
    """Means of its answers; yes and no are 1 and 0, "Unsure" is no answer."""
    number = {"yes": 1, "no": 0}
    instances = json.loads(repository.content(name))["instances"]
    values = collections.defaultdict[str, list[float]](list)
    for instance in instances:
        for question, about in instance["annotations"].items():
            answers = about["individual_human_scores"] or about["majority_human"]
            for answer in answers if isinstance(answers, list) else [answers]:
                word = str(answer).lower()
                if word in number or word.lstrip("-").isdecimal():
                    values[_key(question)].append(number.get(word, answer))
    n = sum(map(len, values.values()))
    return Numbers(len(instances), n, _means(values))


def of_mqm(repository: Repository, name: str) -> Numbers:
    """Means of systems out of the published means of segments."""
    published = repository.content(name.replace(".tsv", ".avg_seg_scores.tsv"))
    values = collections.defaultdict[str, list[float]](list)
    for line in published.decode().splitlines()[1:]:
        system, score, _ = line.split()
        if score != "None":
            values[system].append(-float(score))
    return Numbers(sum(map(len, values.values())), 0, _means(values))


def of_user_study(repository: Repository, name: str) -> Numbers:
    rows = [*csv.DictReader(io.StringIO(repository.content(name).decode()))]
    texts = {(row["Input.story_id"], row["Input.explanation"]) for row in rows}
    values = {
        _key(column.removeprefix("Answer.").removesuffix(".1")): [
            float(row[column]) for row in rows
        ]
        for column in rows[0]
        if column.startswith("Answer.")
    }
    return Numbers(len(texts), sum(map(len, values.values())), _means(values))


def of_asset(repository: Repository, name: str) -> Numbers:
    rows = [*csv.DictReader(io.StringIO(repository.content(name).decode()))]
    values = collections.defaultdict[str, list[float]](list)
    for row in rows:
        values[_key(row["aspect"])].append(float(row["rating"]))
    texts = {(row["original"], row["simplification"]) for row in rows}
    return Numbers(len(texts), len(rows), _means(values))


def of_acceptability(repository: Repository, name: str) -> Numbers:
    rows = [*csv.DictReader(io.StringIO(repository.content(name).decode()))]
    values = [float(x) for row in rows for x in row["full-ratings"].split(",")]
    means = _means({_key("full-ratings"): values})
    return Numbers(len(rows), len(values), means)


def of_stories(repository: Repository, name: str) -> Numbers:
    rows = csv.reader(io.StringIO(repository.content(name).decode()))
    return Numbers(len([*rows]) - 1, 0, {})


def of_leaderboard(repository: Repository, name: str) -> Numbers:
    model = name.split("/")[1]
    rows = csv.DictReader(io.StringIO(repository.content(LEADERBOARD).decode()))
    row = next(row for row in rows if row[""] == model)
    n = int(row["n_total"])
    return Numbers(2 * n, n, {"won": float(row["n_wins"]) / n})


def _key(question: str) -> str:
    from annotation.studies import aspect_key

    return aspect_key(question)


def _means(values: Mapping[str, list[float]]) -> dict[str, float]:
    return {n: sum(map(float, v)) / len(v) for n, v in values.items() if v}


# What the importer reads --------------------------------------------------------------


def ours(content: bytes) -> tuple[Numbers, int]:
    """With all that is proposed; and how many questions that answered."""
    from annotation import imports

    options = {"scale": "auto", "yes": True, "leave_out": True}
    options["values"] = {"": {"Unsure": ""} | {"Yes": 1, "No": 0}}
    sheet = imports.check(format="columns", file=io.BytesIO(content), options=options)
    by_question = collections.defaultdict[str, list[float]](list)
    by_system = collections.defaultdict[str, list[float]](list)
    for row in sheet.rows:
        for rating in row.ratings:
            by_question[rating.aspect].append(rating.value)
        for mean in row.means:
            by_system[row.system].append(mean.mean)
    n = sum(map(len, by_question.values()))
    means = _means(by_question) if n else _means(by_system)
    return Numbers(len(sheet), n, means), len(sheet.asked)


def votes(content: bytes, model: str) -> Numbers:
    """How often a system won against the other one of its file."""
    from annotation import imports
    from annotation.imports.files import Record

    ready = imports.PRESETS["alpaca_eval"].votes
    assert ready is not None
    rows = json.loads(content)
    ballots = [*ready(Record(n, row) for n, row in enumerate(rows))]
    won = sum(one[one["outcome"]] == model for one in ballots if one["outcome"] in one)
    return Numbers(2 * len(rows), len(ballots), {"won": won / len(ballots)})


def packed(repository: Repository, folder: str) -> bytes:
    """A folder of Potato 2, as one packs it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as pack:
        for name in repository.names(folder, ""):
            pack.writestr(name, repository.content(name))
    return out.getvalue()


# The table ----------------------------------------------------------------------------


def files(folder: Path) -> Iterator[tuple[str, bytes, Numbers, str]]:
    """Name, content, what was published, and the system whose wins are counted."""
    judge_bench, mqm = _of(folder, JUDGE_BENCH), _of(folder, MQM)
    if judge_bench:
        for name in judge_bench.names("data/", ".json"):
            content = judge_bench.content(name)
            if b'"individual_human_scores"' in content:
                yield name, content, of_judge_bench(judge_bench, name), ""
    for pair in ("ende", "zhen") if mqm else ():
        name = f"ted/{pair}/mqm_ted_{pair}.tsv"
        yield name, mqm.content(name), of_mqm(mqm, name), ""
    yield from _of_one_file(folder)
    alpaca = _of(folder, ALPACA)
    for model in ("humpback-llama2-70b", "gemma-7b-it") if alpaca else ():
        name = f"results/{model}/weighted_alpaca_eval_gpt4_turbo/annotations.json"
        yield name, alpaca.content(name), of_leaderboard(alpaca, name), model


def _of_one_file(folder: Path) -> Iterator[tuple[str, bytes, Numbers, str]]:
    hanna = _of(folder, "dig-team+hanna-benchmark-asg")
    if hanna:
        name = "user_study.csv"
        yield name, hanna.content(name), of_user_study(hanna, name), ""
        name = "hanna_llm_stories.csv"
        yield name, hanna.content(name), of_stories(hanna, name), ""
    asset = _of(folder, "facebookresearch+asset")
    if asset:
        name = "human_ratings/human_ratings.csv"
        yield name, asset.content(name), of_asset(asset, name), ""
    context = _of(folder, "jhlau+acceptability-prediction-in-context")
    for kind in ("none", "random", "real") if context else ():
        name = f"human-ratings/context-{kind}-ratings.csv"
        yield name, context.content(name), of_acceptability(context, name), ""
    potato = _of(folder, "davidjurgens+potato")
    if potato:
        name = "examples/advanced/dataset-publishing"
        yield name, packed(potato, f"{name}/"), Numbers(6, 0, {}), ""


def _of(folder: Path, name: str) -> Repository | None:
    path = folder / name / "repo"
    return Repository(path) if path.exists() else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    import django

    django.setup()
    print("| file | seconds | questions | texts | ratings | largest difference |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, content, published, model in files(folder):
        begin, asked = time.perf_counter(), 0
        if model:
            read = votes(content, model)
        else:
            read, asked = ours(content)
        seconds = time.perf_counter() - begin
        print(_row(name, seconds, asked, read, published))


def _row(name: str, seconds: float, asked: int, a: Numbers, b: Numbers) -> str:
    shared = a.means.keys() & b.means.keys()
    far = max((abs(a.means[k] - b.means[k]) for k in shared), default=None)
    difference = "—" if far is None else f"{far:.1e} of {len(shared)}"
    counts = [
        f"{x:,}" if x == y else f"{x:,} of {y:,}"
        for x, y in ((a.texts, b.texts), (a.ratings, b.ratings))
    ]
    return f"| {name} | {seconds:.1f} | {asked} | {' | '.join(counts)} | {difference} |"


if __name__ == "__main__":
    main()
