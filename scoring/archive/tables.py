"""The tables of a data set: what each column means. Pure.

The one description from which files, the card and Croissant are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

FORMAT = 1  # of the folder: raise it if an older EvalApp could not read a newer one
MARK = "evalapp.json"  # a file by which an import knows the folder
Type = Literal["string", "int", "float", "bool", "strings"]
# The same with a question mark: a value may be missing.
Said = Literal["string", "int", "float", "bool", "strings", "int?", "float?", "bool?"]
Told = tuple[str, Said, str]


@dataclass(frozen=True, slots=True)
class Field:
    """A column."""

    name: str
    type: Type
    means: str
    optional: bool = False  # a value may be missing

    @classmethod
    def of(cls, name: str, said: Said, means: str) -> Field:
        kind = cast(Type, said.removesuffix("?"))
        return cls(name, kind, means, said.endswith("?"))


@dataclass(frozen=True, slots=True)
class Table:
    """A file with rows of one kind."""

    name: str
    means: str
    fields: Sequence[Field]
    key: str = ""  # column that no two rows have alike
    single: bool = False  # answers of single people: only where they allowed it

    @property
    def file(self) -> str:
        return f"data/{self.name}.parquet"


def _fields(*told: Told) -> list[Field]:
    return [Field.of(*one) for one in told]


TEXT: Told = ("text", "string", "Key of the text, as in `texts`")
SIGNATURE: Told = (
    "signature",
    "string",
    "Of `metrics`: everything that determines a score",
)

TEXTS = Table(
    "texts",
    "One row for each text.",
    _fields(
        ("key", "string", "Name of the text, the same in all tables"),
        ("prompt", "int", "Number of its prompt: texts of one prompt share it"),
        ("prefix", "string", "Opening that the system was given and continues"),
        ("label", "string", "Attribute that was asked for, such as positive"),
        ("source", "string", "Shown beside the text: a prompt, document or dialogue"),
        ("system", "string", "Who wrote it; empty: unknown"),
        ("sample", "int", "Which of its system's texts for the prompt, from 1"),
        ("text", "string", "As the system gave it"),
        ("references", "strings", "Right texts that people wrote for the prompt"),
        ("corrections", "strings", "This text, corrected by people"),
        ("log_probability", "float?", "Under its own system; missing: unknown"),
        ("pair", "string", "Texts with the same value belong together"),
        ("dialogue", "string", "Key of the dialogue that it is or is a turn of"),
        ("turn", "int?", "Its turn, from 0; missing: all of the dialogue, or none"),
        ("asked", "bool?", "Whether it was drawn for people; missing: all were asked"),
        ("probability", "float?", "With which it was drawn"),
        ("stratum", "int?", "From which it was drawn"),
        ("excluded", "bool", "Whether a researcher excluded it from statistics"),
        ("excluded_reason", "string", "Why"),
    ),
    key="key",
)
DIALOGUES = Table(
    "dialogues",
    "One row for each turn of each dialogue.",
    _fields(
        ("dialogue", "string", "Key of the dialogue"),
        ("turn", "int", "From 0"),
        ("role", "string", "Who speaks"),
        ("text", "string", "What is said"),
    ),
)
SYSTEMS = Table(
    "systems",
    "One row for each system that wrote texts.",
    _fields(
        ("name", "string", "As in `texts`"),
        ("kind", "string", "generator or human"),
        ("model", "string", "Model behind it"),
        ("top_p", "float?", "Share of probability that it sampled from"),
        ("top_k", "int?", "Number of tokens that it sampled from"),
    ),
    key="name",
)
LABELS = Table(
    "labels",
    "One row for each attribute that texts were asked to have.",
    _fields(
        ("name", "string", "As in `texts`"),
        ("verbalizers", "strings", "Words that stand for it"),
    ),
    key="name",
)
ASPECTS = Table(
    "aspects",
    "One row for each question that people answered about texts.",
    _fields(
        ("key", "string", "Name of the question, the same in all tables"),
        ("title", "string", "As people saw it"),
        ("question", "string", "As people saw it"),
        ("pair_question", "string", "Of two texts"),
        ("kind", "string", "points or slider"),
        ("scale_min", "int", "Lowest answer"),
        ("scale_max", "int", "Highest answer"),
        ("own_scale", "bool", "Whether other questions may have another scale"),
        ("low", "string", "Label of the lowest answer"),
        ("middle", "string", "Label of the middle answer"),
        ("high", "string", "Label of the highest answer"),
        ("words", "string", "Labels of other answers, as JSON"),
        ("cannot_say", "bool", "Whether people could decline"),
        ("level", "string", "ordinal or interval"),
        ("about", "string", "text or dialogue"),
        ("higher_is_better", "bool", "Whether a higher answer is a better text"),
    ),
    key="key",
)
HUMAN_SCORES = Table(
    "human_scores",
    "What people think: one row for each text and question that has ratings.",
    _fields(
        TEXT,
        ("aspect", "string", "Key of the question, as in `aspects`"),
        ("mean", "float", "Of the ratings that count, as given"),
        ("n", "int", "How many they are; 0: unknown"),
    ),
)
MEANS = Table(
    "means",
    "Human scores that came as means, without their ratings.",
    _fields(
        TEXT,
        ("aspect", "string", "Key of the question, as in `aspects`"),
        ("mean", "float", "As given"),
        ("n", "int", "Ratings behind it; 0: unknown"),
    ),
)
RATINGS = Table(
    "ratings",
    "Single ratings, in the order in which they were given.",
    _fields(
        ("text", "string", "Key of the text, as in `texts`; empty: a damaged text"),
        ("damaged", "int?", "Number of the damaged text, as in `damaged_texts`"),
        ("aspect", "string", "Key of the question, as in `aspects`"),
        ("rater", "string", "Code of the rater, in this data set only"),
        ("value", "int?", "The answer; missing: could not say"),
        ("state", "string", "valid, discarded by quality control, or imported"),
        ("reason", "string", "Why it was discarded"),
        ("informed", "bool", "Whether the rater had been told of damaged texts"),
        ("page", "int?", "Answers with one number were given together"),
        ("survey", "int?", "Which set of texts the page showed"),
        ("position", "int?", "Place of the text on the page, from 1"),
        ("seconds", "float?", "That the page was in view; missing: unknown"),
    ),
    single=True,
)
DAMAGED = Table(
    "damaged_texts",
    "Texts that were damaged on purpose and hidden on pages, to check attention.",
    _fields(
        ("number", "int", "The same in all tables"),
        ("survey", "int", "Which set of texts it was hidden among"),
        ("source", "string", "Key of the undamaged text, as in `texts`"),
        ("prompt", "int", "Number of the prompt of its page"),
        ("perturbation", "string", "What was done to it"),
        ("hurts", "strings", "Questions whose answers should fall"),
        ("text", "string", "As people saw it"),
    ),
    key="number",
)
VOTES = Table(
    "votes",
    "Choices between the texts of two systems.",
    _fields(
        ("pair", "string", "What was compared: votes on the same texts share it"),
        ("question", "string", "What was asked; empty: the only question"),
        ("first", "string", "System whose text was shown first, or left"),
        ("second", "string", "The other system"),
        ("ordered", "bool", "Whether it is known which was shown first"),
        ("rater", "string", "Code of the rater, in this data set only"),
        ("outcome", "string", "first, second or tie"),
        ("prompt", "int?", "Number of the prompt; missing: unknown"),
        ("first_text", "string", "Key of the first text; empty: unknown"),
        ("second_text", "string", "Key of the second text; empty: unknown"),
    ),
    single=True,
)
METRICS = Table(
    "metrics",
    "One row for each number that metrics give.",
    _fields(
        ("metric", "string", "Name of the metric"),
        ("output", "string", "Name of the number"),
        ("title", "string", "In words"),
        ("unit", "string", "Of the number"),
        ("higher_is_better", "bool?", "Missing: closeness to human text counts"),
        ("measures", "string", "Question that it is meant for"),
        ("quality", "bool", "Whether it is about quality"),
        ("of", "string", "texts or systems"),
        ("parameters", "int?", "Of its model; missing: unknown"),
        ("options", "string", "That were chosen, as JSON"),
        SIGNATURE,
    ),
)
SCORES = Table(
    "metric_scores",
    "One row for each text and number of a metric.",
    _fields(
        TEXT,
        SIGNATURE,
        ("output", "string", "Name of the number, as in `metrics`"),
        ("value", "float?", "Missing: undefined for this text"),
        ("reason", "string", "Why it is undefined"),
    ),
)
DAMAGED_SCORES = Table(
    "damaged_scores",
    "Scores of metrics for damaged texts.",
    _fields(
        ("damaged", "int", "Number, as in `damaged_texts`"),
        SIGNATURE,
        ("output", "string", "Name of the number, as in `metrics`"),
        ("value", "float?", "Missing: undefined for this text"),
        ("reason", "string", "Why it is undefined"),
    ),
)
SYSTEM_SCORES = Table(
    "system_scores",
    "Numbers that metrics give all texts of a system together.",
    _fields(
        ("system", "string", "As in `systems`"),
        SIGNATURE,
        ("output", "string", "Name of the number, as in `metrics`"),
        ("seed", "int", "Of what is random in it"),
        ("value", "float?", "Missing: undefined"),
        ("reason", "string", "Why it is undefined"),
    ),
)
TABLES = (
    *(TEXTS, DIALOGUES, SYSTEMS, LABELS, ASPECTS, HUMAN_SCORES, MEANS, RATINGS),
    *(DAMAGED, VOTES, METRICS, SCORES, DAMAGED_SCORES, SYSTEM_SCORES),
)
BY_NAME = {table.name: table for table in TABLES}
