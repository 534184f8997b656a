"""What Prolific's API is asked, and its answers in types.

Amounts are whole numbers of the smallest unit, such as pence, as Prolific sends them;
a bonus that is set up is written in units, "1.50".
https://docs.prolific.com/api-reference
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.crowd.prolific_client import Answer, Client, Unknown

PER_PAGE = 100
MOST_PAGES = 100  # of submissions: 10,000 people
MOST_AT_ONCE = 200  # people whom one call approves or gives a bonus
SHORTEST_REASON = 100  # characters that Prolific asks for a rejection

ACTIONS = ("PUBLISH", "PAUSE", "START", "STOP")
AWAITING, APPROVED, REJECTED = "AWAITING REVIEW", "APPROVED", "REJECTED"
# Of those that Prolific offers, what a study of ratings can say.
CATEGORIES = {
    "TOO_QUICKLY": "Finished much too quickly",
    "FAILED_CHECK": "Failed attention checks",
    "LOW_EFFORT": "Little effort",
    "NO_DATA": "No data",
    "OTHER": "Something else",
}


@dataclass(frozen=True, slots=True)
class AtProlific:
    """A study there."""

    id: str
    status: str
    places: int | None
    reward: int | None
    currency: str
    total_cost: int | None  # with fees, if all places are filled


@dataclass(frozen=True, slots=True)
class Sent:
    """A submission there."""

    id: str
    participant: str
    status: str
    bonus: int | None  # all of them together; None: not said in a way that we know


@dataclass(frozen=True, slots=True)
class SetUp:
    """Bonuses that are known there and not paid."""

    id: str
    amount: int | None
    fees: int | None
    total: int | None


def create_draft(client: Client, facts: Mapping[str, Any]) -> AtProlific:
    """Make a draft, which costs nothing."""
    return _study(client.post("/api/v1/studies/", facts, again=False))


def find_draft(client: Client, internal_name: str) -> AtProlific | None:
    """The one that an earlier attempt made, whose answer was lost."""
    found = client.get("/api/v1/studies/", state="UNPUBLISHED")
    for one in _rows(found):
        if one.get("internal_name") == internal_name:
            return _study(one)
    return None


def study(client: Client, study_id: str) -> AtProlific:
    return _study(client.get(f"/api/v1/studies/{study_id}/"))


def transition(client: Client, study_id: str, action: str) -> AtProlific:
    """Publish, pause, start again or stop. The same twice changes nothing more."""
    path = f"/api/v1/studies/{study_id}/transition/"
    return _study(client.post(path, {"action": action}, again=False))


def cost(client: Client, study_id: str) -> dict[str, int | None]:
    """What rewards and bonuses have cost so far, each with fees and tax."""
    found = client.get(f"/api/v1/studies/{study_id}/cost/")
    return {kind: _total(found.get(kind)) for kind in ("rewards", "bonuses")}


def submissions(client: Client, study_id: str) -> list[Sent]:
    """All of them.

    Raises:
        Unknown: There are more than can be read.
    """
    path, found = f"/api/v1/studies/{study_id}/submissions/", list[Sent]()
    for n in range(MOST_PAGES):
        rows = _rows(client.get(path, limit=PER_PAGE, offset=n * PER_PAGE))
        known = {one.id for one in found}
        new = [one for one in map(_sent, rows) if one.id and one.id not in known]
        found += new
        # One that takes no offset would send the same people for ever.
        if len(rows) < PER_PAGE or not new:
            return found
    raise Unknown(f"There are more than {MOST_PAGES * PER_PAGE:,} submissions.")


def approve(client: Client, ids: Sequence[str]) -> None:
    """Approve them, which takes minutes. Approving twice changes nothing."""
    body = {"submission_ids": list(ids)}
    client.post("/api/v1/submissions/bulk-approve/", body, again=False)


def reject(client: Client, submission_id: str, category: str, message: str) -> None:
    body = {"action": "REJECT", "rejection_category": category, "message": message}
    client.post(f"/api/v1/submissions/{submission_id}/transition/", body, again=True)


def set_up_bonuses(
    client: Client, study_id: str, amounts: Iterable[tuple[str, int]]
) -> SetUp:
    """Tell Prolific who gets how much. Nothing is paid by it.

    Args:
        client: With the token.
        study_id: At Prolific.
        amounts: Of submissions, in the smallest unit.
    """
    lines = [f"{one},{in_units(amount)}" for one, amount in amounts]
    body = {"study_id": study_id, "csv_bonuses": "\n".join(lines)}
    found = client.post("/api/v1/submissions/bonus-payments/", body, again=False)
    if not (batch := _id(found)):
        raise Unknown("Prolific did not say under which number it keeps the bonuses.")
    amount, fees = _whole(found.get("amount")), _whole(found.get("fees"))
    return SetUp(batch, amount, fees, _whole(found.get("total_amount")))


def pay_bonuses(client: Client, batch_id: str) -> None:
    """Pay what was set up. NOT the same twice: Prolific would pay everyone again."""
    client.post(f"/api/v1/bulk-bonus-payments/{batch_id}/pay/", {}, again=False)


def in_units(amount: int) -> str:
    return f"{Decimal(amount) / 100:.2f}"


# Reading answers, which are material to check --------------------------------------


def _study(found: Answer) -> AtProlific:
    if not (study_id := _id(found)):
        raise Unknown("Prolific sent a study without a number.")
    currency = found.get("presentment_currency_code") or found.get("currency_code")
    return AtProlific(
        id=study_id,
        status=_text(found.get("status")).upper().replace("_", " "),
        places=_whole(found.get("total_available_places")),
        reward=_whole(found.get("reward")),
        currency=_text(currency).upper()[:3],
        total_cost=_whole(found.get("total_cost")),
    )


def _sent(found: Answer) -> Sent:
    return Sent(
        id=_id(found),
        participant=_text(found.get("participant_id") or found.get("participant")),
        status=_text(found.get("status")).upper().replace("_", " "),
        bonus=_bonus(found.get("bonus_payments")),
    )


def _bonus(found: object) -> int | None:
    """Their sum. None where the answer has another form, so that nobody trusts a 0."""
    if not isinstance(found, list):
        return None
    amounts = [one.get("amount") if isinstance(one, dict) else one for one in found]
    whole = [_whole(one) for one in amounts]
    return None if None in whole else sum(one for one in whole if one is not None)


def _total(found: object) -> int | None:
    """Of an amount with its parts: the total, else all parts together."""
    if not isinstance(found, dict):
        return _whole(found)
    for name in ("total", "total_cost", "total_amount"):
        if name in found:
            return _total(found[name])
    if "amount" in found:
        return _whole(found["amount"])
    parts = [_total(one) for one in found.values()]
    known = [one for one in parts if one is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _rows(found: Answer) -> list[Answer]:
    rows = found.get("results")
    if not isinstance(rows, list):
        raise Unknown("Prolific sent a list in a form that EvalApp does not know.")
    return [one for one in rows if isinstance(one, dict)]


def _id(found: Answer) -> str:
    """It becomes part of an address: letters and digits only."""
    given = found.get("id")
    if not isinstance(given, str) or not given.isascii() or len(given) > 64:
        return ""
    return given if given.replace("-", "").isalnum() else ""


def _whole(given: object) -> int | None:
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return int(given) if 0 <= given < 10**9 and given == int(given) else None


def _text(given: object) -> str:
    return given.strip()[:64] if isinstance(given, str) else ""
