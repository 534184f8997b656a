"""References by kind: written for the prompt, or made by correcting the very text."""

import json
from pathlib import Path

import numpy as np
import pytest

from scoring.metrics import Example, get, names, option_fields
from scoring.metrics._references import kinds

EDITS = json.loads(
    (Path(__file__).parents[3] / "golden" / "post_edits.json").read_text()
)["edits"]

# Two outputs of one prompt. Each needs one edit in six words; the correction of the one
# is two or three edits away from the other.
A = Example(
    "the cat sat on the mat",
    references=("the cat slept",),
    targeted=("the dog sat on the mat",),
)
B = Example(
    "the cat sat beneath a mat",
    references=("the cat slept",),
    targeted=("the cat sat under a mat",),
)


def score(name, *examples, **options):
    return get(name)(**options).load()(list(examples))


def ter(*examples, **options):
    return score("ter", *examples, **options).values["ter"].tolist()


def readers() -> list[str]:
    found = (name for name in names())
    return [
        name
        for name in found
        if any(f.name == kinds.OPTION for f in option_fields(get(name).Options))
    ]


@pytest.mark.parametrize("row", EDITS, ids=lambda row: row["text"])
def test_hter_is_the_ter_of_sacrebleu_and_what_was_counted_by_hand(row):
    (found,) = ter(
        Example(row["text"], targeted=(row["correction"],)), reference_kind="targeted"
    )
    assert found == pytest.approx(row["ter"], abs=1e-9)
    assert found == pytest.approx(100 * row["edits"] / row["words"])


def test_there_are_twenty_edits():
    assert len({row["text"] for row in EDITS}) == len(EDITS) == 20


class TestOwnCorrections:
    def test_a_text_is_compared_with_its_own_only(self):
        assert ter(A, B, reference_kind="targeted") == pytest.approx([100 / 6] * 2)

    def test_pooled_over_the_prompt_they_would_blame_each_text_for_the_other(self):
        both = (*A.targeted, *B.targeted)
        pooled = [Example(one.text, references=both) for one in (A, B)]
        assert ter(*pooled, aggregate="mean") == pytest.approx([25, 100 / 3])

    def test_a_system_is_compared_text_by_text(self):
        from scoring.metrics import SystemTexts

        given = SystemTexts((A.text, B.text), examples=(A, B))
        scorer = get("corpus_ter")(reference_kind="targeted").load()
        found = scorer(given, np.random.default_rng(0)).values["corpus_ter"]
        assert found == pytest.approx([100 * 2 / 12])

    def test_a_text_that_nobody_corrected_has_no_score_and_a_reason(self):
        found = score(
            "ter", Example("a", references=("b",)), A, reference_kind="targeted"
        )
        assert np.isnan(found.values["ter"]).tolist() == [True, False]
        assert found.reasons["ter"] == ["nobody has corrected this text", None]

    def test_a_system_without_corrections_says_so(self):
        from scoring.metrics import SystemTexts

        given = SystemTexts(("a",), examples=(Example("a", references=("b",)),))
        scorer = get("corpus_ter")(reference_kind="targeted").load()
        found = scorer(given, np.random.default_rng(0))
        assert found.reasons["corpus_ter"] == "nobody has corrected this text"


class TestBothKinds:
    def test_the_closest_of_all_counts(self):
        far = Example("a b c", references=("x y z",), targeted=("a b d",))
        assert ter(far, reference_kind="all") == pytest.approx([100 / 3])
        assert ter(far, reference_kind="all", aggregate="mean") == pytest.approx(
            [(100 + 100 / 3) / 2]
        )

    def test_parts_are_those_of_the_prompt_first(self):
        found = score("ter", A, reference_kind="all")
        alone = ter(A) + ter(A, reference_kind="targeted")
        assert found.parts["ter.s"][0].tolist() == pytest.approx(alone)
        asked = get("ter")(reference_kind="all").explain(A)["ter"]
        assert [one.source for one in asked] == [*A.references, *A.targeted]

    def test_neither_is_there(self):
        found = score("chrf", Example("a"), reference_kind="all")
        assert found.reasons["chrf"] == [
            "there is no reference, and nobody has corrected this text"
        ]


class TestPrewritten:
    def test_corrections_change_nothing(self):
        plain = Example(A.text, references=A.references)
        assert ter(A) == ter(plain)

    def test_the_reason_is_the_one_that_scores_have_had(self):
        found = score("ter", Example("a", targeted=("b",)))
        assert found.reasons["ter"] == ["there is no reference"]


class TestSignatures:
    @pytest.mark.parametrize("name", readers())
    def test_scores_that_are_stored_stay_valid(self, name):
        """The default is not in it, so it is the text of earlier versions."""
        kind = get(name)
        plain, chosen = kind(), kind(reference_kind="prewritten")
        assert plain.signature() == chosen.signature()
        assert kinds.OPTION not in plain.signature()

    def test_that_of_ter_is_what_it_was(self):
        assert get("ter")().signature() == (
            "ter|aggregate:max|asian_support:False|case_sensitive:False|no_punct:False"
            "|normalized:False|v:2"
        )

    @pytest.mark.parametrize("name", readers())
    def test_other_kinds_are_in_it(self, name):
        found = {get(name)(reference_kind=kind).signature() for kind in kinds.KINDS}
        assert len(found) == 3

    def test_every_metric_that_needs_references_reads_all_kinds(self):
        needs = {name for name in names() if "references" in get(name).needs}
        assert needs <= set(readers()) and "bartscore" in readers()


def test_a_correction_spells_the_prefix_as_it_is_given():
    found = Example("it  is cold", "it is", targeted=("it  is warm",))
    assert found.targeted == ("it is warm",)
