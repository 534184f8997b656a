from collections import Counter

import numpy as np
import pytest

from annotation import negatives
from annotation.models import AttributeLabel, Generation, Prompt
from annotation.perturbations import PERTURBATIONS
from annotation.surveys import planning

pytestmark = pytest.mark.django_db

TAIL = " The crew was kind. Nobody felt ill for long. We could see the hills by noon."


@pytest.fixture
def texts(make_study):
    """Make texts of (prefix, label, sample), each by system a and of its own words."""
    study = make_study(prompts=0, systems=("a",))
    system = study.systems.get()

    def make(*rows):
        for number, (prefix, label, sample) in enumerate(rows):
            Generation.objects.create(
                study=study,
                key=str(number),
                prompt=_prompt(study, prefix, label),
                system=system,
                sample=sample,
                text=f"{prefix} left at {number}, as it had to.{TAIL}",
            )
        return list(study.generations.select_related("prompt__label").order_by("id"))

    return make


def _prompt(study, prefix, label_name, source=""):
    label = AttributeLabel.objects.get_or_create(study=study, name=label_name)[0]
    digest = Prompt.digest_of(prefix, label_name, source)
    return Prompt.objects.get_or_create(
        study=study,
        digest=digest,
        defaults={"prefix": prefix, "label": label, "source": source},
    )[0]


ASPECTS = ("coherence", "consistency", "attribute-relevance", "fluency")


def pool_of(generations, aspects=ASPECTS):
    return negatives.Pool(generations=generations, aspects=aspects)


def choose(page, generations, seed=0, **kw):
    return negatives.choose(page=page, pool=pool_of(generations, **kw), seed=seed)


def chosen(page, generations, *, elsewhere):
    """Negatives of 60 seeds: of texts from elsewhere as they are, or of the others."""
    found = [choose(page, generations, seed) for seed in range(60)]
    picked = [one for one in found if (one.perturbation == "transplant") == elsewhere]
    assert picked
    return picked


def test_it_takes_a_text_of_the_same_prompt_first(texts):
    page, other, *rest = texts(
        ("The ferry", "sad", 1),
        ("The ferry", "sad", 2),
        ("The ferry", "merry", 1),
        ("The train", "sad", 1),
    )
    for negative in chosen([page], [page, other, *rest], elsewhere=False):
        assert negative.source == other


def test_failing_that_it_takes_a_text_of_the_same_prefix(texts):
    page, other, *rest = texts(
        ("The ferry", "sad", 1), ("The ferry", "merry", 1), ("The train", "sad", 1)
    )
    for negative in chosen([page], [page, other, *rest], elsewhere=False):
        assert negative.source == other


def test_a_transplant_is_of_another_prefix_and_whole_from_there_on(texts):
    page, same, sibling, other = texts(
        ("The ferry", "sad", 1),
        ("The ferry", "sad", 2),
        ("The ferry", "merry", 1),
        ("The train", "sad", 1),
    )
    for negative in chosen([page], [page, same, sibling, other], elsewhere=True):
        assert negative.source == other
        assert negative.text == "The ferry" + other.text.removeprefix("The train")
        assert negative.hurts == ["consistency"]


def test_a_transplant_may_be_of_another_source_where_there_are_no_prefixes(texts):
    page, same, other = texts(("", "sad", 1), ("", "sad", 2), ("", "sad", 3))
    other.prompt = _prompt(other.study, "", "sad", source="a document")
    for negative in chosen([page], [page, same, other], elsewhere=True):
        assert (negative.source, negative.text) == (other, other.full_text)


def test_a_text_never_follows_half_of_its_own_word(texts):
    page, same, other = texts(
        ("The ferry", "sad", 1), ("The ferry", "sad", 2), ("The tra", "sad", 1)
    )
    other.text = f"The train was late.{TAIL}"
    for seed in range(60):
        assert choose([page], [page, same, other], seed).source == same


def test_a_text_breaks_off_only_where_no_other_does(texts):
    page, *others = texts(*(("The ferry", "sad", k) for k in range(1, 4)))
    kinds = {choose([page], [page, *others], seed).perturbation for seed in range(90)}
    assert "truncate" in kinds
    page.text += " And then the"
    kinds = {choose([page], [page, *others], seed).perturbation for seed in range(90)}
    assert "truncate" not in kinds


def test_it_damages_what_the_study_asks_for_where_it_can(texts):
    everything = texts(*(("The ferry", "sad", k) for k in range(1, 4)))
    for seed in range(30):
        negative = choose(
            everything[:1], everything, seed, aspects=["attribute-relevance", "style"]
        )
        assert negative.perturbation == "negate"
        assert negative.hurts == ["attribute-relevance"]


def test_failing_that_it_puts_a_text_of_the_same_label_behind_the_prefix(texts):
    page, other, wrong = texts(
        ("The ferry", "sad", 1), ("The train", "sad", 1), ("The bus", "merry", 1)
    )
    for seed in range(30):
        negative = choose([page], [page, other, wrong], seed)
        assert negative.source == other
        assert negative.text.startswith("The ferry")
        assert "The train" not in negative.text


def test_a_text_written_for_another_prefix_is_hurt_in_consistency(texts):
    page, other = texts(("The ferry", "sad", 1), ("The train", "sad", 1))
    assert "consistency" in choose([page], [page, other]).hurts


def test_it_never_damages_a_text_of_the_page(texts):
    first, second, other = texts(
        ("The ferry", "sad", 1), ("The ferry", "sad", 2), ("The ferry", "sad", 3)
    )
    for seed in range(30):
        source = choose([first, second], [first, second, other], seed).source
        assert source == other


def test_it_never_damages_the_twin_of_a_text_of_the_page(texts):
    page, twin, other = texts(
        ("The ferry", "sad", 1), ("The ferry", "sad", 2), ("The ferry", "sad", 3)
    )
    twin.text = page.text
    for seed in range(30):
        assert choose([page], [page, twin, other], seed).source == other


def test_it_is_damaged_and_begins_with_the_prefix(texts):
    everything = texts(*(("The ferry", "sad", k) for k in range(1, 6)))
    real = {text.full_text for text in everything}
    for seed in range(100):
        negative = choose(everything[:2], everything, seed)
        assert negative.text not in real
        assert negative.text.startswith("The ferry ")
        assert negative.perturbation in PERTURBATIONS


def test_a_text_without_its_prefix_gets_it(texts):
    page, other = texts(("The ferry", "sad", 1), ("The train", "sad", 1))
    other.text = other.text.removeprefix("The train ")
    assert choose([page], [page, other]).text.startswith("The ferry left")


def test_it_puts_a_prefix_before_a_text_that_has_none(texts):
    page, other = texts(("The ferry", "sad", 1), ("", "sad", 1))
    other.text = f"One more.{TAIL}"
    assert choose([page], [page, other]).text.startswith("The ferry One more")


def test_the_recipe_gives_the_text_again(texts):
    page, other = texts(("The ferry", "sad", 1), ("The ferry", "sad", 2))
    for seed in range(30):
        negative = choose([page], [page, other], seed)
        again = PERTURBATIONS[negative.perturbation].behind(
            "The ferry", other.text, np.random.default_rng(negative.seed)
        )
        assert negative.text == again


def test_perturbations_take_turns(texts):
    everything = texts(*(("The ferry", "sad", k) for k in range(1, 31)))
    pool = pool_of(everything)
    chosen = [
        negatives.choose(page=[text], pool=pool, seed=seed).perturbation
        for seed, text in enumerate(everything)
    ]
    n_uses = Counter(chosen).values()
    assert max(n_uses) - min(n_uses) <= 1
    # Nothing to rename in these texts, and none of another prefix.
    assert len(n_uses) == len(PERTURBATIONS) - 2


def test_texts_take_turns(texts):
    everything = texts(*(("The ferry", "sad", k) for k in range(1, 11)))
    pool = pool_of(everything)
    sources = Counter(
        negatives.choose(page=[text], pool=pool, seed=seed).source.pk
        for seed, text in enumerate(everything)
    )
    assert max(sources.values()) <= 2


def test_it_prefers_a_text_that_ends_as_long_as_the_page(texts):
    everything = texts(*(("The ferry", "sad", k) for k in range(1, 6)))
    page, *others, long = everything
    long.text += TAIL * 5
    for seed in range(50):
        assert choose([page], [page, *others, long], seed).source != long


def test_it_hurts_what_its_perturbation_hurts(texts):
    page, other = texts(("The ferry", "sad", 1), ("The ferry", "sad", 2))
    for seed in range(20):
        negative = choose([page], [page, other], seed)
        hurts = PERTURBATIONS[negative.perturbation].hurts
        assert sorted(negative.hurts) == sorted(hurts)


def test_it_hurts_every_aspect_of_a_study_that_has_none_of_these(texts):
    page, other = texts(("The ferry", "sad", 1), ("The ferry", "sad", 2))
    assert choose([page], [page, other], aspects=["overall"]).hurts == ["overall"]


def test_it_says_what_to_do_where_no_text_is_left(texts):
    page, other = texts(("The ferry", "sad", 1), ("The train", "merry", 1))
    with pytest.raises(negatives.NoNegative, match="“sad”.*Add a second text"):
        choose([page], [page, other])


def test_it_says_so_where_no_text_can_be_damaged(texts):
    page, other = texts(("The ferry", "sad", 1), ("The ferry", "sad", 2))
    other.text = "The ferry sank."
    with pytest.raises(negatives.NoNegative, match="two or more sentences"):
        choose([page], [page, other])


class TestKindsOfDamage:
    def test_only_those_that_were_chosen_are_used(self, texts):
        everything = texts(*[("The bus", "sad", k) for k in range(6)])
        pool = negatives.Pool(
            generations=everything, aspects=["coherence"], kinds=["shuffle", "drop"]
        )
        made = [
            negatives.choose(page=everything[:2], pool=pool, seed=seed)
            for seed in range(6)
        ]
        assert {one.perturbation for one in made} == {"shuffle", "drop"}

    def test_a_study_draws_those_of_its_policy(self, make_study):
        study = make_study(prompts=4, systems=("a", "b"))
        study.policies.update(damages=["shuffle"])
        for one in study.generations.select_related("prompt"):
            one.text = f"{one.prompt.prefix} left {one.key}.{TAIL}"
            one.save()
        drawn = [negative for _, negative, _ in planning.planned(study) if negative]
        assert drawn and {one.perturbation for one in drawn} == {"shuffle"}

    def test_english_only_ones_are_known(self):
        english = {name for name, one in PERTURBATIONS.items() if one.english}
        assert english == {"inflect", "negate", "rename"}
        assert all(one.does.endswith(".") for one in PERTURBATIONS.values())
