"""The tables of a data set: what each column means. Pure.

The one description from which files, the card and Croissant are written.
"""

from __future__ import annotations

from annotation.archive.columns import Column, Table
from annotation.archive.texts import DIALOGUES, TEXTS

FORMAT = 1  # of the folder: raise it if an older EvalApp could not read a newer one
MARK = "evalapp.json"  # a file by which an import knows the folder
TEXT = Column("text", "string", "Key of the text, as in `texts`")
ASPECT = Column("aspect", "string", "Key of the question, as in `aspects`")
SIGNATURE = Column(
    "signature", "string", "Of `metrics`: everything that determines a score"
)
RATER = Column(
    "rater", "string", "Code of the rater, in this data set only", person=True
)
OUTPUT = Column("output", "string", "Name of the number, as in `metrics`")
SYSTEMS = Table(
    "systems",
    "One row for each system that wrote texts.",
    (
        Column("name", "string", "As in `texts`"),
        Column("kind", "string", "generator or human"),
        Column("model", "string", "Model behind it"),
        Column("top_p", "float?", "Share of probability that it sampled from"),
        Column("top_k", "int?", "Number of tokens that it sampled from"),
    ),
    key="name",
)
LABELS = Table(
    "labels",
    "One row for each attribute that texts were asked to have.",
    (
        Column("name", "string", "As in `texts`"),
        Column("verbalizers", "strings", "Words that stand for it"),
    ),
    key="name",
)
ASPECTS = Table(
    "aspects",
    "One row for each question that people answered about texts.",
    (
        Column("key", "string", "Name of the question, the same in all tables"),
        Column("title", "string", "As people saw it"),
        Column("question", "string", "As people saw it"),
        Column("pair_question", "string", "Of two texts"),
        Column("kind", "string", "points or slider"),
        Column("scale_min", "int", "Lowest answer"),
        Column("scale_max", "int", "Highest answer"),
        Column("own_scale", "bool", "Whether other questions may have another scale"),
        Column("low", "string", "Label of the lowest answer"),
        Column("middle", "string", "Label of the middle answer"),
        Column("high", "string", "Label of the highest answer"),
        Column("words", "string", "Labels of other answers, as JSON"),
        Column("cannot_say", "bool", "Whether people could decline"),
        Column("level", "string", "ordinal or interval"),
        Column("about", "string", "text or dialogue"),
        Column("higher_is_better", "bool", "Whether a higher answer is a better text"),
    ),
    of={"own_scale": "has_own_scale"},
    key="key",
)
HUMAN_SCORES = Table(
    "human_scores",
    "What people think: one row for each text and question that has ratings.",
    (
        TEXT,
        ASPECT,
        Column("mean", "float", "Of the ratings that count, as given"),
        Column("n", "int", "How many they are; 0: unknown"),
    ),
)
MEASURED = Table(
    "measured_scores",
    "What people's answers to a text add up to beside the questions, such as sums of"
    " marked errors: one row for each text and sum.",
    (
        TEXT,
        Column("measure", "string", "What is added up"),
        Column("title", "string", "The same in words"),
        Column("higher_is_better", "bool", "Whether more is a better text"),
        Column("mean", "float", "Over the people whose answers count"),
        Column("n", "int", "How many they are"),
    ),
)
MEANS = Table(
    "means",
    "Human scores that came as means, without their ratings.",
    (
        TEXT,
        ASPECT,
        Column("mean", "float", "As given"),
        Column("n", "int", "Ratings behind it; 0: unknown"),
    ),
    of={"text": "generation.key", "aspect": "aspect.key"},
)
RATINGS = Table(
    "ratings",
    "Single ratings, in the order in which they were given.",
    (
        Column(
            "text", "string", "Key of the text, as in `texts`; empty: a damaged text"
        ),
        Column("damaged", "int?", "Number of the damaged text, as in `damaged_texts`"),
        ASPECT,
        RATER,
        Column("value", "int?", "The answer; missing: could not say"),
        Column("state", "string", "valid, discarded by quality control, or imported"),
        Column("reason", "string", "Why it was discarded"),
        Column("informed", "bool", "Whether the rater had been told of damaged texts"),
        Column("page", "int?", "Answers with one number were given together"),
        Column("survey", "int?", "Which set of texts the page showed"),
        Column("position", "int?", "Place of the text on the page, from 1"),
        Column("seconds", "float?", "That the page was in view; missing: unknown"),
    ),
    single=True,
)
DAMAGED = Table(
    "damaged_texts",
    "Texts that were damaged on purpose and hidden on pages, to check attention.",
    (
        Column("number", "int", "The same in all tables"),
        Column("survey", "int", "Which set of texts it was hidden among"),
        Column("source", "string", "Key of the undamaged text, as in `texts`"),
        Column("prompt", "int", "Number of the prompt of its page"),
        Column("perturbation", "string", "What was done to it"),
        Column("hurts", "strings", "Questions whose answers should fall"),
        Column("text", "string", "As people saw it"),
    ),
    of={
        "number": "survey.number",
        "survey": "survey.number",
        "source": "source.key",
        "prompt": "survey.prompt_id",
    },
    key="number",
)
VOTES = Table(
    "votes",
    "Choices between the texts of two systems.",
    (
        Column("pair", "string", "What was compared: votes on the same texts share it"),
        Column("question", "string", "What was asked; empty: the only question"),
        Column("first", "string", "System whose text was shown first, or left"),
        Column("second", "string", "The other system"),
        Column("ordered", "bool", "Whether it is known which was shown first"),
        RATER,
        Column("outcome", "string", "first, second or tie"),
        Column("prompt", "int?", "Number of the prompt; missing: unknown"),
        Column("first_text", "string", "Key of the first text; empty: unknown"),
        Column("second_text", "string", "Key of the second text; empty: unknown"),
    ),
    single=True,
)
METRICS = Table(
    "metrics",
    "One row for each number that metrics give.",
    (
        Column("metric", "string", "Name of the metric"),
        Column("output", "string", "Name of the number"),
        Column("title", "string", "In words"),
        Column("unit", "string", "Of the number"),
        Column("higher_is_better", "bool?", "Missing: closeness to human text counts"),
        Column("measures", "string?", "Question that it is meant for"),
        Column("quality", "bool", "Whether it is about quality"),
        Column("of", "string", "texts or systems"),
        Column("parameters", "int?", "Of its model; missing: unknown"),
        Column("options", "string", "That were chosen, as JSON"),
        Column("signature", SIGNATURE.cell, SIGNATURE.help),
    ),
    of={
        "metric": "signature.metric",
        "output": "output.key",
        "title": "output.title",
        "unit": "output.unit",
        "higher_is_better": "output.higher_is_better",
        "measures": "output.measures",
        "quality": "output.quality",
        "parameters": "signature.parameters",
        "signature": "signature.text",
    },
)
SCORES = Table(
    "metric_scores",
    "One row for each text and number of a metric.",
    (
        TEXT,
        SIGNATURE,
        OUTPUT,
        Column("value", "float?", "Missing: undefined for this text"),
        Column("reason", "string", "Why it is undefined"),
    ),
    of={"text": "generation.key", "signature": "signature_id"},
)
DAMAGED_SCORES = Table(
    "damaged_scores",
    "Scores of metrics for damaged texts.",
    (
        Column("damaged", "int", "Number, as in `damaged_texts`"),
        SIGNATURE,
        OUTPUT,
        Column("value", "float?", "Missing: undefined for this text"),
        Column("reason", "string", "Why it is undefined"),
    ),
    of={"damaged": "negative.survey.number", "signature": "signature_id"},
)
SYSTEM_SCORES = Table(
    "system_scores",
    "Numbers that metrics give all texts of a system together.",
    (
        Column("system", "string", "As in `systems`"),
        SIGNATURE,
        OUTPUT,
        Column("seed", "int", "Of what is random in it"),
        Column("value", "float?", "Missing: undefined"),
        Column("reason", "string", "Why it is undefined"),
    ),
    of={"system": "system.name", "signature": "signature_id"},
)
METRIC_MARKS = Table(
    "metric_marks",
    "One row for each text in which a metric has looked for errors.",
    (
        TEXT,
        Column("metric", "string", "Name of the metric"),
        Column(
            "marks",
            "string",
            "As JSON: start, end, category, severity, side and words of each error",
        ),
        Column(
            "unplaced",
            "string?",
            "As JSON: errors without a place, each with absent or ambiguous and words",
        ),
    ),
    of={"text": "generation.key"},
)
TABLES = (
    *(TEXTS, DIALOGUES, SYSTEMS, LABELS, ASPECTS, HUMAN_SCORES, MEASURED, MEANS),
    RATINGS,
    *(DAMAGED, VOTES, METRICS, SCORES, DAMAGED_SCORES, SYSTEM_SCORES),
    METRIC_MARKS,
)
BY_NAME = {table.name: table for table in TABLES}


def add(table: Table) -> None:
    """One that only pages of one kind fill: kinds are known once the app is loaded."""
    BY_NAME[table.name] = table
