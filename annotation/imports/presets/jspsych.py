"""jsPsych: a row for each trial, with the answers as JSON in "response".

Answers to questions and sliders become ratings of what the trial showed: of its text,
or of its stimulus without HTML. Other trials, such as instructions, are not used. Who
answered stands under participant, subject or the like. (jspsych.org, survey plugins)
"""

from __future__ import annotations

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._names import USUAL, words_of
from annotation.imports._verbs import set_aside
from annotation.imports.files import Record
from annotation.imports.presets._answers import IN_WORDS, answer
from annotation.imports.presets._preset import Preset, Records, has
from annotation.imports.presets._written import object_in

RESPONSES, TRIAL = ("response", "responses"), "trial_type"
TEXTS = (
    *(name for name in USUAL["text"] if name not in RESPONSES),
    *("item text", "stimulus", "stim", "preamble"),
)
PEOPLE = (
    *("participant", "participant_id", "subject", "subject_id", "prolific_pid"),
    *("workerid", "worker_id", "ppt", "pid", "prolific_id", "user_id", "run_id"),
)
OF_SESSION = (
    *("rt", TRIAL, "trial_index", "time_elapsed", "internal_node_id", "success"),
    *("plugin_version", "view_history", "question_order", "accuracy", "timeout"),
    "slider_start",
)
SLIDER, FREE = "slider", "survey-text"  # in types of trials
OF_TRIAL = "it is about the trial, not about the text"
NO_ANSWERS = "the trial has no answers to questions about a text"


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        named = {words_of(n): n for n, cell in cells.items() if filled(cell)}
        text = next((named[usual] for usual in TEXTS if usual in named), "")
        answers = _answers(cells)
        if not text or not answers:
            set_aside(cells, account, NO_ANSWERS)
            continue
        row = {"text": plain(cells[text])}
        for name, value in cells.items():
            if name in OF_SESSION:
                set_aside({name: value}, account, OF_TRIAL)
            elif words_of(name).replace(" ", "_") in PEOPLE and "rater" not in row:
                row["rater"] = value
            elif name not in (text, *RESPONSES):
                row[name] = value
        if FREE in str(cells.get(TRIAL)):
            set_aside(answers, account, IN_WORDS)
            answers = {}
        yield Record(line, {**row, **_ratings(answers, account)})


def _answers(cells: Mapping[str, Any]) -> dict[str, Any]:
    """By question; a slider has one answer, and a key that was pressed is none."""
    response = next((cells[n] for n in RESPONSES if filled(cells.get(n))), None)
    if filled(response) and SLIDER in str(cells.get(TRIAL)):
        return object_in(response) or {"response": response}
    return object_in(response)


def _ratings(answers: Mapping[str, Any], account: Account) -> dict[str, Any]:
    ratings = {}
    for question, value in answers.items():
        if (rating := answer(value)) is not None:
            ratings[f"rating:{question.replace(':', ' ')}"] = rating
        elif filled(value):
            account.set_aside(question, words=IN_WORDS)
    return ratings


class _Words(HTMLParser):
    """The words between tags; a paragraph begins a line."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in ("p", "div", "br", "li"):
            self.words.append("\n")


def plain(stimulus: Any) -> Any:
    """Without tags, where it is HTML."""
    if not isinstance(stimulus, str) or not stimulus.lstrip().startswith("<"):
        return stimulus
    reader = _Words()
    reader.feed(stimulus)
    reader.close()
    return "".join(reader.words).strip()


PRESET = Preset(
    title="jsPsych",
    help=__doc__ or "",
    recognises=lambda table, first: (
        has(TRIAL, "rt")(table, first)
        and any(name in table.columns for name in RESPONSES)
    ),
    unfold=_unfold,
)
