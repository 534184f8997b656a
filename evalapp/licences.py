"""Under which licences the installed packages are, and which of them are accepted.

Plain Python, from what each package says of itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from email import message_from_string
from email.message import Message
from importlib.metadata import Distribution, distributions
from typing import NamedTuple

# Permissive, MPL and LGPL: what the project's own Apache-2.0 code may be combined with.
ALLOWED = frozenset(
    "0BSD Apache-2.0 BSD BSD-2-Clause BSD-3-Clause BSL-1.0 CC0-1.0 CNRI-Python ISC"
    " LGPL-2.1-only LGPL-2.1-or-later LGPL-3.0-only LGPL-3.0-or-later MIT MIT-0 MIT-CMU"
    " MPL-2.0 PSF-2.0 Python-2.0 Unlicense Zlib ZPL-2.1".split()
)
# Anything else, with the reason why it is here all the same.
EXCEPTIONS = {
    "krippendorff": "a distribution with it falls under the GPL; see README.md",
}
# NVIDIA's own, part of torch's CUDA build. Nobody may pass them on as open source.
CUDA = re.compile(r"(nvidia|cuda)[-_]")
# Where a package says it in other words than SPDX's.
WORDS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0 License": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 3-Clause": "BSD-3-Clause",
    "BSD License": "BSD",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "Zope Public License": "ZPL-2.1",
}
# Where it says nothing but in a file, or in its repository.
STATED = {"axe-playwright-python": "MIT", "mlcroissant": "Apache-2.0"}
UNKNOWN = "unknown"


class Package(NamedTuple):
    name: str
    version: str
    licence: str  # in SPDX's words, where they are known

    @property
    def note(self) -> str | None:
        """Why it is here although its licence is not accepted."""
        if CUDA.match(self.name.lower()):
            return "NVIDIA's, part of torch's CUDA build"
        return EXCEPTIONS.get(self.name.lower())

    @property
    def is_accepted(self) -> bool:
        return bool(self.note) or is_allowed(self.licence)


def installed() -> list[Package]:
    """All packages that Python finds here, by name."""
    found = {
        one.name.lower(): Package(one.name, one.version, licence_of(_said_by(one)))
        for one in distributions()
    }
    return [found[name] for name in sorted(found)]


def _said_by(one: Distribution) -> Message:
    return message_from_string(one.read_text("METADATA") or "")


def refused(packages: Iterable[Package]) -> list[Package]:
    return [package for package in packages if not package.is_accepted]


def licence_of(said: Message) -> str:
    """What a package says: in one expression, else in classifiers, else in words."""
    if expression := said.get("License-Expression"):
        return str(expression)
    classifiers = [
        line.split(" :: ")[-1]
        for line in said.get_all("Classifier", [])
        if line.startswith("License :: ") and line.count(" :: ") > 1
    ]
    if classifiers:
        return " AND ".join(WORDS.get(words, words) for words in classifiers)
    words = str(said.get("License") or "").strip().partition("\n")[0]
    alternatives = (words or STATED.get(str(said["Name"]), UNKNOWN)).split(" OR ")
    return " OR ".join(WORDS.get(one, one) for one in alternatives)


def is_allowed(expression: str) -> bool:
    """Whether one may choose accepted licences alone. AND binds closer than OR."""
    if "(" in expression:  # not told apart: then all of them must do
        expression = re.sub(r"[()]", "", expression).replace(" OR ", " AND ")
    return any(
        all(part.split(" WITH ")[0].strip() in ALLOWED for part in both.split(" AND "))
        for both in expression.split(" OR ")
    )
