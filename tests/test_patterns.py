"""Every pattern of the project, on texts made to keep it busy.

One quadratic pattern and one long cell once froze the site for all. So each pattern
stands here with texts that nearly match it; one that is not listed fails the test.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.hostile import TooLong, bounded, repeated

ROOT = Path(__file__).resolve().parent.parent
APPS = ("annotation", "evalapp", "scoring")
MAKERS = ("import re\n", "Regex")
METHODS = ("fullmatch", "search", "sub")

# For all of them: what repeats, and what then spoils the match.
PUMPS = ("a", "A", "1", " ", "\n", ".", "'", "-", "a-", "Aa ", "a. ", "1,", "\u0300")
TAILS = ("", "!", "\n_")

# For each of them: a start, what repeats, and an end.
WORDS = (("", "a'", "'"), ("a", "-a", "-"))
LETTERS = (("a", "a", "!"), ("", "-", "!"))
HOSTILE: dict[str, tuple[tuple[str, str, str], ...]] = {
    "annotation.crowd.forms.pages TIME": (("", "1", ":"), ("", "11:1", "x")),
    "annotation.crowd.invites INVITED": (("invite-", "1", "!"),),
    "annotation.crowd.signatures TOKEN": (
        ("eyJ", "a", "!"),
        ("eyJa.", "a", "!"),
        ("eyJa.a.", "a", "!"),
    ),
    "annotation.contrib.mturk.views ID": LETTERS,
    "annotation.kinds.edits.words WORD": (
        ("", "a ", "a"),
        ("", "a", " "),
        ("", "你", "a"),
    ),
    "annotation.imports._cells WHOLE": (("1.", "0", "!"), ("", "1", "!")),
    "annotation.imports._cells NUMBER": (
        ("", "1", "!"),
        (".", "1", "e"),
        ("1e", "1", "!"),
    ),
    "annotation.imports._cells FLOAT_ID": (("", "1", "."), ("1.", "0", "!")),
    "annotation.imports._names BESIDE_RATINGS": (("", "z", "!"), ("count", "s", "-")),
    "annotation.imports._names OF_COMMENTS": (("", "notes", "a"), ("", "begr", "u")),
    "annotation.imports._profile _DATE": (("", "1", "!"), ("1", "-1", "!")),
    "annotation.imports._totals _LETTERS": LETTERS,
    "annotation.imports._dialects _ESCAPED": (("", "\\", "a"), ("", "\\\\", "!")),
    "annotation.imports._dialects _COMMA_OF_PROSE": (("", ", ", "1"), ("", ",", " ")),
    "annotation.imports._values _CODE": (("", "A", "!"), ("A", "0", "!")),
    "annotation.imports._written COMMA": (("", "1", "!"), ("1,", "1", "!")),
    "annotation.imports._written THOUSANDS": (("1", ",123", "!"), ("1", ",12", "!")),
    "annotation.imports._written _PARTED": (("1", ".123", "!"), ("", "1", "!")),
    "annotation.imports._written _SPACED": (("1", " 123", "!"), ("1", " 12", "!")),
    "annotation.imports._written _BOTH": (("1", ",123", "."), ("1,123.", "1", "!")),
    "annotation.imports._written _OTHER_WAY": (("1", ".123", ","), ("1.123,", "1", "")),
    "annotation.imports._written _OF": (("1", " ", "/"), ("", "1", "/")),
    "annotation.imports._written _PERCENT": (("", "1", " "), ("1,", "1", " ")),
    "annotation.imports._written _STARS": (("", "★", "!"), ("★", "☆", "!")),
    "annotation.imports._names COUNTS": (("", "id", "!"), ("total", "a", "-")),
    "annotation.imports._names OF_RATER_ID": (
        ("worker", " id", "!"),
        ("anon", "a", " worker"),
    ),
    "annotation.imports._names OF_CHOICES": (("", "best", "a"), ("", "b", "!")),
    "annotation.imports._written COMMAS": (("1", ",1", "!"), ("1", " ,1", ",")),
    "annotation.imports._names OF_SETTINGS": (("", "top ", "k"), ("", "beam", "!")),
    "annotation.imports._names NOT_PEOPLE": (
        ("suggest", "a", "-"),
        ("", "judge ", "1"),
    ),
    "annotation.imports._names SYSTEMS": (
        ("", "system", "-"),
        ("phi", "1", "-"),
    ),
    "annotation.imports._names _METRIC": (("", "bleu", "!"), ("rouge", "a", "")),
    "annotation.imports._names OF_RATER": (("", "a ", "rater"), ("a rater ", "a", "!")),
    "annotation.imports._names RATER_HEAD": (("rater ", "a", "!"), ("", "1", "a")),
    "annotation.imports._profile _UNSPACED": (("", "a", "你"),),
    "annotation.imports._values _AFTER": (("(", " ", "1"), ("(", "1", "!")),
    "annotation.imports._values _BESIDE": (("(1)", " ", "1"), ("1", "-", "1")),
    "annotation.imports._cutting WORD": (("", "a ", "a"),),
    "annotation.imports._cutting FINISHED": ((".", '"', "x"), ("", ".)", "x")),
    "annotation.imports._dialects _SEP": (("sep=;", ";", "!"), ("sep=;", "\n", "a")),
    "annotation.imports._dialects _of_header": (('"', "a", ""), ("", '"a', "")),
    "annotation.imports._json _SPACE": (("", " \t", "x"),),
    "annotation.imports._keys _INVENTED": (("t-", "1", "!"), ("t-0001#", "#", "\n")),
    "annotation.imports._keys _NUMBER": (("", "1", "!"), ("1#", "#", "\n")),
    "annotation.imports._mapping _WORDS": (("", "a_", "!"), ("", "_", "a")),
    "annotation.imports._problems _VALUE": (
        *(("", '"', "a"), ('"', "1,", ""), ("1", ",.", "a")),
    ),
    "annotation.imports._names _WORDS": (("", "a", "_"), ("", "_", "a")),
    "annotation.imports.files._members _KEYS": (
        ('"a', "a", '"'),
        ('"a"', " ", "x"),
        ("", '"a', ""),
        ("", '"a" ', ""),
    ),
    "annotation.imports._rows scale_range": (("1-", "1", "!"), ("", "1", "-")),
    "annotation.imports._rows _whole": (("", "1", "!"),),
    "annotation.imports._votes _turk_ballot": (("", " ", "text"), ("text", " ", "3")),
    "annotation.imports.presets._argilla _WORD": (("", "a", "_"), ("", "_", "a")),
    "annotation.imports.presets._grids _WORDS": (("", "a", "_"), ("", "_", "a")),
    "annotation.imports.presets._wide _WORDS": (("", "a", "_"), ("", "_", "a")),
    "annotation.imports.presets.label_studio _WORD": (("", "a", "_"), ("", "_", "a")),
    "annotation.imports.presets.mturk _PARTS": (("", "a", "_"), ("", "_", "a")),
    "annotation.imports.presets.mturk _WORDS": (("", "a", "_"), ("", "_", "a")),
    "annotation.imports.presets.pairs _WORDS": (("", "a", "_"), ("", "_", "a")),
    "annotation.imports.presets.parallel_lists _WORDS": (
        ("", "a", "_"),
        ("", "_", "a"),
    ),
    "annotation.perturbations._inflection _TOKEN": (
        *(("", "n'", "t"), ("", "nn", "'t1"), ("", "U.", "!"), ("a", "\u0300", "'")),
        *(("1", ".1", "."), ("", "'s", "a"), ("", "((", "a")),
    ),
    "annotation.perturbations._text _FINISHED": ((".", '"', "x"), ("", ".)", "x")),
    "annotation.perturbations.negate _ALREADY_SHORT": (("", "don't", "x"),),
    "annotation.perturbations.negate _ALREADY_LONG": (("", "is ", "no"),),
    "annotation.perturbations.negate _PAIRED": (("", "every", "thin"),),
    "annotation.perturbations.negate _PLAIN": (("had ", "e", "!"), ("", "had ", "!")),
    "annotation.perturbations.negate _JOINED": (("", "it'", "s1"),),
    "annotation.perturbations.rename _NAME": (
        *(("A", "a'", "'"), ("Aa", " Aa", "9"), ("A", "a", "9")),
    ),
    "annotation.perturbations.rename _THING": (
        *(("the ", "a", "!"), ("the abc ", "e", "!"), ("", "the abc ", "e")),
    ),
    "annotation.perturbations.scramble _WORD": (
        *(("a", "-a", ";"), ("", "a", ";"), ("", "\u0915\u093e", ";")),
    ),
    "annotation.perturbations.scramble _STOP": (("", "a.", "a"),),
    "annotation.perturbations.swap _WORD": (
        *(("", "a", "'"), ("", "a-", ""), ("", "\u0915\u093e", "'")),
    ),
    "annotation.perturbations.swap _ENDING": (("", "ing", "e"),),
    "annotation.perturbations.truncate _GAP": (("", "a ", "1"), ("", " a", " ")),
    "annotation.perturbations.truncate _CALLING": (("", "the ", "x"), ("", "a", "x")),
    "annotation.contrib.mailing.sending ADDRESS": (
        *(("", "a", "@"), ("", "a@", "<"), ("", "@", "a"), ("", "a.", " ")),
    ),
    "annotation.contrib.mailing.sending _said": (("", "ann", "a"), ("", "a", "nn")),
    "annotation.contrib.prolific.paying ID": (("", "a1", "g"), ("", "0", " ")),
    "annotation.storable.secrets _spelled": (
        *(("", "\\", "x"), ("%", "25", "x"), ("&#", "0", "x"), ("c", "\r\n", "x")),
    ),
    "annotation.contrib.mailing.writing PLACE": (("", "{", "name"), ("{", "name", "}")),
    "annotation.platforms._base KEPT": LETTERS,
    "annotation.platforms.connect PATH": (
        ("/participant/project/", "a", "/completex"),
        ("/participant/project/", "a-", "/"),
    ),
    "annotation.platforms.connect shape": LETTERS,
    "annotation.platforms.direct shape": (("invite-", "1", "!"), ("", "a", "!")),
    "annotation.platforms.mturk shape": LETTERS,
    "annotation.platforms.prolific shape": LETTERS,
    "annotation.platforms.sona HOST": (
        ("", "a", ".sona-systems.comx"),
        ("", "a-", "."),
    ),
    "annotation.platforms.sona NUMBER": (("", "1", "!"),),
    "annotation.platforms.sona TOKEN": LETTERS,
    "annotation.platforms.sona shape": LETTERS,
    "annotation.sentences.scripts _ASCII_WORD": WORDS,
    "annotation.sentences.splitting STOPS": (("", "。", "」"), ("。", "”", "」")),
    "annotation.sentences.words _UNSPACED": (("", "a", "猫"),),
    "annotation.spreadsheets.__init__ _FORMULA": (("", ";", "a"), ("", ";=", "")),
    "annotation.storable.__init__ REFUSED": (("", "a", "\0"), ("", "é", "")),
    "annotation.studies.creating NAME": LETTERS,
    "annotation.studies.creating aspect_key": (("", "a!", "!"), ("", "!", "a")),
    "annotation.views.forms.uploads NOT_SLUG": (("", "!", "a"), ("", "a!", "")),
    "annotation.views.forms.studies validators": LETTERS,
    "evalapp.assets.modules AT_ONCE": (
        ("import ", "a", "\n"),
        ("", "import a from ", ""),
    ),
    "evalapp.assets.modules LATER": (("", 'import("', ""), ('import(".', "a", "\n")),
    "evalapp.contrib.institution.claims NOT_IN_A_NAME": (
        ("", "'", "a"),
        ("", "a'", ""),
    ),
    "evalapp.cage.readers._sheets _REGION": (
        ("", "<mergeCell ", ""),
        ("<mergeCell ", "ref=", "'A1:B2'"),
        ("<", "a", ":mergeCell"),
        ("", "<a:mergeCell ref='A1", ""),
    ),
    "evalapp.cage.readers._sheets _VALUE": (("<", "a", ":v>"), ("", "<v", "")),
    "evalapp.cage.readers._sheets _ROW": (("<", "a", ":row>"), ("", "<row", "")),
    "evalapp.cage.readers.excel _WORDS": (("", "a", "_"), ("", "_", "a")),
    "evalapp.environment BUCKET": (("a", "-", "!"), ("", "a.", "-")),
    "evalapp.environment SERVER": (("a", ".", ":"), ("[", ":", "!"), (":", "1", "!")),
    "evalapp.environment REGION": (("a", "-", "!"),),
    "evalapp.licences CUDA": (("nvidia", "-a", "_"),),
    "evalapp.licences is_allowed": (("", "(", ""), ("", "MIT OR ", "")),
    "evalapp.storage.names _PART": (("a", ".", "/"), (".", ".", "a")),
    "scoring.corpora.keeping NAME": LETTERS,
    "scoring.drawing.tables unit": (("", "inf", "x"),),
    "scoring.evaluators.previews _GAP": (("", "<mask_token", ""), ("", "<", "mask")),
    "scoring.metrics._cdm.segments _WORD": WORDS,
    "scoring.metrics._check.facts KEY": (("a", "_a", "_"), ("", "a", "_")),
    "scoring.metrics._check.facts signs": (("", "|v:1", "x"), ("|v:", "1", "x")),
    "scoring.contrib.argent_grid.management.commands.argent_grid prefixed": LETTERS,
    "scoring.metrics._ctrleval.both_sides output_of": LETTERS,
    "scoring.metrics._ctrleval.both_sides problems_of_names": LETTERS,
    "scoring.metrics._ctrleval.placeholders _ANY": (("", "<a", ""), ("<", "a", "!")),
    "scoring.metrics._ctrleval.tables _NAME": LETTERS,
    "scoring.metrics.judge.questions _KEY": LETTERS,
    "scoring.metrics.judge.questions _LINE": (
        *(("a: x", " ", "y"), ("a", " ", "!"), ("a 1", " ", "-"), ("a 1-1", " ", "!")),
        *(("a:", " x", ""), ("", "1-", ":"), ("a ", "1", "-1:")),
    ),
    "scoring.metrics.judge.questions _BRACES": (
        *(("{", " ", "!"), ("{", "a", "!"), ("", "{ a ", ""), ("{a", " ", "!")),
    ),
    "scoring.metrics._engine.models HUB_NAME": (("a", "/a", "@"), ("a", ".-", "/")),
    "scoring.metrics._engine.models _CHECKPOINT": (("a/", "a", "!"), ("", "a/", "")),
    "scoring.endpoints.capabilities _highest": (("", "1", "1"), ("", "11 ", "a")),
    "scoring.endpoints.capabilities UNKNOWN_FIELD": (
        *(("", "not ", "x"), ("", "unrecogni", "x")),
    ),
    "scoring.endpoints.readings BOXED": (
        *(("\\boxed{", "a", "{"), ("", "$", "x"), ("", "\\boxed{", "")),
    ),
    "scoring.metrics.judge.control_tokens __init__": (("", "<", "s>"), ("", "</", "")),
    "scoring.metrics.judge.prompts _FIELD": (("{", "a", "!"), ("", "{a", "")),
    "scoring.metrics.judge.prompts _LINES": (("", "\r", "x"), ("", "\n", "x")),
    "scoring.metrics.judge.prompts _PARAGRAPHS": (
        *(("\n", " ", "x"), ("", "\n ", "x"), ("", "\r\n\t", "x"), ("", "\r", "")),
    ),
    "scoring.metrics.judge.prompts _QUOTED": (
        *(("“{", "a", "!"), ("", "“ {a} ", ""), ("", "“", "{a}"), ("“", " ", "{a}")),
    ),
    "scoring.endpoints.readings SCALE_ENDS": (("/", "1", "x"), ("", "outof", "")),
    "scoring.metrics._learning.argent_task _WORD": (("", "a ", "a"),),
    "scoring.metrics._learning.hygiene _WORD": (("", "a ", "a"),),
    "scoring.metrics._learning.union_negatives _WORD": WORDS,
    "scoring.metrics.names_and_numbers _WORD": (
        *(("", "U.", "1"), ("a", "-a", "'s"), ("a", "'a", "'s"), ("", "a&", "'")),
    ),
    "scoring.metrics.names_and_numbers _DIGITS": (("1", ".1", "."), ("", "1", "x")),
    "scoring.metrics.names_and_numbers _GROUPED": (("1", ",111", ","), ("", "1,", "")),
    "scoring.metrics.names_and_numbers _NUMBER_WORDS": (
        *(("", "twenty-", ""), ("", "twenty ", "x"), ("", "one", "x")),
    ),
    "scoring.migrations.0001_squashed_0027_runs_know_their_file validators": LETTERS,
    "scoring.models.publications LICENCE": LETTERS,
    "scoring.contrib.papers.bibtex _address": (("", "{", "a"), ("", "a{", "")),
    "scoring.contrib.papers.bibtex of_data_set": (("", "!", "a"), ("", "a!", "")),
    "scoring.contrib.papers.every_eval_ever _path": (("", "!", "a"), ("", "a!", "")),
    "scoring.publishing.markdown SPECIAL": (("", "*", "a"), ("", "a*", "")),
    "scoring.runs.score_lines _LETTERS": LETTERS,
    "scoring.runs.score_lines WORD": (("", "a.", "!"),),
    "scoring.runs.devices NAMES": (("cuda:", "1", "!"), ("", "cuda:", "1")),
    "scoring.scores.outputs COMMON_WORD": (("A", "a", "1"), ("Aa-", "a", "-")),
    "scoring.contrib.probing.forms options": (("", ", ", "x"), ("", " ", "x")),
    "scoring.contrib.probing.forms refuse": (("", "a", "é"),),
    "scoring.contrib.probing.protocols._edits _WORD": (*WORDS, ("a", " \t", "\n")),
    "scoring.contrib.probing.protocols._edits _MARK": (("", "a.", ""),),
    "scoring.contrib.probing.protocols._edits _first_third": (("", "a ", ""),),
    "scoring.analyses.shared.page_metrics brief": (("sha256:", "a", "!"),),
    "scoring.runs.catalogue definition": (("", "\n ", "x"), ("\n", " ", "x")),
    "scoring.runs.catalogue _block": (("", "- \n", "x"),),
    "scoring.runs.forms refuse": (("", "a", "é"),),
    "scoring.runs.score_lines _ODD": (("", "/", "a"), ("", "a/", "")),
    "scoring.contrib.tool_results.readers.lm_eval _TASK": (
        *(("samples_", "a_2026-01-01T", "x"), ("samples_a_2026-01-01T", "1.", "x")),
    ),
    "scoring.scores.allowed_models BUNDLED_NAME": (("bundled:", "a", "!"),),
    "scoring.scores.outputs label": (("", "comet", "x"),),
    "scoring.scores.versions VERSION": (("", "|v:1", "x"), ("|v:", "1", "x")),
    "scoring.stats.data numbers": (("1", " ", "x"), ("1-", " ", "x"), ("", "1", "-")),
    "scoring.templatetags.results ticks": (
        ("`", "a", ""),
        ("", "`", "a"),
        ("", "`a", ""),
    ),
    "scoring.training.forms refuse": (("", "a", "é"),),
}
# A pattern that is put together from what a call is given, as it may come out.
EXAMPLES = {
    "scoring.metrics.judge.control_tokens __init__": "</s>|<s>",
    "scoring.scores.outputs label": r"comet\b",
    "annotation.contrib.mailing.sending _said": r"(?<!\w)ann(?!\w)",
    "annotation.storable.secrets _spelled": (
        r"(?:\\{0,3}s|\\{1,3}u0073|%(?:25){0,3}73|&(?:amp;)?#0{0,4}115;)(?:\\{0,3}k)"
        r"|c(?:\\r|\\n|[\r\n]){0,4}2(?:\\r|\\n|[\r\n]){0,4}s"
    ),
}
# Used at the start of a text or on all of it: what `search` would cost never arises.
ANCHORED = {
    "annotation.imports._names OF_RATER": ("fullmatch",),
    "annotation.imports._names RATER_HEAD": ("fullmatch",),
    "annotation.imports._cells WHOLE": ("fullmatch",),
    "annotation.imports._cells NUMBER": ("fullmatch",),
    "annotation.imports._votes _turk_ballot": ("match",),
    "scoring.metrics.judge.questions _LINE": ("fullmatch",),
    "scoring.stats.data numbers": ("fullmatch",),
}


def calls(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.Call]]:
    """Calls that make a pattern, and the name, function or keyword they stand in."""
    for child in ast.iter_child_nodes(tree):
        inner = owner
        if isinstance(child, ast.FunctionDef):
            inner = child.name
        elif isinstance(child, ast.Assign) and isinstance(tree, ast.Module):
            inner = ast.unparse(child.targets[0])
        elif isinstance(child, ast.keyword):
            inner = child.arg or owner
        if isinstance(child, ast.Call):
            made = ast.unparse(child.func)
            if (made.startswith("re.") and made != "re.escape") or "Regex" in made:
                yield inner, child
        yield from calls(child, inner)


def compiled(name: str, module: str, call: ast.Call) -> re.Pattern[str]:
    around = {**vars(importlib.import_module(module)), "re": re}
    given = [*call.args, *(word.value for word in call.keywords)]
    flags = [one for one in given if ast.unparse(one).startswith("re.")]
    if name in EXAMPLES:
        text = EXAMPLES[name]
    else:
        text = eval(ast.unparse(call.args[0]), around)
    return re.compile(text, eval(ast.unparse(flags[0]), around) if flags else 0)


def patterns() -> dict[str, list[re.Pattern[str]]]:
    found = defaultdict(list)
    for path in sorted(p for app in APPS for p in (ROOT / app).rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        text = path.read_text()
        # Every process of a test run does this: only files that can have one are read.
        if not any(word in text for word in MAKERS):
            continue
        for owner, call in calls(ast.parse(text)):
            name = f"{module} {owner}"
            found[name].append(compiled(name, module, call))
    return found


PATTERNS = patterns()


def test_every_pattern_is_listed_with_hostile_texts() -> None:
    assert set(PATTERNS) == set(HOSTILE)


@pytest.mark.slow
@pytest.mark.parametrize("name", PATTERNS)
def test_no_text_keeps_a_pattern_busy(name: str) -> None:
    texts = [("", pump, tail) for pump in PUMPS for tail in TAILS]
    for parts in (*HOSTILE.get(name, ()), *texts):
        text = repeated(*parts)
        for pattern in PATTERNS[name]:
            for method in ANCHORED.get(name, METHODS):
                given = ("", text) if method == "sub" else (text,)
                with bounded():
                    getattr(pattern, method)(*given)


def test_a_quadratic_pattern_would_be_noticed() -> None:
    with pytest.raises(TooLong), bounded(1):
        re.compile(r"(\d+\.?\d*)e").fullmatch(repeated("", "1", "!"))


# As they stand in the scripts of pages: anchored, and asked about a key, a name or one
# character only.
IN_SCRIPTS = {
    r"/^\d$/.test(key)",
    r"/^Digit(\d)$/.exec(code)",
    r"/^\p{Nd}$/u.test(point)",
    r"/^[\p{L}\p{N}\p{M}\u200c\u200d]$/u.test(point)",
    r"/^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}"
    r"\p{scx=Khmer}\p{scx=Myanmar}]$/u.test(point)",
}


def test_scripts_have_no_other_patterns_than_these() -> None:
    called = re.compile(r"/(?![/*])[^/\n]+/[a-z]*\.(?:test|exec)\([^)]*\)")
    others = re.compile(
        r"RegExp|\.(?:match|matchAll|replace|replaceAll|search)\(|split\(/"
    )
    found = set()
    for path in (ROOT / "static").rglob("*.js"):
        if "vendor" not in path.parts:
            found |= set(called.findall(path.read_text()))
            assert not others.search(path.read_text()), path
    assert found == IN_SCRIPTS
