"""Results of HELM (crfm-helm, of 0.5.x).

- `per_instance_stats.json`: scores of texts; each kind of number becomes a run.
- A zip file of the folder of a run: `scenario_state.json` or `display_predictions.json`
  then tell the words of each text, `instances.json` its prompt and `run_spec.json` the
  model, and which judges annotated.
- `stats.json`: numbers of whole systems, if there are none of single texts.

Without the words, texts are found by the instance's id alone. Counts that a run keeps
of itself (tokens, seconds, references) are no scores and are left out. A number is the
mean of its counted values; where HELM counted none, it stays missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scoring.contrib.tool_results.readers._bundle import Bundle
from scoring.contrib.tool_results.readers._found import (
    NO_VALUE,
    Found,
    Number,
    Sample,
    Scored,
    Total,
    items,
    keys,
    mapping,
    number,
    signed,
    texts,
)
from scoring.runs.score_lines import as_word

TITLE = "HELM"
FILES = "per_instance_stats.json, stats.json, or a zip file of the run's folder"
TOOL = "helm"
NO_SCORES = frozenset(
    "batch_size inference_denoised_runtime inference_idealized_runtime"
    " inference_runtime logprob max_prob num_bytes num_completion_tokens num_instances"
    " num_output_tokens num_perplexity_tokens num_prompt_tokens num_references"
    " num_train_instances num_train_trials prompt_truncated training_co2_cost"
    " training_energy_cost".split()
)
FINISHED = "finish_reason_"

Which = tuple[str, int, str]  # the instance, the trial, how it was perturbed


class Words(NamedTuple):
    texts: tuple[str, ...] = ()
    prompt: str = ""


class About(NamedTuple):
    """What the files beside the numbers tell."""

    words: Mapping[Which, Words]
    system: str
    signature: str


def read(bundle: Bundle) -> Found | None:
    single = [n for n in bundle.ending(".json") if _is_stats(bundle, n, "instance_id")]
    whole = [n for n in bundle.ending(".json") if _is_stats(bundle, n, "name")]
    if not single and not whole:
        return None
    found = Found(TOOL)
    for name in single:
        found.add(_scored(bundle.value(name), _about(bundle, name)))
    for name in whole if not single else ():
        found.add(_totals(bundle.value(name), _about(bundle, name)))
    return found


def _is_stats(bundle: Bundle, name: str, field: str) -> bool:
    if not name.endswith("stats.json") and len(bundle.names) > 1:
        return False  # what tells the words may be large: it is read once, later
    if bundle.is_lines(name):
        return False
    first = mapping(next(iter(items(bundle.value(name))), None))
    has = "stats" if field == "instance_id" else "count"
    return field in first and has in first


def _scored(rows: object, about: About) -> Iterator[Scored]:
    for row in map(mapping, items(rows)):
        which = _which(row.get("instance_id"), row)
        words = about.words.get(which, Words())
        changed = f", perturbed by {which[2]}" if which[2] else ""
        trial = f", trial {which[1] + 1}" if which[1] else ""
        sample = Sample(
            at=f"instance {which[0]}{trial}{changed}",
            keys=() if which[2] else keys([which[0]]),
            texts=words.texts,
            prompt=words.prompt,
            system=about.system,
        )
        for stat in map(mapping, items(row.get("stats"))):
            name = str(mapping(stat.get("name")).get("name"))
            if _is_score(name):
                got = _mean(stat)
                yield Scored(
                    sample,
                    as_word(name),
                    about.signature,
                    as_word(name),
                    got.value,
                    got.reason,
                )


def _totals(rows: object, about: About) -> Iterator[Total]:
    for stat in map(mapping, items(rows)):
        named = mapping(stat.get("name"))
        name = str(named.get("name"))
        if not _is_score(name) or named.get("perturbation"):
            continue
        split = named.get("sub_split") or named.get("split")
        got = _mean(stat)
        yield Total(
            system=about.system or "model",
            metric=as_word(name),
            signature=about.signature,
            output=as_word(f"{name}_{split}" if split else name),
            value=got.value,
            reason=got.reason,
        )


def _is_score(name: str) -> bool:
    return name not in NO_SCORES and not name.startswith(FINISHED)


def _mean(stat: Mapping[str, Any]) -> Number:
    return number(stat.get("mean")) if stat.get("count", 1) else Number(None, NO_VALUE)


def _which(name: object, row: Mapping[str, Any]) -> Which:
    trial = row.get("train_trial_index")
    changed = mapping(row.get("perturbation")).get("name")
    return str(name), trial if isinstance(trial, int) else 0, str(changed or "")


def _about(bundle: Bundle, name: str) -> About:
    spec = mapping(bundle.beside(name, "run_spec.json"))
    adapter = mapping(spec.get("adapter_spec"))
    return About(
        _words(bundle, name),
        str(adapter.get("model") or adapter.get("model_deployment") or ""),
        signed({"run": spec.get("name"), "judge": _judges(spec)}),
    )


def _judges(spec: Mapping[str, Any]) -> str:
    """Who annotated, with the models that they were given."""
    found = []
    for one in map(mapping, items(spec.get("annotators"))):
        given = [v for k, v in mapping(one.get("args")).items() if "model" in k]
        named = str(one.get("class_name", "")).rpartition(".")[2]
        found.append(" ".join([named, *map(str, given)]))
    return ", ".join(filter(None, found))


def _words(bundle: Bundle, name: str) -> dict[Which, Words]:
    prompts: dict[Which, str] = {}
    for row in map(mapping, items(bundle.beside(name, "instances.json"))):
        prompts[_which(row.get("id"), row)] = _input(row)
    found: dict[Which, Words] = {}
    for row in map(mapping, items(bundle.beside(name, "display_predictions.json"))):
        which = _which(row.get("instance_id"), row)
        prompt = prompts.get((which[0], 0, which[2]), "")
        found[which] = Words(texts([row.get("predicted_text")]), prompt)
    states = mapping(bundle.beside(name, "scenario_state.json"))
    for row in map(mapping, items(states.get("request_states"))):
        instance = mapping(row.get("instance"))
        which = _which(instance.get("id"), {**instance, **_trial(row)})
        completions = items(mapping(row.get("result")).get("completions"))
        said = mapping(completions[0] if completions else None).get("text")
        # Multiple choice asks once for each answer: the first is as good as any.
        found.setdefault(which, Words(texts([said]), _input(instance)))
    return found


def _trial(row: Mapping[str, Any]) -> dict[str, object]:
    return {"train_trial_index": row.get("train_trial_index")}


def _input(instance: Mapping[str, Any]) -> str:
    text = mapping(instance.get("input")).get("text")
    return text if isinstance(text, str) else ""
