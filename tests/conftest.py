from __future__ import annotations

import gc
import os
import shutil

import hypothesis
import pytest

from annotation.models import (
    Aspect,
    AttributeLabel,
    Generation,
    Member,
    Policy,
    Prompt,
    Study,
    System,
)
from scoring.metrics._distributions import vectors

# The synchronous playwright runs an event loop in the test's own thread.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

# An example that loads scipy takes seconds where cores are busy: no test is about time.
hypothesis.settings.register_profile("without deadlines", deadline=None)
hypothesis.settings.load_profile("without deadlines")

# Without these, Chromium looks for hosts outside at every start.
CHROMIUM = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
).split()


# Longest first, so that no process is alone with one at the end. Most wait for a
# browser, for other processes, or for models.
LONGEST = (
    "test_kills.py",
    "test_runs_on_services.py",
    "test_train_metric_command.py",
    "test_models.py",
    "test_supervisor.py",
    "test_analyses_in_browser.py",
    "test_saving_in_browser.py",
    "test_rating_in_browser.py",
    "test_study_in_browser.py",
    "test_access.py",
    "test_every_analysis.py",
    "test_first_hour_in_browser.py",
    "test_checking.py",
    "test_results_in_browser.py",
    "test_worker_looks_in_browser.py",
    "test_people_in_browser.py",
    "test_ratings_in_browser.py",
    "test_patterns.py",
    "test_coverage.py",
    "test_runs_that_fail.py",
    "test_rehearsing.py",
    "test_ctrleval_golden.py",
    "test_ctrleval_families.py",
    "test_training.py",
    "test_chain_in_browser.py",
    "test_setup_in_browser.py",
    "test_system_run_in_browser.py",
    "test_worker.py",
    "test_demo.py",
    "test_argent_grid.py",
    "test_crowding.py",
    "test_simulating.py",
    "test_login.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.name, len(LONGEST)))


def pytest_collectstart() -> None:
    gc.disable()  # thousands of tests are made, and none is thrown away


def pytest_collection_finish() -> None:
    """Let no collection of garbage look again at modules and thousands of tests.

    A worker collects around every model that it loads: half a second each time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


@pytest.fixture(autouse=True)
def nothing_is_shared():
    """A run leaves its process sharing embeddings by rows of the database."""
    yield
    vectors.keep_in(None)


@pytest.fixture
def alice(django_user_model):
    """Owns the studies of the tests."""
    return django_user_model.objects.create_user("alice", password="alice-password")


@pytest.fixture
def bob(django_user_model):
    """A researcher who must see nothing of alice's."""
    return django_user_model.objects.create_user("bob", password="bob-password")


@pytest.fixture
def staff(django_user_model):
    return django_user_model.objects.create_user("staff", is_staff=True)


@pytest.fixture
def bucket(settings, tmp_path):
    """Storage that machines with folders of their own share."""
    from tests import buckets

    with buckets.used(settings, tmp_path) as found:
        yield found


SENTENCES = (
    "The ferry left the harbour at seven.",
    "Nobody on deck said a word.",
    "An old man fed bread to the gulls.",
    "By noon the island came into view.",
    "Its white houses stood in the sun.",
)


@pytest.fixture
def make_study(alice, db):
    """Make a draft study: `prompts` prompts x `systems` x `samples` generations."""

    def make(
        *,
        name: str = "ferry",
        prompts: int = 2,
        systems: tuple[str, ...] = ("a", "b", "c", "d"),
        samples: int = 1,
        aspects: tuple[str, ...] = ("coherence", "consistency", "relevance"),
        **fields,
    ) -> Study:
        fields.setdefault("ratings_per_text", 2)
        study = Study.objects.create(name=name, seed=7, **fields)
        Member.objects.create(study=study, user=alice, role=Member.Role.OWNER)
        Policy.objects.create(study=study, version=1)
        for position, key in enumerate(aspects):
            Aspect.objects.create(
                study=study,
                key=key,
                title=key.capitalize(),
                question=f"How good is the {key}?",
                low="poor",
                middle="fair",
                high="excellent",
                position=position,
            )
        labels = [
            AttributeLabel.objects.create(study=study, name=label)
            for label in ("positive", "negative")
        ]
        made = [System.objects.create(study=study, name=name) for name in systems]
        for p in range(prompts):
            # Both labels per prefix: a page's negative comes from its sibling.
            prefix, label = f"Once upon a time {p // 2}", labels[p % 2]
            prompt = Prompt.objects.create(
                study=study,
                prefix=prefix,
                label=label,
                position=p,
                digest=Prompt.digest_of(prefix, label.name, ""),
            )
            for s, system in enumerate(made):
                for k in range(1, samples + 1):
                    turned = SENTENCES[(s + k) % 5 :] + SENTENCES[: (s + k) % 5]
                    text = f"{prefix}. Version {p} {system} {k}. " + " ".join(turned)
                    Generation.objects.create(
                        study=study,
                        key=f"{p}-{system}-{k}",
                        prompt=prompt,
                        system=system,
                        sample=k,
                        text=text,
                    )
        return study

    return make


@pytest.fixture(scope="session")
def browser():
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, names)), ""
    )
    if not found:
        pytest.skip("needs Chromium, which is not on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found, args=CHROMIUM, headless=True
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """A new page. `page.problems` collects errors and messages of its console."""
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin")
    page = context.new_page()
    page.set_default_timeout(15_000)
    # The first page of all loads much code, and the machine may be busy.
    page.set_default_navigation_timeout(60_000)
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on(
        "console",
        lambda message: (
            page.problems.append(message.text)
            if message.type in ("error", "warning")
            else None
        ),
    )
    yield page
    context.close()
