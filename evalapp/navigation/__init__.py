"""Where a study's pages stand: seven tabs, and below each the pages that it holds.

An app says which pages a tab has with `@below("workers")`, as a function of the study.
Pages are known by the names of their addresses, so that no app needs another's code; a
name without an address is left out. A contrib app adds its own pages with `add`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.urls import NoReverseMatch, ResolverMatch, reverse


class Tab(NamedTuple):
    key: str  # what a page's context calls `tab`
    title: str
    url_name: str


TABS = (
    Tab("overview", "Overview", "study"),
    Tab("setup", "Setup", "study_setup"),
    Tab("texts", "Texts", "study_texts"),
    Tab("workers", "Workers", "study_workers"),
    Tab("metrics", "Metrics", "runs"),
    Tab("results", "Results", "results"),
    Tab("export", "Export", "study_export"),
)


@dataclass(frozen=True)
class Page:
    """An entry of the navigation."""

    title: str
    url_name: str
    args: tuple[str, ...] = ()  # of its address, behind the study's name
    # Names of addresses that belong to it, with an argument where not all of them do:
    # "analysis:answer".
    also: tuple[str, ...] = ()
    count: int = 0  # what waits there


@dataclass(frozen=True)
class Group:
    """Pages that share an entry: they are listed below it while one of them is open."""

    title: str
    pages: tuple[Page, ...]


Entry = Page | Group
Listing = Callable[[Any], Iterable[Entry]]
_listings: dict[str, Listing] = {}
_additions: dict[str, list[tuple[str, Listing]]] = {}


def below(tab: str) -> Callable[[Listing], Listing]:
    """Decorate the function that lists what a study has below this tab."""

    def register(listing: Listing) -> Listing:
        _listings[tab] = listing
        return listing

    return register


def add(tab: str, listing: Listing, *, after: str) -> None:
    """List more below this tab, behind the page with that name of an address."""
    _additions.setdefault(tab, []).append((after, listing))


def _entries(study: Any, tab: str) -> list[Entry]:
    entries = list(_listings[tab](study))
    for after, listing in _additions.get(tab, []):
        names = [entry.url_name for entry in entries if isinstance(entry, Page)]
        place = names.index(after) + 1 if after in names else len(entries)
        entries[place:place] = listing(study)
    return entries


def address(name: str, *args: object) -> str:
    """Empty where nothing has it: the app that did is switched off."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""


# As it is shown -----------------------------------------------------------------------


@dataclass(frozen=True)
class Link:
    title: str
    url: str
    current: str  # as aria-current has it: page, true (a page below it) or nothing
    count: int = 0


@dataclass(frozen=True)
class Strip:
    """A row of links; it scrolls to the side where there is no room."""

    label: str
    links: list[Link] = field(default_factory=list)


def tabs(study: Any, current: str) -> Strip:
    """The first row."""
    links = [
        Link(tab.title, url, "page" if tab.key == current else "")
        for tab in TABS
        if (url := _url(study, Page(tab.title, tab.url_name)))
    ]
    return Strip("Study", links)


def strips(study: Any, tab: str, match: ResolverMatch | None) -> list[Strip]:
    """The rows below the tabs: pages, or groups and the pages of the open one."""
    if tab not in _listings:
        return []
    found = [_shown(study, entry, match) for entry in _entries(study, tab)]
    shown = [one for one in found if one]
    title = next(one.title for one in TABS if one.key == tab)
    first = Strip(title, [link for link, _ in shown])
    inside = [
        Strip(f"{title}: {link.title}", pages)
        for link, pages in shown
        if link.current and len(pages) > 1
    ]
    return [first, *inside] if len(first.links) > 1 else []


def _shown(
    study: Any, entry: Entry, match: ResolverMatch | None
) -> tuple[Link, list[Link]] | None:
    """Its link, and those inside it."""
    if isinstance(entry, Page):
        return (found[0], []) if (found := _links(study, [entry], match)) else None
    if not (pages := _links(study, entry.pages, match)):
        return None
    current = "true" if any(page.current for page in pages) else ""
    if len(pages) == 1:
        current = pages[0].current
    count = sum(page.count for page in pages)
    return Link(entry.title, pages[0].url, current, count), pages


def _links(
    study: Any, pages: Sequence[Page], match: ResolverMatch | None
) -> list[Link]:
    return [
        Link(page.title, url, _current(page, match), page.count)
        for page in pages
        if (url := _url(study, page))
    ]


def _url(study: Any, page: Page) -> str:
    return address(page.url_name, study.name, *page.args)


def _current(page: Page, match: ResolverMatch | None) -> str:
    if match is None:
        return ""
    given = {str(value) for key, value in match.kwargs.items() if key != "name"}
    if match.url_name == page.url_name and given >= set(page.args):
        return "page"
    names = {match.url_name, *(f"{match.url_name}:{one}" for one in given)}
    return "true" if names & set(page.also) else ""
