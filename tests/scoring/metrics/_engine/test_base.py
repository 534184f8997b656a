from __future__ import annotations

from scoring.metrics import Example


class TestAnExampleThatRepeatsItsPrefixInAnotherSpelling:
    def test_begins_with_its_prefix_for_all_metrics(self):
        one = Example("the LAKE is cold.", prefix="The lake", sentences=("the LAKE",))
        assert one.text == "The lake is cold."
        assert one.sentences == ()

    def test_has_references_that_do_so_too(self):
        one = Example("x", prefix="The lake", references=("the lake froze.", "It did."))
        assert one.references == ("The lake froze.", "It did.")
