"""Probes: the closed form against numpy's own solver, and the command."""

import json

import numpy as np
import pytest

from scoring.metrics import Example, MetricError, get
from scoring.metrics import __main__ as command_line
from scoring.metrics._cdm import probes
from tests.scoring.metrics.pairs import sibling

rng = np.random.default_rng(0)
STEPS = [rng.normal(size=n) for n in rng.integers(1, 30, size=40)]
TEXTS = [f"text {k}" for k in range(40)]
RATINGS = np.array([3 + steps.mean() for steps in STEPS]) + rng.normal(0, 0.1, 40)
WORDS = "the ferry left harbour at seven nobody on deck said a word good bad".split()


def fitted(features="linear", ridge=1.0, **others):
    given = {"steps": STEPS, "ratings": RATINGS, "texts": TEXTS, **others}
    return probes.fit(**given, features=features, pair="pair", ridge=ridge)


class TestFeatures:
    @pytest.mark.parametrize("name", probes.FEATURES)
    def test_a_text_twice_as_long_has_the_same(self, name):
        features = probes.FEATURES[name]
        steps = np.array([0.5, -1.0, 2.0])
        assert features(np.tile(steps, 400)) == pytest.approx(
            features(np.tile(steps, 800)), abs=1e-2
        )
        assert len(features(steps)) == len(features(steps[:1]))

    def test_they_are_what_they_are_called(self):
        assert probes.FEATURES["polynomial"](np.array([1.0, -2.0])) == [
            -0.5,
            2.5,
            -3.5,
        ]
        linear = probes.FEATURES["linear"](np.array([4.0, 0.0, 2.0]))
        assert linear == pytest.approx([2, np.sqrt(8 / 3), 2, 0.2, 1, 2, 3, 3.8])


class TestFit:
    @pytest.mark.parametrize("features", probes.FEATURES)
    def test_it_equals_least_squares_with_the_penalty_as_data(self, features):
        x = np.array([probes.FEATURES[features](steps) for steps in STEPS])
        z = (x - x.mean(axis=0)) / x.std(axis=0)
        width = z.shape[1]
        rows = np.vstack([z, np.sqrt(2.5) * np.eye(width)])
        wanted = np.concatenate([RATINGS - RATINGS.mean(), np.zeros(width)])
        weights = np.linalg.lstsq(rows, wanted)[0]
        probe = fitted(features, ridge=2.5).probe
        found = [probe.rating(steps) for steps in STEPS]
        assert found == pytest.approx(RATINGS.mean() + z @ weights, abs=1e-9)

    def test_it_learns_and_tells_how_well_it_predicts_what_it_has_not_seen(self):
        found = fitted()
        x = np.array([probes.FEATURES["linear"](steps) for steps in STEPS])
        # The standardisation is that of all texts: it sees no rating.
        z = (x - x.mean(axis=0)) / x.std(axis=0)
        z = np.column_stack([np.ones(40), z])
        penalty = np.diag([0.0, *np.ones(z.shape[1] - 1)])
        predicted = []
        for k in range(40):
            kept = np.arange(40) != k
            gram = z[kept].T @ z[kept] + penalty
            predicted.append(z[k] @ np.linalg.solve(gram, z[kept].T @ RATINGS[kept]))
        wanted = np.corrcoef(predicted, RATINGS)[0, 1]
        assert found.left_out == pytest.approx(wanted, abs=1e-9)
        assert found.left_out > 0.9

    def test_ratings_by_chance_are_not_predicted(self):
        assert fitted(ratings=rng.permutation(RATINGS)).left_out < 0.4

    def test_a_feature_that_never_varies_does_no_harm(self):
        found = fitted(steps=[np.array([k]) for k in range(40)])
        assert np.isfinite(found.probe.rating(np.array([2.0, 3.0])))

    def test_what_cannot_be_learned_is_said(self):
        with pytest.raises(MetricError, match="19 of .*: a probe needs at least 20"):
            fitted(steps=STEPS[:19])
        with pytest.raises(MetricError, match="all ratings are equal"):
            fitted(ratings=np.ones(40))


class TestFiles:
    def test_a_probe_comes_back_as_it_was_without_the_texts(self, tmp_path):
        file = tmp_path / "p.json"
        probes.save(fitted(), file, ratings="sha256:1")
        probe = probes.load(str(file))
        assert probe.rating(STEPS[0]) == fitted().probe.rating(STEPS[0])
        assert probe.has_seen("text 7") and not probe.has_seen("text 40")
        assert "text 7" not in file.read_text()
        assert json.loads(file.read_text())["provenance"]["ratings"] == "sha256:1"

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{}",
            b"[1]",
            b"\xff",
            b'{"kind": "probe of cdm, version 1", "features": []}',
            b'{"kind": "probe of cdm, version 1", "features": "linear", "center": 1}',
        ],
    )
    def test_another_file_is_refused(self, tmp_path, content):
        file = tmp_path / "p.json"
        file.write_bytes(content)
        with pytest.raises(MetricError, match=r"p.json is not a probe; make one with"):
            probes.load(str(file))

    def test_a_missing_file_is_said(self, tmp_path):
        with pytest.raises(MetricError, match="probe: cannot read .*: No such file"):
            probes.load(str(tmp_path / "p.json"))


@pytest.fixture(scope="module")
def pair(gpt2, tmp_path_factory):
    amateur = sibling(gpt2, tmp_path_factory.mktemp("amateur") / "gpt2")
    return {"expert": str(gpt2), "amateur": str(amateur)}


@pytest.fixture(scope="module")
def rated(pair):
    """Texts whose ratings are their contrast: a probe must find that."""
    texts = [" ".join(rng.choice(WORDS, size=n)) for n in rng.integers(3, 15, size=30)]
    scores = get("cdm")(**pair).load("cpu")([Example(text) for text in texts])
    return [
        {"text": text, "rating": 10 + value}
        for text, value in zip(texts, scores.values["mean"], strict=True)
    ]


def run(tmp_path, rows, pair, *more, capsys):
    ratings = tmp_path / "in.jsonl"
    ratings.write_text("".join(json.dumps(row) + "\n" for row in rows))
    status = command_line.main(
        [
            "probe",
            *(f"--{name}={value}" for name, value in pair.items()),
            f"--ratings={ratings}",
            f"--out={tmp_path / 'p.json'}",
            "--device=cpu",
            "--threads=1",
            *more,
        ]
    )
    return status, capsys.readouterr()


class TestCommand:
    def test_what_it_writes_adds_a_supervised_output(
        self, tmp_path, pair, rated, capsys
    ):
        rows = [*rated, {"text": "", "rating": 1}]
        status, printed = run(tmp_path, rows, pair, "--ridge=0.001", capsys=capsys)
        assert status == 0
        assert printed.out.startswith("fitted on 30 of 31 texts; leave-one-out Pearson")
        metric = get("cdm")(**pair, probe=str(tmp_path / "p.json"))
        assert metric.outputs[-1].key == "probe"
        assert "supervised" in metric.outputs[-1].title
        unseen = Example("the harbour left the ferry at seven")
        scorer = metric.load("cpu")
        scores = scorer([unseen, Example(rated[3]["text"]), Example("")])
        mean, probe = scores.values["mean"], scores.values["probe"]
        assert probe[0] == pytest.approx(10 + mean[0], abs=0.01)
        assert np.isnan(probe[1:]).all() and np.isfinite(mean[1])
        assert scores.reasons["probe"] == [
            None,
            "the probe was fitted on this text",
            "the text is empty",
        ]
        assert scores.notes[-2:] == (
            "The output probe is supervised: it was fitted on human ratings of 30 "
            "texts.",
            "Texts that the probe was fitted on have no probe score.",
        )
        assert scorer([unseen]).notes[-1] == scores.notes[-2]
        assert "|probe:sha256:" in scorer.signature

    def test_a_probe_of_other_models_is_refused(self, tmp_path, pair, rated, capsys):
        run(tmp_path, rated, pair, capsys=capsys)
        other = {"expert": pair["amateur"], "amateur": pair["expert"]}
        for options in (other, {**pair, "context": "none"}):
            metric = get("cdm")(**options, probe=str(tmp_path / "p.json"))
            with pytest.raises(
                MetricError, match="fitted with other models or options"
            ):
                metric.load("cpu")

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            (["--ridge=0"], "ridge=0: expected a number above 0"),
            (["--ridge=x"], "ridge=x: expected a number above 0"),
            (
                ["--probe=x"],
                "probe: this command makes a probe, so leave this option out",
            ),
            (["--out=/nowhere/p"], "out=/nowhere/p: the folder does not exist"),
            (["--ratings=/nowhere"], "cannot read /nowhere: No such file or directory"),
        ],
    )
    def test_what_will_not_do_is_said_in_a_sentence(
        self, tmp_path, pair, more, message, capsys
    ):
        status, printed = run(tmp_path, [], pair, *more, capsys=capsys)
        assert (status, printed.err) == (2, f"{message}\n")

    @pytest.mark.parametrize("rating", [None, "4", True, float("nan")])
    def test_a_rating_is_a_number(self, tmp_path, pair, rating, capsys):
        row = {"text": "a", "rating": rating}
        status, printed = run(tmp_path, [row], pair, capsys=capsys)
        assert (status, printed.err) == (2, 'text 1: "rating" must be a number\n')
