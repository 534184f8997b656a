"""Texts, and what came with them. Pure."""

from __future__ import annotations

from annotation.archive.columns import API, DATASET, EXPORT, Column, Table

TEXTS = Table(
    "texts",
    "One row for each text.",
    (
        Column("key", "string", "Name of the text, the same in all tables"),
        Column(
            "prompt",
            "int",
            "Number of its prompt: texts of one prompt share it",
            only=[DATASET],
        ),
        Column("prefix", "string", "Opening that the system was given and continues"),
        Column("label", "string?", "Attribute that was asked for, such as positive"),
        Column(
            "source",
            "string",
            "Shown beside the text: a prompt, document or dialogue",
            only=[EXPORT, DATASET],
        ),
        Column("system", "string?", "Who wrote it; empty: unknown"),
        Column(
            "system_kind",
            "string?",
            "generator or human; empty: unknown",
            only=[EXPORT],
        ),
        Column("sample", "int", "Which of its system's texts for the prompt, from 1"),
        Column("text", "string", "As the system gave it"),
        Column("full_text", "string", "With its prefix", only=[EXPORT]),
        Column(
            "references",
            "strings",
            "Right texts that people wrote for the prompt",
            only=[DATASET],
        ),
        Column(
            "corrections", "strings", "This text, corrected by people", only=[DATASET]
        ),
        Column("log_probability", "float?", "Under its own system; missing: unknown"),
        Column("pair", "string", "Texts with the same value belong together"),
        Column("dialogue", "string?", "Key of the dialogue that it is or is a turn of"),
        Column(
            "turn",
            "int?",
            "Its turn, from 1; missing: all of the dialogue, or none",
            only=[EXPORT, API],
        ),
        Column(
            "turn",
            "int?",
            "Its turn, from 0; missing: all of the dialogue, or none",
            only=[DATASET],
        ),
        Column(
            "asked", "bool?", "Whether it was drawn for people; missing: all were asked"
        ),
        Column("probability", "float?", "With which it was drawn"),
        Column("stratum", "int?", "From which it was drawn"),
        Column("excluded", "bool", "Whether a researcher excluded it from statistics"),
        Column("excluded_reason", "string", "Why"),
    ),
    of={
        "prefix": "prompt.prefix",
        "label": "prompt.label.name",
        "source": "prompt.source",
        "system": "system.name",
        "system_kind": "system.kind",
        "dialogue": "dialogue.key",
        "turn": "turn_number",
        "excluded": "is_excluded",
    },
    key="key",
)
DIALOGUES = Table(
    "dialogues",
    "One row for each turn of each dialogue.",
    (
        Column("dialogue", "string", "Key of the dialogue"),
        Column("turn", "int", "From 1", only=[EXPORT]),
        Column("turn", "int", "From 0", only=[DATASET]),
        Column("role", "string", "Who speaks"),
        Column("text", "string", "What is said"),
        Column("marked", "bool", "Whether it is a text to rate", only=[EXPORT]),
    ),
)
