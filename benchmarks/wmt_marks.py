"""Published scores of WMT's marked errors, computed again from the marks.

    python -m benchmarks.wmt_marks --mqm TED.tsv --scores TED.avg_seg_scores.tsv
    python -m benchmarks.wmt_marks --mte mt-metrics-eval-v2/wmt23 --pair en-de
    python -m benchmarks.wmt_marks --side-by-side SXS.tsv

The files are those of google/wmt-mqm-human-evaluation and of mt-metrics-eval. Results:
wmt_marks.md.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from scoring.penalties import MQM, MQM_SUM, Weights, penalty
from scoring.stats import agreement
from scoring.stats.jackknife import leave_out
from scoring.stats.spans import f_scores
from scoring.stats.spans.files import ratings, wmt_mqm
from scoring.stats.spans.files.segments import Read, Segment
from scoring.stats.spans.pages import Pages, Texts
from scoring.stats.spans.unit_alpha import alpha_interval

# In the side-by-side files all categories cost: nothing is left out.
ALL_COUNT = replace(MQM_SUM, categories={"non-translation": 25.0})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("mqm", "scores", "mte", "side-by-side"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--pair", default="en-de")
    chosen = parser.parse_args()
    if chosen.mqm:
        of_mqm(chosen.mqm, chosen.scores)
    if chosen.mte:
        of_mt_metrics_eval(chosen.mte, chosen.pair)
    if chosen.side_by_side:
        side_by_side(chosen.side_by_side)


def of_mqm(path: Path, published: Path) -> None:
    """Segment scores with six digits."""
    read = _mqm(path)
    ours = _means(read.segments, MQM)
    same = total = 0
    for line in published.read_text().splitlines()[1:]:
        system, score, segment = line.replace("\t", " ").split(" ")
        if score != "None" and (system, segment) in ours:
            total += 1
            same += score == f"{-ours[system, segment]:.6f}"
    print(f"{same:,} of {total:,} segment scores are the same to the last digit")


def of_mt_metrics_eval(home: Path, pair: str) -> None:
    """Segment scores as they are stored, and the means of systems."""
    scores = home / "human-scores"
    files = sorted(scores.glob(f"{pair}.mqm*.seg.rating"))
    systems = {line.split("\t")[0] for line in _lines(files[0])}
    texts = {
        name: _lines(home / "system-outputs" / pair / f"{name}.txt") for name in systems
    }
    sources = _lines(home / "sources" / f"{pair}.txt")
    segments: list[Segment] = []
    for file in files:
        read = ratings.read(_lines(file), texts, sources, rater=file.name)
        print(f"{file.name}: {len(read.segments):,} readings, {_refused(read)}")
        segments += read.segments
    ours = _means(segments, MQM_SUM)
    at: Counter[str] = Counter()
    same = total = 0
    of_system: dict[str, list[float]] = defaultdict(list)
    for line in _lines(scores / f"{pair}.mqm.seg.score"):
        system, score = line.split("\t")
        at[system] += 1
        if score != "None" and (system, str(at[system])) in ours:
            mean = -ours[system, str(at[system])]
            total += 1
            same += mean == float(score)
            of_system[system].append(mean)
    print(f"{same:,} of {total:,} segment scores are the same to the last bit")
    for line in _lines(scores / f"{pair}.mqm.sys.score"):
        system, score = line.split("\t")
        if of_system[system]:
            mean = sum(of_system[system]) / len(of_system[system])
            print(f"{system:>16} {score:>20} {mean - float(score):+.1e}")


def side_by_side(path: Path) -> None:
    """Alpha of scores, and of the marks themselves."""
    read = _mqm(path)
    scores = [penalty(segment.marks, ALL_COUNT) for segment in read.segments]
    values, at = np.unique(np.round(scores, 6), return_inverse=True)
    keys = [(s.of.system, s.of.document, s.of.segment) for s in read.segments]
    number = {key: row for row, key in enumerate(dict.fromkeys(keys))}
    counts = np.zeros((len(number), len(values)), np.int64)
    np.add.at(counts, ([number[key] for key in keys], at.reshape(-1)), 1)
    alpha = agreement.alpha(counts, values, "ordinal").value
    print(f"ordinal alpha of the scores of {len(number):,} texts: {alpha:.4f}")
    pages, texts = _arrays(read.segments)
    left = leave_out(texts.prompt, rng=np.random.default_rng(0))
    for unit in ("character", "mark"):
        begun = time.process_time()
        found = alpha_interval(pages, texts, unit=unit, left=left)  # type: ignore[arg-type]
        print(f"alpha of each {unit}: {_shown(found.numbers)}, {_seconds(begun)}")
    for measure in (f_scores.mpp, f_scores.wmt25):
        begun = time.process_time()
        compared = f_scores.between_people(pages, len(texts), measure)
        f = f_scores.mean_scores(compared, left)[2]
        found = f_scores.estimate(f, compared, f_scores.NO_PAIR)
        name = f"F of {compared.n_pairs} pairs of people, {measure.__name__}"
        print(f"{name}: {_shown(found.numbers)}, {_seconds(begun)}")


def _arrays(segments: Sequence[Segment]) -> tuple[Pages, Texts]:
    """Texts of one source are left out together."""
    # A few raters saw another spelling of a text: that is another text.
    keys = [segment.of._replace(rater="") for segment in segments]
    number = {key: row for row, key in enumerate(dict.fromkeys(keys))}
    raters = sorted({segment.of.rater for segment in segments})
    pages = Pages(
        np.array([number[key] for key in keys]),
        np.array([raters.index(segment.of.rater) for segment in segments]),
        tuple(segment.marks for segment in segments),
    )
    of_text = {number[key]: s.of for key, s in zip(keys, segments, strict=True)}
    first = [of_text[row] for row in range(len(number))]
    _, prompt = np.unique(
        [of.document + of.segment for of in first], return_inverse=True
    )
    _, system = np.unique([of.system for of in first], return_inverse=True)
    lengths = np.array([len(of.text) for of in first])
    sources = np.array([len(of.source) for of in first])
    return pages, Texts(lengths, prompt.reshape(-1), system.reshape(-1), sources)


def _mqm(path: Path) -> Read:
    with path.open(encoding="utf-8", newline="\n") as lines:
        read = wmt_mqm.read(lines)
    n, n_marks = len(read.segments), sum(len(one.marks) for one in read.segments)
    print(f"{path.name}: {n:,} readings, {n_marks:,} marks, {_refused(read)}")
    return read


def _means(
    segments: Sequence[Segment], weights: Weights
) -> dict[tuple[str, str], float]:
    """Mean penalty over raters, by system and segment."""
    of: dict[tuple[str, str], list[float]] = defaultdict(list)
    for segment in segments:
        key = segment.of.system, segment.of.segment
        of[key].append(penalty(segment.marks, weights))
    return {key: sum(each) / len(each) for key, each in of.items()}


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def _refused(read: Read) -> str:
    return f"{len(read.refusals)} marks refused"


def _shown(numbers: Sequence[float | None]) -> str:
    value, low, high = (f"{n:.3f}" if n is not None else "-" for n in numbers)
    return f"{value} [{low}, {high}]"


def _seconds(begun: float) -> str:
    return f"{time.process_time() - begun:.1f} s"


if __name__ == "__main__":
    main()
