"""People and a judge are asked the same, and examples come from what people rated."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from annotation.models import Aspect
from scoring.management.commands import score
from scoring.metrics import OptionError, get
from scoring.models import MetricRun
from scoring.runs import starting
from scoring.scores import models_here
from scoring.scores.examples import examples_of
from tests.support.scored import rate

pytestmark = pytest.mark.django_db
JUDGE = {"metric": "llm_judge"}


@pytest.fixture
def study(make_study):
    """Ten texts of five beginnings, rated 1 to 5."""
    made = make_study(prompts=10, systems=("a",), aspects=("coherence",))
    rate(made, "coherence", [[k % 5 + 1] for k in range(10)])
    return made


def prepared(study, **options):
    given = {"model": "bundled:causal-small", **options}
    return starting.prepared(study=study, options=given, any_folder=True, **JUDGE)


def shown(judge, example) -> str:
    rubric = judge._rubric()
    return rubric.prompt(example, judge._questions()[0])


class TestQuestions:
    ASKED = "Question: How good is the coherence?\n1 = poor\n3 = fair\n5 = excellent\n"

    def test_the_judge_is_asked_what_people_are(self, study):
        (example,) = examples_of(study.generations.all()[:1])
        assert self.ASKED in shown(prepared(study), example)

    def test_words_between_the_ends_are_among_them(self, study):
        Aspect.objects.update(words={"2": "weak"})
        (example,) = examples_of(study.generations.all()[:1])
        assert "1 = poor\n2 = weak\n3 = fair\n" in shown(prepared(study), example)

    def check(self, study):
        run = MetricRun.objects.get(study=study)
        (asked,) = json.loads(run.options["aspects"])
        assert asked["question"] == "How good is the coherence?"
        assert asked["words"] == {"1": "poor", "3": "fair", "5": "excellent"}
        assert run.options["steps"] == "1. Read."

    def test_by_the_form(self, study, client, alice, monkeypatch):
        # The bundled model follows no instructions; a judge that does is large.
        monkeypatch.setattr(models_here, "check", lambda kind, options: None)
        client.force_login(alice)
        address = reverse("run_choose", args=[study.name, "llm_judge"])
        page = client.get(address).content.decode()
        assert "Evaluation steps" in page and "Rated examples" in page
        assert "Rated texts" not in page
        sent = {"llm_judge-model": "bundled:causal-small", "llm_judge-chat": "on"}
        sent |= {"llm_judge-steps": "1. Read.", "llm_judge-aspects": ""}
        sent |= {"llm_judge-dtype": "float32", "llm_judge-examples": "0"}
        assert client.post(address, sent).status_code == 302
        self.check(study)

    def test_by_the_api(self, study, client, alice):
        client.force_login(alice)
        options = {"model": "bundled:causal-small", "steps": "1. Read."}
        answer = client.post(
            f"/api/studies/{study.name}/runs/",
            json.dumps({**JUDGE, "options": options}),
            content_type="application/json",
        )
        assert answer.status_code == 201, answer.content
        self.check(study)

    def test_by_the_command(self, study):
        given = {"option": ["model=bundled:causal-small", "steps=1. Read."]}
        left_out = {"corpus": None, "calls": None, "cost": None}
        score._start({"study": study.name, "metric": "llm_judge", **given, **left_out})
        self.check(study)


class TestExamples:
    def test_a_run_keeps_those_that_the_seed_chose(self, study):
        first = prepared(study, examples=2, examples_seed=1)
        rows = list(map(json.loads, first.options.rated.split("\n")))
        assert len(rows) == 4 and len({row["prefix"] for row in rows}) == 4
        again = prepared(study, examples=2, examples_seed=1)
        other = prepared(study, examples=2, examples_seed=2)
        assert first.options.rated == again.options.rated != other.options.rated

    def test_each_text_sees_only_texts_of_other_prompts(self, study):
        judge = prepared(study, examples=3)
        for example in examples_of(study.generations.all()):
            head = shown(judge, example).partition("Rate the next text")[0]
            assert head.count("\nNumber: ") == 3
            assert example.prefix not in head

    def test_the_number_is_that_of_people(self, study):
        judge = prepared(study, examples=1)
        means = {text.key: k % 5 + 1 for k, text in enumerate(study.generations.all())}
        for row in map(json.loads, judge.options.rated.split("\n")):
            assert row["ratings"] == {"coherence": means[row["id"]]}

    def test_too_few_prompts_with_ratings_are_told(self, study):
        with pytest.raises(
            OptionError, match="needs rated texts of 6 prompts, and ther"
        ):
            prepared(study, examples=5)

    def test_a_question_that_people_were_not_asked_has_none(self, study):
        with pytest.raises(OptionError, match="people were not asked about it"):
            prepared(study, examples=1, aspects="beauty: How beautiful is it?")

    def test_without_examples_nothing_is_read(self, study, django_assert_num_queries):
        assert prepared(study).options.rated == ""
        with django_assert_num_queries(1):  # what the study asks
            prepared(study)

    def test_what_someone_gave_stays(self, study):
        own = "\n".join(
            json.dumps({"text": t, "ratings": {"coherence": 3}}) for t in "abc"
        )
        assert prepared(study, examples=1, rated=own).options.rated == own

    def test_the_signature_names_no_text(self, study):
        judge = prepared(study, examples=1)
        contents = judge._rubric().contents(judge._questions())
        assert set(contents) == {"rated"} and len(contents["rated"]) == 23
        assert get("llm_judge")(model="m").signature() == (
            "llm_judge|aspects:quality: How good is the text?|chat:True|dtype:float32"
            "|model:m|prompt:|v:4"
        )
