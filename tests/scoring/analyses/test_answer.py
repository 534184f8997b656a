"""The answer of whole studies: made up ones, and two that were published."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from scoring import analyses
from scoring.stats.answer import surface
from scoring.stats.data import NONE, Aspect, Data, Means, Ratings, System, Texts
from tests.scoring import made
from tests.support import shared

SENTI = 4  # systems, in turn


def answer(data: Data, **chosen) -> dict:
    return analyses.run("answer", data, analyses.options("answer", chosen))


def texts(prompt: np.ndarray, system: np.ndarray) -> Texts:
    n = len(prompt)
    empty = np.full(n, "", np.str_)
    return Texts(
        key=np.arange(n).astype(str),
        prompt=prompt,
        prefix=prompt,
        label=empty,
        system=system,
        sample=np.ones(n, np.int64),
        pair=empty,
        excluded=np.zeros(n, bool),
    )


def study(
    full: list[str], prompt: np.ndarray, system: np.ndarray, scores: np.ndarray, **parts
) -> Data:
    return Data(
        study="published",
        scale=(1, 5),
        systems=[System(f"s{k}") for k in range(system.max() + 1)],
        texts=texts(prompt, system),
        outputs=[made.output(metric="CTRLEval", key="coherence")],
        scores=scores.reshape(-1, 1),
        surface=surface.table(full),
        **parts,
    )


@pytest.fixture(scope="module")
def senti() -> tuple[list[str], np.ndarray, np.ndarray]:
    """The texts of CTRLEval's sentiment task, their prompts, and their coherence."""
    lines = shared.path("data/ctrleval/data_senti.txt").read_text().splitlines()
    rows = [line.split("\t") for line in lines if line.strip()]
    names = [f"{label}|{prefix}" for label, prefix, *_ in rows]
    prompt = np.unique(names, return_inverse=True)[1]
    return [row[2] for row in rows], prompt, np.array([float(row[3]) for row in rows])


def of_senti(senti, scores: np.ndarray, system: np.ndarray | None = None) -> dict:
    full, prompt, coherence = senti
    n = len(full)
    means = Means(np.arange(n), np.zeros(n, int), coherence, np.full(n, 5))
    unknown = np.full(n, NONE)
    data = study(
        full,
        prompt,
        unknown if system is None else system,
        scores,
        aspects=[Aspect("coherence", "Coherence")],
        means=means,
    )
    return answer(data, grouping="none")["aspects"][0]


@pytest.fixture(scope="module")
def like_ctrleval(senti) -> np.ndarray:
    """Scores that correlate at .242 with people, as those of the bundled model do."""
    y = senti[2] - senti[2].mean()
    noise = np.random.default_rng(1).normal(size=len(y))
    noise -= noise.mean()
    noise -= y * (noise @ y) / (y @ y)
    r = 0.242
    return r * y / np.linalg.norm(y) + (1 - r**2) ** 0.5 * noise / np.linalg.norm(noise)


class TestSenti:
    """Ke et al. (2022): 360 texts, mean ratings only."""

    def test_counting_words_is_not_told_apart_from_the_metric(
        self, senti, like_ctrleval
    ):
        found = of_senti(senti, like_ctrleval)
        row = found["rows"][0]
        assert row["code"] == "unclear" and round(row["r"]["value"], 2) == 0.24
        gap = next(one for one in row["floor"] if one["key"] == "length")["difference"]
        assert gap["low"] < 0 < gap["high"]

    def test_what_ratings_say_of_systems_is_shown_and_never_a_gate(
        self, senti, like_ctrleval
    ):
        system = np.arange(len(senti[0])) % SENTI
        found = of_senti(senti, like_ctrleval, system)
        known = {one["key"]: one for one in found["sentinels"]}
        assert round(known["system"]["r"]["value"], 2) == 0.38
        assert not known["system"]["free"]
        assert "system" not in {gap["key"] for gap in found["rows"][0]["floor"]}

    def test_counting_words_reaches_what_tables_say(self, senti, like_ctrleval):
        full, _, coherence = senti
        words = [len(text.split()) for text in full]
        found = {s["key"]: s["r"] for s in of_senti(senti, like_ctrleval)["sentinels"]}
        wanted = np.corrcoef(words, coherence)[0, 1]
        assert found["length"]["value"] == pytest.approx(wanted, abs=1e-9)
        assert round(wanted, 2) == 0.27

    def test_means_alone_have_no_ceiling(self, senti, like_ctrleval):
        one = of_senti(senti, like_ctrleval)["ceiling"]["one"]
        assert (one["value"], one["reason"]) == (None, "no text has two single ratings")


@pytest.fixture(scope="module")
def mans() -> dict[str, dict]:
    path = shared.path("data/openmeva_mans/mans_roc.json")
    groups = json.loads(path.read_text())
    rows = [
        (p, s, f"{group['prompt']} {one['text']}", one["score"])
        for p, group in enumerate(groups.values())
        for s, one in enumerate(group["gen"].values())
    ]
    full = [row[2] for row in rows]
    brevity = -np.array([len(text.split()) for text in full], float)
    values = np.array([row[3] for row in rows])
    n, raters = values.shape
    place = np.tile(np.arange(raters), n)
    data = study(
        full,
        np.array([row[0] for row in rows]),
        np.array([row[1] for row in rows]),
        brevity,
        aspects=[Aspect("overall", "Overall quality")],
    )
    names = {"unnamed": np.full(n * raters, ""), "places": place.astype(str)}
    found = {
        key: answer(replace(data, ratings=of_raters(values, rater)), grouping="none")
        for key, rater in names.items()
    }
    return {key: one["aspects"][0] for key, one in found.items()}


class TestMans:
    """Guan et al. (2021): 1,000 texts, five ratings each, sorted within texts."""

    def test_brevity_adds_little_to_counting_words(self, mans):
        row = mans["unnamed"]["rows"][0]
        assert row["code"] in ("little", "worse")
        assert round(row["r"]["value"], 2) == 0.11

    def test_places_in_its_sorted_lists_are_not_raters(self, mans):
        for one in mans.values():
            assert one["ceiling"]["one"]["value"] == pytest.approx(0.847, abs=0.003)
        assert mans["places"]["ceiling"]["was_sorted"]

    def test_several_raters_reach_more(self, mans):
        reached = [one["r"]["value"] for one in mans["unnamed"]["ceiling"]["several"]]
        assert reached == sorted(reached)
        assert 0.89 < reached[0] < reached[-1] < 0.96


def of_raters(values: np.ndarray, rater: np.ndarray) -> Ratings:
    n, raters = values.shape
    k = n * raters
    return Ratings(
        text=np.repeat(np.arange(n), raters),
        aspect=np.zeros(k, int),
        rater=rater,
        value=values.ravel(),
        valid=np.ones(k, bool),
        page=np.full(k, NONE),
        position=np.full(k, NONE),
        seconds=np.full(k, np.nan),
        informed=np.zeros(k, bool),
    )


# Made-up studies ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def data() -> Data:
    return made.data(prompts=40, systems=4, noise=(0.5, 30.0))


def rows(found: dict, aspect: int = 0) -> dict[str, dict]:
    return {row["output"]["key"]: row for row in found["aspects"][aspect]["rows"]}


def test_a_metric_that_follows_quality_beats_the_floor_and_noise_does_not(data):
    found = rows(answer(data, grouping="none"))
    assert found["q0"]["code"] in ("better", "like", "beats")
    assert found["q1"]["code"] in ("little", "unclear", "worse")


def test_without_a_choice_texts_of_one_prompt_are_compared_where_enough_were(data):
    found, chosen = answer(data), answer(data, grouping="item")
    assert found["grouping"] == "item"
    assert "of 40 prompts have 3 or more rated texts" in found["grouping_why"]
    assert "are needed" not in chosen["grouping_why"]
    assert found["aspects"] == chosen["aspects"]


def test_lengths_are_no_metrics(data):
    found = answer(data)
    assert set(rows(found)) == {"q0", "q1"}
    assert rows(found)["q0"]["family"] == 2


def test_a_metric_keeps_its_scores_wherever_its_column_stands(data):
    order = [2, 1, 0]
    turned = replace(
        data,
        outputs=[data.outputs[k] for k in order],
        scores=data.scores[:, order],
    )
    assert rows(answer(turned)) == {
        key: {**row, "output": {**row["output"], "place": 2 - row["output"]["place"]}}
        for key, row in rows(answer(data)).items()
    }


def test_metrics_without_a_direction_are_named_and_left_out(data):
    first = replace(data.outputs[0], higher_is_better=None)
    found = answer(replace(data, outputs=[first, *data.outputs[1:]]))
    assert found["undirected"] == ["judge: q0"]
    assert set(rows(found)) == {"q1"}


def test_metrics_without_a_direction_have_the_size_of_their_coefficient(data):
    backwards = replace(data, scores=-data.scores)
    sizes = []
    for one in (data, backwards):
        first = replace(one.outputs[0], higher_is_better=None)
        found = answer(replace(one, outputs=[first, *one.outputs[1:]]))
        sizes.append(found["aspects"][0]["undirected"][0]["size"]["value"])
    with_one = rows(answer(data))["q0"]["r"]["value"]
    assert sizes == pytest.approx([with_one, with_one])


def test_rows_are_sorted_and_the_sentence_is_about_what_most_may_be_claimed_of(data):
    one = answer(data)["aspects"][0]
    values = [row["r"]["value"] for row in one["rows"]]
    assert values == sorted(values, reverse=True)
    assert one["lead"] == one["rows"][0]["output"]["id"]


def test_a_lower_is_better_metric_is_turned(data):
    first = replace(data.outputs[0], higher_is_better=False)
    turned = replace(data, outputs=[first, *data.outputs[1:]], scores=-data.scores)
    assert rows(answer(turned))["q0"]["r"]["value"] == pytest.approx(
        rows(answer(data))["q0"]["r"]["value"]
    )


@pytest.mark.parametrize(
    ("grouping", "key"), [("item", "prompt"), ("system", "system")]
)
def test_what_texts_are_compared_within_is_no_sentinel(data, grouping, key):
    one = answer(data, grouping=grouping)["aspects"][0]
    found = {row["key"]: row for row in one["sentinels"]}
    assert found[key]["reason"]
    assert found[key]["r"]["value"] is None
    compared = {row["key"] for row in one["rows"][0]["floor"]}
    assert key not in compared
    assert {"length", "chance"} <= compared


@pytest.mark.parametrize("grouping", ["none", "item", "system"])
@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
def test_a_number_is_that_of_the_correlations(data, grouping, coefficient):
    given = {"grouping": grouping}
    chosen = analyses.options("correlations", {**given, "primary": coefficient})
    other = analyses.run("correlations", data, chosen)
    found = answer(data, coefficient=coefficient, **given)
    for k, one in enumerate(found["aspects"]):
        cells = {
            output["id"]: cell
            for output, cell in zip(other["outputs"], other["main"][k], strict=True)
        }
        for row in one["rows"]:
            wanted = cells[row["output"]["id"]]
            assert row["r"]["value"] == pytest.approx(wanted["value"], abs=1e-12)


def test_few_prompts_give_no_verdict():
    one = answer(made.data(prompts=7))["aspects"][0]
    assert one["state"] == "few"
    assert {row["code"] for row in one["rows"]} == {"few"}


def test_texts_that_are_not_at_hand_leave_what_ratings_alone_can_say(data):
    one = answer(replace(data, surface=np.empty((0, 0))))["aspects"][0]
    found = {row["key"]: row["reason"] for row in one["sentinels"]}
    assert found["length"] == found["surface"] == "the texts themselves are not at hand"
    assert found["system"] is None


def test_another_coefficient_is_another_signature(data):
    first, second = (
        rows(answer(data, coefficient=name))["q0"]["r"]["signature"]
        for name in ("pearson", "spearman")
    )
    assert first.startswith("pearson|") and second.startswith("spearman|")


def test_a_signature_changes_with_what_a_difference_is_to(data):
    floor = rows(answer(data))["q0"]["floor"]
    signatures = [one["difference"]["signature"] for one in floor]
    assert len(set(signatures)) == len(signatures)


class TestFamilies:
    """Metrics that were chosen, and metrics that are gone."""

    def claims(self, data: Data, *, chosen: str = "", tried: int = 0) -> dict:
        first = replace(data.outputs[0], chosen=chosen)
        given = replace(data, outputs=[first, *data.outputs[1:]], tried=tried)
        return rows(answer(given))["q0"]

    def test_metrics_that_were_deleted_count_still(self, data):
        assert self.claims(data)["family"] == 2
        many = self.claims(data, tried=9)
        assert many["family"] == 9
        assert many["claims"]["beats"] > self.claims(data)["claims"]["beats"]

    def test_one_chosen_before_results_is_a_family_of_its_own(self, data):
        early = self.claims(data, chosen="before", tried=9)
        assert early["family"] == 1
        assert early["claims"]["beats"] < self.claims(data)["claims"]["beats"]

    def test_one_chosen_afterwards_changes_what_is_spoken_of_only(self, data):
        last = data.outputs[1]
        late = [data.outputs[0], replace(last, chosen="after"), *data.outputs[2:]]
        found = answer(replace(data, outputs=late))["aspects"][0]
        assert found["lead"] == last.id
        assert found["notes"][-1].endswith("was chosen after the results were shown.")
        assert (
            rows({"aspects": [found]})["q1"]["claims"]
            == rows(answer(data))["q1"]["claims"]
        )


def test_of_two_texts_a_prompt_the_order_counts():
    found = answer(made.data(prompts=30, systems=2, aspects=("coherence",)))
    assert (found["coefficient"], found["grouping"]) == ("kendall", "item")
    assert found["aspects"][0]["state"] == "open"


def test_where_people_hardly_agree_no_metric_is_judged(data):
    value = np.random.default_rng(3).integers(1, 6, size=len(data.ratings))
    found = answer(replace(data, ratings=replace(data.ratings, value=value)))
    one = found["aspects"][0]
    assert one["state"] == "hardly"
    assert {row["code"] for row in one["rows"]} == {"hardly"}
