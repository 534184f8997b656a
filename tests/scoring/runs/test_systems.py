"""What a run of a metric of systems gave, system by system, each of them once."""

from __future__ import annotations

import pytest

from scoring import runs
from scoring.drawing import charts
from scoring.drawing import curves as curve_charts
from scoring.drawing.tables import Cell, as_csv, as_json, as_latex
from scoring.models import Chunk, MetricRun
from scoring.runs import outcomes, systems
from scoring.runs.views.systems import shown
from tests.support.scored import LOSS, ZIPF, score, score_systems

CURVE = [[0.0, 1.0], [0.4, 0.5], [1.0, 0.0]]
DETAILS = {
    "curve": CURVE,
    "clusters": 500,
    "n_texts": 5000,
    "share_cut": 0.25,
    "dimensions": [12, 13],
    "seconds": {"embedding": 12.0, "clustering": 3.5},
    "histogram": {"of": "no use here"},
}


@pytest.fixture
def run(make_study):
    """Two of four systems are scored; one has a seed without a number."""
    study = make_study()
    scores = {"a": [1.0, 2.0, 6.0], "b": [4.0, None, 5.0]}
    score_systems(study, LOSS, scores, metric="kl")
    counted = {"a": 1.5, "b": None}
    signature = score_systems(study, ZIPF, counted, metric="kl")
    run = MetricRun.objects.create(
        study=study, metric="kl", signature=signature, state=MetricRun.State.DONE
    )
    for index, name in enumerate("ab"):
        Chunk.objects.create(
            run=run,
            index=index,
            generations=[],
            system=study.systems.get(name=name),
            state=Chunk.State.DONE,
            total_items=2,
            details=DETAILS if name == "b" else {},
        )
    return run


def column(table, name: str) -> list:
    return [row[table.header.index(name)] for row in table.rows]


class TestTables:
    def test_each_system_has_its_mean_and_spread_over_seeds(self, run):
        table = systems.of(run).tables["systems"]
        a, b, c, _ = column(table, "Negative log-likelihood")
        assert (a.value, a.seeds) == (3.0, 3)
        assert a.std == pytest.approx(7**0.5)
        assert (b.value, b.seeds, b.reason) == (4.5, 2, "too few texts")
        assert (c.value, c.reason) == (None, systems.NOT_SCORED)

    def test_without_chance_there_is_a_number_alone(self, run):
        a, b, *_ = column(systems.of(run).tables["systems"], "Zipf exponent")
        assert (a.value, a.std, a.seeds) == (1.5, None, None)
        assert (b.value, b.reason) == (None, "too few texts")

    def test_what_was_counted_stands_beside_it(self, run):
        table = systems.of(run).tables["systems"]
        assert table.header[3:] == ["Texts", "Clusters", "Dimensions", "share cut"]
        assert table.rows[0][3:] == [None] * 4
        assert table.rows[1][3:] == [5000, 500, "12, 13", 0.25]

    def test_seconds_of_stages_are_those_of_all_systems_together(self, run):
        run.chunks.update(details=DETAILS)
        found = systems.of(run)
        assert found.seconds == {"embedding": 24.0, "clustering": 7.0}
        assert [row[1].value for row in found.tables["stages"].rows] == [12.0, 12.0]

    def test_every_table_can_be_a_file(self, run):
        found = systems.of(run).tables
        assert list(found) == ["systems", "curves", "stages"]
        for table in found.values():
            assert all(map(len, (as_csv(table), as_json(table), as_latex(table))))
            cells = [v for row in table.rows for v in row if isinstance(v, Cell)]
            assert all(cell.value is not None or cell.reason for cell in cells)

    def test_texts_that_were_added_make_a_number_old(self, run):
        run.chunks.update(total_items=1)
        a = column(systems.of(run).tables["systems"], "Negative log-likelihood")[0]
        assert (a.value, a.reason) == (None, "texts have been added since: score again")

    def test_a_run_that_no_worker_took_has_nothing(self, run):
        waiting = MetricRun.objects.create(study=run.study, metric="kl")
        assert systems.of(waiting) == systems.SystemRun({}, [], [], {})


class TestBeyondChance:
    """Of the two systems that are scored, a tells of both."""

    @pytest.fixture
    def tested(self, run):
        chance = {"nll": {"mean": 2.5, "p": 0.02}}
        pairs = {"b": {"nll": {"difference": -1.5, "p": 0.004}}}
        for name in "ab":
            run.chunks.filter(system__name=name).update(
                details={
                    "spread": {"nll": 0.25},
                    "chance": chance,
                    "pairs": pairs if name == "a" else {},
                }
            )
        return systems.of(run).tables

    def test_what_chance_gives_stands_beside_the_value(self, tested):
        table = tested["chance"]
        assert table.header[2:4] == ["Value", "SD over texts"]
        assert table.header[4:] == ["SD over seeds", "By chance", "Excess", "p"]
        value, spread, seeds, chance, excess, p = table.rows[0][2:]
        assert (value.value, spread.value, chance.value) == (3.0, 0.25, 2.5)
        assert seeds.value == pytest.approx(7**0.5)
        assert (excess.value, p.value, p.bold) == (0.5, 0.02, True)
        assert [row[:2] for row in table.rows] == [
            ["Negative log-likelihood", name] for name in "ab"
        ]

    def test_each_two_systems_have_a_p(self, tested):
        (row,) = tested["pairs"].rows
        assert row[:2] == ["Negative log-likelihood", "a – b"]
        difference, p, adjusted = (cell.value for cell in row[2:])
        assert (difference, p, adjusted) == (-1.5, 0.004, 0.004)

    def test_the_number_has_its_deviation_over_texts(self, tested):
        cell = column(tested["systems"], "Negative log-likelihood")[0]
        assert (cell.spread, cell.seeds) == (0.25, 3)
        assert tested["systems"].notes == [systems.SPREAD]
        assert "chance" not in tested["systems"].header
        assert "SD over texts" in as_csv(tested["systems"])

    def test_every_table_can_be_a_file(self, tested):
        for table in (tested["chance"], tested["pairs"]):
            assert all(map(len, (as_csv(table), as_json(table), as_latex(table))))

    def test_texts_of_another_system_make_it_old_where_they_count(self, run):
        n = run.study.generations.filter(system__isnull=False).count()
        run.chunks.update(details={"n_study": n})
        assert column(systems.of(run).tables["systems"], "Zipf exponent")[0].value
        run.chunks.update(details={"n_study": n - 1})
        cell = column(systems.of(run).tables["systems"], "Zipf exponent")[0]
        assert (cell.value, cell.reason) == (None, systems.system_scores.OUTDATED)

    def test_what_ranks_no_system_is_drawn_over_seeds(self, run):
        assert systems.of(run).bars == []
        for output in run.signature.outputs:
            output["quality"] = output["key"] != "nll"
        run.signature.save()
        ((title, numbers),) = systems.of(run).bars
        assert title == "Negative log-likelihood"
        assert numbers[0] == ("a", 0, 3.0, pytest.approx(7**0.5))
        figure = shown(run)["bars"]
        low = figure["data"][0]["error_x"]["arrayminus"]
        assert len(figure["data"]) == 1 and low is not None


class TestCurves:
    def test_a_curve_has_the_points_of_its_system(self, run):
        found = systems.of(run)
        (curve,) = found.curves
        assert (curve.system, curve.place) == ("b", 1)
        assert curve.points == [tuple(point) for point in CURVE]
        assert found.tables["curves"].rows == [["b", *point] for point in CURVE]

    def test_its_colour_is_the_systems_own(self, run):
        figure = curve_charts.divergences(systems.of(run).curves)
        (trace,) = figure.data
        assert (trace.x, trace.y) == ((0.0, 0.4, 1.0), (1.0, 0.5, 0.0))
        assert trace.line.color == charts.COLOURS[1]

    def test_two_systems_of_one_colour_differ_in_their_dashes(self):
        curves = [systems.Curve("x", place, [(0, 1)]) for place in (0, 7)]
        one, other = curve_charts.divergences(curves).data
        assert one.line.color == other.line.color
        assert one.line.dash != other.line.dash

    @pytest.mark.parametrize(
        "curve", [None, [], "x", [1, 2], [[1, 2, 3]], [["a", None]], {}]
    )
    def test_what_is_no_curve_is_not_drawn(self, run, curve):
        run.chunks.update(details={"curve": curve})
        assert systems.of(run).curves == []


class TestOutcome:
    """A page that counted rows of seeds would find more systems than there are."""

    def test_the_summary_counts_systems(self, run):
        loss, zipf = outcomes.summary(run=run)
        assert (loss.n, loss.undefined, loss.per_system) == (2, 0, True)
        assert (loss.mean, loss.low, loss.high) == (3.75, 3.0, 4.5)
        assert (zipf.n, zipf.undefined, zipf.mean) == (1, 1, 1.5)

    def test_a_reason_counts_systems(self, run):
        score_systems(run.study, LOSS, {"c": [None, None, None]}, metric="kl")
        found = {(one.output, one.n) for one in outcomes.undefined(run=run)}
        assert found == {("Negative log-likelihood", 2), ("Zipf exponent", 1)}

    def test_the_command_line_counts_systems(self, run):
        found = {count.output: count for count in runs.counts(run=run)}
        assert (found["nll"].scored, found["nll"].undefined) == (2, {})
        assert (found["zipf"].scored, found["zipf"].undefined) == (
            1,
            {"too few texts": 1},
        )

    def test_the_file_of_scores_has_a_row_for_each_seed(self, run):
        header, found = outcomes.scores(study=run.study, run=run)
        rows = list(found)
        assert header == ["system", "output", "seed", "value", "reason"]
        assert rows[:3] == [
            ("a", "nll", seed, v, "") for seed, v in enumerate((1, 2, 6))
        ]
        assert rows[5] == ("b", "nll", 1, None, "too few texts")

    def test_scores_of_texts_have_no_seed(self, run):
        signature = score(run.study, LOSS, [0.5] * 8)
        run = MetricRun.objects.create(
            study=run.study, metric="judge", signature=signature
        )
        header, rows = outcomes.scores(study=run.study, run=run)
        assert "seed" not in header and len(list(rows)) == 8
