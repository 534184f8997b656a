import pytest
from django.template.loader import render_to_string

from scoring.drawing.passages import DEPTHS, Passage, Stretch
from scoring.drawing.sections import Section


@pytest.mark.parametrize(
    "share, depth", [(0, 0), (0.01, 1), (0.25, 1), (1 / 3, 2), (0.75, 3), (1, DEPTHS)]
)
def test_more_is_deeper_and_any_is_seen(share, depth):
    assert Stretch("word", share).depth == depth


def test_words_are_shown_as_they_are_with_what_their_look_means():
    stretches = (
        Stretch("a <b>\n", 0),
        Stretch("c", 0.5, underlined=True, says="marked by 1 of 2"),
    )
    section = Section("texts", "Texts", passages=(Passage("t1", stretches),))
    html = render_to_string("scoring/_analysis_section.html", {"section": section})
    assert "<h3>t1</h3>" in html
    assert "a &lt;b&gt;\n<mark" in html
    assert '<mark class="depth-2 underlined" title="marked by 1 of 2">c</mark>' in html
