from __future__ import annotations

import gc
import itertools
import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import hypothesis
import numpy as np
import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.backends.postgresql import operations as postgresql
from django.db.models import CharField

from annotation.models import (
    Aspect,
    AttributeLabel,
    Generation,
    Member,
    Policy,
    Prompt,
    Study,
    System,
    studies,
)
from scoring.analyses.comparison import two
from scoring.analyses.saved import parts
from scoring.metrics._distributions import resampling, vectors
from scoring.runs import loading
from scoring.stats import counts, drift, soft
from scoring.stats.components import estimating
from tests.support import server_packages

pytest_plugins = ("tests.support.cpu",)

# The synchronous playwright runs an event loop in the test's own thread.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

# An example that loads scipy takes seconds where cores are busy: no test is about time.
# And whoever sees a failure sees it again: the examples are those of the last run.
# .ci/run takes more of them: --hypothesis-profile=many.
OURS = hypothesis.settings(deadline=None, derandomize=True)
hypothesis.settings.register_profile("few", OURS, max_examples=20)
hypothesis.settings.register_profile("many", OURS, max_examples=100)
hypothesis.settings.load_profile("few")

# Milliseconds. The first page of all loads much code, and the machine may be busy.
PATIENCE = 60_000
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


# Whoever uses a fixture needs what it needs: the marks that .ci/run chooses tests by.
MARKS = {
    "browser": ("browser",),
    "bucket": ("server",),
    "db": ("database",),
    "live_server": ("database", "transactions"),
    "migrated": ("django_db", "migrations"),
    "transactional_db": ("database", "transactions"),
}


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in MARKS.keys() & set(item.fixturenames):
            for mark in MARKS[fixture]:
                item.add_marker(mark)
        if django_db := item.get_closest_marker("django_db"):
            item.add_marker("database")
            if django_db.kwargs.get("transaction"):
                item.add_marker("transactions")
        if "browser" in item.keywords and "path" not in item.keywords:
            item.add_marker("slow")
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


@pytest.hookimpl(tryfirst=True)  # before any fixture is set up
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("server") and (missing := server_packages.missing()):
        pytest.skip(f"needs requirements-server.txt, of which is missing: {missing}")
    if item.get_closest_marker("migrations") and item.config.getvalue("nomigrations"):
        pytest.skip("needs --migrations: the tables were made from the models")


@pytest.fixture(autouse=True, scope="session")
def garbage_is_left_to_python():
    """A worker collects it with every model: half a second each time, here."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(loading, "gc", SimpleNamespace(collect=lambda: 0))
        yield


@pytest.fixture(autouse=True, scope="session")
def no_text_is_longer_than_its_column():
    """SQLite stores what PostgreSQL refuses: here, both refuse it."""
    to_column = CharField.get_db_prep_save

    def checked(field, value, connection):
        if isinstance(value, str) and field.max_length is not None:
            assert len(value) <= field.max_length, f"too long for {field}: {value!r}"
        return to_column(field, value, connection)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(CharField, "get_db_prep_save", checked)
        yield


@pytest.fixture(autouse=True, scope="session")
def tables_are_emptied_by_deleting():
    """PostgreSQL takes seconds to truncate a hundred tables: it creates new files."""

    def sql_flush(operations, style, tables, **sequences):
        name = operations.quote_name
        return [f"DELETE FROM {name(table)}" for table in tables]  # in one transaction

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(postgresql.DatabaseOperations, "sql_flush", sql_flush)
        yield


@pytest.fixture(autouse=True)
def chance_is_the_same_in_every_run(monkeypatch):
    """Studies and generators without a seed get one: 1, 2, ... within a test."""
    seeds, seeded = itertools.count(1), np.random.default_rng

    def default_rng(seed=None):
        return seeded(next(seeds) if seed is None else seed)

    monkeypatch.setattr(np.random, "default_rng", default_rng)
    chance = random.Random(1)
    drawn = SimpleNamespace(randbelow=chance.randrange, choice=chance.choice)
    monkeypatch.setattr(studies, "secrets", drawn)


@pytest.fixture(autouse=True)
def nothing_is_shared():
    """A run leaves its process sharing embeddings by rows of the database."""
    yield
    vectors.keep_in(None)


@pytest.fixture
def few_draws(monkeypatch) -> None:
    """Few replicates, for tests that ask whether there is an interval or a test."""
    for function in (
        *(counts.draw, counts.draw_both, soft.soft_pairwise_accuracy),
        *(drift.by_system, drift.by_quality, estimating.estimate),
    ):
        assert "draws" in function.__kwdefaults__
        monkeypatch.setitem(function.__kwdefaults__, "draws", 50)
    monkeypatch.setattr(two, "SWAPS", 99)
    monkeypatch.setattr(parts, "TRIES", 5)
    monkeypatch.setattr(resampling.drawn, "__defaults__", (20,))
    monkeypatch.setattr(resampling.relabelled, "__defaults__", (99,))


@pytest.fixture
def alice(django_user_model):
    """Owns the studies of the tests, and may spend."""
    user = django_user_model.objects.create_user("alice", password="alice-password")
    spend = Permission.objects.get(codename="spend", content_type__app_label="spending")
    user.user_permissions.add(spend)
    return user


@pytest.fixture
def bob(django_user_model):
    """A researcher who must see nothing of alice's."""
    return django_user_model.objects.create_user("bob", password="bob-password")


@pytest.fixture
def staff(django_user_model):
    return django_user_model.objects.create_user("staff", is_staff=True)


@pytest.fixture
def bucket(request, settings, tmp_path):
    """Storage that machines with folders of their own share."""
    from tests.support import buckets

    assert request.node.get_closest_marker("server"), "asked for by name: mark the test"

    with buckets.used(settings, tmp_path) as found:
        yield found


SENTENCES = (
    "The ferry left the harbour at seven.",
    "Nobody on deck said a word.",
    "An old man fed bread to the gulls.",
    "By noon the island came into view.",
    "Its white houses stood in the sun.",
)


def _prompt(study: Study, position: int, label: AttributeLabel) -> Prompt:
    prefix = f"Once upon a time {position // 2}"
    return Prompt(
        study=study,
        prefix=prefix,
        label=label,
        position=position,
        digest=Prompt.digest_of(prefix, label.name, ""),
    )


def _generation(prompt: Prompt, system: System, s: int, k: int) -> Generation:
    turned = SENTENCES[(s + k) % 5 :] + SENTENCES[: (s + k) % 5]
    version = f"Version {prompt.position} {system.name} {k}."
    return Generation(
        study=prompt.study,
        key=f"{prompt.position}-{system.name}-{k}",
        prompt=prompt,
        system=system,
        sample=k,
        text=f"{prompt.prefix}. {version} " + " ".join(turned),
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
        Aspect.objects.bulk_create(
            Aspect(
                study=study,
                key=key,
                title=key.capitalize(),
                question=f"How good is the {key}?",
                low="poor",
                middle="fair",
                high="excellent",
                position=position,
            )
            for position, key in enumerate(aspects)
        )
        labels = AttributeLabel.objects.bulk_create(
            AttributeLabel(study=study, name=label)
            for label in ("positive", "negative")
        )
        written_by = System.objects.bulk_create(
            System(study=study, name=system) for system in systems
        )
        # Both labels per prefix: a page's negative comes from its sibling.
        rows = Prompt.objects.bulk_create(
            _prompt(study, p, labels[p % 2]) for p in range(prompts)
        )
        Generation.objects.bulk_create(
            _generation(prompt, system, s, k)
            for prompt in rows
            for s, system in enumerate(written_by)
            for k in range(1, samples + 1)
        )
        return study

    return make


@pytest.fixture(scope="session")
def migrated(tmp_path_factory, django_db_setup, django_db_blocker) -> Path:
    """An empty database with all tables, for processes of tests: to be copied.

    To migrate takes seconds of a processor, and this run did it once.
    """
    path = tmp_path_factory.mktemp("migrated") / "db.sqlite3"
    with django_db_blocker.unblock(), closing(sqlite3.connect(path)) as copy:
        connection.ensure_connection()
        connection.connection.backup(copy)
    return path


@pytest.fixture(scope="session")
def browser():
    names = ("chromium", "chromium-browser", "google-chrome")
    installed = next(filter(None, map(shutil.which, names)), "")
    found = os.environ.get("CHROMIUM", installed)  # empty: as if there were none
    if not found:
        pytest.skip("needs Chromium, which is not on this machine")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
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
    page.set_default_timeout(PATIENCE)
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
