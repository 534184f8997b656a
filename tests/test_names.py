"""Names say what they hold: what is empty may only become less."""

from __future__ import annotations

from pathlib import Path

from tests.support.bound_names import ROOT, counts, listed, modules

# Words in -ing that name a thing of the field, not what a file does.
NOUNS = frozenset(
    "billing binding building ceiling counting drawing embedding encoding grouping"
    " heading listing mailing matching meaning ordering probing ranking rating reading"
    " resampling routing sampling scoring seating setting smoothing spelling streaming"
    " string thing throttling timing training weighting wording".split()
)
# Files called after what they do. May only shrink: call a new one after what is in it.
VERBS = Path(__file__).parent / "support" / "files_called_after_verbs.txt"


def test_no_module_has_more_names_that_say_nothing_than_before() -> None:
    """If yours falls, `python -m tests.support.bound_names` notes it for good."""
    before = listed()
    worse = {}
    for path in modules():
        name = str(path.relative_to(ROOT))
        empty, vague = counts(path)
        most_empty, most_vague = before.get(name, (0, vague))
        if empty > most_empty or vague > most_vague:
            worse[name] = f"{empty} empty, {vague} vague; {most_empty}, {most_vague}"
    assert not worse


def test_no_new_file_is_called_after_what_it_does() -> None:
    names = {str(path.relative_to(ROOT)) for path in modules()}
    verbs = {
        name
        for name in names
        if Path(name).stem.endswith("ing")
        and Path(name).stem.strip("_").split("_")[-1] not in NOUNS
    }
    assert not verbs - set(VERBS.read_text().split())
