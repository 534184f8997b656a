"""Which column of a file means what: said by people, or guessed. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from annotation.imports import _draws, _nested
from annotation.imports._account import filled
from annotation.imports._asking import answers_in_words
from annotation.imports._names import (
    ASPECTS,
    BESIDE_RATINGS,
    ERROR_RATE,
    IGNORE,
    MEANS,
    NOT_PEOPLE,
    OF_COMMENTS,
    OF_PROMPTS,
    OF_RATER,
    OF_RATER_ID,
    OF_TEXTS,
    USUAL,
    names_metric,
)
from annotation.imports._problems import UploadError, shown
from annotation.imports._profile import Column
from annotation.imports._rated import (
    about_of,
    has_answers,
    has_rated_lists,
    in_doubt,
    in_range,
    in_steps,
    may_be_lists,
    may_be_rated,
    of_raters,
)
from annotation.imports._values import are_flags
from annotation.imports.files import EARLIER, PART, SKIPPED, Record

IsId = Callable[[str, Mapping[str, str]], bool]
# What a column can be, in the order of the select boxes, with words for people.
ROLES = {
    IGNORE: "Ignore",
    "text": "Text",
    "system": "System (who wrote it)",
    "prompt": "Prompt (shown beside the text)",
    "prefix": "Opening (the text continues it)",
    "source": "Source document (shown beside the text)",
    "label": "Label (what was asked for: positive, sports)",
    "reference": "Reference (a good answer to the prompt)",
    "edited": "Corrected text (this text, edited until it is right)",
    "key": "ID of the text",
    "messages": "Messages (all turns of a dialogue)",
    "dialogue": "ID of the dialogue (a row for each turn)",
    "role": "Role (who speaks: user, assistant)",
    "turn": "Number of the turn",
    "marked": "Whether people rate the turn",
    "sample": "Sample number",
    "pair": "ID that two texts share",
    "rater": "Rater (who gave this row's ratings)",
    "rating": "Rating of",
    "mean": "Mean rating of",
    "n": "Number of ratings behind the means",
    "score": "Metric score of",
    "log_probability": "Log probability",
    "asked": "Whether it was drawn for people to rate",
    "probability": "Probability of being drawn",
    "stratum": "Stratum it was drawn from",
}
NAMED = ("rating", "mean", "score")  # followed by a colon and of what
MANY = (
    *("prompt", "source", "reference", "edited", "rating", "mean", "score", IGNORE),
)

_WORDS = re.compile(r"[^\W_]+")
FEWEST_WORDS = 3  # of a text on average, where nothing else says that it is one
# Columns of which it must be known whether a value stands in two records.
IDS = frozenset((*USUAL["key"], *USUAL["dialogue"]))


def guess(
    columns: Sequence[Column], first: Sequence[Record], is_id: IsId
) -> tuple[dict[str, str], list[str]]:
    """Name a role for each column: by its name, then by what is in it.

    Also returns which are only proposed, as another reading is as likely.

    Args:
        columns: What was seen of each in the whole file.
        first: Records, to compare two columns in.
        is_id: Whether equal values of a column always stand at equal texts, where the
            roles of the others are known.
    """
    roles: dict[str, str] = {}
    for role, usual in USUAL.items():
        named = sorted(
            (c for c in columns if c.words in usual and c.name not in roles),
            key=lambda column: usual.index(column.words),
        )
        for column in named if role in MANY else named[:1]:
            if _fits(role, column):
                roles[column.name] = role
    for column in columns:
        roles.setdefault(column.name, _by_content(column))
    rivals: list[str] = []
    if not {"text", "messages"} & set(roles.values()):
        _take_short(columns, roles)
    if not {"text", "messages"} & set(roles.values()):
        rivals = _take_longest(columns, roles)
    _as_beginning(first, roles)
    _without_half_a_dialogue(roles)
    _without_half_a_draw(roles)
    _take_rater(columns, roles)
    in_steps(columns, roles)
    nested = _nested.of_raters(columns, roles)
    doubtful = [*rivals, *nested, *of_raters(columns, roles)]
    doubtful += [*in_doubt(columns, roles), *may_be_lists(columns, roles)]
    _take_id(columns, roles, is_id)
    _without_texts(columns, roles)
    return {column.name: roles[column.name] for column in columns}, doubtful


def _fits(role: str, column: Column) -> bool:
    if role == "key":
        return False  # once it is known which columns make a text
    if role == "label":  # "style" may be what people rate
        rated = column.is_numeric and column.is_whole
        flags = are_flags(answers_in_words([column]))
        return not rated and not flags and not has_answers(column, ())
    if role == "sample":
        return column.is_whole and column.is_numeric
    if role == "messages":
        return column.is_messages
    if role == "dialogue":
        return column.repeats
    if role == "text":
        return not column.is_numeric and column.may_be_text
    return True


def _by_content(column: Column) -> str:
    words = set(column.words.split())
    known = ASPECTS & words
    if column.name.startswith((EARLIER, SKIPPED)) or column.name == PART:
        return IGNORE
    if column.are_choices:
        return IGNORE
    if column.name.partition(":")[0] in NAMED and column.name.partition(":")[2]:
        return column.name  # as the csv format writes it
    if known and NOT_PEOPLE.search(column.words):
        return f"score:{column.name}" if column.is_mostly_numbers else IGNORE
    of_rater = OF_RATER.fullmatch(column.words)
    if of_rater and (has_answers(column, ASPECTS) or may_be_rated(column)):
        return f"rating:{of_rater[1]}:{of_rater[2]}"
    about = about_of(column)
    if column.is_lists_of_numbers:
        return f"rating:{about}" if known and has_rated_lists(column) else IGNORE
    if not column.is_mostly_numbers:
        # What people wrote about coherence is no answer, however short it is.
        named = frozenset() if OF_COMMENTS.search(column.words) else known
        return f"rating:{about}" if has_answers(column, named) else IGNORE
    if names_metric(column.words) or words >= ERROR_RATE:
        return f"score:{about}"
    if not known or not in_range(column) or BESIDE_RATINGS.search(column.words):
        return IGNORE
    is_mean = MEANS & words or not column.is_whole
    return f"{'mean' if is_mean else 'rating'}:{about}"


def _take_short(columns: Sequence[Column], roles: dict[str, str]) -> None:
    """Answers of a word, Paris or 42, are texts under a text's name, beside a prompt.

    Rows of several raters repeat them, so that they look like a label.
    """
    free = [c for c in columns if roles[c.name] == IGNORE and _may_be_longest(c)]
    worded = any(column.mean_words >= FEWEST_WORDS for column in free)
    if worded or not {"prompt", "source", "prefix"} & set(roles.values()):
        return
    usual = USUAL["text"]
    named = [c for c in columns if c.words in usual and roles[c.name] == IGNORE]
    short = [c for c in named if not may_be_rated(c) and c.n_values]
    if short:
        text = min(short, key=lambda column: usual.index(column.words))
        roles[text.name] = "text"


def _take_longest(columns: Sequence[Column], roles: dict[str, str]) -> list[str]:
    """No column is called text: take the one with the longest words in it.

    Names, dates and answers of one word are no texts, but where a prompt stands beside
    them: people would be asked to rate "alice". Returns the column that is taken where
    another one might be meant.
    """
    free = [c for c in columns if roles[c.name] == IGNORE and _may_be_longest(c)]
    free = [c for c in free if not OF_COMMENTS.search(c.words)] or free
    _take_prompt(free, roles)
    free = [c for c in free if roles[c.name] == IGNORE]
    named = [c for c in free if OF_TEXTS.intersection(c.words.split())]
    longest = max(named or free, key=lambda column: column.mean_length, default=None)
    if longest is None:
        return []
    asked = {"prompt", "source", "prefix"} & set(roles.values())
    worded = [c for c in named or free if c.mean_words >= FEWEST_WORDS]
    if longest not in worded and not (asked and longest.values is None):
        return []
    roles[longest.name] = "text"
    return [longest.name] if len(worded) > 1 else []


def _may_be_longest(column: Column) -> bool:
    return (
        not column.is_mostly_numbers
        and column.words not in USUAL["key"]
        and not column.is_of_dates
        and not column.is_of_objects
    )


def _take_prompt(free: Sequence[Column], roles: dict[str, str]) -> None:
    """What the texts answer, by a word in its name, beside texts that have one, too."""
    texts = [c for c in free if OF_TEXTS.intersection(c.words.split())]
    asked = [c for c in free if OF_PROMPTS.intersection(c.words.split())]
    has_one = {"prompt", "source", "prefix"} & set(roles.values())
    if texts and not has_one and len(asked) == 1 and asked[0] not in texts:
        roles[asked[0].name] = "prompt"


def _as_beginning(first: Sequence[Record], roles: dict[str, str]) -> None:
    """A prompt with which the texts begin is one that they continue."""
    by_role = {role: name for name, role in roles.items() if role in ROLES}
    text, prompt = by_role.get("text"), by_role.get("prompt")
    if text is None or prompt is None:
        return
    cells = [(r.cells.get(text), r.cells.get(prompt)) for r in first]
    pairs = [(str(a), str(b)) for a, b in cells if filled(a) and filled(b)]
    begins = sum(one.startswith(two) for one, two in pairs)
    if pairs and begins > len(pairs) / 2:
        roles[prompt] = "prefix"


def _take_rater(columns: Sequence[Column], roles: dict[str, str]) -> None:
    """No column has a usual name of raters: take the one that is nearly called so.

    Without it each person's rows would be the same text rated again.
    """
    if "rater" in roles.values() or not any(map(_is_rating, roles.values())):
        return
    named = [
        column.name
        for column in columns
        if roles[column.name] == IGNORE
        and OF_RATER_ID.fullmatch(column.words)
        and column.mean_words < FEWEST_WORDS  # the subject of an email is nobody
    ]
    if len(named) == 1:
        roles[named[0]] = "rater"


def _is_rating(role: str) -> bool:
    return role.startswith("rating:")


def _take_id(columns: Sequence[Column], roles: dict[str, str], is_id: IsId) -> None:
    """Rows of several raters repeat the id of their text; another text never has it."""
    usual = USUAL["key"]
    named = [c for c in columns if c.words in usual and roles[c.name] == IGNORE]
    for column in sorted(named, key=lambda column: usual.index(column.words)):
        if not column.repeats or is_id(column.name, roles):
            roles[column.name] = "key"
            return


def _without_texts(columns: Sequence[Column], roles: dict[str, str]) -> None:
    """Ratings by id: an id stands in many rows, and the rest says nothing of texts."""
    kinds = {role.partition(":")[0] for role in roles.values()}
    if {"text", "messages", "key"} & kinds or not {"rating", "mean"} & kinds:
        return
    usual = USUAL["key"]
    named = [c for c in columns if c.words in usual and roles[c.name] == IGNORE]
    if named:
        roles[min(named, key=lambda column: usual.index(column.words)).name] = "key"


def moved(known: Mapping[str, str], said: Mapping[str, str]) -> dict[str, str]:
    """A mapping with other roles for some columns; who had them before is ignored."""
    alone = {role for role in said.values() if role.partition(":")[0] not in MANY}
    kept = {c: IGNORE if role in alone else role for c, role in known.items()}
    return {**kept, **said}


def _without_half_a_dialogue(roles: dict[str, str]) -> None:
    """Columns that mean something only beside others, which are not there."""
    chosen = set(roles.values())
    of_turns = {"dialogue", "role", "text"} <= chosen
    for column, role in roles.items():
        if role == "dialogue" and not of_turns:
            words = " ".join(_WORDS.findall(column[:200])).lower()
            roles[column] = "source" if words in USUAL["source"] else IGNORE
        elif (role in ("role", "turn", "marked") and not of_turns) or (
            role == "messages" and "text" in chosen
        ):
            roles[column] = IGNORE


def _without_half_a_draw(roles: dict[str, str]) -> None:
    """A column called probability may be anything; beside the others it is not."""
    if not set(_draws.NAMES) <= set(roles.values()):
        for column, kind in roles.items():
            if kind in _draws.NAMES:
                roles[column] = IGNORE


def checked(given: Mapping[str, str], columns: Collection[str]) -> dict[str, str]:
    """A mapping from a form or a command line, as it may be used: in the file's order.

    Args:
        given: Roles by column. Their order means nothing: PostgreSQL sorts the keys of
            what it keeps, and references and texts beside a text are put together in
            the order of this mapping.
        columns: Of the file, in its order.

    Raises:
        UploadError: With all that is wrong with it.
    """
    given = {**{name: given[name] for name in columns if name in given}, **given}
    wrong = []
    for column, role in given.items():
        kind, _, about = role.partition(":")
        if column not in columns:
            told = ", ".join(shown(name) for name in list(columns)[:20])
            wrong.append(f"There is no column {shown(column)}: the file has {told}.")
        elif kind not in ROLES:
            wrong.append(f"Column {shown(column)} cannot be {shown(role)}.")
        elif kind in NAMED and not about.strip():
            wrong.append(
                f"Say what column {shown(column)} is the {kind} of, for example"
                " coherence."
            )
    kinds = [role.partition(":")[0] for role in given.values()]
    for role in (kind for kind in ROLES if kind not in MANY and kinds.count(kind) > 1):
        named = " and ".join(shown(c) for c, r in given.items() if r == role)
        wrong.append(f"Choose one column as {shown(ROLES[role])}, not {named}.")
    if not {"text", "messages"} & set(kinds) and not is_by_id(kinds):
        wrong.append('Choose the column that has the texts, as "Text".')
    wrong += _wrong_with_dialogues(kinds)
    if 0 < len(drawn := set(_draws.NAMES) & set(kinds)) < len(_draws.NAMES):
        missing = " and ".join(
            shown(ROLES[kind]) for kind in _draws.NAMES if kind not in drawn
        )
        wrong.append(f"Choose a column as {missing}, too, or ignore the others.")
    if wrong:
        raise UploadError(wrong)
    return {column: role for column, role in given.items() if role != IGNORE}


def is_by_id(kinds: Collection[str]) -> bool:
    """Whether these roles are of ratings or scores of texts that are elsewhere."""
    values = {"rating", "mean", "score"}.intersection(kinds)
    return "key" in kinds and not {"text", "messages"} & set(kinds) and bool(values)


def _wrong_with_dialogues(kinds: Collection[str]) -> Iterator[str]:
    """Of a table with a row for each turn, or with all turns in a cell."""
    if "messages" in kinds:
        for kind in ("text", "dialogue", "role", "turn", "marked"):
            if kind in kinds:
                yield (
                    f"The messages hold all turns: choose no column as"
                    f" {shown(ROLES[kind])}."
                )
    elif "dialogue" in kinds and "role" not in kinds:
        yield f"Choose the column that says who speaks, as {shown(ROLES['role'])}."
    elif "dialogue" not in kinds:
        for kind in ("role", "turn", "marked"):
            if kind in kinds:
                yield (
                    f"A column is chosen as {shown(ROLES[kind])}: choose another one as"
                    f" {shown(ROLES['dialogue'])}."
                )
