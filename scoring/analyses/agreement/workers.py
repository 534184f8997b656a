"""Each worker beside the others."""

from __future__ import annotations

import numpy as np

from scoring.analyses.agreement.options import Asked
from scoring.analyses.agreement.result import (
    BesideOthers,
    Sittings,
    Worker,
    Workers,
)
from scoring.analyses.shared import rated
from scoring.analyses.shared.rated import Rated
from scoring.analyses.shared.setting import coefficient_name
from scoring.stats import raters
from scoring.stats.correlation import Coefficient
from scoring.stats.data import Data
from scoring.stats.estimates import Estimate, Number, number


def workers(asked: Asked, scopes: list[Rated], both: Data) -> Workers:
    """Each worker beside the others; who lowers alpha most comes first."""
    wanted = asked.options.aspect or rated.ALL
    others = scopes[:1] if asked.apart else scopes[-1:]
    if asked.apart and wanted == rated.ALL:  # points of different scales
        wanted = ""
    chosen = [one for one in scopes if one.key == wanted] or others
    if not chosen:
        return {"aspect": "", "n_unknown": 0, "alpha": None, "rows": []}
    one = chosen[0]
    found = raters.leave_one_out(
        one.unit,
        one.rater,
        one.value,
        level=asked.level_of(one.key),
        coefficient=asked.options.coefficient,
    )
    seen = rated.pages(both.ratings)
    known = {str(who.rater): who for who in found.raters}
    names = [name for name in known if not name.startswith(rated.UNKNOWN)]
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
    pages: rated.Pages | None,
) -> Worker:
    return {
        "worker": name,
        "n": found.n if found else 0,
        **_compared(asked, one, found),
        **_of_pages(asked, pages),
    }


def _compared(asked: Asked, one: Rated, found: raters.Rater | None) -> BesideOthers:
    """One worker's ratings beside those of the others."""
    none = raters.Figure(None, "no rating that counts")
    level = asked.level_of(one.key)

    def made(
        name: str, part: raters.Figure | Coefficient, level: str | None = None
    ) -> Number:
        signed = asked.signed(name, one.key, level=level)
        n = part.n if isinstance(part, Coefficient) else None
        return number(Estimate(part.value, n=n, reason=part.reason, signature=signed))

    r = coefficient_name(asked.options.coefficient) + "-with-others"
    modal = raters.Figure(found.modal_share, None) if found else none
    return {
        "correlation": made(r, found.correlation if found else none),
        "change": made("alpha-without", found.alpha_change if found else none, level),
        "bias": made("bias", found.bias if found else none),
        "sd_ratio": made("sd-ratio", found.sd_ratio if found else none),
        "modal": made("modal-share", modal),
    }


def _of_pages(asked: Asked, pages: rated.Pages | None) -> Sittings:
    """What is known of a worker's sittings, discarded ones among them."""
    signed = asked.signed("pages", rated.ALL, qc="none")
    if pages is None:
        none = number(
            Estimate(None, reason="ratings from a file: no pages", signature=signed)
        )
        return {"seconds": none, "pages": none, "discarded": none}
    unknown = None if pages.seconds is not None else "not measured"
    return {
        "seconds": number(
            Estimate(pages.seconds, n=pages.n, reason=unknown, signature=signed)
        ),
        "pages": number(Estimate(pages.n, signature=signed)),
        "discarded": number(Estimate(pages.n_discarded, signature=signed)),
    }
