from __future__ import annotations

import json
from decimal import Decimal
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation import sizing
from annotation.human_scores import one_aspect
from annotation.models import Annotation, Import
from scoring.stats.components.designs import Design, per_prompt
from scoring.stats.components.needed import Goal
from scoring.stats.components.typical import OF_FIVE_POINTS
from tests.support.scored import rate

pytestmark = pytest.mark.django_db
SYSTEMS = ("a", "b")


def ratings(prompts: int, spread: float = 1.0, seed: int = 1) -> list[list[int]]:
    """Two of each text: what texts differ by, and what raters do."""
    rng = np.random.default_rng(seed)
    text = rng.normal(3, spread, (prompts * len(SYSTEMS), 1))
    noisy = text + rng.normal(0, 0.6, (len(text), 2))
    return np.clip(np.round(noisy), 1, 5).astype(int).tolist()


@pytest.fixture
def rated(make_study):
    study = make_study(prompts=12, systems=SYSTEMS, aspects=("coherence",))
    rate(study, "coherence", ratings(12))
    return study


def answered(study, difference: float = 0.5, source=None, **goal) -> sizing.Answer:
    return sizing.answer(
        sizes=sizing.sizes(study=study),
        known=sizing.known(study=study, source=source, draws=20),
        goal=Goal(difference, **goal),
    )


def said(*args: str) -> str:
    out = StringIO()
    call_command("sample_size", *args, stdout=out)
    return out.getvalue()


def test_ratings_come_with_what_they_are_of(rated):
    found = one_aspect.rated(study=rated, aspect=rated.aspects.get())
    assert len(found.value) == 48
    assert found.rater is None  # the file names nobody
    assert len(np.unique(found.prompt)) == 12
    assert len(np.unique(found.text)) == 24


def test_named_raters_are_kept(make_study):
    study = make_study(prompts=1, systems=SYSTEMS, aspects=("coherence",))
    imported = Import.objects.create(study=study, format="csv", file_name="r.csv")
    for name in ("ann", "ben"):
        Annotation.objects.create(
            imported=imported,
            rater=name,
            generation=study.generations.first(),
            aspect=study.aspects.get(),
            value=3,
            updated_at=timezone.now(),
        )
    found = one_aspect.rated(study=study, aspect=study.aspects.get())
    assert sorted(found.rater) == ["ann", "ben"]


def test_of_many_ratings_only_whole_prompts_are_read(rated):
    found = one_aspect.rated(study=rated, aspect=rated.aspects.get(), most=10)
    assert np.unique(found.prompt, return_counts=True)[1].tolist() == [4, 4]


def test_a_draft_is_planned_with_typical_values(make_study):
    study = make_study(prompts=30, systems=SYSTEMS, aspects=("coherence",))
    found = answered(study)
    assert found.known.variances == pytest.approx(OF_FIVE_POINTS)
    assert "typical values of five public studies" in sizing.basis(found)


def test_a_rated_study_is_planned_with_its_own_ratings(rated):
    found = answered(rated, source=rated)
    assert "the ratings of 12 prompts in ferry" in sizing.basis(found)
    assert found.known.components.n["ratings"] == 48


def test_too_few_ratings_say_why_typical_values_are_used(make_study):
    study = make_study(prompts=4, systems=SYSTEMS, aspects=("coherence",))
    rate(study, "coherence", ratings(4))
    words = sizing.basis(answered(study, source=study))
    assert "(ferry: fewer than 10 prompts have ratings)" in words


def test_another_scale_is_made_alike(rated, make_study):
    study = make_study(name="wide", prompts=3, systems=SYSTEMS, aspects=("coherence",))
    study.aspects.update(scale_min=0, scale_max=100)
    of = sizing.known(study=study, source=rated, draws=5)[0]
    own = sizing.known(study=rated, source=rated, draws=5)[0]
    assert of.variances["text"] == pytest.approx(625 * own.variances["text"])


def test_the_aspect_whose_ratings_vary_most_decides(make_study):
    study = make_study(prompts=12, systems=SYSTEMS, aspects=("coherence", "relevance"))
    rate(study, "coherence", ratings(12, spread=0.3))
    rate(study, "relevance", ratings(12, spread=1.2))
    assert answered(study, source=study).known.aspect == "Relevance"


def test_more_prompts_would_do_where_texts_differ(rated):
    found = answered(rated, 0.6, source=rated)
    assert found.raters is None
    words = sizing.sentence(found)
    assert words.startswith(
        f"Add {found.more} prompts: more ratings per text would not be enough. With 12"
        " prompts and 2 ratings per text, the chance of showing a difference of 0.6"
    )
    assert words.endswith("%, but you want 80 %.")


def test_one_prompt_is_too_few_for_an_interval_and_told_so(make_study):
    make_study(prompts=1, systems=SYSTEMS, aspects=("coherence",))
    found = json.loads(said("ferry", "--difference", "0.5", "--json"))
    study = found["study"]
    assert (study["half_width"], study["detectable"]) == (None, None)
    assert study["reason"] == sizing.ONE_PROMPT
    assert found["sentence"].endswith(f". {sizing.ONE_PROMPT.capitalize()}.")
    assert all(one["half_width"] > 0 for one in found["designs"])


def test_enough_prompts_are_told_so(make_study):
    study = make_study(prompts=40, systems=SYSTEMS, aspects=("coherence",))
    found = answered(study, 2.0)
    assert (found.more, found.power) == (0, pytest.approx(1))
    assert sizing.sentence(found).startswith("This is enough. With 40 prompts and 2")


def test_the_cheapest_design_is_told_with_its_cost(make_study):
    study = make_study(
        prompts=20,
        systems=SYSTEMS,
        aspects=("coherence",),
        pay_per_page=Decimal("0.50"),
    )
    found = answered(study)
    best = found.plans[0]
    assert best.design.raters == 1
    # A page shows one text of each of two systems.
    assert best.cost == pytest.approx(best.ratings * 0.25)
    assert f"{best.ratings * 0.25:,.2f} USD" in sizing.cheapest(found)


def test_a_rating_costs_what_its_pages_do_which_are_cut_evenly(make_study):
    study = make_study(
        systems=tuple("abcde"), texts_per_survey=4, pay_per_page=Decimal(1)
    )
    # Two pages, of three and of two texts.
    assert sizing.sizes(study=study).price == Decimal("0.4")


def test_without_pay_no_money_is_named(make_study):
    found = answered(make_study(prompts=20, systems=SYSTEMS))
    assert "USD" not in sizing.cheapest(found)


def test_the_study_is_planned_as_it_is(make_study):
    found = sizing.sizes(study=make_study(prompts=5, samples=2))
    assert found.systems == 4
    assert found.design == Design(5, 2, texts=2, together=True)


def test_only_systems_that_share_a_page_have_the_same_raters(make_study):
    study = make_study(prompts=5, texts_per_survey=2)
    design = sizing.sizes(study=study).design
    assert design.together == pytest.approx(2 / 6)  # two pages of two of four
    assert design.pool is None
    words = sizing.basis(answered(study))
    assert "Raters are a crowd: each page has its own raters, who rate some of" in words


def test_the_people_who_rate_all_are_those_who_are_invited(make_study):
    study = make_study(prompts=12, invited_only=True)
    assert sizing.people(study) is None  # too few for the ratings of one text
    for name in "abc":
        study.invites.create(name=name, digest=name)
    assert sizing.people(study) == 3
    assert sizing.people(make_study(name="open")) is None


def test_the_same_few_people_are_planned_as_such(rated):
    crowd, few = (sizing.sizes(study=rated, pool=pool) for pool in (None, 2))
    known = [sizing.known(study=rated, source=None)[0]]
    severe = known[0]._replace(variances={"rater x system": 0.5, "residual": 0.5})
    widths = [
        sizing.answer(sizes=one, known=[severe], goal=Goal(0.5)).half_width
        for one in (crowd, few)
    ]
    assert widths[0] > widths[1]  # what two people keep is in each prompt alike
    found = sizing.answer(sizes=few, known=[severe], goal=Goal(0.5))
    assert "The same 2 people rate the pages of all prompts." in sizing.basis(found)
    assert max(plan.design.raters for plan in found.plans) == 2


def test_too_few_prompts_for_an_interval_need_no_raters(make_study):
    study = make_study(prompts=4, systems=SYSTEMS, aspects=("coherence",))
    known = sizing.known(study=study, source=None)[0]
    steady = known._replace(variances={"text": 0.01, "residual": 0.01})
    found = sizing.answer(
        sizes=sizing.sizes(study=study), known=[steady], goal=Goal(1.0)
    )
    words = sizing.sentence(found)
    assert words.startswith("Add 2 prompts: an interval needs at least 6. With 4 ")
    assert "you want" not in words and "more rating" not in words


def test_prompts_that_one_system_has_alone_compare_nothing(make_study):
    study = make_study(prompts=5, systems=SYSTEMS)
    of_b = study.generations.filter(system__name="b")
    of_b.filter(prompt__position__lt=2).delete()
    assert sizing.sizes(study=study).design.prompts == 3
    of_b.filter(prompt__position__gte=2).delete()
    for text in study.generations.filter(prompt__position=0):
        study.generations.filter(pk=text.pk).update(system=study.systems.get(name="b"))
    assert sizing.sizes(study=study) is None


def test_one_system_has_nothing_to_compare(make_study):
    assert sizing.sizes(study=make_study(systems=("a",))) is None
    with pytest.raises(CommandError, match="texts of at least two systems"):
        said("ferry", "--difference", "1")


# The command --------------------------------------------------------------------------


def test_the_command_begins_with_the_sentence(rated):
    found = said("ferry", "--difference", "0.6").splitlines()
    assert found[0].startswith("Add ")
    assert found[1].startswith("Cheapest: ")
    assert "± 0." in found[-1]


def test_the_command_learns_from_another_study(rated, make_study):
    make_study(name="next", prompts=8, systems=SYSTEMS, aspects=("coherence",))
    found = said("next", "--difference", ".5", "--like", "ferry")
    assert "Based on the ratings of 12 prompts in ferry" in found


def test_json_has_every_number(rated):
    found = json.loads(said("ferry", "--difference", ".6", "--equivalence", "--json"))
    assert found["goal"]["equivalence"]
    assert "differ by less than 0.6" in found["sentence"]
    variances = found["components"][0]["variances"]
    assert variances["text"]["low"] < variances["text"]["value"]
    assert variances["rater"]["reason"] == "who gave which rating is not known"
    values = {k: of["value"] for k, of in variances.items() if of["value"] is not None}
    variance = per_prompt(values, Design(12, 2))
    expected = 1.96 * (variance * 11) ** 0.5 / 12
    assert 0 <= found["study"]["phi"] <= found["study"]["g"] <= 1
    assert found["study"]["half_width"] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("ferry", "--difference", "0"), "Expected a difference above 0, got 0.0."),
        (("ferry", "--difference", "1", "--power", "2"), "power between 0 and 1"),
        (("ferry", "--difference", "1", "--like", "x"), "no study named 'x'"),
        (("nobody", "--difference", "1"), "no study named 'nobody'"),
        (("ferry", "--difference", "1", "--people", "1"), "at least 2 raters in all"),
    ],
)
def test_what_cannot_be_answered_is_told_so(rated, args, words):
    with pytest.raises(CommandError, match=words):
        said(*args)
