"""A site and workers with folders of their own, and one storage that all share."""

from __future__ import annotations

import io
import shutil
from datetime import timedelta
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from annotation import assistant
from annotation.assistant import keeping, looking
from evalapp import storage
from evalapp.system import health
from evalapp.work import dispatch, retries
from evalapp.work.models import Claim
from scoring import analyses, metrics, training
from scoring.metrics import OptionError, embeddings, models, vectors
from scoring.models import Checkpoint, Chunk, DataSet, MetricRun
from scoring.publishing.shelf import SHELF
from scoring.runs import loading, shared_vectors, worker
from scoring.runs.work import RUNS
from scoring.scores import allowed_models, evaluator_files, models_here, stored_models
from scoring.training import worker as training_worker
from tests.annotation.seating import in_threads
from tests.evalapp.storage.test_storage import BUCKET
from tests.scoring.trained import begun, slice_of, work
from tests.scoring.working import NOON
from tests.support.messages import catch

pytestmark = pytest.mark.django_db
ENCODER = models.BUNDLED / "encoder-small"


@pytest.fixture(autouse=True)
def forget():
    stored_models._files.cache_clear()
    stored_models._outline.cache_clear()
    yield
    loading.forget_all()
    vectors.keep_in(None)
    models.checkpoints_in(None)


@pytest.fixture
def study(make_study):
    return make_study()


class TestEachReadsWhatTheOtherWrote:
    def test_an_upload_of_the_assistant(self, bucket, study):
        bucket.machine("site")
        content = io.BytesIO(b"id,output\n1,Text.\n")
        upload = assistant.keep(user=study.owner, file=content, file_name="a.csv")
        bucket.machine("worker")
        assert upload.size == 18
        assert looking.look(upload).problems == []
        keeping.discard(upload)
        bucket.machine("site")
        with pytest.raises(FileNotFoundError):
            keeping.opened(upload)

    def test_the_parts_of_a_run(self, bucket, study):
        bucket.machine("worker")
        texts = list(study.generations.all())
        run = MetricRun.objects.create(study=study, metric="judge")
        ids = [text.pk for text in texts]
        chunk = Chunk.objects.create(run=run, index=0, generations=ids, state="done")
        parts = {"verdict.s": np.full((len(texts), 2), 0.5)}
        evaluator_files.keep(chunk=chunk, texts=texts, parts=parts)
        bucket.machine("site")
        assert evaluator_files.any_of(run_ids=[run.pk])
        found = evaluator_files.find(runs=[run], generation_id=ids[3])
        assert found.rows["verdict.s"].tolist() == [0.5, 0.5]
        assert evaluator_files.without(runs=[run], ids=ids) == []
        run.delete()
        evaluator_files.tidy(now=NOON)
        assert not storage.below("parts")

    def test_a_data_set(self, bucket, study, monkeypatch):
        catch(monkeypatch, "data_set", lambda pk: None)
        monkeypatch.setattr(analyses, "names", lambda: ("correlations",))
        SHELF.ask(study=study)
        bucket.machine("worker")
        SHELF.perform(pk=DataSet.objects.get().pk, owner="a", clock=lambda: NOON)
        bucket.machine("site")
        row = SHELF.find(study=study)
        assert (row.state, row.error) == ("done", "")
        assert "ferry/replication/recompute.py" in ZipFile(SHELF.path(row)).namelist()

    def test_a_checkpoint_and_a_training_that_changes_machines(
        self, bucket, study, extra, sent, tiny, monkeypatch
    ):
        from scoring.metrics._learning import fitting

        checkpoint = begun(study, tiny)
        with monkeypatch.context() as short:
            short.setattr(fitting, "REPORT_SECONDS", 0.0)
            short.setattr(training_worker, "_seconds_left", lambda started: 0.0)
            assert slice_of(checkpoint)
            bucket.machine("worker")
            steps = checkpoint.step
            assert slice_of(checkpoint)
            assert checkpoint.step > steps  # it went on, and did not begin again
        work(checkpoint)
        assert (checkpoint.state, checkpoint.error) == (Checkpoint.State.DONE, "")
        assert not storage.below("checkpoints/.unfinished")
        bucket.machine("third")
        loaded = loading.load(metric="pupil", options={"model": checkpoint.key})
        assert "sha256" in loaded.signature
        training.remove(checkpoint=checkpoint)

    def test_its_folders_are_deleted_a_day_after_its_study(self, bucket, tmp_path):
        made = tmp_path / "model"
        made.mkdir()
        (made / "config.json").write_text("{}")
        storage.keep("checkpoints/gone/first/model", made)
        at = storage.written_at("checkpoints/gone/first")
        training.tidy(now=at + timedelta(hours=23))
        assert storage.find("checkpoints/gone/first/model")
        training.tidy(now=at + timedelta(hours=25))
        assert not storage.below("checkpoints")


class TestModels:
    @pytest.fixture(autouse=True)
    def put(self, bucket):
        for path in ENCODER.iterdir():
            if path.is_file():
                storage.store().put(f"models/lab/encoder/{path.name}", path)
        bucket.machine("worker")

    def test_researchers_can_choose_it(self, study):
        found = {one.value: one for one in models_here.on_server()}
        model, same = found["stored:lab/encoder"], found["bundled:encoder-small"]
        assert (model.place, model.kinds, model.bytes) == (
            *("storage", same.kinds, same.bytes),
        )
        assert model.title.startswith("lab/encoder (")
        assert "stored:lab/encoder" in allowed_models.suggested(study)

    def test_its_signature_is_that_of_the_same_files_in_a_folder(self):
        options = {"model": "stored:lab/encoder"}
        checked = allowed_models.resolve_allowed(
            metrics.get("bertscore").Options, options
        )
        assert checked == options
        stored = loading.load(metric="bertscore", options=options)
        folder = loading.load(metric="bertscore", options={"model": str(ENCODER)})
        assert stored.signature == folder.signature

    @pytest.mark.parametrize("name", ["stored:lab/none", "stored:../uploads/x"])
    def test_one_that_is_not_there_is_refused_with_what_is(self, name):
        kind = metrics.get("bertscore").Options
        with pytest.raises(OptionError, match="there are: stored:lab/encoder"):
            allowed_models.resolve_allowed(kind, {"model": name})

    def test_one_of_another_kind_is_refused_before_the_run(self):
        kind = metrics.get("perplexity").Options
        with pytest.raises(OptionError, match="stored:lab/encoder is an encoder"):
            models_here.check(kind, {"model": "stored:lab/encoder"})

    def test_pages_work_while_the_storage_is_away(self, bucket):
        with bucket.away():
            stored_models._files.cache_clear()
            places = {one.place for one in models_here.on_server()}
        assert "bundled" in places and "storage" not in places


class TestEmbeddings:
    TEXTS = tuple(f"Ferry {n} left the harbour at {n}." for n in range(10))

    @pytest.fixture
    def given(self, monkeypatch):
        """Texts that a model was given, as tokens."""
        found = []
        pooled = embeddings.Encoder._pooled

        def told(encoder, rows):
            found.extend(map(tuple, rows))
            return pooled(encoder, rows)

        monkeypatch.setattr(embeddings.Encoder, "_pooled", told)
        monkeypatch.setattr(embeddings, "WAIT_SECONDS", 0.05)
        return found

    def embed(self) -> np.ndarray:
        return embeddings.load(str(ENCODER))(self.TEXTS)

    def test_another_machine_reads_them(self, bucket, given):
        shared_vectors.know()
        first = self.embed()
        bucket.machine("worker")
        shared_vectors.know()
        assert np.array_equal(self.embed(), first)
        assert len(given) == 10
        assert not Claim.objects.exists()

    def test_a_damaged_file_is_embedded_again(self, bucket, given):
        shared_vectors.know()
        first = self.embed()
        (name,) = storage.below("embeddings")
        bucket.damage(name)
        bucket.machine("worker")
        shared_vectors.know()
        assert self.embed() == pytest.approx(first)
        assert storage.find(name) is None and len(storage.below("embeddings")) == 1

    def test_the_oldest_go_first(self, bucket, monkeypatch):
        for name in ("a", "b"):
            with storage.writing(f"embeddings/model/{name}.npy") as path:
                path.write_bytes(b"x" * 100)
        monkeypatch.setattr(vectors, "LIMIT", 150)
        shared_vectors.tidy(now=NOON)
        assert len(storage.below("embeddings")) == 1

    def test_a_storage_that_takes_none_ends_no_run(self, bucket, given, monkeypatch):
        def refuse(*args):
            raise storage.Away("full")

        monkeypatch.setattr(type(storage.store()), "put", refuse)
        shared_vectors.know()
        assert len(self.embed()) == 10

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("where", ["folder", BUCKET])
    def test_workers_at_once_never_embed_the_same_text_twice(
        self, where, request, settings, tmp_path, given, monkeypatch
    ):
        settings.DATA_DIR = tmp_path
        if where == "bucket":
            request.getfixturevalue("bucket")
        monkeypatch.setattr(embeddings, "SLAB", 3)
        shared_vectors.know()
        found = in_threads(3, lambda number: self.embed())
        assert len(given) == len(set(given)) == 10
        assert all(np.array_equal(one, found[0]) for one in found)
        assert not Claim.objects.exists()

    @pytest.mark.django_db(transaction=True)
    def test_the_claim_of_a_killed_worker_ends_by_itself(
        self, settings, tmp_path, given, monkeypatch
    ):
        settings.DATA_DIR = tmp_path
        shared_vectors.know()
        waits = []

        def wait(seconds):
            waits.append(seconds)
            Claim.objects.update(lease_until=NOON)  # time goes by

        monkeypatch.setattr(
            "scoring.metrics._distributions.embeddings.time.sleep", wait
        )
        encoder = embeddings.load(str(ENCODER))
        with encoder._kept.claimed(self.TEXTS) as mine:
            assert mine
            claim = Claim.objects.get()
            Claim.objects.update(owner="killed/1/a")
            assert len(encoder(self.TEXTS)) == 10
        assert claim.owner != "killed/1/a" and len(waits) == 1 and len(given) == 10


class TestAway:
    @pytest.mark.slow
    def test_work_waits_and_loses_no_attempt(self, bucket, study, monkeypatch):
        sent = []
        monkeypatch.setattr(dispatch, "send", lambda task, pk, queue: sent.append(pk))
        monkeypatch.setattr(analyses, "names", lambda: ("correlations",))
        SHELF.ask(study=study)
        row = SHELF.find(study=study)
        with bucket.away():
            for _ in range(5):
                SHELF.perform(pk=row.pk, owner="a", clock=lambda: NOON)
        row.refresh_from_db()
        assert (row.state, row.attempt, row.error) == ("queued", 0, retries.WAITS)
        dispatch.reap(now=NOON + retries.PAUSE)
        assert row.pk in sent
        SHELF.perform(pk=row.pk, owner="a", clock=lambda: NOON)
        row.refresh_from_db()
        assert (row.state, row.error) == ("done", "")
        assert ZipFile(SHELF.path(row)).testzip() is None

    def test_a_run_without_it_for_good_ends_as_a_whole(self, study, monkeypatch):
        run = MetricRun.objects.create(study=study, metric="length")
        for index in (0, 1):
            Chunk.objects.create(run=run, index=index, away_since=NOON)

        def gone(chunk, report):
            raise storage.Away("no answer")

        monkeypatch.setattr(worker, "score", gone)
        late = NOON + retries.LONGEST_AWAY
        first = run.chunks.first()
        RUNS.perform(pk=first.pk, owner="a", clock=lambda: late)
        run.refresh_from_db()
        assert (run.state, run.error) == ("failed", retries.GONE)
        assert {chunk.error for chunk in run.chunks.all()} == {retries.GONE}

    def test_parts_that_cannot_be_read_are_not_scored_again(self, bucket, study):
        run = MetricRun.objects.create(study=study, metric="judge")
        ids = list(study.generations.values_list("pk", flat=True))
        Chunk.objects.create(run=run, index=0, generations=ids, state="done")
        with bucket.away(), pytest.raises(storage.Away):
            evaluator_files.without(runs=[run], ids=ids)

    def test_people_are_asked_to_come_back(self, bucket, study, client, alice):
        client.raise_request_exception = False
        client.force_login(alice)
        DataSet.objects.create(study=study, state="done", file="a.zip")
        with bucket.away():
            page = client.get(reverse("data_set", args=[study.name]))
            health._looked.cache_clear()
            told = health.problems()["storage"]
            answer = client.get("/health/")
        health._looked.cache_clear()
        assert (page.status_code, page["Retry-After"]) == (503, "30")
        assert "it does not answer" in told
        assert answer.status_code == 200  # people can still rate


class TestCopying:
    def fill(self, folder: Path) -> None:
        for name in (
            *("uploads/1", "parts/1/2.npz", "datasets/1/a.zip", "embeddings/m/a.npy"),
            *("checkpoints/lake/first/model/config.json", "models/lab/one/config.json"),
            *("checkpoints/.unfinished/7/given.json", "secret_key", "backups/db"),
        ):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(name)

    def copied(self, direction: str) -> list[str]:
        out = io.StringIO()
        call_command("copy_data", direction, stdout=out)
        return out.getvalue().splitlines()

    def test_there_and_back(self, bucket):
        site = bucket.machine("site")
        self.fill(site)
        assert self.copied("to-storage")[-1] == (
            "Files copied: 7. Files already there: 0."
        )
        assert storage.find("checkpoints/lake/first/model").is_folder
        assert storage.find("secret_key") is None and storage.find("backups") is None
        again = bucket.machine("again")
        self.copied("to-folder")
        shutil.rmtree(again / "cache")
        found = {str(p.relative_to(again)) for p in again.rglob("*") if p.is_file()}
        wanted = {str(p.relative_to(site)) for p in site.rglob("*") if p.is_file()}
        assert found == {
            name
            for name in wanted
            if not name.startswith(("secret_key", "backups", "cache"))
        }
        for name in found:
            assert (again / name).read_text() == name

    def test_twice_sends_nothing_again(self, bucket):
        self.fill(bucket.machine("site"))
        self.copied("to-storage")
        assert self.copied("to-storage") == ["Files copied: 0. Files already there: 6."]

    def test_names_in_the_bucket_lead_nowhere_else(self, bucket):
        here = bucket.machine("site")
        for name in ("uploads/", "uploads/../../elsewhere/x"):
            key = f"some/prefix/{name}"
            bucket.client.put_object(Bucket=bucket.name, Key=key, Body=b"")
        with pytest.raises(CommandError, match="elsewhere/x' is not a valid name for"):
            self.copied("to-folder")
        assert not (here.parent / "elsewhere").exists()

    def test_a_damaged_file_is_told(self, bucket):
        self.fill(bucket.machine("site"))
        self.copied("to-storage")
        bucket.damage("parts/1/2.npz")
        with pytest.raises(CommandError, match=r"parts/1/2\.npz is damaged"):
            self.copied("to-storage")

    def test_without_a_storage_it_says_what_to_set(self, settings, tmp_path):
        settings.DATA_DIR = tmp_path
        with pytest.raises(CommandError, match="Set STORAGE_URL"):
            self.copied("to-storage")
