"""Damages that know no words of their own work in scripts unlike the Latin one."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.perturbations import PERTURBATIONS
from tests.annotation.sentences.test_words import ARABIC, CHINESE, HINDI, JAPANESE

TEXTS = {"zh": CHINESE, "ja": JAPANESE, "ar": ARABIC, "hi": HINDI}
# Runs of words, which nobody can tell where no space parts them.
NEEDS_SPACES = {"scramble"}


@pytest.mark.parametrize(
    ("name", "language"),
    [
        (name, language)
        for name, one in PERTURBATIONS.items()
        for language in TEXTS
        if not one.english
        if language not in ("zh", "ja") or name not in NEEDS_SPACES
    ],
)
def test_a_text_is_damaged_and_its_letters_keep_their_marks(name, language) -> None:
    text = TEXTS[language]
    damaged = PERTURBATIONS[name].apply(text, np.random.default_rng(3))
    assert damaged and set(damaged) <= set(text)
    assert (damaged == text) is PERTURBATIONS[name].from_elsewhere
    if language in ("ar", "hi"):
        words, now = (
            {word.strip("।?؟.،") for word in one.split()} for one in (text, damaged)
        )
        assert now <= words


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_a_text_without_spaces_breaks_off_in_a_sentence(language) -> None:
    text = TEXTS[language]
    damaged = PERTURBATIONS["truncate"].apply(text, np.random.default_rng(3))
    assert damaged and text.startswith(damaged) and damaged[-1] not in "。！？"
