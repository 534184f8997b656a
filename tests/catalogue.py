"""The English words of workers' pages, as a catalogue that translators begin with.

    python -m tests.catalogue     rewrite annotation/locale/django.pot, and bring the
                                  translations up to date (support/translations.py)

Read from the code in Python alone: GNU gettext need not be installed. Templates are
compiled as for a page, so the words here are those that a page will look up.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "annotation" / "locale" / "django.pot"
# Researchers' pages are in English. `annotation/studies` has the words that new studies
# show to workers.
PYTHON = (
    *sorted((ROOT / "annotation" / "crowd").rglob("*.py")),
    *sorted((ROOT / "annotation" / "kinds").rglob("*.py")),
    *sorted((ROOT / "annotation" / "page_kinds").glob("*.py")),
    *sorted((ROOT / "annotation" / "platforms").glob("*.py")),
    *sorted((ROOT / "annotation" / "contrib").rglob("*.py")),
    ROOT / "annotation" / "models" / "aspects.py",
    ROOT / "annotation" / "models" / "comparing.py",
    ROOT / "annotation" / "models" / "studies.py",
    ROOT / "annotation" / "studies" / "standard.py",
    ROOT / "annotation" / "studies" / "creating.py",
    ROOT / "annotation" / "studies" / "suiting.py",
)
TEMPLATES = (
    ROOT / "templates" / "base_worker.html",
    *sorted((ROOT / "templates" / "annotation" / "crowd").glob("*.html")),
    *sorted((ROOT / "templates" / "annotation" / "kinds").rglob("*.html")),
    *sorted((ROOT / "templates" / "annotation" / "contrib" / "mturk").glob("*.html")),
    ROOT / "templates" / "annotation" / "recipients" / "refusal.html",
)
ONE = {"gettext", "gettext_lazy", "gettext_noop"}
MANY = {"ngettext", "ngettext_lazy"}

HEADER = """\
# Words of the pages that workers see, and where. Translate them in
# annotation/locale/LANGUAGE/LC_MESSAGES/django.po (.github/CONTRIBUTING.md says how).
# Written by python -m tests.catalogue
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""


class Message(NamedTuple):
    words: str
    plural: str = ""
    context: str = ""

    def entry(self, places: Iterable[str]) -> str:
        lines = [f"#: {' '.join(sorted(set(places)))}"]
        if "%(" in self.words:
            lines.append("#, python-format")
        if self.context:
            lines.append(f"msgctxt {quoted(self.context)}")
        lines.append(f"msgid {quoted(self.words)}")
        if not self.plural:
            return "\n".join([*lines, 'msgstr ""'])
        lines.append(f"msgid_plural {quoted(self.plural)}")
        return "\n".join([*lines, 'msgstr[0] ""', 'msgstr[1] ""'])


def quoted(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n") + '"'


def in_python(path: Path) -> Iterator[Message]:
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        words = [one.value for one in node.args if isinstance(one, ast.Constant)]
        if node.func.id in ONE and words:
            yield Message(words[0])
        elif node.func.id in MANY:
            yield Message(words[0], words[1])


def in_template(path: Path) -> Iterator[Message]:
    from django.template import engines
    from django.templatetags.i18n import BlockTranslateNode, TranslateNode

    nodes = engines["django"].engine.from_string(path.read_text()).nodelist
    for node in nodes.get_nodes_by_type(TranslateNode):
        words = getattr(node.filter_expression.var, "literal", None)
        if words is not None:
            yield Message(words, "", context_of(node))
    for node in nodes.get_nodes_by_type(BlockTranslateNode):
        singular, _ = node.render_token_list(node.singular)
        plural = node.render_token_list(node.plural)[0] if node.plural else ""
        yield Message(singular, plural, context_of(node))


def context_of(node) -> str:
    return node.message_context.var if node.message_context else ""


def messages() -> dict[Message, list[str]]:
    """Each with the files that say it, in their order."""
    found: dict[Message, list[str]] = {}
    for paths, read in ((PYTHON, in_python), (TEMPLATES, in_template)):
        for path in paths:
            for message in read(path):
                found.setdefault(message, []).append(str(path.relative_to(ROOT)))
    return found


def catalogue() -> str:
    entries = [message.entry(places) for message, places in messages().items()]
    return "\n\n".join([HEADER.strip(), *entries]) + "\n"


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")
    import django

    django.setup()
    from tests.support import translations

    CATALOGUE.write_text(catalogue())
    translations.update(messages())
