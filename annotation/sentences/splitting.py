"""The one sentence splitter: the same on every machine, with nothing to download.

NLTK's Punkt (Kiss & Strunk 2006, https://aclanthology.org/J06-4003) with parameters
of our own in sentences.json, trained by `python -m benchmarks.bundled.punkt`. It looks
for the full stops of English; those of other scripts always end a sentence.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

FILE = Path(__file__).with_name("sentences.json")
# Of Chinese, Japanese, Arabic, Urdu and Hindi, with what closes a quotation. Behind 」
# the sentence that quotes goes on.
STOPS = re.compile(r"(?<![。！？؟۔।॥])[。！？؟۔।॥]++[”’»）】》]*+(?![」』])")


def name() -> str:
    """Tell program and parameters apart from any other version of either."""
    digest = hashlib.sha256(FILE.read_bytes() + STOPS.pattern.encode()).hexdigest()
    return f"punkt-{version('nltk')}-{digest[:8]}"


# Part of the signature of every metric that splits: program and parameters.
NAME = name()


def split(text: str) -> list[str]:
    """Split into sentences, without the white space between them.

    >>> split("Dr. Watson came in. Nobody spoke.")
    ['Dr. Watson came in.', 'Nobody spoke.']
    """
    return [part for one in _tokenizer().tokenize(text) for part in _parts(one)]


def _parts(sentence: str) -> list[str]:
    ends = [stop.end() for stop in STOPS.finditer(sentence)]
    parts = (
        sentence[start:end].strip()
        for start, end in zip([0, *ends], [*ends, len(sentence)], strict=True)
    )
    return [part for part in parts if part]


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
