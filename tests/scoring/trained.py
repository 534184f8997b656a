"""Trainings of the tests' own metric on a tiny encoder, and workers that do them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from annotation.models import Reference, Study
from evalapp import storage
from scoring import training
from scoring.models import Checkpoint, Chunk, Corpus, CorpusText
from scoring.training.work import TRAININGS
from tests.scoring.working import NOON
from tests.support.scored import give_means

GOOD = "all good and great said the old man of the film"
BAD = "never so bad a terrible story she said of the house"
ENDINGS = "ferry harbour island gulls stood white old house sun woman".split()


def reviews(study: Study, *, n: int = 20, name: str = "reviews") -> Corpus:
    """A corpus of good and bad reviews in turn, which say what they are."""
    corpus = Corpus.objects.create(
        study=study, name=name, n_texts=n, attributes=["verdict"], digest=name
    )
    CorpusText.objects.bulk_create(
        CorpusText(
            corpus=corpus,
            position=i,
            text=f"{(GOOD, BAD)[i % 2]} {ENDINGS[i % 10]} {ENDINGS[i // 10 % 10]} {i}",
            attributes={"verdict": ("good", "bad")[i % 2]},
        )
        for i in range(n)
    )
    return corpus


def rated_study(make_study: Any, *, prompts: int = 3) -> Study:
    """Another study, with no words of the usual one: two texts of each prompt."""
    study = make_study(name="lake", prompts=prompts, systems=("x", "y"))
    for position, prompt in enumerate(study.prompts.all()):
        prompt.prefix = ""
        prompt.save()
        text = f"Reference {position} rows over calm water."
        Reference.objects.create(prompt=prompt, text=text, position=0)
    for generation in study.generations.all():
        generation.text = f"Boat {generation.key} rows over calm water."
        generation.save()
    give_means(study, "coherence", [1, 2, 3, 4, 5] * (prompts // 3))
    return study


def begun(
    study: Study, encoder: Path, *, name: str = "first", **given: Any
) -> Checkpoint:
    """A training of a few steps on the study's corpus, or on reviews."""
    wanted = ("corpus", "test", "aspect", "user", "metric")
    chosen = {key: given.pop(key) for key in wanted if key in given}
    usual = {"base": str(encoder), "attribute": "verdict", "batch": 3}
    chosen.setdefault("corpus", study.corpora.first() or reviews(study))
    chosen.setdefault("metric", "pupil")
    return training.start(
        study=study,
        name=name,
        options={**usual, "epochs": 1, "held_out": 0.3, "max_tokens": 16, **given},
        any_folder=True,
        **chosen,
    )


def slice_of(
    checkpoint: Checkpoint, *, owner: str = "here/1/a", now: datetime = NOON
) -> int | None:
    """Do the slice that is queued; the number of the one that follows."""
    found = checkpoint.chunks.filter(state=Chunk.State.QUEUED).get()
    TRAININGS.perform(pk=found.pk, owner=owner, clock=lambda: now)
    checkpoint.refresh_from_db()
    following = checkpoint.chunks.filter(state=Chunk.State.QUEUED)
    return following.exclude(pk=found.pk).values_list("pk", flat=True).first()


def work(checkpoint: Checkpoint, *, owner: str = "here/1/a") -> int:
    """Do all slices; how many it took."""
    done = 1
    while slice_of(checkpoint, owner=owner):
        done += 1
    return done


def weights(checkpoint: Checkpoint) -> dict[str, bytes]:
    """Of the finished checkpoint, by file."""
    folder = storage.local(checkpoint.stored_as) / "model"
    return {one.name: one.read_bytes() for one in folder.glob("*.safetensors")}
