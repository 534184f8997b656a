"""Ten people, each of whose words and ids occur nowhere else in the world."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields

SEED = 20261128
PEOPLE = 10


@dataclass(frozen=True)
class Person:
    """What a person gives away, knowingly or not. Each part is unlike all others."""

    number: int
    platform_id: str
    session: str  # of the platform
    address: str  # of email
    name: str
    network: str  # the address that they come from
    agent: str  # what their browser calls itself
    comment: str
    report: str
    correction: str
    rater: str  # as a file calls them
    message: str  # of a dialogue that a file brings
    refusal: str  # what a mail server says of them
    submission: str  # their number at Prolific
    verdict: str  # what a researcher writes about them

    def marks(self) -> dict[str, str]:
        return {part.name: getattr(self, part.name) for part in fields(self)[1:]}


def ten(seed: int = SEED) -> list[Person]:
    chance = random.Random(seed)
    return [_person(number, chance) for number in range(PEOPLE)]


def _person(number: int, chance: random.Random) -> Person:
    def word(digits: int = 16) -> str:
        return "".join(chance.choices("0123456789abcdef", k=digits))

    def words() -> str:
        # With what JSON, addresses and HTML write otherwise; in one piece on a page.
        return f"Zq{word(8)}-ÄŒ\N{HIRAGANA LETTER A}{word(8)}"

    address = f"Zq.{word()}@{word(10)}.example"
    return Person(
        number=number,
        platform_id=f"{number:02}{word(22)}",
        session=word(24),
        address=address,
        name=words(),
        network=f"2001:db8:{':'.join(word(4) for _ in range(6))}",
        agent=f"Browser/{word()}",
        comment=words(),
        report=words(),
        correction=words(),
        rater=words(),
        message=words(),
        refusal=f"mailbox-{word()}",
        submission=word(24),
        verdict=words(),
    )
