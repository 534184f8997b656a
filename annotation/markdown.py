"""Words that researchers write for workers: Markdown -> HTML that can do no harm."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

SCHEMES = frozenset({"http", "https", "mailto"})

# The page has an h1, and an h2 stands above these words.
FIRST_HEADING = 3
LAST_HEADING = 6


@lru_cache(maxsize=256)
def html(text: str) -> SafeString:
    """Render Markdown. Tags in it are shown as they are written, images as links.

    Pages of workers are rendered often and their words change seldom: kept.
    """
    # Safe by construction: the parser escapes every tag, and no option lets one pass.
    rendered: str = _PARSER.render(text)
    return mark_safe(rendered)


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        """Whether a link may stand: neither a script nor a page of this site."""
        try:
            return urlsplit(url.strip()).scheme.lower() in SCHEMES
        except ValueError:  # "http://[" is no address
            return False


def _heading(self: Any, tokens: Sequence[Token], i: int, *rest: Any) -> str:
    level = int(tokens[i].tag[1]) + FIRST_HEADING - 1
    tag = f"h{min(level, LAST_HEADING)}"
    return f"<{tag}>" if tokens[i].nesting == 1 else f"</{tag}>\n"


def _link(self: Any, tokens: Sequence[Token], i: int, *rest: Any) -> str:
    # In a page of its own: a click must not carry a worker away from half a page.
    tokens[i].attrSet("rel", "nofollow noopener noreferrer")
    tokens[i].attrSet("target", "_blank")
    rendered: str = self.renderToken(tokens, i, *rest)
    return rendered


def _parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False, "breaks": True})
    # An image would tell its host who reads; indented lines are seldom meant as code.
    parser.disable(["image", "code"])
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("heading_close", _heading)
    parser.add_render_rule("link_open", _link)
    return parser


_PARSER = _parser()
