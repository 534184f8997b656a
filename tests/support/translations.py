"""Translations of the catalogue: read, kept up to date, compiled as Django needs them.

`python -m tests.catalogue` adds new words to each language, for someone to translate,
drops those that no page says any more, and compiles. GNU gettext need not be installed.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable, Mapping
from gettext import GNUTranslations
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.conf.locale import __file__ as of_django
from django.utils.translation import to_locale

from tests.catalogue import CATALOGUE, Message, quoted

COMMENT = "# Nobody who speaks this language from birth has reviewed these words yet.\n"
FIELD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d\])?)? ?(".*")')


class Translation(NamedTuple):
    comments: str
    header: str
    said: dict[Message, list[str]]  # as many as there are forms; "" where still to do
    fuzzy: list[Message]  # guessed by a program

    @property
    def n_forms(self) -> int:
        (n,) = re.findall(r"nplurals=(\d+)", self.header)
        return int(n)


def languages() -> list[str]:
    return [code for code, _ in settings.LANGUAGES if code != "en"]


def path_of(language: str) -> Path:
    folder = CATALOGUE.parent / to_locale(language) / "LC_MESSAGES"
    return folder / "django.po"


def read(language: str) -> Translation:
    """What there is of it; of a new language, a header alone."""
    path = path_of(language)
    if not path.exists():
        return Translation(COMMENT, _new_header(language), {}, [])
    head, *entries = path.read_text().strip().split("\n\n")
    comments = "".join(re.findall(r"^#.*\n", head, re.MULTILINE))
    said, fuzzy = {}, []
    for entry in entries:
        fields = _fields(entry)
        ids = (fields.pop(k, "") for k in ("msgid", "msgid_plural", "msgctxt"))
        message = Message(*ids)
        said[message] = list(fields.values())
        fuzzy += [message] if re.search("^#,.*fuzzy", entry, re.MULTILINE) else []
    return Translation(comments, _fields(head)["msgstr"], said, fuzzy)


def _fields(entry: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in entry.splitlines():
        if found := FIELD.fullmatch(line):
            name = found[1] or name
            fields[name] = fields.get(name, "") + json.loads(found[2])
    return fields


def _new_header(language: str) -> str:
    """With the rule for plurals that Django's own words follow."""
    name = Path(of_django).parent / to_locale(language) / "LC_MESSAGES" / "django.mo"
    with name.open("rb") as file:
        rule = GNUTranslations(file).info()["plural-forms"]
    fields = {
        "Language": to_locale(language),
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": rule,
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def brought_up_to_date(
    old: Translation, messages: Iterable[Message]
) -> dict[Message, list[str]]:
    """The words of the pages in their order, with what is translated of them."""
    return {
        message: old.said.get(message, [""] * (old.n_forms if message.plural else 1))
        for message in messages
    }


def written(translation: Translation) -> str:
    fields = [quoted(f"{line}\n") for line in translation.header.splitlines()]
    head = "\n".join([f'{translation.comments}msgid ""', 'msgstr ""', *fields])
    entries = [
        _entry(message, forms, message in translation.fuzzy)
        for message, forms in translation.said.items()
    ]
    return "\n\n".join([head, *entries]) + "\n"


def _entry(message: Message, forms: list[str], is_fuzzy: bool) -> str:
    flags = ["fuzzy"] * is_fuzzy + ["python-format"] * ("%(" in message.words)
    lines = [f"#, {', '.join(flags)}"] if flags else []
    lines += [f"msgctxt {quoted(message.context)}"] if message.context else []
    lines.append(f"msgid {quoted(message.words)}")
    if not message.plural:
        return "\n".join([*lines, f"msgstr {quoted(forms[0])}"])
    lines.append(f"msgid_plural {quoted(message.plural)}")
    lines += [f"msgstr[{n}] {quoted(form)}" for n, form in enumerate(forms)]
    return "\n".join(lines)


def compiled(header: str, said: Mapping[Message, list[str]]) -> bytes:
    """As GNU gettext compiles it, without what is still to do."""
    pairs = {"": header}
    for (words, plural, context), forms in said.items():
        key = f"{context}\x04{words}" if context else words
        if all(forms):
            pairs[f"{key}\0{plural}" if plural else key] = "\0".join(forms)
    rows = [(key.encode(), pairs[key].encode()) for key in sorted(pairs)]
    n, tables, texts = len(rows), [b"", b""], b""
    start = 28 + 16 * n
    for side in (0, 1):
        for row in rows:
            tables[side] += struct.pack("<2I", len(row[side]), start + len(texts))
            texts += row[side] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, n, 28, 28 + 8 * n, 0, 0)
    return head + tables[0] + tables[1] + texts


def compiled_of(translation: Translation) -> bytes:
    sure = {k: v for k, v in translation.said.items() if k not in translation.fuzzy}
    return compiled(translation.header, sure)


def update(messages: Iterable[Message]) -> None:
    """Write all languages again, and say what is left to translate."""
    wanted = list(messages)
    for language in languages():
        old, path = read(language), path_of(language)
        new = old._replace(said=brought_up_to_date(old, wanted))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(written(new))
        path.with_suffix(".mo").write_bytes(compiled_of(new))
        left = [message.words for message, forms in new.said.items() if not all(forms)]
        print(f"{language}: {len(left)} to translate", *left[:20], sep="\n  ")
