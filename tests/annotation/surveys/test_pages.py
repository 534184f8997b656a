from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from annotation.models import Generation
from annotation.surveys import pages


def texts(*, prompts=1, systems=4, samples=1, unknown=0):
    """Unsaved generations with ids of prompts and systems, in order."""
    return [
        Generation(key=f"{p}-{s}-{k}", prompt_id=p, system_id=s, sample=k)
        for p in range(prompts)
        for s in [*range(1, systems + 1), *[None] * unknown]
        for k in range(samples)
    ]


def cut(generations, size=6, seed=0):
    rng = np.random.default_rng(seed)
    return list(pages.cut(generations=generations, size=size, rng=rng))


def keys(page):
    return [text.key for text in page]


def test_the_kth_page_takes_the_kth_text_of_each_system():
    found = cut(texts(prompts=2, systems=3, samples=2))
    assert [keys(page) for page in found] == [
        ["0-1-0", "0-2-0", "0-3-0"],
        ["0-1-1", "0-2-1", "0-3-1"],
        ["1-1-0", "1-2-0", "1-3-0"],
        ["1-1-1", "1-2-1", "1-3-1"],
    ]


def test_it_gives_the_design_of_the_paper():
    found = cut(texts(prompts=30, systems=4, samples=3))
    assert [len(page) for page in found] == [4] * 90


def test_absent_systems_are_left_out():
    generations = [t for t in texts(systems=3, samples=2) if t.key != "0-2-1"]
    assert keys(cut(generations)[1]) == ["0-1-1", "0-3-1"]


def test_unknown_systems_stay_in_order_on_even_pages():
    generations = texts(systems=0, unknown=8)
    found = cut(generations)
    assert [len(page) for page in found] == [4, 4]
    assert [text for page in found for text in page] == generations


def test_unknown_and_known_systems_do_not_share_a_page():
    for page in cut(texts(prompts=2, systems=3, unknown=2)):
        assert len({text.system_id is None for text in page}) == 1


@pytest.mark.parametrize("systems", [1, 5, 6, 7, 12, 13, 23])
@pytest.mark.parametrize("size", [1, 4, 6])
def test_each_text_is_on_one_page_and_pages_are_even(systems, size):
    generations = texts(prompts=3, systems=systems, samples=2)
    for seed in range(5):
        found = cut(generations, size, seed)
        drawn = [text.key for page in found for text in page]
        assert sorted(drawn) == sorted(keys(generations))
        sizes = {len(page) for page in found}
        assert max(sizes) <= size
        assert max(sizes) - min(sizes) <= 1


def test_a_page_has_one_prompt_and_each_system_once():
    for page in cut(texts(prompts=4, systems=9, samples=2), size=4):
        assert len({text.prompt_id for text in page}) == 1
        assert len({text.system_id for text in page}) == len(page)


@pytest.mark.parametrize("systems, size", [(8, 4), (9, 4), (7, 6), (12, 6), (9, 3)])
def test_systems_meet_about_equally_often(systems, size):
    found = cut(texts(prompts=60, systems=systems), size)
    met = Counter(
        pair
        for page in found
        for pair in combinations(sorted(text.system_id for text in page), 2)
    )
    counts = [met[pair] for pair in combinations(range(1, systems + 1), 2)]
    # At random the counts would scatter by their square root.
    assert max(counts) - min(counts) <= max(3, 0.25 * np.mean(counts))


def test_the_same_seed_cuts_the_same_pages():
    generations = texts(prompts=5, systems=9)
    assert cut(generations, seed=3) == cut(generations, seed=3)
    assert cut(generations, seed=3) != cut(generations, seed=4)


def cut_part(generations, size=4, seed=0):
    rng = np.random.default_rng(seed)
    return list(pages.cut_part(generations=generations, size=size, rng=rng))


def test_of_a_random_part_the_texts_of_a_prompt_fill_as_few_pages_as_they_can():
    every = texts(prompts=30, systems=4, samples=3)
    drawn = np.random.default_rng(1).random(len(every)) < 0.4
    some = [text for text, there in zip(every, drawn, strict=True) if there]
    found = cut_part(some)
    assert sorted(map(id, (t for page in found for t in page))) == sorted(map(id, some))
    assert all(len({text.prompt_id for text in page}) == 1 for page in found)
    n = Counter(text.prompt_id for text in some)
    assert Counter(p[0].prompt_id for p in found) == {
        prompt: -(-k // 4) for prompt, k in n.items()
    }
    assert len(found) < len(cut(some, size=4))  # by samples they are spread


def test_of_a_random_part_texts_of_one_system_are_kept_apart():
    for page in cut_part(texts(prompts=5, systems=4, samples=2)):
        assert len({text.system_id for text in page}) == 4


def test_of_a_random_part_unknown_systems_have_pages_of_their_own():
    found = cut_part(texts(systems=2, unknown=3))
    assert [{t.system_id is None for t in page} for page in found] == [{False}, {True}]
