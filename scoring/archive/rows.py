"""The rows of a study for each table of a data set. Queries do not grow with rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from annotation.exports import ratings as exported
from annotation.human_scores import corrections
from annotation.models import (
    Generation,
    ImportedMean,
    Negative,
    Reference,
    Study,
    Vote,
)
from annotation.models.surveys import pseudonym
from annotation.votes import reading
from scoring.archive.pages import Page, pages
from scoring.archive.permission import Permission
from scoring.models import NegativeScore, Score, Signature, SystemScore
from scoring.scores import option_sets
from scoring.scores.options import named
from scoring.scores.outputs import outputs_of
from scoring.stats.data import Data

Row = dict[str, Any]
OF_ASPECT = (
    *("key", "title", "question", "pair_question", "kind", "low", "middle", "high"),
    *("cannot_say", "level", "about", "higher_is_better"),
)


@dataclass
class Rows:
    """A study, what may be told of it, and codes of its raters."""

    study: Study
    data: Data
    permission: Permission
    codes: Mapping[str, str]
    of_seats: dict[int, Page] = field(default_factory=dict)

    def of(self, table: str) -> Iterator[Row]:
        found: Callable[[], Iterator[Row]] = getattr(self, table)
        return found()

    @cached_property
    def prompts(self) -> dict[int, int]:
        """Number of each prompt, from 1, by id."""
        ids = self.study.prompts.order_by("position", "pk").values_list("pk", flat=True)
        return {pk: number for number, pk in enumerate(ids, start=1)}

    # What people rated ---------------------------------------------------------------

    def texts(self) -> Iterator[Row]:
        references, own = self._references(), self._corrections()
        found = self.study.generations.select_related(
            "prompt__label", "system", "dialogue"
        )
        for text in found.order_by("pk").iterator(chunk_size=1000):
            prompt = text.prompt
            yield {
                "key": text.key,
                "prompt": self.prompts[prompt.pk],
                "prefix": prompt.prefix,
                "label": prompt.label.name if prompt.label else "",
                "source": prompt.source,
                "system": text.system.name if text.system else "",
                "sample": text.sample,
                "text": text.text,
                "references": references.get(prompt.pk, []),
                "corrections": list(own.get(text.pk, ())),
                "log_probability": text.log_probability,
                "pair": text.pair,
                "dialogue": text.dialogue.key if text.dialogue else "",
                "turn": text.turn,
                "asked": text.asked,
                "probability": text.probability,
                "stratum": text.stratum,
                "excluded": text.excluded_at is not None,
                "excluded_reason": text.excluded_reason,
            }

    def _references(self) -> dict[int | None, list[str]]:
        found: dict[int | None, list[str]] = {}
        rows = Reference.objects.filter(prompt__study=self.study)
        for prompt, text in rows.values_list("prompt_id", "text"):
            found.setdefault(prompt, []).append(text)
        return found

    def _corrections(self) -> Mapping[int, Any]:
        """Those that people made here are their work: only where all allowed it."""
        if self.permission.level != "all" and self.study.corrects_texts:
            return {}
        return corrections.of_texts(self.study.generations.all())

    def dialogues(self) -> Iterator[Row]:
        for dialogue in self.study.dialogues.iterator(chunk_size=500):
            for place, turn in enumerate(dialogue.turns):
                yield {
                    "dialogue": dialogue.key,
                    "turn": place,
                    "role": turn.role,
                    "text": turn.text,
                }

    def systems(self) -> Iterator[Row]:
        names = ("name", "kind", "model", "top_p", "top_k")
        yield from self.study.systems.values(*names)

    def labels(self) -> Iterator[Row]:
        for name, words in self.study.labels.values_list("name", "verbalizers"):
            yield {"name": name, "verbalizers": words}

    def aspects(self) -> Iterator[Row]:
        for aspect in self.study.aspects.all():
            low, high = aspect.ends
            told = {name: getattr(aspect, name) for name in OF_ASPECT}
            words = json.dumps(aspect.words, ensure_ascii=False, sort_keys=True)
            ends = {"scale_min": low, "scale_max": high}
            yield told | ends | {"words": words, "own_scale": aspect.has_own_scale}

    # What people said ----------------------------------------------------------------

    def human_scores(self) -> Iterator[Row]:
        values, n = self.data.human_means()
        keys = self.data.texts.key.tolist()
        for key, means, counts in zip(keys, values.tolist(), n.tolist(), strict=True):
            for aspect, mean, count in zip(
                self.data.aspects, means, counts, strict=True
            ):
                if mean == mean:
                    told = {"text": key, "aspect": aspect.key}
                    yield told | {"mean": mean, "n": count}

    def means(self) -> Iterator[Row]:
        found = ImportedMean.objects.filter(generation__study=self.study)
        rows = found.order_by("pk").values_list(
            "generation__key", "aspect__key", "mean", "n"
        )
        for text, aspect, mean, n in rows.iterator(chunk_size=5000):
            yield {"text": text, "aspect": aspect, "mean": mean, "n": n or 0}

    def ratings(self) -> Iterator[Row]:
        if self.permission.level == "none":
            return
        self.of_seats = pages(self.study)
        aspects = dict(self.study.aspects.values_list("pk", "key"))
        numbers = dict(
            Negative.objects.filter(survey__study=self.study).values_list(
                "pk", "survey__number"
            )
        )
        keys = dict(self.study.generations.values_list("pk", "key"))
        # An undamaged turn of a damaged dialogue counts nowhere.
        found = exported.of_study(self.study).filter(decoy=None).order_by("pk")
        names = ("generation_id", "negative_id", "aspect_id", "value", "rater")
        for text, negative, aspect, value, rater, seat, item in found.values_list(
            *names, "seat_id", "item_id"
        ).iterator(chunk_size=5000):
            page = self.of_seats.get(seat) if seat else None
            if not self._may_tell(seat, page):
                continue
            yield {
                "text": keys[text] if text else "",
                "damaged": numbers[negative] if negative else None,
                "aspect": aspects[aspect],
                "value": value,
                **self._of_page(page, rater, item),
            }

    def _may_tell(self, seat: int | None, page: Page | None) -> bool:
        if seat is None:
            return self.permission.files
        return page is not None and self.permission.of_page(page.consent)

    def _of_page(self, page: Page | None, rater: str, item: int | None) -> Row:
        if page is None:
            told = dict.fromkeys(("page", "survey", "position", "seconds"))
            code = self.codes.get(rater, "")
            return told | {
                "rater": code,
                "state": "imported",
                "reason": "",
                "informed": False,
            }
        return {
            "rater": self.codes.get(pseudonym(self.study, page.worker), ""),
            "state": page.state,
            "reason": page.reason,
            "informed": page.informed,
            "page": page.number,
            "survey": page.survey,
            "position": page.order.index(item) + 1 if item in page.order else None,
            "seconds": page.seconds,
        }

    def damaged_texts(self) -> Iterator[Row]:
        found = Negative.objects.filter(survey__study=self.study)
        rows = found.order_by("survey__number", "pk").values_list(
            *("survey__number", "source__key", "survey__prompt_id"),
            *("perturbation", "hurts", "text"),
        )
        for number, source, prompt, perturbation, hurts, text in rows.iterator(2000):
            yield {
                "number": number,
                "survey": number,
                "source": source,
                "prompt": self.prompts[prompt],
                "perturbation": perturbation,
                "hurts": hurts,
                "text": text,
            }

    def votes(self) -> Iterator[Row]:
        if self.permission.level != "all":
            return
        systems = dict(self.study.systems.values_list("pk", "name"))
        keys: dict[int, str] = {}
        cast = reading.rows(study=self.study)
        if any(row.texts for row in cast):
            keys = dict(
                Generation.objects.filter(study=self.study).values_list("pk", "key")
            )
        for row in cast:
            first, second = row.texts or (0, 0)
            yield {
                "pair": row.pair,
                "question": row.question,
                "first": systems[row.first],
                "second": systems[row.second],
                "ordered": row.ordered,
                "rater": self.codes.get(row.rater, ""),
                "outcome": Vote.Outcome(row.outcome).word,
                "prompt": self.prompts.get(row.prompt) if row.prompt else None,
                "first_text": keys.get(first, ""),
                "second_text": keys.get(second, ""),
            }

    # What metrics said ---------------------------------------------------------------

    @cached_property
    def signatures(self) -> dict[int, Signature]:
        of_texts = Score.objects.filter(generation__study=self.study)
        of_systems = SystemScore.objects.filter(system__study=self.study)
        ids = {
            pk
            for found in (of_texts, of_systems)
            for pk in found.order_by().values_list("signature", flat=True).distinct()
        }
        return Signature.objects.in_bulk(ids)

    def metrics(self) -> Iterator[Row]:
        options = option_sets.options_of(self.study)
        of_texts = set(
            Score.objects.filter(generation__study=self.study)
            .order_by()
            .values_list("signature", flat=True)
            .distinct()
        )
        for pk, signature in sorted(
            self.signatures.items(), key=lambda one: (one[1].metric, one[0])
        ):
            chosen = named(options.get(pk, {}))
            for output in outputs_of(signature):
                yield {
                    "metric": signature.metric,
                    "output": output.key,
                    "title": output.title,
                    "unit": output.unit,
                    "higher_is_better": output.higher_is_better,
                    "measures": output.measures or "",
                    "quality": output.quality,
                    "of": "texts" if pk in of_texts else "systems",
                    "parameters": signature.parameters,
                    "options": json.dumps(chosen, sort_keys=True, default=str),
                    "signature": signature.text,
                }

    def metric_scores(self) -> Iterator[Row]:
        found = Score.objects.filter(generation__study=self.study)
        rows = found.order_by("pk").values_list(
            "generation__key", "signature_id", "output", "value", "reason"
        )
        for text, *score in rows.iterator(chunk_size=5000):
            yield {"text": text, **self._score(score)}

    def damaged_scores(self) -> Iterator[Row]:
        found = NegativeScore.objects.filter(negative__survey__study=self.study)
        found = found.filter(signature__in=list(self.signatures))
        rows = found.order_by("pk").values_list(
            "negative__survey__number", "signature_id", "output", "value", "reason"
        )
        for number, *score in rows.iterator(chunk_size=5000):
            yield {"damaged": number, **self._score(score)}

    def system_scores(self) -> Iterator[Row]:
        found = SystemScore.objects.filter(system__study=self.study)
        rows = found.order_by("pk").values_list(
            "system__name", "seed", "signature_id", "output", "value", "reason"
        )
        for system, seed, *score in rows.iterator(chunk_size=5000):
            yield {"system": system, "seed": seed, **self._score(score)}

    def _score(self, given: Sequence[Any]) -> Row:
        signature, output, value, reason = given
        text = self.signatures[signature].text
        return {"signature": text, "output": output, "value": value, "reason": reason}
