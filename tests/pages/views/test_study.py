from __future__ import annotations

import pytest

from annotation import human_scores
from annotation.models import Study
from annotation.views.forms.setup import AspectFormSet
from annotation.views.texts import TEXTS_PER_PAGE
from tests.annotation.seating import hand_in, lay_out, sit
from tests.support.scored import rate

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]


@pytest.fixture
def draft(make_study):
    return make_study()


@pytest.fixture
def study(draft):
    """Open, with two surveys of four texts and two places each."""
    lay_out(draft)
    return draft


def read(client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


class TestStudies:
    def test_without_a_study_it_gives_the_first_step_and_a_sample(self, client):
        page = read(client, "/")
        assert "No study yet" in page
        assert 'href="/studies/new/"' in page
        assert "samples/sample.csv" in page

    def test_it_lists_texts_and_valid_pages(self, client, study):
        hand_in(sit(study, "w1"))
        (row,) = client.get("/").context["page"]
        assert (row.n_texts, row.n_pages) == (8, 1)

    def test_many_studies_take_no_more_queries(
        self, client, make_study, django_assert_max_num_queries
    ):
        for number in range(6):
            make_study(name=f"ferry-{number}")
        with django_assert_max_num_queries(7):
            client.get("/")


class TestOverview:
    url = "/studies/ferry/"

    @pytest.mark.parametrize(
        ("host", "warned"), [("127.0.0.1:8000", True), ("testserver", False)]
    )
    def test_a_link_that_nobody_else_can_open_is_marked(
        self, client, study, settings, host, warned
    ):
        settings.ALLOWED_HOSTS = ["*"]
        page = client.get(self.url, headers={"host": host}).content.decode()
        assert ("works on this computer only" in page) == warned

    def test_it_says_how_far_the_study_is(self, client, study):
        hand_in(sit(study, "w1"))
        page = read(client, self.url)
        assert "<strong>4</strong> of 16 ratings are valid" in page
        assert '<progress max="16" value="4"' in page

    def test_it_says_why_pages_were_discarded(self, client, study):
        hand_in(sit(study, "w1"), careful=False)
        page = read(client, self.url)
        assert "Damaged text rated above the best real text, on coherence" in page

    def test_a_draft_leads_to_its_setup_and_has_no_empty_tables(self, client, draft):
        page = read(client, self.url)
        assert '<a class="button primary" href="/studies/ferry/setup/">' in page
        assert "Pages handed out" not in page
        assert "α ordinal" not in page

    def test_alpha_names_its_level_and_a_missing_one_its_reason(self, client, study):
        rate(study, "coherence", [[1, 1], [5, 5], [3, 3]])
        page = read(client, self.url)
        assert "α ordinal" in page
        assert "1.000" in page
        assert "none: no text has two ratings" in page

    def test_an_empty_study_is_asked_for_texts_and_nothing_else(
        self, client, make_study
    ):
        make_study(prompts=0)
        page = read(client, self.url)
        assert "/studies/ferry/import/" in page
        assert "<progress" not in page

    def test_the_link_for_workers_is_there_while_the_study_is_open(self, client, draft):
        link = draft.get_worker_url()
        assert link not in read(client, self.url)
        lay_out(draft)
        assert link in read(client, self.url)

    def test_simulated_ratings_are_called_so_on_every_tab(self, client, study):
        study.simulated = True
        study.save()
        for tab in ("", "texts/", "surveys/", "workers/", "export/", "settings/"):
            assert '<span class="badge attention"' in read(client, self.url + tab)

    def test_it_marks_the_current_tab(self, client, study):
        assert 'surveys/" aria-current="page">Surveys' in read(
            client, f"{self.url}surveys/"
        )

    def test_an_open_study_refreshes_its_progress_and_a_complete_one_does_not(
        self, client, study
    ):
        url = "/studies/ferry/progress/"
        assert f'hx-get="{url}"' in read(client, url)
        for name in ("w1", "w2", "w3", "w4"):
            hand_in(sit(study, name))
        assert "hx-get" not in read(client, url)

    def test_a_larger_study_takes_no_more_queries(
        self, client, make_study, django_assert_max_num_queries
    ):
        study = make_study(prompts=12)
        lay_out(study)
        hand_in(sit(study, "w1"))
        with django_assert_max_num_queries(32):
            client.get(self.url)


class TestState:
    def change(self, client, to: str) -> str:
        answer = client.post(f"/studies/ferry/{to}/", follow=True)
        return answer.content.decode()

    def test_a_draft_opens_with_its_surveys_drawn(self, client, draft):
        assert "ferry is open" in self.change(client, "open")
        draft.refresh_from_db()
        assert draft.state == Study.State.OPEN
        assert draft.surveys.count() == 2

    def test_it_pauses_resumes_and_closes(self, client, draft):
        for verb in ("open", "pause", "open", "close"):
            self.change(client, verb)
        draft.refresh_from_db()
        assert draft.state == Study.State.CLOSED

    def test_a_refused_change_is_explained(self, client, draft):
        said = self.change(client, "pause")
        assert "This study is a draft, so it cannot be paused" in said
        draft.refresh_from_db()
        assert draft.state == Study.State.DRAFT

    @pytest.mark.parametrize("verb", ["pause", "close"])
    def test_reading_an_address_changes_nothing(self, client, draft, verb):
        assert client.get(f"/studies/ferry/{verb}/").url == "/studies/ferry/"
        draft.refresh_from_db()
        assert draft.state == Study.State.DRAFT


class TestTexts:
    url = "/studies/ferry/texts/"

    def keys(self, client, query: str) -> list[str]:
        found = client.get(f"{self.url}?{query}").context["page"]
        return [generation.key for generation in found]

    def test_it_filters_by_system_label_and_words(self, client, draft):
        assert self.keys(client, "system=b") == ["0-b-1", "1-b-1"]
        assert self.keys(client, "system=b&label=positive") == ["0-b-1"]
        assert self.keys(client, "q=version+1+c") == ["1-c-1"]
        assert self.keys(client, "q=0-a-1") == ["0-a-1"]

    @pytest.mark.parametrize("query", ["q=nowhere", "system=nobody"])
    def test_a_filter_that_nothing_meets_shows_nothing(self, client, draft, query):
        assert self.keys(client, query) == []
        assert "No text matches" in read(client, f"{self.url}?{query}")

    def test_the_page_after_keeps_the_filter(self, client, make_study):
        make_study(prompts=TEXTS_PER_PAGE + 1)
        page = read(client, f"{self.url}?system=a")
        assert "?system=a&amp;page=2" in page
        assert len(self.keys(client, "system=a&page=2")) == 1

    def test_other_pages_can_link_to_one_text(self, client, draft):
        page = read(client, f"{self.url}?key=0-a-1")
        assert page.count('class="card text-card') == 1
        assert "No text matches" in read(client, f"{self.url}?key=0-a")

    def test_a_text_leads_to_its_survey(self, client, study):
        item = study.generations.first().items.get()
        page = read(client, self.url)
        assert f'href="/studies/ferry/surveys/{item.survey.number}/"' in page

    def test_a_page_that_does_not_exist_is_the_nearest_one(self, client, draft):
        assert len(self.keys(client, "page=99")) == 8

    def test_each_text_has_its_human_means(self, client, draft):
        rate(draft, "coherence", [[4, 5]])
        first = client.get(self.url).context["page"][0]
        assert first.human_means == [(4.5, 2), (None, 0), (None, 0)]

    def test_only_the_means_of_the_texts_on_the_page_are_made(
        self, client, make_study, monkeypatch
    ):
        study = make_study(prompts=TEXTS_PER_PAGE + 1, systems=("a",))
        rate(study, "coherence", [[4]] * (TEXTS_PER_PAGE + 1))
        asked, means = [], human_scores.means

        def seen(**wanted):
            asked.append(means(**wanted))
            return asked[-1]

        monkeypatch.setattr(human_scores, "means", seen)
        client.get(f"{self.url}?page=2")
        assert len(asked[0].generations) == 1

    @pytest.mark.parametrize("prompts", [1, TEXTS_PER_PAGE + 1])
    def test_a_larger_study_takes_no_more_queries(
        self, client, make_study, django_assert_num_queries, prompts
    ):
        rate(make_study(prompts=prompts), "coherence", [[4, 5]])
        with django_assert_num_queries(13):
            client.get(self.url)

    def test_texts_are_never_run_as_markup(self, client, draft):
        draft.generations.update(text="<script>alert(1)</script>")
        draft.prompts.filter(position=0).update(prefix="<b>")
        page = read(client, self.url)
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page
        assert "&lt;b&gt;</span> &lt;script" in page

    def test_the_prefix_is_set_off_once(self, client, draft):
        prefix = draft.prompts.first().prefix
        page = read(client, f"{self.url}?q=0-a-1")
        assert f">{prefix}</span>. Version 0 a 1." in page

    def test_an_empty_study_shows_the_first_step(self, client, make_study):
        make_study(prompts=0)
        assert "No texts yet" in read(client, self.url)


class TestSurveys:
    url = "/studies/ferry/surveys/"

    def test_before_opening_it_says_what_will_be_here(self, client, draft):
        assert "No surveys yet" in read(client, self.url)

    def test_it_counts_places_filled_in_work_and_discarded(self, client, study):
        hand_in(sit(study, "w1"))
        hand_in(sit(study, "w2"), careful=False)
        sit(study, "w3")
        rows = client.get(self.url).context["page"]
        totals = [(row.valid, row.waiting, row.discarded) for row in rows]
        assert [sum(column) for column in zip(*totals, strict=True)] == [1, 1, 1]

    def test_one_survey_marks_its_negative_with_the_recipe(self, client, study):
        page = read(client, f"{self.url}1/")
        assert page.count('class="card text-card') == 5
        assert page.count(">damaged</span>") == 1
        assert "sentences in another order" in page
        assert "damaged" in page

    def test_one_survey_says_why_a_page_was_discarded(self, client, study):
        seat = hand_in(sit(study, "w1"), careful=False)
        page = read(client, f"{self.url}{seat.survey.number}/")
        assert "The damaged text got 5" in page

    def test_one_survey_leads_to_its_texts_and_the_surveys_beside(self, client, study):
        page = read(client, f"{self.url}1/")
        item = study.surveys.get(number=1).items.exclude(generation=None).first()
        assert f'href="/studies/ferry/text/?key={item.generation.key}"' in page
        assert f'href="{self.url}2/"' in page
        assert f'href="{self.url}0/"' not in page

    def test_a_number_that_was_not_drawn_is_not_found(self, client, study):
        assert client.get(f"{self.url}99/").status_code == 404
        assert client.get(f"{self.url}{10**30}/").status_code == 404


class TestWorkers:
    url = "/studies/ferry/workers/"

    def test_it_counts_each_worker_s_pages(self, client, study):
        first = sit(study, "w1")
        hand_in(first)
        hand_in(sit(study, "w2"), careful=False)
        careless, careful = client.get(self.url).context["page"]
        assert (careful.submitted, careful.valid, careful.discarded) == (1, 1, 0)
        assert (careless.submitted, careless.valid, careless.discarded) == (1, 0, 1)

    def test_platform_ids_stay_out_of_the_page(self, client, study):
        sit(study, "5e3d9f0c2b1a4d6e7f801234")
        assert "5e3d9f0c2b1a4d6e7f801234" not in read(client, self.url)

    def test_a_worker_who_writes_is_found_by_their_personal_code(self, client, study):
        worker = sit(study, "w1").worker
        assert worker.personal_code in read(client, self.url)

    def test_without_workers_it_says_what_will_be_here(self, client, study):
        assert "No workers yet" in read(client, self.url)


class TestSettings:
    url = "/studies/ferry/settings/"

    def data(self, client, **changes) -> dict:
        context = client.get(self.url).context
        forms = [context["form"], *context["aspects"].forms]
        forms.append(context["aspects"].management_form)
        fields = [field for form in forms for field in form]
        data = {field.html_name: field.value() for field in fields}
        return {**{k: "" if v is None else v for k, v in data.items()}, **changes}

    def test_it_saves_what_workers_read(self, client, draft):
        client.post(self.url, self.data(client, title="Short stories"))
        draft.refresh_from_db()
        assert draft.title == "Short stories"

    def test_it_saves_the_words_of_an_aspect(self, client, draft):
        changed = {"aspects-0-question": "Does it hold together?"}
        assert client.post(self.url, self.data(client, **changed)).status_code == 302
        assert draft.aspects.first().question == "Does it hold together?"

    def test_quality_control_has_a_page_of_its_own(self, client, draft):
        assert 'href="/studies/ferry/quality/"' in read(client, self.url)

    def test_a_mistake_is_said_on_top_and_nothing_is_saved(self, client, draft):
        wrong = self.data(client, title="New", ratings_per_text=0)
        page = client.post(self.url, wrong).content.decode()
        assert 'role="alert"' in page
        assert 'href="#id_ratings_per_text"' in page
        draft.refresh_from_db()
        assert draft.title == ""

    def test_an_aspect_of_another_study_cannot_be_changed(
        self, client, draft, make_study
    ):
        foreign = make_study(name="other").aspects.first()
        data = self.data(
            client, **{"aspects-0-id": foreign.pk, "aspects-0-question": "?"}
        )
        client.post(self.url, data)
        foreign.refresh_from_db()
        assert foreign.question != "?"

    def test_a_study_opened_while_saving_stays_open_and_as_it_was(
        self, client, draft, monkeypatch
    ):
        data = self.data(client, title="Too late")

        def opened_meanwhile(form):
            Study.objects.update(state=Study.State.OPEN)
            return True

        monkeypatch.setattr(AspectFormSet, "is_valid", opened_meanwhile)
        page = client.post(self.url, data, follow=True).content.decode()
        draft.refresh_from_db()
        assert (draft.state, draft.title) == (Study.State.OPEN, "")
        assert "Not saved" in page

    def test_an_open_study_keeps_its_settings(self, client, study):
        data = {"title": "Too late"}
        page = client.post(self.url, data).content.decode()
        study.refresh_from_db()
        assert study.title == ""
        assert "You cannot change fields that are greyed out" in page


class TestExport:
    url = "/studies/ferry/export/"

    @pytest.mark.parametrize("kind", ["texts", "annotations", "scores"])
    @pytest.mark.parametrize("format", ["csv", "jsonl"])
    def test_each_file_is_linked_and_comes_as_a_download(
        self, client, study, kind, format
    ):
        hand_in(sit(study, "w1"))
        link = f"{self.url}{kind}.{format}"
        assert link in read(client, self.url)
        answer = client.get(link)
        assert f'filename="ferry-{kind}.{format}"' in answer["Content-Disposition"]
        assert answer.streaming
        assert b"".join(answer.streaming_content).count(b"\n") >= 8

    @pytest.mark.parametrize("name", ["passwords.csv", "texts.exe"])
    def test_other_files_do_not_exist(self, client, study, name):
        assert client.get(self.url + name).status_code == 404


@pytest.mark.parametrize("address", ["/nowhere/", "/studies/nowhere/"])
def test_a_missing_page_is_explained(client, address):
    answer = client.get(address)
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()
