"""A statement reads what the query that it is written from reads."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connections
from django.db.models import QuerySet

from annotation.models import Prompt, Study
from evalapp.statements import Statement

pytestmark = pytest.mark.django_db

NAME = Study._meta.get_field("public_id")


def with_owner(public_id: object) -> QuerySet[Study]:
    return Study.objects.filter(public_id=public_id).select_related("deleted_by")


def fields(row: object) -> dict[str, object]:
    return {name: value for name, value in vars(row).items() if name != "_state"}


def test_an_instance_has_every_field_as_django_reads_it(make_study):
    study = make_study()
    read = Statement(with_owner, NAME).get(study.public_id)
    assert fields(read) == fields(Study.objects.get(pk=study.pk))
    assert not read._state.adding and read._state.db == "default"


def test_an_instance_comes_with_those_it_is_related_to(
    make_study, django_assert_num_queries
):
    owner = User.objects.create_user("ann")
    study, statement = make_study(), Statement(with_owner, NAME)
    assert statement.get(study.public_id).deleted_by is None
    Study.objects.filter(pk=study.pk).update(deleted_by=owner)
    with django_assert_num_queries(1):
        read = statement.get(study.public_id)
        assert read.deleted_by == owner


def test_it_is_asked_anew_each_time(make_study):
    first, second = make_study(), make_study(name="another")
    statement = Statement(with_owner, NAME)
    assert statement.get(first.public_id) == first
    assert statement.get(second.public_id) == second
    Study.objects.filter(pk=first.pk).update(title="Another")
    assert statement.get(first.public_id).title == "Another"


def test_what_is_not_there_does_not_exist(make_study):
    statement = Statement(with_owner, NAME)
    with pytest.raises(Study.DoesNotExist):
        statement.get("00000000-0000-0000-0000-000000000000")


def test_rows_are_those_of_values_list(make_study):
    study = make_study()
    prompts = Prompt.objects.order_by("pk").values_list("prefix", "study__created_at")
    statement = Statement(
        lambda pk: prompts.filter(study=pk), Study._meta.get_field("id")
    )
    rows = statement.rows(study.pk)
    assert rows == list(prompts.filter(study=study)) and rows
    assert statement.rows(0) == []


def test_only_one_value_may_vary():
    statement = Statement(
        lambda key: Session.objects.filter(session_key=key, session_data="x"),
        Session._meta.get_field("session_key"),
    )
    with pytest.raises(ValueError, match="One value varies"):
        statement.get("key")


def test_it_is_written_anew_for_another_kind_of_database(make_study, monkeypatch):
    study, written = make_study(), []

    def asked(public_id: object) -> QuerySet[Study]:
        written.append(public_id)
        return with_owner(public_id)

    statement = Statement(asked, NAME)
    statement.get(study.public_id)
    monkeypatch.setattr(connections["default"], "vendor", "another")
    for _ in range(2):
        assert statement.get(study.public_id) == study
    assert len(written) == 2
