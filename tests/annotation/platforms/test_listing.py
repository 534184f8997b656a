"""A file is all that a platform needs: who its workers are, and the way home."""

from __future__ import annotations

import re

import pytest

from annotation import platforms
from annotation.models import Study, Worker

TEXTS = "title how_to_arrive how_to_return how_to_reach when_nothing_is_left".split()
SIZE = Study._meta.get_field("platform").max_length


def test_each_platform_is_offered_wherever_one_is_chosen() -> None:
    offered = dict(platforms.choices())
    assert set(offered) == set(platforms.PLATFORMS)
    assert offered["direct"] == "Plain link"
    assert offered["mturk"] == "Mechanical Turk"
    assert list(offered) == ["direct", "prolific", "connect", "sona", "mturk"]
    assert dict(platforms.offers())["mturk"].startswith(
        "Mechanical Turk (closed to new"
    )
    for model in (Study, Worker):
        assert dict(model._meta.get_field("platform").flatchoices) == offered


@pytest.mark.parametrize("name", platforms.PLATFORMS)
class TestEach:
    def test_it_has_words_for_everything_that_a_worker_asks(self, name: str) -> None:
        platform = platforms.PLATFORMS[name]
        assert len(name) <= SIZE
        assert all(getattr(platform, text).strip() for text in TEXTS)

    def test_it_takes_ids_of_one_shape_from_its_links(self, name: str) -> None:
        platform = platforms.PLATFORMS[name]
        assert platform.worker_id({}) is None
        if platform.parameter:
            with pytest.raises(platforms.BadWorkerId, match=re.escape(platform.title)):
                platform.worker_id({platform.parameter: "<no id>"})

    def test_it_sends_people_home_to_a_safe_address(self, name: str) -> None:
        if home := platforms.PLATFORMS[name].home:
            found = home("A B&C")
            assert found.startswith("https://")
            assert " " not in found and "&C" not in found, "the code is quoted"
