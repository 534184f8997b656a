"""No room but the kinds themselves compares a kind of page with a name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from annotation import page_kinds

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("annotation/kinds/", "templates/annotation/kinds/")
APPS = ("annotation", "scoring", "evalapp")
# Of types that know a kind. What a study asks for follows from `KindFacts` instead.
FACTS = ("corrects", "is_of_pairs", "is_of_talks")
# What is stored of one kind of page: for its folder, and for the models. Rows of files
# that are imported, and the votes in them, have names of their own.
STORED = ("pair", "pair_id", "decoy", "decoy_id", "flipped", "edits")
OWN_NAMES = ("annotation/models/", "annotation/imports/", "annotation/votes/")
OF_A_FILE = "generation.pair"  # texts that a file calls a pair
TAG = re.compile(r"{[{%].*?[%}]}", re.S)


def python_files() -> Iterator[tuple[str, ast.Module]]:
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if "/migrations/" not in name and not name.startswith(KINDS):
                yield name, ast.parse(path.read_text())


def templates() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "templates").rglob("*")):
        name = str(path.relative_to(ROOT))
        if path.is_file() and not name.startswith(KINDS):
            yield name, " ".join(TAG.findall(path.read_text()))


def is_of_kinds(node: ast.AST) -> bool:
    """`survey.kind`, `study.page_kinds[0]` and the like, but no list of other kinds."""
    if isinstance(node, ast.Subscript):
        return is_of_kinds(node.value)
    word = getattr(node, "attr", getattr(node, "id", ""))
    return word in ("kind", "page_kinds")


def compares(node: ast.AST) -> bool:
    keys = page_kinds.names()

    def named(value: ast.AST) -> bool:
        return any(
            isinstance(part, ast.Constant) and part.value in keys
            for part in ast.walk(value)
        )

    match node:
        case ast.Attribute(value=ast.Name(id="PageKind"), attr=member):
            return member.isupper()
        case ast.Attribute(attr=fact):
            return fact in FACTS
        case ast.Dict(keys=[_, _, *_] as names):
            return all(name is not None and named(name) for name in names)
        case ast.MatchValue(value=value):
            return named(value)
        case ast.Compare(left=left, comparators=others):
            sides = (left, *others)
            return any(map(is_of_kinds, sides)) and any(map(named, sides))
        case ast.keyword(arg=arg, value=value):
            words = (arg or "").split("__")
            return words[-1] == "kind" and named(value)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="page_kinds"), attr="get"),
            args=[ast.Constant(value)],
        ):
            return value in keys
    return False


def comparing() -> set[str]:
    names = {
        name for name, tree in python_files() if any(map(compares, ast.walk(tree)))
    }
    kinds = "|".join(page_kinds.names())
    words = "|".join(FACTS)
    asked = re.compile(rf"""kind\w* *(==|!=) *["']({kinds})|\b({words})\b""")
    return names | {name for name, tags in templates() if asked.search(tags)}


def reading() -> set[str]:
    names = {
        name
        for name, tree in python_files()
        if name.startswith("annotation/")
        and not name.startswith(OWN_NAMES)
        and any(
            isinstance(node, ast.Attribute)
            and node.attr in STORED
            and ast.unparse(node) != OF_A_FILE
            for node in ast.walk(tree)
        )
    }
    stored = re.compile(rf"\w\.({'|'.join(STORED)})\b")
    return names | {name for name, tags in templates() if stored.search(tags)}


def test_nothing_outside_the_kinds_compares_a_kind_with_a_name() -> None:
    assert not comparing()


def test_nothing_outside_the_kinds_reads_what_one_kind_has_stored() -> None:
    assert not reading()


def test_who_compares_is_caught() -> None:
    for line in (
        "seat.survey.kind == PageKind.PAIR",
        "study.surveys.filter(kind='pair')",
        "Seat.objects.filter(survey__kind='edit')",
        "kind == 'dialogue'",
        "study.page_kinds == ['edit']",
        "'pair' in study.page_kinds",
        "page_kinds.get('pair').drawing",
        "card.is_of_pairs",
        "survey.kind in ('pair', 'edit')",
        "{'pair': 2, 'edit': 1}[survey.kind]",
    ):
        assert any(map(compares, ast.walk(ast.parse(line)))), line


def test_who_asks_a_facet_is_not() -> None:
    for line in (
        "page_kinds.get(survey.kind).drawing",
        "aspect.kind == 'slider'",
        "seats.filter(survey__kind=kind.key)",
        "study.surveys.filter(kind__in=keys)",
        "exports.KINDS['ratings']",
        "row.get('ratings')",
    ):
        assert not any(map(compares, ast.walk(ast.parse(line)))), line
