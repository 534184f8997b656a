"""The pages of training, with a metric that needs no torch."""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile

import pytest
from django.urls import reverse

from scoring import metrics, training
from scoring.models import Checkpoint
from scoring.training.forms import Material, TrainingForm
from tests.scoring.probed import corpus_of
from tests.support.learner import CARD, LOG, Fond, Learner, trained, training_of
from tests.support.messages import catch
from tests.support.scored import rate

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]
LIST = "/studies/ferry/training/"
RUNS = "/studies/ferry/metrics/"
TRAINED = training.trained()  # the real ones
CHOSEN = {
    "metric": "learner",
    "learner-name": "mine",
    "learner-corpus": "novels",
    "learner-aspect": "coherence",
    "learner-base": "bundled:encoder-small",
    "learner-pooling": "auto",
    "learner-precision": "auto",
    "learner-epochs": "2",
    "learner-texts": "20000",
}


@pytest.fixture(autouse=True)
def offered(monkeypatch, settings, tmp_path):
    """Two metrics that can be trained and one that need not, and no broker."""
    settings.DATA_DIR = tmp_path
    found = {"fond": Fond, "learner": Learner, "length": metrics.get("length")}
    monkeypatch.setattr(metrics, "names", lambda: sorted(found))
    monkeypatch.setattr(metrics, "get", found.__getitem__)
    monkeypatch.setattr("scoring.training.starting.trained", lambda: [Fond, Learner])
    catch(monkeypatch, "score_chunk", lambda pk: None)


@pytest.fixture
def study(make_study):
    study = make_study()
    corpus_of(study, topic=["sea", "land"])
    return study


def read(client, address) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


class TestList:
    def test_it_leads_to_a_corpus_where_the_study_has_none(self, client, make_study):
        make_study()
        page = read(client, LIST)
        assert "This study has no corpus yet" in page
        assert "Start training" not in page

    def test_each_metric_that_learns_has_a_form(self, client, study):
        page = read(client, LIST)
        assert 'id="train-learner"' in page
        assert 'id="train-fond"' in page
        assert 'id="train-length"' not in page
        assert "novels (8 texts)" in page
        assert '<option value="topic">topic</option>' in page

    def test_the_name_that_is_suggested_is_free(self, client, study):
        training_of(study, "learner-1")
        page = read(client, LIST)
        assert 'value="learner-2"' in page
        assert 'value="fond-1"' in page

    def test_only_rated_aspects_of_the_owner_s_other_studies_are_learned_from(
        self, client, study, make_study, bob
    ):
        rate(study, "coherence", [[1]] * 8)
        rate(make_study(name="harbour"), "coherence", [[1]] * 8)
        foreign = make_study(name="secret")
        rate(foreign, "coherence", [[1]] * 8)
        foreign.members.update(user=bob)
        page = read(client, LIST)
        assert 'value="harbour/coherence"' in page
        assert "harbour/consistency" not in page
        assert "ferry/coherence" not in page
        assert "secret" not in page

    def test_ratings_alone_will_do_for_a_metric_that_learns_them(
        self, client, make_study
    ):
        study = make_study()
        rate(make_study(name="harbour"), "coherence", [[1]] * 8)
        page = read(client, LIST)
        assert "Start training<span" in page.split('id="train-fond"')[1]
        form = TrainingForm(
            Fond,
            Material.of(study),
            {"fond-name": "f", "fond-ratings": "harbour/coherence"},
        )
        assert form.fields["corpus"].required is False
        form.is_valid()
        assert "corpus" not in form.errors

    def test_it_lists_trainings_with_their_state_and_best_figure(self, client, study):
        found = trained(study)
        training_of(
            study, "running", state="running", stage="training", step=5, steps=20
        )
        page = read(client, LIST)
        assert found.get_absolute_url() in page
        assert "AUC 0.938" in page
        assert "training, 25 %" in page

    def test_it_takes_few_queries(self, client, study, django_assert_max_num_queries):
        for n in range(5):
            trained(study, f"t{n}")
        with django_assert_max_num_queries(14):
            client.get(LIST)


class TestStart:
    def test_it_leads_to_the_page_of_the_training(self, client, study):
        answer = client.post(LIST, CHOSEN)
        found = Checkpoint.objects.get()
        assert answer["Location"] == found.get_absolute_url()
        assert (found.name, found.metric) == ("mine", "learner")
        assert found.corpus.name == "novels"
        assert found.created_by.username == "alice"

    def test_what_was_not_changed_is_left_to_the_metric(self, study):
        """A preset may then decide it."""
        given = {**CHOSEN, "learner-rate": "", "learner-batch": "16"}
        form = TrainingForm(Learner, Material.of(study), given)
        assert form.is_valid(), form.errors
        assert form.options() == {"epochs": 2.0, "batch": 16}

    @pytest.mark.parametrize("kind", TRAINED, ids=lambda kind: kind.name())
    def test_every_metric_s_form_can_be_sent_as_it_comes(self, study, kind):
        shown = TrainingForm(kind, Material.of(study))
        given = {shown.add_prefix(n): shown[n].value() for n in shown.fields}
        sent = TrainingForm(kind, Material.of(study), given)
        assert sent.is_valid(), sent.errors
        assert sent.options() == {}

    @pytest.mark.parametrize(
        ("field", "value", "said"),
        [
            ("name", "no spaces", "Use letters, digits"),
            ("name", "taken", "already has a training called taken"),
            ("base", "bundled:nothing", "no bundled model has that name"),
            ("corpus", "zines", "This corpus was deleted"),
            ("base", "/etc", "base=/etc: expected"),
            ("aspect", "attribute", "expected a column of the corpus"),
            ("epochs", "1000", "epochs=1000: expected"),
        ],
    )
    def test_an_error_stands_on_the_page(self, client, study, field, value, said):
        training_of(study, "taken")
        answer = client.post(LIST, {**CHOSEN, f"learner-{field}": value})
        assert answer.status_code == 400
        assert said in answer.content.decode()
        assert Checkpoint.objects.count() == 1

    def test_the_error_of_a_folded_option_is_seen(self, client, study):
        answer = client.post(LIST, {**CHOSEN, "learner-held_out": "0.9"})
        page = answer.content.decode()
        assert "held_out=0.9: expected" in page
        assert "<details open>" in page

    def test_a_metric_that_does_not_learn_is_not_found(self, client, study):
        assert client.post(LIST, {"metric": "length"}).status_code == 404

    def test_an_address_may_fill_in_the_form(self, client, study):
        """So that another training may be like one that has ended, but for a detail."""
        options = {"epochs": 2.5, "cautious": True, "attribute": "topic"}
        found = trained(study, options=options)
        page = read(client, found.get_absolute_url())
        way = re.search(rf'href="({LIST}[?][^"]*)#train-learner"', page)
        shown = read(client, html.unescape(way[1]))
        form = shown.split('id="train-learner"')[1]
        assert 'name="learner-epochs" value="2.5"' in form
        assert '<option value="topic" selected>' in form
        assert 'value="learner-2"' in form  # its name is a new one
        assert 'value="2.5"' not in shown.split('id="train-learner"')[0]


class TestTraining:
    def test_it_names_a_corpus_that_was_deleted_since(self, client, study):
        client.post(LIST, CHOSEN)
        found = Checkpoint.objects.get()
        study.corpora.all().delete()
        page = read(client, found.get_absolute_url())
        assert "the corpus novels, deleted since" in page

    def test_its_tables_can_be_saved(self, client, study):
        found = trained(study)
        page = read(client, found.get_absolute_url())
        for slug, n in (("figures", 5), ("loss-1", 3), ("classes", 2)):
            address = reverse("training_table", args=["ferry", found.name, slug, "csv"])
            assert f'href="{address}"' in page
            rows = list(csv.reader(io.StringIO(read(client, address))))
            assert len(rows) == n + 1

    def test_it_says_what_was_learned_from_and_what_was_not(self, client, study):
        page = read(client, trained(study).get_absolute_url())
        assert "1,000 of 1,200 used" in page
        assert (
            "3 texts, which share 13 words in a row with a text of this study" in page
        )
        assert "learner|training|v:1" in page
        assert "encoder-small" in page

    def test_it_leads_to_scoring_with_it_and_its_options(self, client, study):
        chosen = {"cautious": True, "epochs": 2.0}
        page = read(client, trained(study, options=chosen).get_absolute_url())
        [way] = re.findall(r'href="([^"]*/with/learner/[^"]*)"', page)
        assert "epochs" not in way
        form = client.get(html.unescape(way)).context["form"]
        assert form["model"].value() == "checkpoint:ferry/learner-1"
        assert form["cautious"].value()

    def test_one_that_learned_nothing_says_so_and_offers_another_training(
        self, client, study
    ):
        card = {**CARD, "figures": {"n": 198, "auc": 0.51}}
        page = read(client, trained(study, card=card).get_absolute_url())
        assert "No better than chance" in page
        assert re.search(r'button quiet"[^>]*>Score the study with it anyway', page)
        assert re.search(r'button primary"[^>]*>Train another like it', page)
        assert "no better than chance" in read(client, LIST)

    def test_it_is_downloaded_as_a_folder(self, client, study):
        found = trained(study)
        answer = client.get(f"{found.get_absolute_url()}model.zip")
        assert (
            answer["Content-Disposition"]
            == 'attachment; filename="ferry-learner-1.zip"'
        )
        with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as zip:
            assert zip.namelist() == ["learner-1/config.json"]

    def test_one_without_a_model_has_nothing_to_download(self, client, study):
        found = training_of(study, state="failed")
        assert client.get(f"{found.get_absolute_url()}model.zip").status_code == 404

    def test_it_shows_how_far_it_is_and_asks_again(self, client, study):
        found = training_of(
            study,
            **{"state": "running", "stage": "training", "step": 30, "steps": 60},
            **{"loss": 0.3125, "held_out_loss": 0.45, "seconds": 30, "log": LOG},
        )
        page = read(client, found.get_absolute_url())
        assert "training, step 30 of 60" in page
        assert 'role="progressbar"' in page
        assert "0.312" in page
        assert 'progress/?seen=1-3" hx-trigger="every 2s"' in page

    def test_new_points_of_the_curve_come_with_the_progress(self, client, study):
        found = training_of(study, state="running", log=LOG)
        address = f"{found.get_absolute_url()}progress/"
        assert "hx-swap-oob" not in read(client, f"{address}?seen=1-3")
        fresh = read(client, f"{address}?seen=1-2")
        assert 'hx-swap-oob="innerHTML:#data-loss-1"' in fresh
        assert "0.300" in fresh  # in the table

    def test_a_new_curve_loads_the_page_anew(self, client, study):
        found = training_of(study, state="running", log=LOG)
        answer = client.get(f"{found.get_absolute_url()}progress/?seen=0-0")
        assert answer["HX-Refresh"] == "true"

    def test_once_it_has_ended_the_page_is_loaded_anew(self, client, study):
        answer = client.get(f"{trained(study).get_absolute_url()}progress/?seen=1-3")
        assert answer["HX-Refresh"] == "true"

    def test_it_says_that_no_worker_is_there(self, client, study):
        page = read(client, training_of(study).get_absolute_url())
        assert "No worker that can do this is running" in page

    def test_it_is_cancelled_tried_again_and_deleted(self, client, study):
        client.post(LIST, CHOSEN)
        found = Checkpoint.objects.get()
        own = found.get_absolute_url()
        client.post(f"{own}cancel/")
        found.refresh_from_db()
        assert found.state == "cancelled"
        client.post(f"{own}retry/")
        found.refresh_from_db()
        assert found.state == "queued"
        client.post(f"{own}cancel/")
        page = client.post(f"{own}delete/", follow=True).content.decode()
        assert "Training mine deleted." in page
        assert not Checkpoint.objects.exists()

    def test_one_that_is_done_is_not_tried_again(self, client, study):
        found = trained(study)
        client.post(f"{found.get_absolute_url()}retry/", follow=True)
        found.refresh_from_db()
        assert found.state == "done"

    def test_one_under_way_is_not_deleted(self, client, study):
        client.post(LIST, CHOSEN)
        own = Checkpoint.objects.get().get_absolute_url()
        page = client.post(f"{own}delete/", follow=True).content.decode()
        assert Checkpoint.objects.exists()
        assert "notice error" in page

    def test_an_error_is_shown(self, client, study):
        found = training_of(study, state="failed", error="too few texts", step=12)
        page = read(client, found.get_absolute_url())
        assert "too few texts" in page
        assert "It continues after step 12." in page

    @pytest.mark.parametrize("path", ["depth.csv", "figures.doc"])
    def test_other_tables_and_formats_do_not_exist(self, client, study, path):
        found = trained(study)
        assert client.get(f"{found.get_absolute_url()}{path}").status_code == 404

    def test_another_study_s_training_does_not_exist_here(
        self, client, study, make_study
    ):
        trained(study)
        make_study(name="harbour")
        address = reverse("training", args=["harbour", "learner-1"])
        assert client.get(address).status_code == 404

    def test_one_of_a_metric_that_is_gone_is_still_shown(self, client, study):
        def gone(name):
            raise metrics.UnknownMetric(name)

        found = trained(study, metric="lost")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(metrics, "get", gone)
            page = read(client, found.get_absolute_url())
        assert "Score the study with it" not in page


def test_the_page_of_a_corpus_names_what_learned_from_it(client, study):
    found = trained(study)
    page = read(client, study.corpora.get().get_absolute_url())
    assert f'href="{found.get_absolute_url()}"' in page


class TestOffer:
    def test_a_metric_without_a_model_leads_to_training(self, client, study):
        page = read(client, RUNS)
        assert "Needs training first" in page
        assert f'href="{LIST}#train-learner"' in page

    def test_only_what_the_metric_was_trained_to_is_suggested(self, client, study):
        trained(study, "a", metric="learner")
        trained(study, "b", metric="fond")
        training_of(study, "c", state="running")
        page = read(client, f"{RUNS}with/learner/")
        assert "checkpoint:ferry/a" in page
        assert "checkpoint:ferry/b" not in page
        assert "checkpoint:ferry/c" not in page

    def test_the_newest_is_preselected(self, client, study):
        trained(study, "old")
        trained(study, "new")
        page = read(client, f"{RUNS}with/learner/")
        assert '<option value="checkpoint:ferry/new" selected>' in page

    def test_the_page_of_the_metric_tells_how_it_is_trained(self, client, study):
        page = read(client, "/metrics/learner/")
        assert "manage.py train_metric learner" in page
        assert "column of the corpus that holds the labels" in page


class TestATestCorpus:
    @pytest.fixture
    def official(self, study, monkeypatch):
        monkeypatch.setattr(Learner, "takes_test", True)
        return corpus_of(study, name="official", topic=["sea", "land"])

    def test_it_is_chosen_in_the_form_and_shown_beside_the_corpus(
        self, client, official
    ):
        assert 'name="learner-test"' in read(client, LIST)
        client.post(LIST, {**CHOSEN, "learner-test": "official"})
        made = Checkpoint.objects.get()
        assert made.test == official
        assert "<dt>Test corpus</dt>" in read(client, made.get_absolute_url())

    def test_it_is_another_corpus(self, client, official):
        answer = client.post(LIST, {**CHOSEN, "learner-test": "novels"})
        assert "cannot be learned from and be the test" in answer.content.decode()

    def test_with_a_single_corpus_there_is_nothing_to_choose(self, client, study):
        assert 'name="learner-test"' not in read(client, LIST)

    def test_its_accuracy_is_on_the_page(self, client, study):
        figures = {**CARD["figures"], "test": {"n": 50, "accuracy": 0.9154}}
        made = trained(study, card={**CARD, "figures": figures})
        shown = read(client, made.get_absolute_url())
        assert "Test corpus: Accuracy" in shown and "0.915" in shown
