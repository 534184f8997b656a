"""The one sentence splitter: the same on every machine, with nothing to download.

NLTK's Punkt (Kiss & Strunk 2006, https://aclanthology.org/J06-4003) with parameters
of our own in sentences.json, trained by `python -m scoring.bundled.punkt`.
"""

from __future__ import annotations

import functools
import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

FILE = Path(__file__).with_name("sentences.json")


def name() -> str:
    """Tell program and parameters apart from any other version of either."""
    digest = hashlib.sha256(FILE.read_bytes()).hexdigest()
    return f"punkt-{version('nltk')}-{digest[:8]}"


# Part of the signature of every metric that splits: program and parameters.
NAME = name()


def split(text: str) -> list[str]:
    """Split into sentences, without the white space between them.

    >>> split("Dr. Watson came in. Nobody spoke.")
    ['Dr. Watson came in.', 'Nobody spoke.']
    """
    return _tokenizer().tokenize(text)


@functools.cache
def _tokenizer() -> PunktSentenceTokenizer:
    # Imported at the first sentence: nltk takes a second that listing metrics must not.
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    content = json.loads(FILE.read_text(encoding="utf-8"))
    parameters = PunktParameters()
    parameters.abbrev_types = set(content["abbreviations"])
    parameters.collocations = {tuple(pair) for pair in content["collocations"]}
    parameters.sent_starters = set(content["sentence_starters"])
    parameters.ortho_context.update(content["orthography"])
    return PunktSentenceTokenizer(parameters)
