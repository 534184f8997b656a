"""Studies of dialogues, for tests of their pages."""

from __future__ import annotations

import io
import json

from annotation import imports, surveys
from annotation.models import Aspect, Study

ASKED = ("What did you do?", "Do you like the sea?", "Where is the harbour?")
SAID = (
    ("We sailed to the island.", "Yes, in winter above all.", "Behind the market."),
    ("I read a long novel.", "No, it is too cold for me.", "Ten minutes from here."),
    ("I repaired the old boat.", "Only when it is calm.", "At the end of this road."),
    ("I slept until noon.", "I grew up beside it.", "You can see it from the hill."),
)


def dialogue(number: int, turns: int = 2) -> dict[str, object]:
    messages = [{"role": "user", "content": f"Hi, this is talk {number}."}]
    for turn in range(turns):
        answer = (
            f"{SAID[number % len(SAID)][turn % 3]} That was answer {number}-{turn}."
        )
        messages.append({"role": "assistant", "content": answer})
        messages.append({"role": "user", "content": ASKED[(number + turn) % 3]})
    return {"key": f"d{number}", "system": "ab"[number % 2], "messages": messages}


def content(dialogues: int = 6, turns: int = 2) -> bytes:
    return "\n".join(json.dumps(dialogue(n, turns)) for n in range(dialogues)).encode()


def make(
    owner, *, name: str = "talks", dialogues: int = 6, turns: int = 2, **fields
) -> Study:
    """A draft with a question about turns and one about dialogues."""
    study = imports.run(
        study_name=name,
        format="jsonl",
        file=io.BytesIO(content(dialogues, turns)),
        file_name="talks.jsonl",
        owner=owner,
    ).study
    fields = {"ratings_per_text": 2, "seed": 7, **fields}
    Study.objects.filter(pk=study.pk).update(**fields)
    return Study.objects.get(pk=study.pk)


def opened(owner, **fields) -> Study:
    study = make(owner, **fields)
    surveys.open_study(study=study)
    return Study.objects.get(pk=study.pk)


def keys(study: Study) -> dict[str, str]:
    """The question of each level."""
    found = {one.about: one.key for one in study.aspects.all()}
    return {"turn": found[Aspect.About.TEXT], "whole": found[Aspect.About.DIALOGUE]}
