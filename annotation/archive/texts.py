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
        Column(
            "prefix",
            "string",
            "Opening that the system was given and continues",
            of="prompt.prefix",
        ),
        Column(
            "label",
            "string?",
            "Attribute that was asked for, such as positive",
            of="prompt.label.name",
        ),
        Column(
            "source",
            "string",
            "Shown beside the text: a prompt, document or dialogue",
            of="prompt.source",
            only=[EXPORT, DATASET],
        ),
        Column("system", "string?", "Who wrote it; empty: unknown", of="system.name"),
        Column(
            "system_kind",
            "string?",
            "generator or human; empty: unknown",
            of="system.kind",
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
        Column(
            "dialogue",
            "string?",
            "Key of the dialogue that it is or is a turn of",
            of="dialogue.key",
        ),
        Column(
            "turn",
            "int?",
            "Its turn, from 1; missing: all of the dialogue, or none",
            of="turn_number",
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
        Column(
            "excluded",
            "bool",
            "Whether a researcher excluded it from statistics",
            of="is_excluded",
        ),
        Column("excluded_reason", "string", "Why"),
    ),
    key="key",
)
REFERENCES = Table(
    "references",
    "One row for each right text.",
    (
        Column(
            "kind", "string", "prewritten for the prompt, or targeted: a correction"
        ),
        Column("text", "string", "Key of the text that it corrects; empty: of none"),
        Column("prefix", "string", "Of the prompt", of="prompt.prefix"),
        Column("label", "string?", "Of the prompt", of="prompt.label.name"),
        Column("source", "string", "Of the prompt", of="prompt.source"),
        Column("reference", "string", "As it was written"),
    ),
)
DIALOGUES = Table(
    "dialogues",
    "One row for each turn of each dialogue.",
    (
        Column("dialogue", "string", "Key of the dialogue"),
        Column("turn", "int", "From 1", of="number", only=[EXPORT]),
        Column("turn", "int", "From 0", of="place", only=[DATASET]),
        Column("role", "string", "Who speaks"),
        Column("text", "string", "What is said"),
        Column("marked", "bool", "Whether it is a text to rate", only=[EXPORT]),
    ),
)
