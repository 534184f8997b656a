"""An import is taken back whole, unless people have rated what it brought."""

from __future__ import annotations

import io
import threading

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from annotation import assigning, imports, studies
from annotation.imports import _brought, _curtain, undoing
from annotation.imports.undoing import NotUndone
from annotation.models import (
    AttributeLabel,
    Dialogue,
    Generation,
    Import,
    Prompt,
    Reference,
    Seat,
    Storing,
    Study,
    Survey,
    System,
)
from annotation.surveys import drawing
from annotation.votes import add as add_votes
from scoring.models import MetricRun, Score, SystemScore
from scoring.runs import uploaded, uploaded_systems
from tests.annotation.seating import NOON, closing, hire, lay_out, sit

pytestmark = pytest.mark.django_db

FIRST = "id,system,prompt,text,reference\n1,a,Sea,The sea.,R1\n2,b,Sea,A sea.,R1\n"
SECOND = "id,system,prompt,text,reference\n3,c,Sea,Sea!,R2\n4,a,Lake,A lake.,R3\n"
RATED = "id,system,prompt,text,coherence\n5,d,Fog,Fog.,3\n"
KINDS = (Import, Generation, Prompt, Reference, System, AttributeLabel, Dialogue)


def into(study: Study, content: str, name: str = "more.csv", **options) -> Import:
    file = io.BytesIO(content.encode())
    imports.into(
        study=study, format="columns", file=file, file_name=name, options=options
    )
    return study.imports.first()


@pytest.fixture
def study() -> Study:
    return imports.run(
        study_name="lake",
        format="columns",
        file=io.BytesIO(FIRST.encode()),
        file_name="texts.csv",
        owner=None,
        options={"scale": "auto"},
    ).study


def rows(study: Study) -> list[object]:
    """All that files have brought, but for when."""
    return [
        *study.generations.order_by("key").values_list("key", "text", "system__name"),
        *study.prompts.order_by("pk").values_list("source"),
        *study.systems.values_list("name"),
        *Reference.objects.order_by("pk").values_list("text", "prompt__source"),
        *study.imports.values_list("file_name"),
    ]


class TestTexts:
    def test_the_last_file_goes_without_a_trace(self, study):
        before = rows(study)
        record = into(study, SECOND)
        assert rows(study) != before
        assert undoing.undo(record=record)
        assert rows(study) == before
        assert not Storing.objects.exists()

    def test_the_first_file_goes_and_the_second_stays_whole(self, study):
        first = study.imports.get()
        into(study, SECOND)
        undoing.undo(record=first)
        assert [one.key for one in study.generations.order_by("key")] == ["3", "4"]
        assert set(study.prompts.values_list("source", flat=True)) == {"Sea", "Lake"}
        # b wrote nothing of the second file.
        assert set(study.systems.values_list("name", flat=True)) == {"a", "c"}

    def test_all_files_of_a_study_leave_an_empty_draft(self, study):
        undoing.undo(record=study.imports.get())
        assert [kind.objects.count() for kind in KINDS] == [0] * len(KINDS)
        assert Study.objects.get().state == "draft"

    def test_the_same_file_can_be_added_again(self, study):
        before = rows(study)
        undoing.undo(record=study.imports.get())
        into(study, FIRST, "texts.csv")
        assert rows(study) == before

    def test_ratings_of_the_file_go_with_it(self):
        made = imports.run(
            study_name="fog",
            format="columns",
            file=io.BytesIO(RATED.encode()),
            file_name="rated.csv",
            owner=None,
            options={"scale": "auto", "yes": True},
        ).study
        assert made.rated_elsewhere
        undoing.undo(record=made.imports.get())
        made.refresh_from_db()
        assert not made.rated_elsewhere

    def test_pages_that_nobody_has_seen_go_too(self, study):
        Study.objects.update(damaged_texts=Study.DamagedTexts.NONE)
        drawing.draw(study=Study.objects.get())
        undoing.undo(record=study.imports.get())
        assert not Survey.objects.exists()

    def test_scores_that_came_as_columns_go_too(self, study):
        record = into(study, "id,text,score:bleu\n9,Nine.,0.5\n")
        assert Score.objects.count() == 1
        undoing.undo(record=record)
        assert not Score.objects.exists() and not MetricRun.objects.exists()

    def test_it_is_noted_in_the_log(self, study, alice):
        undoing.undo(record=study.imports.get(), user=alice)
        event = study.events.get(verb="undid-import")
        assert (event.user, event.about) == (alice, "texts.csv")


class TestRefusals:
    def refused(self, record: Import) -> str:
        before = rows(record.study)
        with pytest.raises(NotUndone) as error:
            undoing.undo(record=record)
        assert rows(record.study) == before
        assert str(error.value) == undoing.why_not_undone(record)
        return str(error.value)

    def test_a_page_that_a_worker_has_is_kept(self, make_study):
        study = make_study(prompts=1)
        record = Import.objects.create(
            study=study, format="columns", options={Import.AFTER: {}}
        )
        study.generations.update(imported=record)
        lay_out(study)
        sit(study, "ann")
        Study.objects.update(state="paused")
        assert "Workers were given 1 page" in self.refused(Import.objects.get())

    def test_an_open_study_is_paused_first(self, study):
        Study.objects.update(state="open")
        assert "Pause it first" in self.refused(Import.objects.get())

    def test_ratings_of_a_later_file_are_undone_first(self, study):
        first = study.imports.get()
        aspect = study.aspects.first()
        into(study, f"id,{aspect.key}\n1,3\n", "ratings.csv", yes=True)
        assert "ratings.csv has ratings of its texts" in self.refused(first)
        undoing.undo(record=study.imports.first())
        assert undoing.why_not_undone(first) == ""

    def test_a_file_of_before_cannot_be_told_apart(self, study):
        record = study.imports.get()
        del record.options[Import.AFTER]
        record.save()
        assert "before EvalApp noted" in self.refused(Import.objects.get())

    def test_texts_that_are_being_scored_stay(self, study):
        MetricRun.objects.create(study=study, metric="length", state="running")
        assert "are being scored" in self.refused(study.imports.get())

    def test_a_copy_does_not_take_the_rows_of_its_source_for_its_own(
        self, study, alice
    ):
        study.members.create(user=alice, role="owner")
        copy = studies.copy(
            source=study, name="sea", user=alice, now=NOON, with_texts=True
        )
        assert "before EvalApp noted" in self.refused(copy.imports.get())


class TestOtherFiles:
    def test_scores_go_and_the_texts_stay(self, study):
        file = io.BytesIO(b"key,output,value,direction\n1,q,1,higher\n")
        uploaded.add(study=study, file=file, file_name="s.csv")
        undoing.undo(record=study.imports.get(format="scores"))
        assert not Score.objects.exists() and not MetricRun.objects.exists()
        assert study.generations.count() == 2

    def test_scores_of_the_same_file_in_another_study_stay(self, study, make_study):
        other = make_study()
        other.generations.filter(key="0-a-1").update(key="1")
        for one in (study, other):
            file = io.BytesIO(b"key,output,value,direction,text\n1,q,1,higher,\n")
            checked = uploaded.read(study=one, file=file, file_name="s.csv")
            checked.store()
        undoing.undo(record=study.imports.get(format="scores"))
        assert Score.objects.get().generation.study == other

    def test_numbers_of_systems_go_with_the_systems_they_brought(self, study):
        file = io.BytesIO(b"system,name,value\na,mauve,1\nx,mauve,2\n")
        uploaded_systems.add(study=study, file=file, file_name="t.csv")
        undoing.undo(record=study.imports.get(format="systems"))
        assert not SystemScore.objects.exists()
        assert set(study.systems.values_list("name", flat=True)) == {"a", "b"}

    def test_a_system_that_later_numbers_name_stays(self, study):
        votes = io.BytesIO(b"pair,first,second,outcome\np,a,x,1\n")
        add_votes(
            study=study,
            format="votes",
            file=votes,
            file_name="v.csv",
            create_systems=True,
        )
        file = io.BytesIO(b"system,name,value\nx,mauve,2\n")
        uploaded_systems.add(study=study, file=file, file_name="t.csv")
        undoing.undo(record=study.imports.get(format="votes"))
        assert SystemScore.objects.count() == 1


class TestInPieces:
    def test_what_is_left_is_removed_by_the_pulse_of_a_worker(self, study, monkeypatch):
        monkeypatch.setattr(_brought, "AT_ONCE", 1)
        record = into(study, SECOND)
        assert not undoing.undo(record=record, most=1)
        assert not Study.objects.whole().exists()  # nobody sees half of it
        row = Storing.objects.get()
        imports.tidy(now=row.until)
        assert not Storing.objects.exists()
        assert study.generations.count() == 2

    def test_one_whose_process_was_killed_is_finished(self, study, monkeypatch):
        record = into(study, SECOND)
        with monkeypatch.context() as context:
            context.setattr(_curtain, "undo", lambda row, most=None: None)
            undoing.undo(record=record)
        assert Storing.objects.get().undoes
        imports.tidy(now=Storing.objects.get().until)
        assert study.generations.count() == 2
        assert Study.objects.whole().exists()


@pytest.mark.django_db(transaction=True)
class TestRaces:
    """With real threads: each has a connection and transactions of its own."""

    @pytest.fixture
    def record(self, transactional_db, make_study) -> Import:
        study = make_study(prompts=1, ratings_per_text=1)
        options = {Import.BEFORE: {}, Import.AFTER: _brought.last_rows(study)}
        record = Import.objects.create(study=study, format="columns", options=options)
        study.generations.update(imported=record)
        lay_out(study)
        return record

    def test_a_rating_that_begins_meanwhile_or_the_undo_but_never_both(self, record):
        study = record.study
        ann = hire(study, "ann")
        found: list[Seat | None] = []
        # She was let in while the study was open.
        began = threading.Event()

        def claim() -> None:
            began.wait(5)
            found.append(assigning.claim(worker=ann, now=NOON))

        def undo() -> None:
            began.wait(5)
            Study.objects.filter(pk=study.pk).update(state="paused")
            try:
                undoing.undo(record=record)
            except NotUndone as error:
                found.append(error)

        threads = [threading.Thread(target=closing(one)) for one in (claim, undo)]
        for thread in threads:
            thread.start()
        began.set()
        for thread in threads:
            thread.join(30)
        seats, texts = Seat.objects.count(), Generation.objects.count()
        assert (seats, texts > 0) in [(0, False), (1, True)], found

    def test_a_worker_who_waits_for_the_place_finds_it_taken(self, record):
        if not connection.features.has_select_for_update_skip_locked:
            pytest.skip("SQLite has no row locks: its transactions wait in turn")
        ann = hire(record.study, "ann")
        found: list[Seat | None] = []
        claim = threading.Thread(
            target=closing(lambda: found.append(assigning.claim(worker=ann, now=NOON)))
        )
        with transaction.atomic():
            # As `_begin` does while the worker still sees the study open.
            places = list(record.study.places.select_for_update())
            claim.start()
            claim.join(0.3)
            record.study.places.filter(pk__in=[one.pk for one in places]).update(
                free=False
            )
        claim.join(10)
        assert found == [None] and not Seat.objects.exists()


class TestTheCommand:
    def test_it_lists_and_undoes(self, study, capsys):
        record = study.imports.get()
        call_command("undo_import", "lake")
        assert f"{record.pk}: texts.csv, " in capsys.readouterr().out
        call_command("undo_import", "lake", str(record.pk))
        assert capsys.readouterr().out.startswith(f"lake: undone: {record.pk}: texts")
        assert not study.generations.exists()

    def test_it_says_why_not(self, study):
        Study.objects.update(state="open")
        with pytest.raises(
            CommandError, match="Nothing was changed. The study is open"
        ):
            call_command("undo_import", "lake", str(study.imports.get().pk))

    def test_what_is_not_there_is_said(self, study):
        with pytest.raises(CommandError, match="lake has no import 999"):
            call_command("undo_import", "lake", "999")


class TestTheApi:
    @pytest.fixture
    def api(self, client, alice, study):
        study.members.create(user=alice, role="editor")
        client.force_login(alice)
        return client

    def test_imports_are_listed_and_deleted(self, api, study):
        (one,) = api.get("/api/v1/studies/lake/imports/").json()["results"]
        assert (one["file_name"], one["came"]) == ("texts.csv", "2 texts")
        answer = api.delete(f"/api/v1/studies/lake/imports/{one['id']}/")
        assert (answer.status_code, answer.json()) == (200, {"done": True})
        assert not study.generations.exists()

    def test_a_refusal_is_409_with_the_reason(self, api, study):
        Study.objects.update(state="open")
        pk = study.imports.get().pk
        answer = api.delete(f"/api/v1/studies/lake/imports/{pk}/")
        assert answer.status_code == 409
        assert "Pause it first" in answer.json()["errors"][0]


class TestThePage:
    @pytest.fixture
    def page(self, client, alice, study):
        study.members.create(user=alice, role="editor")
        client.force_login(alice)
        return client

    def test_it_lists_what_was_added_and_asks_once(self, page, study):
        said = page.get("/studies/lake/import/").content.decode()
        assert "texts.csv" in said and "2 texts" in said and "data-confirm=" in said
        address = f"/studies/lake/import/{study.imports.get().pk}/undo/"
        answer = page.post(address, follow=True)
        assert "texts.csv is undone: 2 texts removed." in answer.content.decode()

    def test_or_says_why_not(self, page, study):
        Study.objects.update(state="open")
        said = page.get("/studies/lake/import/").content.decode()
        assert "Cannot be undone now. The study is open" in said
        answer = page.post(
            f"/studies/lake/import/{study.imports.get().pk}/undo/", follow=True
        )
        assert "Pause it first" in answer.content.decode()
        assert study.generations.count() == 2

    def test_files_of_other_studies_are_not_undone_there(self, page, make_study):
        other = Import.objects.create(study=make_study(), format="csv")
        answer = page.post(f"/studies/lake/import/{other.pk}/undo/")
        assert answer.status_code == 404
