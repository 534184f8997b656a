"""Which column of a file means what: said by people, or guessed. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.imports import _draws
from annotation.imports._cells import number, whole
from annotation.imports._problems import UploadError, shown
from annotation.imports.files import Record

IGNORE = "ignore"
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
# Names in their usual order: the first that a file has wins.
USUAL: dict[str, tuple[str, ...]] = {
    "text": (
        *("text", "output", "generated text", "generation", "generated", "response"),
        *("completion", "continuation", "model output", "system output", "story"),
        *("summary", "system summary", "translation", "hypothesis", "mt", "decoded"),
        *("prediction", "candidate", "answer", "displayed text", "target", "content"),
    ),
    "system": (
        *("system", "model", "model name", "system name", "generator", "model id"),
        *("system id", "source model", "llm", "engine"),
    ),
    "messages": ("messages", "conversation", "conversations", "turns"),
    "dialogue": ("dialogue", "dialogue id", "dialog id", "conversation id"),
    "prompt": ("prompt", "instruction", "question", "query", "input", "request"),
    "prefix": ("prefix", "beginning", "opening", "text beginning", "lead"),
    "source": (
        *("source", "article", "document", "context", "dialogue", "src", "passage"),
        *("article text", "source text", "fact"),
    ),
    "label": ("label", "attribute", "topic", "sentiment", "category", "style"),
    "reference": (
        *("reference", "references", "ref", "gold", "gold response", "ground truth"),
        *("human text", "reference text", "human reference", "human", "reference 2"),
        *("reference 3", "ref a", "ref b"),
    ),
    "edited": (
        *("edited", "edited text", "post edit", "post edited", "postedit", "pe"),
        *("targeted reference", "human edit", "corrected", "corrected text"),
        *("correction", "edited 2", "edited 3"),
    ),
    "key": ("key", "id", "text id", "item id", "example id", "uid", "uuid", "index"),
    "role": ("role", "speaker"),
    "turn": ("turn", "turn id", "turn number"),
    "marked": ("marked",),
    "sample": ("sample", "sample number", "sample id"),
    "rater": (
        *("rater", "annotator", "worker", "worker id", "rater id", "annotator id"),
        *("judge", "user", "coder", "evaluator", "workerid", "completed by"),
    ),
    "pair": ("pair", "pair id"),
    "log_probability": ("log probability", "logprob", "log prob"),
    "asked": ("asked",),
    "probability": ("probability",),
    "stratum": ("stratum",),
}
ASPECTS = frozenset(
    "coherence consistency fluency relevance informativeness overall quality"
    " grammaticality naturalness engagement engagingness complexity surprise empathy"
    " adequacy likability interestingness specificity factuality faithfulness"
    " creativity helpfulness harmlessness honesty readability novelty understandability"
    " correctness conciseness diversity rating score".split()
)
METRICS = frozenset(
    "bleu rouge meteor chrf ter bertscore bleurt comet moverscore bartscore cider"
    " perplexity ppl mauve blanc supert unieval ctrleval ctrlevalscore geval".split()
)
MOST_STEPS = 11  # different values of a rating, from lowest to highest
LOOKED_AT = 200


@dataclass(frozen=True)
class Column:
    """What was seen of a column, to guess from."""

    name: str
    values: list[Any] = field(default_factory=list)  # of the first records, if any

    @property
    def words(self) -> str:
        return " ".join(_WORDS.findall(self.name[:200])).lower()

    @property
    def numbers(self) -> list[float]:
        found = (number(value) for value in self.values)
        return [value for value in found if value is not None]

    @property
    def is_numeric(self) -> bool:
        return bool(self.values) and len(self.numbers) == len(self.values)

    @property
    def is_whole(self) -> bool:
        return bool(self.values) and all(whole(v) is not None for v in self.values)

    @property
    def mean_length(self) -> float:
        texts = [value for value in self.values if isinstance(value, str)]
        return sum(map(len, texts)) / len(texts) if texts else 0.0

    @property
    def n_different(self) -> int:
        return len({str(value) for value in self.values})


def columns_of(names: Sequence[str], records: Iterable[Record]) -> list[Column]:
    values: dict[str, list[Any]] = {name: [] for name in names}
    for record in records:
        for name, value in record.cells.items():
            if name in values and value is not None and str(value).strip():
                values[name].append(value)
    return [Column(name, found[:LOOKED_AT]) for name, found in values.items()]


def guess(columns: Sequence[Column]) -> dict[str, str]:
    """Name a role for each column: by its name, then by what is in it."""
    found: dict[str, str] = {}
    for role, usual in USUAL.items():
        named = sorted(
            (c for c in columns if c.words in usual and c.name not in found),
            key=lambda column: usual.index(column.words),
        )
        for column in named if role in MANY else named[:1]:
            if _fits(role, column):
                found[column.name] = role
    for column in columns:
        found.setdefault(column.name, _by_content(column))
    if not {"text", "messages"} & set(found.values()):
        _take_longest(columns, found)
    _as_beginning(columns, found)
    _without_half_a_dialogue(found)
    _without_half_a_draw(found)
    return {column.name: found[column.name] for column in columns}


def _fits(role: str, column: Column) -> bool:
    if role == "key":
        return column.n_different == len(column.values)
    if role == "sample":
        return column.is_whole
    if role == "messages":
        return all(_is_list_of_objects(value) for value in column.values)
    if role == "dialogue":
        return column.n_different < len(column.values)
    if role == "text":
        return not column.is_numeric
    return True


def _by_content(column: Column) -> str:
    words = column.words.split()
    known = ASPECTS.intersection(words)
    if column.name.partition(":")[0] in NAMED and column.name.partition(":")[2]:
        return column.name  # as the csv format writes it
    if _is_lists_of_ratings(column):
        return f"rating:{column.name}"
    if not column.is_numeric:
        return IGNORE
    if METRICS.intersection(words):
        return f"score:{column.name}"
    low, high = min(column.numbers), max(column.numbers)
    if column.is_whole and known and low >= 0 and high <= 100:
        return f"rating:{column.name}"
    if known and low >= 0 and high <= 100:
        return f"mean:{column.name}"
    return IGNORE


def _is_lists_of_ratings(column: Column) -> bool:
    return bool(column.values) and all(
        isinstance(value, list)
        and value
        and all(whole(one) is not None for one in value)
        for value in column.values
    )


def _is_list_of_objects(value: Any) -> bool:
    """Also one that is written into a cell, as JSON."""
    if isinstance(value, str):
        return value.lstrip()[:1] == "[" and "{" in value[:50]
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _take_longest(columns: Sequence[Column], found: dict[str, str]) -> None:
    """No column is called text: take the one with the longest words in it."""
    free = [c for c in columns if found[c.name] == IGNORE and c.mean_length]
    if free:
        found[max(free, key=lambda column: column.mean_length).name] = "text"


def _as_beginning(columns: Sequence[Column], found: dict[str, str]) -> None:
    """A prompt with which the texts begin is one that they continue."""
    by_role = {role: c for c in columns if (role := found[c.name]) in ROLES}
    text, prompt = by_role.get("text"), by_role.get("prompt")
    if not text or not prompt or not text.values:
        return
    pairs = list(zip(text.values, prompt.values, strict=False))
    begins = sum(str(one).startswith(str(two)) for one, two in pairs)
    if pairs and begins > len(pairs) / 2:
        found[prompt.name] = "prefix"


def moved(known: Mapping[str, str], said: Mapping[str, str]) -> dict[str, str]:
    """A mapping with other roles for some columns; who had them before is ignored."""
    alone = {role for role in said.values() if role.partition(":")[0] not in MANY}
    kept = {c: IGNORE if role in alone else role for c, role in known.items()}
    return {**kept, **said}


def _without_half_a_dialogue(found: dict[str, str]) -> None:
    """Columns that mean something only beside others, which are not there."""
    kinds = set(found.values())
    of_turns = {"dialogue", "role", "text"} <= kinds
    for column, kind in found.items():
        if kind == "dialogue" and not of_turns:
            words = " ".join(_WORDS.findall(column[:200])).lower()
            found[column] = "source" if words in USUAL["source"] else IGNORE
        elif (kind in ("role", "turn", "marked") and not of_turns) or (
            kind == "messages" and "text" in kinds
        ):
            found[column] = IGNORE


def _without_half_a_draw(found: dict[str, str]) -> None:
    """A column called probability may be anything; beside the others it is not."""
    if not set(_draws.NAMES) <= set(found.values()):
        for column, kind in found.items():
            if kind in _draws.NAMES:
                found[column] = IGNORE


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
    if not {"text", "messages"} & set(kinds):
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
