from __future__ import annotations

import csv
import json
from itertools import combinations

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Import, Study, System, Vote
from scoring.metrics import Output
from scoring.results import study_arrays
from tests.scoring import analysed
from tests.support import shared
from tests.support.scored import give_means, of_two_systems, score_systems

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]


@pytest.fixture
def study(make_study):
    return of_two_systems(make_study)


def test_systems_are_ranked_with_names_letter_by_letter(client, study):
    page = analysed.page(client, study, "systems")
    assert "2 systems on 6 prompts." in page
    assert "&lt;b&gt;b&lt;/b&gt;" in page and "<b>b</b>" not in page
    assert "mean|aspect:coherence|" in page


def test_texts_without_output_are_counted_and_the_page_says_what_that_means(
    client, study
):
    empty = study.generations.filter(system__name="a").first()
    facts = {"excluded_at": timezone.now(), "excluded_reason": "no output"}
    study.generations.filter(pk=empty.pk).update(text="", **facts)
    page = analysed.page(client, study, "systems")
    assert "No output" in page and "1 text is empty, as the system gave" in page
    analysed.overview_of(study)
    page = client.get("/studies/ferry/results/").content.decode()
    assert "No output" in page and "People rate none" in page


def test_which_systems_are_people_is_said_there(client, study):
    page = analysed.page(client, study, "systems")
    assert "Which systems are written by people" in page
    assert 'action="/studies/ferry/systems/kinds/"' in page


def test_a_new_kind_of_a_system_makes_results_old(client, study):
    before = study_arrays.stamp(study=study)
    client.post("/studies/ferry/systems/kinds/", {"human": ["a"]})
    after = study_arrays.stamp(study=study)
    assert before != after
    client.post("/studies/ferry/systems/kinds/", {"human": ["<b>b</b>"]})
    assert study_arrays.stamp(study=study) not in (before, after)


def test_people_can_be_left_out(client, study):
    client.post("/studies/ferry/systems/kinds/", {"human": ["a"]})
    page = analysed.page(client, study, "systems", without_people="on")
    assert "1 system on 6 prompts. With one system there is nothing to rank." in page


class TestPublished:
    """MAUVE and people on eight variants of GPT-2 (Pillutla et al. 2021)."""

    QUESTIONS = ("human_like", "sensible", "interesting")

    @pytest.fixture
    def numbers(self):
        path = shared.path("data/mauve_human_eval") / "bt_scores_from_notebook.json"
        return json.loads(path.read_text())

    @pytest.fixture
    def study(self, make_study, numbers):
        """Their strengths as means of texts, their rankings as votes, three seeds."""
        study = make_study(
            prompts=1, systems=tuple(numbers["mauve"]), aspects=self.QUESTIONS
        )
        for question in self.QUESTIONS:
            strengths = numbers[f"bt_{question}"]
            of_texts = study.generations.values_list("system__name", flat=True)
            give_means(study, question, [strengths[name] for name in of_texts])
            vote(study, question, sorted(strengths, key=strengths.get))
        seeds = {
            name: [value - 0.001, value, value + 0.001]
            for name, value in numbers["mauve"].items()
        }
        score_systems(study, Output("mauve", "MAUVE", "", True), seeds, metric="mauve")
        return study

    def test_the_page_has_the_published_correlations(self, client, study, numbers):
        analysed.page(client, study, "systems")
        published = [numbers["published_spearman"][name] for name in self.QUESTIONS]
        for number, expected in enumerate([*published, *published], 1):
            level = row_of(client, study, f"level-{number}", "mauve")
            assert float(level["Spearman ρ"]) == pytest.approx(expected, abs=1e-12)
            assert float(level["Spearman ρ low"]) < expected
            seeds = row_of(client, study, f"seeds-{number}", "mauve")
            assert float(seeds["Spearman ρ"]) == pytest.approx(expected, abs=1e-12)
            assert float(seeds["Spearman ρ SD"]) == pytest.approx(0, abs=1e-12)
            assert seeds["Seeds"] == "3"

    def test_eight_systems_are_said_to_be_few(self, client, study):
        page = analysed.page(client, study, "systems")
        assert "Too few systems (8) to rely on these numbers" in page
        assert "±\u00a00.001, 3\u00a0seeds" in page


def vote(study: Study, question: str, worst_first: list[str]) -> None:
    """Of four votes on each two systems three are for the better one."""
    file = Import.objects.create(study=study, format="votes", file_name="votes.csv")
    systems = [System.objects.get(study=study, name=name) for name in worst_first]
    Vote.objects.bulk_create(
        Vote(
            study=study,
            imported=file,
            pair=f"{worse.pk}-{better.pk}",
            question=question,
            first=better,
            second=worse,
            rater=f"w{rater}",
            outcome=Vote.Outcome.FIRST if rater else Vote.Outcome.SECOND,
        )
        for worse, better in combinations(systems, 2)
        for rater in range(4)
    )


def row_of(client, study: Study, table: str, metric: str) -> dict[str, str]:
    address = reverse("analysis_table", args=[study.name, "systems", table, "csv"])
    lines = client.get(address).content.decode().splitlines()
    rows = csv.DictReader(lines)
    return next(row for row in rows if row["Metric"].casefold().startswith(metric))
