"""Asks R's ordinal::clmm and crowd-kit how strict raters are, and who errs.

    python tests/golden/make_severity.py

prints the numbers of severity.json. It needs Rscript with the packages ordinal and
jsonlite (Debian: r-cran-ordinal, r-cran-jsonlite), crowd-kit, and the public ratings in
../shared/data. Of those only the numbers that R found are kept; the small set is made
up here, and kept whole. Tests read the numbers alone.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene

SHARED = Path(__file__).resolve().parent.parent.parent.parent / "shared" / "data"
Rows = list[tuple[str, str, str, int]]  # text, rater, system, value
MODEL = """
suppressMessages({library(ordinal); library(jsonlite)})
args <- commandArgs(TRUE)
d <- read.csv(args[1], colClasses = c("character", "character", "character", "integer"))
d$y <- factor(d$value, ordered = TRUE)
form <- y ~ (1 | text) + (1 | rater)
if (length(unique(d$system)) > 1) form <- update(form, . ~ system + .)
fit <- clmm(form, data = d, link = "logit", Hess = TRUE,
            control = clmm.control(method = "ucminf", grtol = 1e-7))
who <- ranef(fit)$rater
spread <- sapply(VarCorr(fit), function(v) sqrt(v[1, 1]))
write(toJSON(list(
  made_by = paste(R.version.string, ", ordinal", packageVersion("ordinal")),
  values = as.integer(levels(d$y)), systems = sort(unique(d$system)),
  thresholds = unname(fit$alpha), beta = unname(fit$beta),
  se = unname(sqrt(diag(vcov(fit)))[seq_len(length(fit$alpha) + length(fit$beta))]),
  sd_text = unname(spread["text"]), sd_rater = unname(spread["rater"]),
  log_likelihood = as.numeric(logLik(fit)),
  raters = rownames(who), modes = who[, 1],
  variances = condVar(fit)$rater[, 1]
), digits = 12, auto_unbox = FALSE), stdout())
"""


def made_up() -> Rows:
    """Four systems, 60 texts, six raters, each text rated by three of them."""
    rng = np.random.default_rng(20261123)
    strict = np.array([-1.2, -0.5, 0.0, 0.2, 0.5, 1.0])
    better = np.array([0.0, 0.8, 1.0, -0.7])
    cuts = np.array([-2.0, -0.7, 0.8, 2.2])
    rows: Rows = []
    for text in range(60):
        good = better[text % 4] + rng.normal(0, 1.1)
        for rater in rng.choice(6, 3, replace=False, p=_chances(text % 4)):
            latent = good - strict[rater] + rng.logistic()
            value = 1 + int((latent > cuts).sum())
            rows.append((f"t{text:02}", f"r{rater}", f"s{text % 4}", value))
    return rows


def _chances(system: int) -> np.ndarray:
    """Strict raters get the first two systems more often."""
    weights = np.linspace(1, 3, 6) if system < 2 else np.linspace(3, 1, 6)
    return np.asarray(weights / weights.sum())


def usr() -> Rows:
    found = json.loads((SHARED / "usr_topicalchat/tc_usr_data.json").read_text())
    return [
        (f"{k}-{one['model']}", f"r{r}", one["model"], value)
        for k, dialogue in enumerate(found)
        for one in dialogue["responses"]
        for r, value in enumerate(one["Overall"])
    ]


def prompts() -> Rows:
    return [
        (text, rater, "", value)
        for rater, given in _alttest("10k_prompts").items()
        for text, value in given.items()
    ]


def stars() -> Rows:
    return [
        (text, rater, "", value)
        for rater, given in _alttest("cebab_stars").items()
        for text, value in given.items()
    ]


def _alttest(name: str) -> dict[str, dict[str, int]]:
    file = SHARED / "alttest" / name / "human_annotations.json"
    return dict(json.loads(file.read_text()))


def clmm(rows: Rows) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        data, script = Path(folder, "ratings.csv"), Path(folder, "model.R")
        with data.open("w", newline="") as out:
            csv.writer(out).writerows([("text", "rater", "system", "value"), *rows])
        script.write_text(MODEL)
        done = subprocess.run(
            ["Rscript", str(script), str(data)], capture_output=True, check=True
        )
    return dict(json.loads(done.stdout))


def dawid_skene(rows: Rows) -> dict[str, object]:
    frame = pd.DataFrame(rows, columns=["task", "worker", "system", "label"])
    made = DawidSkene(n_iter=100, tol=1e-5).fit(frame[["task", "worker", "label"]])
    labels = sorted(frame["label"].unique().tolist())
    errors = made.errors_.reset_index()
    confusion = {
        rater: errors[errors["worker"] == rater]
        .set_index("label")[labels]
        .reindex(labels)
        .fillna(0.0)
        .to_numpy()
        .tolist()
        for rater in sorted(frame["worker"].unique())
    }
    return {
        "made_by": f"crowd-kit {version('crowd-kit')}",
        "labels": labels,
        "priors": made.priors_[labels].tolist(),
        # P(answer | truth): rows are answers, columns are truths.
        "confusion": confusion,
        "probabilities": made.probas_.sort_index()[labels].to_numpy().tolist(),
    }


def main() -> None:
    small = made_up()
    shared = {"usr": usr, "10k_prompts": prompts, "cebab_stars": stars}
    found = {
        "command": "python tests/golden/make_severity.py",
        "made_up": {
            "rows": small,
            "clmm": clmm(small),
            "dawid_skene": dawid_skene(small),
        },
        "shared": {name: {"clmm": clmm(read())} for name, read in shared.items()},
    }
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
