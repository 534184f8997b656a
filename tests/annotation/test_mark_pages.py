"""Pages of marked errors from the form to the scores, exports and a data set."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation import (
    answering,
    assigning,
    exports,
    page_kinds,
    studies,
    surveys,
    workers,
)
from annotation.kinds.spans import marks, scheme, schemes, sides, stored_marks
from annotation.kinds.spans.answers import MARKED
from annotation.kinds.spans.marks import Placed
from annotation.kinds.spans.matrix import of_negative
from annotation.kinds.spans.models import SpanMark, SpanScheme
from annotation.kinds.spans.stored_marks import Sent
from annotation.models import Item, Seat, Study
from annotation.simulation import simulate
from scoring.archive import permission, restore
from scoring.archive.restore.folder import opened
from scoring.models import Signature
from scoring.publishing import writing
from scoring.results import study_arrays
from scoring.stats.spans.marks import Mark
from tests.annotation.seating import LATER as SOON
from tests.annotation.seating import NOON, expire, sit
from tests.evalapp.cage import reading
from tests.pages.working import begin, full_form, url
from tests.support.scored import COHERENCE, score

LATER = datetime(2026, 11, 29, 12, tzinfo=UTC)
FLUENT = {"category": "fluency", "severity": "minor"}


@pytest.fixture
def study(make_study) -> Study:
    study = make_study(prompts=2, systems=("a", "b"), page_kinds=["spans"])
    schemes.keep(study, scheme.MQM, "mqm")
    surveys.open_study(study=study)
    return study


def placed(seat: Seat, position: int, start: int, end: int, **kind: str) -> Placed:
    """A mark on the text at a position, as its page counts."""
    side = sides.of_seat(seat)[position].sides["text"]
    start, end = start + side.fixed, end + side.fixed
    return Placed(Mark(start, end, **(FLUENT | kind)), side.shown[start:end])


def damaged(seat: Seat) -> int:
    """Its position."""
    items = Item.objects.in_bulk(seat.order)
    return next(n for n, pk in enumerate(seat.order, 1) if items[pk].negative_id)


def on_damage(seat: Seat) -> list[Placed]:
    item = Item.objects.get(pk=seat.order[damaged(seat) - 1])
    found = of_negative(item.negative, seat.survey.prompt)
    text = item.negative.text
    hurt = {*found.words, *(max(0, gap - 1) for gap in found.gaps)}
    places = [found.places[n] for n in sorted(hurt)][:5]
    return [
        marks.as_shown(Placed(Mark(*place, **FLUENT), text[slice(*place)]), text)
        for place in places
    ]


def answers(seat: Seat, *, finds_damage: bool = True) -> dict:
    """The damaged text gets the lowest points, and its damage is marked or not."""
    hidden = damaged(seat)
    given: dict = {}
    for position in range(1, len(seat.order) + 1):
        is_hidden = position == hidden
        for aspect in seat.survey.study.aspects.all():
            given[position, aspect.key] = 1 if is_hidden else 4
        given[position, MARKED] = Sent([], True)
        if is_hidden and finds_damage:
            given[position, MARKED] = Sent(on_damage(seat), None)
    return given


class TestAnswers:
    def test_a_mark_is_kept_with_the_words_of_the_stored_text(self, study):
        study.generations.update(text="One\r\ntwo  👩‍👩‍👧 three")
        seat = sit(study, "ann")
        position = 1 if damaged(seat) != 1 else 2
        sent = Sent([placed(seat, position, 4, 7), placed(seat, position, 9, 14)])
        answering.save_all(seat=seat, answers={(position, MARKED): sent}, now=NOON)
        rows = SpanMark.objects.filter(seat=seat).order_by("number")
        assert [(row.start, row.end, row.words) for row in rows] == [
            (5, 8, "two"),
            (10, 15, "👩‍👩‍👧"),
        ]

    @pytest.mark.parametrize(
        "mark",
        [
            Placed(Mark(0, 3, **FLUENT), "not there"),
            Placed(Mark(0, 10_000, **FLUENT), "x"),
            Placed(Mark(0, 3, "unheard of", "minor"), "The"),
            Placed(Mark(0, 3, "fluency", "minor", "source"), "The"),
        ],
    )
    def test_a_mark_that_is_none_is_refused_and_nothing_is_lost(self, study, mark):
        seat = sit(study, "ann")
        before = Sent([placed(seat, 1, 0, 3)])
        answering.save_all(seat=seat, answers={(1, MARKED): before}, now=NOON)
        with pytest.raises(answering.BadAnswer):
            answering.save_all(seat=seat, answers={(1, MARKED): Sent([mark])}, now=NOON)
        assert SpanMark.objects.get().words == before.marks[0].words

    def test_no_more_marks_than_the_study_allows(self, study):
        seat = sit(study, "ann")
        six = Sent([placed(seat, 1, n, n + 1) for n in range(6)])
        with pytest.raises(answering.BadAnswer):
            answering.save_all(seat=seat, answers={(1, MARKED): six}, now=NOON)

    def test_the_opening_is_not_to_be_marked(self, study):
        prompt = study.prompts.get(position=0)
        prompt.generations.update(text=f"{prompt.prefix.upper()} and so on")
        seat = sit(study, "ann")
        while seat.survey.prompt_id != prompt.pk:
            seat = sit(study, f"w{Seat.objects.count()}")
        position = 1 if damaged(seat) != 1 else 2
        fixed = len(prompt.prefix)
        assert sides.of_seat(seat)[position].sides["text"].fixed == fixed
        for start, is_wrong in ((fixed - 1, True), (fixed + 1, False)):
            sent = Sent([placed(seat, position, start - fixed, start - fixed + 2)])
            wrong = page_kinds.get("spans").answering.wrong(
                seat, {(position, MARKED): sent}
            )
            assert bool(wrong) == is_wrong

    def test_a_mark_wins_over_the_tick_that_there_is_none(self, study):
        seat = sit(study, "ann")
        for sent in (Sent(None, True), Sent([placed(seat, 1, 0, 3)], None)):
            answering.save_all(seat=seat, answers={(1, MARKED): sent}, now=NOON)
        assert SpanMark.objects.get().number == 1
        answering.save_all(seat=seat, answers={(1, MARKED): Sent(None, True)}, now=NOON)
        assert SpanMark.objects.get().number == 1

    def test_each_text_needs_a_mark_or_a_tick(self, study):
        seat = sit(study, "ann")
        given = answers(seat)
        del given[2, MARKED]
        with pytest.raises(answering.Missing) as error:
            answering.submit(seat=seat, answers=given, now=NOON)
        assert error.value.answers == [(2, MARKED)]

    def test_a_low_answer_needs_a_mark_where_the_study_asks_for_it(self, make_study):
        study = make_study(page_kinds=["spans"])
        schemes.keep(study, scheme.Scheme(needed_below=5), "")
        surveys.open_study(study=study)
        seat = sit(study, "ann")
        given = answers(seat, finds_damage=False)
        with pytest.raises(answering.Missing) as error:
            answering.submit(seat=seat, answers=given, now=NOON)
        assert {key for _, key in error.value.answers} == {MARKED}

    def test_a_text_that_was_changed_behind_our_back_has_no_such_mark(self, study):
        seat = sit(study, "ann")
        answering.submit(seat=seat, answers=answers(seat), now=NOON)
        row = SpanMark.objects.filter(number=1).first()
        negative = row.item.negative
        negative.text = "Another text altogether."
        negative.save()
        marked = stored_marks.of_seat(seat)[row.item_id]
        right, lost = stored_marks.in_place(marked, {"text": negative.text})
        assert not right
        assert len(lost) == len(marked.marks)

    def test_who_withdraws_leaves_no_mark(self, study):
        seat = sit(study, "ann")
        answering.submit(seat=seat, answers=answers(seat), now=NOON)
        workers.withdraw(worker=seat.worker, now=NOON)
        assert not SpanMark.objects.exists()

    def test_an_expired_page_on_which_somebody_only_marked_can_be_resumed(self, study):
        seat = sit(study, "ann")
        sent = Sent([placed(seat, 1, 0, 3)])
        answering.save_all(seat=seat, answers={(1, MARKED): sent}, now=NOON)
        expire(study=study, now=SOON)
        assert assigning.resume(worker=seat.worker, now=SOON).pk == seat.pk


class TestHiddenCheck:
    def test_who_marks_the_damage_passes(self, study):
        seat = sit(study, "ann")
        seat = answering.submit(seat=seat, answers=answers(seat), now=NOON)
        assert seat.state == Seat.State.VALID

    def test_who_does_not_is_discarded_whatever_they_score(self, study):
        seat = sit(study, "ann")
        given = answers(seat, finds_damage=False)
        seat = answering.submit(seat=seat, answers=given, now=NOON)
        assert seat.state == Seat.State.DISCARDED
        assert seat.verdicts.get().numbers["failed"] == ["damage"]

    def test_researchers_see_the_damage_beside_the_marks(self, study, client, alice):
        seat = sit(study, "ann")
        answering.submit(seat=seat, answers=answers(seat), now=NOON)
        client.force_login(alice)
        page = client.get(f"/studies/ferry/ratings/{seat.public_id}/")
        item = Item.objects.get(pk=seat.order[damaged(seat) - 1])
        harm = of_negative(item.negative, seat.survey.prompt)
        assert harm.n
        (reviewed,) = [
            text for text in page.context["answers"].texts if text.item.negative
        ]
        assert len(reviewed.damaged) == len(harm.spans)
        written = page.content.decode()
        assert written.count('damaged"') + written.count('class="point gone"') >= len(
            harm.spans
        )
        shown = "".join(part.words for part in reviewed.marking.text_parts)
        assert shown == marks.shown(item.negative.text)

    def test_a_policy_without_it_looks_at_ratings_alone(self, study):
        policy = study.current_policy()
        policy.span_share = None
        policy.save()
        seat = sit(study, "ann")
        given = answers(seat, finds_damage=False)
        seat = answering.submit(seat=seat, answers=given, now=NOON)
        assert seat.state == Seat.State.VALID


class TestOverHttp:
    def test_simulated_people_fill_every_place_and_the_study_has_scores(
        self, study, client, alice
    ):
        report = simulate(study=study, workers=8, rng=np.random.default_rng(2))
        assert report.valid == report.wanted
        data = study_arrays.load(study=study)
        keys = [aspect.key for aspect in data.aspects]
        column = keys.index("errors-penalty")
        values, n = data.human_means()
        assert np.isfinite(values[:, column]).all()
        assert (n[:, column] == n[:, 0]).all()
        client.force_login(alice)
        seat = Seat.objects.filter(state="valid").first()
        for page in (
            *("", "setup/", "kinds/", "quality/", "simulate/", "texts/", "monitor/"),
            *("export/", "results/", "surveys/1/", f"ratings/{seat.public_id}/"),
        ):
            assert client.get(f"/studies/ferry/{page}").status_code == 200, page

    def test_a_form_is_handed_in(self, study):
        client, seat = begin(study)
        page = client.get(seat.get_absolute_url()).content.decode()
        assert page.count("data-marking") == len(seat.order)
        ticks = {f"clean-{n}": "1" for n in range(1, len(seat.order) + 1)}
        field = {f"marks-{n}": "[]" for n in range(1, len(seat.order) + 1)}
        field[f"marks-{damaged(seat)}"] = marks.written(on_damage(seat))
        form = full_form(seat, **ticks, **field, then="next")
        client.post(url("submit", seat), form)
        seat.refresh_from_db()
        assert seat.state == Seat.State.VALID

    def test_a_mark_without_a_choice_loses_nothing_else_of_the_form(self, study):
        client, seat = begin(study)
        form = full_form(seat) | {"marks-1": "[]", "from-1-text": "2"}
        back = client.post(url("report", seat), form | {"about": "list-1-text"})
        assert "unsaid=list-1-text%3Ffrom%3D2" in back["Location"]
        assert back["Location"].endswith("#list-1-text")
        assert seat.annotations.exists()
        assert not SpanMark.objects.filter(number__gt=0).exists()

    def test_no_more_marks_are_added_to_a_full_text(self, study):
        client, seat = begin(study)
        five = marks.written([placed(seat, 1, n, n + 1) for n in range(5)])
        chosen = {"from-1-text": "2", "category-1-text": "style"}
        form = full_form(seat) | {"marks-1": five, "about": "list-1-text"}
        client.post(url("report", seat), form | chosen | {"severity-1-text": "minor"})
        assert SpanMark.objects.filter(number__gt=0).count() == 5

    def test_what_is_no_mark_is_said_to_the_script(self, study):
        client, seat = begin(study)
        sent = marks.written([Placed(Mark(0, 3, **FLUENT), "x")])
        answer = client.post(url("answer", seat), {"marks-1": sent})
        assert answer.status_code == 400
        assert client.post(url("answer", seat), {"marks-1": "no JSON"}).status_code

    def test_workers_are_told_what_each_mark_means(self, study):
        client, seat = begin(study)
        study.language = "de"
        study.save()
        meaning = "Ein Komma, ein Punkt oder Ähnliches ist falsch oder fehlt."
        page = client.get(seat.get_absolute_url()).content.decode()
        # With each text and in its chooser, and once in the instructions.
        assert page.count(meaning) == 2 * len(seat.order) + 1
        described = set(re.findall(r'aria-describedby="(marking-[^"]+)"', page))
        assert described
        assert described <= set(re.findall(r' id="([^"]+)"', page))
        assert meaning in Client().get(study.get_worker_url()).content.decode()

    def test_the_scheme_is_chosen_on_the_page_of_kinds(self, make_study, alice):
        study = make_study()
        client = Client()
        client.force_login(alice)
        form = {
            "part_1": "spans",
            "spans-preset": "",
            "spans-categories": "Wrong number, red: Not the number.\nMade up",
            "spans-severities": "Minor = 1\nMajor = 4.5: The sense: gone.",
            "spans-most": "7",
            "spans-needed_below": "90",
        }
        page = "/studies/ferry/kinds/"
        wrong = form | {"spans-categories": "Wrong, pink"}
        assert client.post(page, wrong).status_code == 400
        assert client.post(page, form).status_code == 302
        found = schemes.of_study(study)
        names = [(one.key, one.name, one.colour) for one in found.categories]
        assert names == [
            ("wrong-number", "Wrong number", "red"),
            ("made-up", "Made up", "orange"),
        ]
        assert [one.weight for one in found.severities] == [1, 4.5]
        assert [one.meaning for one in found.categories] == ["Not the number.", ""]
        assert found.severities[1].meaning == "The sense: gone."
        again = client.get(page).content.decode()
        assert "Wrong number, red: Not the number." in again
        assert (found.most, found.needed_below, found.missing) == (7, 90, False)


@pytest.fixture
def rated(make_study, settings, tmp_path, monkeypatch) -> Study:
    """A study whose texts are marked by simulated people."""
    settings.DATA_DIR = tmp_path / "data"
    monkeypatch.setattr("evalapp.cage.pieces", reading.pieces)
    study = make_study(prompts=3, page_kinds=["spans"])
    schemes.keep(study, scheme.MQM, "mqm")
    surveys.open_study(study=study)
    simulate(study=study, workers=6, rng=np.random.default_rng(4))
    study.refresh_from_db()
    return study


class TestMetrics:
    def test_a_metric_is_compared_with_the_weighted_errors(
        self, rated, client, alice, few_draws
    ):
        scores = [-len(text.text) for text in rated.generations.all()]
        score(rated, COHERENCE, scores)
        told = io.StringIO()
        call_command("correlations", "ferry", stdout=told)
        assert "errors-per-100-words" in told.getvalue()
        client.force_login(alice)
        signature = Signature.objects.get(metric="judge").pk
        args = ["ferry", signature, "errors-penalty", "coherence"]
        page = client.get(reverse("scatter", args=args))
        assert page.status_code == 200
        shown = page.context["points"]
        data = study_arrays.load(study=rated, needs=["ratings"])
        means = data.human_means()[0][:, data.aspect("errors-penalty")]
        keys = data.texts.key.tolist()
        for key, mean in zip(shown.keys, shown.means, strict=True):
            assert mean == pytest.approx(means[keys.index(key)])

    def test_each_category_is_a_score_where_the_study_asks(self, rated):
        schemes.keep(rated, replace(scheme.MQM, each=True), "mqm")
        schemes._kept.cache_clear()
        keys = [measure.key for measure in page_kinds.measures(rated)]
        assert {"errors-category-style", "errors-severity-major"} <= {*keys}

    def test_they_stand_where_mean_ratings_do(self, rated, client, alice):
        """On Texts, in the file of scores and in the API, as analyses have them."""
        data = study_arrays.load(study=rated, needs=["ratings"])
        means = data.human_means()[0][:, data.aspect("errors-penalty")]
        expected = dict(zip(data.texts.key.tolist(), means.tolist(), strict=True))
        in_file = {key: row["mean"] for key, row in _penalties(rated).items()}
        client.force_login(alice)
        in_api = {
            row["generation"]: row["mean"]
            for row in client.get("/api/v1/studies/ferry/human-scores/").json()
            if row["aspect"] == "errors-penalty"
        }
        assert in_file == in_api == pytest.approx(expected)
        page = client.get(reverse("study_texts", args=["ferry"])).context
        column = [one.key for one in page["aspects"]].index("errors-penalty")
        for text in page["page"].object_list:
            assert text.human_means[column][0] == pytest.approx(expected[text.key])

    def test_discarded_pages_are_in_columns_of_their_own(self, rated):
        mark = SpanMark.objects.filter(item__generation__isnull=False).first()
        before = _penalties(rated)[mark.item.generation.key]
        Seat.objects.filter(pk=mark.seat_id).update(state="discarded")
        after = _penalties(rated)[mark.item.generation.key]
        assert after["n"] == before["n"] - 1
        same = ("n_with_discarded", "mean_with_discarded")
        assert [after[name] for name in same] == [before[name] for name in same]


def _penalties(study):
    rows = exports.scores(study=study)
    return {row["text"]: row for row in rows if row["aspect"] == "errors-penalty"}


class TestLeaving:
    def test_marks_are_rows_and_a_text_without_one_has_a_row(self, rated):
        lines = "".join(exports.as_csv(exports.tables()["marks"](study=rated)))
        rows = list(csv.DictReader(io.StringIO(lines)))
        assert len(rows) == SpanMark.objects.count()
        texts = dict(rated.generations.values_list("key", "text"))
        for row in rows:
            assert row["in_place"] == "True"
            if row["text"] and row["number"] != "0":
                place = slice(int(row["start"]), int(row["end"]))
                assert texts[row["text"]][place] == row["marked"]
        assert {row["number"] for row in rows} >= {"0", "1"}

    def test_what_marks_add_up_to_is_what_the_analyses_have(self, rated):
        rows = list(exports.tables()["marked_texts"](study=rated))
        data = study_arrays.load(study=rated, needs=["ratings"])
        column = data.aspect("errors-penalty")
        values, _ = data.human_means()
        for at, key in enumerate(data.texts.key.tolist()):
            penalties = [
                row["penalty"]
                for row in rows
                if row["text"] == key and row["state"] == "valid"
            ]
            assert values[at, column] == pytest.approx(np.mean(penalties))

    def test_the_api_has_the_rows_of_the_export(self, rated, client, alice):
        client.force_login(alice)
        api = "/api/v1/studies/ferry/marks/?limit=5"
        page = client.get(api).json()
        assert page["count"] == SpanMark.objects.count()
        exported = list(exports.tables()["marks"](study=rated))[:5]
        assert [row["marked"] for row in page["results"]] == [
            row["marked"] for row in exported
        ]

    def test_a_copy_has_the_scheme_and_no_marks(self, rated, alice):
        again = studies.copy(
            source=rated, name="again", user=alice, now=LATER, with_texts=True
        )
        assert schemes.of_study(again) == scheme.MQM
        assert SpanScheme.objects.get(study=again).preset == "mqm"
        assert not SpanMark.objects.filter(seat__survey__study=again).exists()

    def test_a_data_set_brings_back_scheme_marks_and_scores(
        self, rated, tmp_path, monkeypatch
    ):
        monkeypatch.setattr("scoring.analyses.names", lambda: ())
        writing.write(study=rated, path=tmp_path / "set", now=LATER)
        again = restore.restore(
            name="again", path=tmp_path / "set", owner=None, now=LATER
        )
        assert schemes.of_study(again) == schemes.of_study(rated)
        columns = ("number", "side", "start", "end", "category", "severity", "words")
        for study in (rated, again):
            judged = SpanMark.objects.filter(
                seat__survey__study=study, seat__state__in=["valid", "discarded"]
            )
            study.kept = sorted(judged.values_list(*columns), key=repr)
        assert rated.kept == again.kept
        before, after = (
            study_arrays.load(study=study, needs=["ratings"]).human_means()[0]
            for study in (rated, again)
        )
        np.testing.assert_array_equal(before, after)

    def test_a_data_set_has_sums_of_marks_though_it_may_have_no_marks(
        self, rated, tmp_path, monkeypatch
    ):
        monkeypatch.setattr("scoring.analyses.names", lambda: ())
        nobody = permission.Permission("none", frozenset(), files=False)
        monkeypatch.setattr(permission, "of", lambda study: nobody)
        writing.write(study=rated, path=tmp_path / "set", now=LATER)
        folder = opened(tmp_path / "set", most=1000)
        assert not list(folder.rows("marks"))
        data = study_arrays.load(study=rated, needs=["ratings"])
        means = data.human_means()[0][:, data.aspect("errors-penalty")]
        published = {
            row["text"]: row["mean"]
            for row in folder.rows("measured_scores")
            if row["measure"] == "errors-penalty"
        }
        expected = zip(data.texts.key.tolist(), means.tolist(), strict=True)
        assert published == pytest.approx(dict(expected))
