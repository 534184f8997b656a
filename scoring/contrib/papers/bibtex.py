"""References of what was used: every metric, the statistics and the program. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scoring.contrib.papers import works
from scoring.contrib.papers.latex import escaped
from scoring.publishing.facts import Facts


def write(facts: Facts) -> str:
    """One entry for each work, and a comment for each metric that has none."""
    entries = [of_data_set(facts), of_program(facts)]
    entries += [_entry(works.WORKS[key]) for key in _keys(facts)]
    return "\n\n".join([*entries, *_without(facts)]) + "\n"


def keys_of(link: str, source: str) -> list[str]:
    """Works behind a metric: what its link leads to, and the program it follows."""
    found = [key for key, work in works.WORKS.items() if link and work.link == link]
    named = [
        key
        for words, key in works.PROGRAMS.items()
        if words in source and key not in found
    ]
    return [*found, *named]


def of_data_set(facts: Facts) -> str:
    """The data set itself."""
    fields = {
        "title": f"{{{escaped(facts.heading)}}}",
        "author": " and ".join(map(escaped, facts.published.authors)) or "{Unknown}",
        "year": facts.made_at[:4],
        "note": "Data set" + (", simulated ratings" if facts.simulated else ""),
        **({"url": _address(facts.published.paper)} if facts.published.paper else {}),
    }
    name = re.sub(r"[^a-z0-9]+", "-", facts.name.lower())
    return _written("misc", f"dataset-{name}", fields)


def of_program(facts: Facts) -> str:
    return _written(
        "software",
        "evalapp",
        {
            "title": "{EvalApp}: which metric agrees with people",
            "author": "{EvalApp contributors}",
            "version": facts.version,
            "year": facts.made_at[:4],
        },
    )


def _keys(facts: Facts) -> list[str]:
    keys = [key for one in facts.outputs for key in keys_of(one.link, one.source)]
    return list(dict.fromkeys([*works.ALWAYS, *keys]))


def _without(facts: Facts) -> Iterable[str]:
    names = {
        one.title: one.source
        for one in facts.outputs
        if not keys_of(one.link, one.source)
    }
    for title, source in sorted(names.items()):
        told = " ".join(f"{title}: {source or 'computed elsewhere'}".split())
        yield f"% {told}; no entry known"


def _entry(work: works.Work) -> str:
    fields = {
        "title": f"{{{work.title}}}",
        "author": work.authors,
        work.venue_field: work.venue,
        "year": str(work.year),
        "url": work.link,
    }
    return _written(work.kind, work.key, fields)


def _written(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def _address(url: str) -> str:
    """Without what would end the field."""
    return re.sub(r"[{}\\\s]", "", url)
