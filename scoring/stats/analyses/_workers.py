"""Each worker beside the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.stats import raters
from scoring.stats.analyses import _rated
from scoring.stats.analyses._agreeing import Asked
from scoring.stats.analyses._cells import cell
from scoring.stats.analyses._rated import Rated
from scoring.stats.analyses._setting import coefficient_name
from scoring.stats.correlation import Coefficient
from scoring.stats.data import Data


def workers(asked: Asked, scopes: list[Rated], both: Data) -> dict[str, Any]:
    """Each worker beside the others; who lowers alpha most comes first."""
    wanted = asked.options.aspect or _rated.ALL
    chosen = [one for one in scopes if one.key == wanted] or scopes[-1:]
    if not chosen:
        return {"aspect": "", "n_unknown": 0, "alpha": None, "rows": []}
    one = chosen[0]
    found = raters.leave_one_out(
        one.unit,
        one.rater,
        one.value,
        level=asked.options.level,
        coefficient=asked.options.coefficient,
    )
    seen = _rated.pages(both.ratings)
    known = {str(who.rater): who for who in found.raters}
    names = [name for name in known if not name.startswith(_rated.UNKNOWN)]
    names += [name for name in seen if name not in known]
    rows = [
        _worker(asked, one, name, known.get(name), seen.get(name))
        for name in sorted(names)
    ]
    rows.sort(key=lambda row: -_or(row["change"]["value"], -np.inf))
    return {
        "aspect": one.title,
        "n_unknown": int((~one.known).sum()),
        "alpha": found.alpha.value,
        "rows": rows,
    }


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _worker(
    asked: Asked,
    one: Rated,
    name: str,
    found: raters.Rater | None,
    pages: _rated.Pages | None,
) -> dict[str, Any]:
    return {
        "worker": name,
        "n": found.n if found else 0,
        **_compared(asked, one, found),
        **_of_pages(asked, pages),
    }


def _compared(
    asked: Asked, one: Rated, found: raters.Rater | None
) -> dict[str, dict[str, Any]]:
    """One worker's ratings beside those of the others."""
    r = coefficient_name(asked.options.coefficient) + "-with-others"
    names = (r, "alpha-without", "bias", "sd-ratio", "modal-share")
    parts: list[raters.Figure | Coefficient]
    if found is None:
        parts = [raters.Figure(None, "no rating that counts")] * len(names)
    else:
        parts = [
            found.correlation,
            found.alpha_change,
            found.bias,
            found.sd_ratio,
            raters.Figure(found.modal_share, None),
        ]
    level = {"alpha-without": asked.options.level}
    keys = ("correlation", "change", "bias", "sd_ratio", "modal")
    return {
        key: cell(
            part.value,
            part.reason,
            n=getattr(part, "n", None),
            **asked.signed(name, one.key, level=level.get(name)),
        )
        for key, name, part in zip(keys, names, parts, strict=True)
    }


def _of_pages(asked: Asked, pages: _rated.Pages | None) -> dict[str, dict[str, Any]]:
    """What is known of a worker's sittings, discarded ones among them."""
    signed = asked.signed("pages", _rated.ALL, qc="none")
    if pages is None:
        none = cell(None, "ratings from a file: no pages", **signed)
        return {"seconds": none, "pages": none, "discarded": none}
    unknown = None if pages.seconds is not None else "not measured"
    return {
        "seconds": cell(pages.seconds, unknown, n=pages.n, **signed),
        "pages": cell(pages.n, **signed),
        "discarded": cell(pages.n_discarded, **signed),
    }
