"""The paper's protocol: texts of a common length, without an unfinished end. Pure."""

from __future__ import annotations

import re
from itertools import islice

from annotation import sentences

WORD = re.compile(r"\S+")
# What closes a sentence, and the quotes and brackets that may follow it.
FINISHED = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"'\u2019\u201d\u00bb)\]]*\Z")


def cut(text: str, n_words: int) -> str:
    """Keep the first `n_words`, then drop a last sentence that is not complete.

    Ke et al. (2022, section 4.1) "set the maximum length of generated texts to be 80
    and remove the last sentence if it is not complete". Words are what white space
    separates, since the tokens of another system's vocabulary would depend on it. A
    text of one unfinished sentence keeps it: nothing would be left.
    """
    words = list(islice(WORD.finditer(text), n_words))
    kept = text[: words[-1].end()] if words else text
    found = sentences.split(kept)
    if len(found) < 2 or FINISHED.search(found[-1].rstrip()):
        return kept
    return kept[: kept.rindex(found[-1])].rstrip()
