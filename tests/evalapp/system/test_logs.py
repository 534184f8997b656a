"""Each line says which request it belongs to."""

import json
import logging

import pytest
from celery import Celery
from django.core.exceptions import ImproperlyConfigured

from evalapp.system import logs


@pytest.fixture
def record():
    made = logging.LogRecord(
        "evalapp", logging.WARNING, "x", 1, "%s away", ("It",), None
    )
    token = logs.request_id.set("n1")
    logs.Context().filter(made)
    logs.request_id.reset(token)
    return made


def test_a_line_has_the_number_of_its_request(record):
    assert (
        logging.Formatter(logs.LINE)
        .format(record)
        .endswith("WARNING evalapp [n1]: It away")
    )


def test_outside_of_requests_it_has_none():
    made = logging.LogRecord("evalapp", logging.INFO, "x", 1, "Hello", (), None)
    logs.Context().filter(made)
    assert (made.request_id, made.task, made.about) == ("", "", "")


def test_of_a_task_that_is_called_as_a_function_it_says_nothing():
    @Celery(set_as_current=False).task
    def told():
        made = logging.LogRecord("evalapp", logging.INFO, "x", 1, "Hello", (), None)
        logs.Context().filter(made)
        return made.task

    assert told() == ""
    assert told.apply(task_id="1").get().endswith("told")


@pytest.mark.server
def test_as_json_it_is_one_object(record):
    record.milliseconds = 12
    said = json.loads(logs.as_json().format(record))
    assert said.pop("timestamp") and said.pop("process")
    assert said == {
        **{"levelname": "WARNING", "name": "evalapp", "message": "It away"},
        **{"request_id": "n1", "task": "", "milliseconds": 12},
    }


def test_without_the_package_json_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(logs, "find_spec", lambda name: None)
    assert logs.configured(form="line", level="INFO")["formatters"].keys() == {"line"}
    with pytest.raises(ImproperlyConfigured, match="needs the package python-json-log"):
        logs.configured(form="json", level="INFO")


def test_what_django_says_of_a_request_names_no_address(rf):
    request = rf.get("/w/secret/?PROLIFIC_PID=somebody")
    request.resolver_match = None
    what = ("django.request", logging.WARNING, "x", 1, "%s: %s")
    made = logging.LogRecord(*what, ("Not Found", request.path), None)
    made.request = request
    logs.Context().filter(made)
    assert made.getMessage() == "Not Found: the view none"
    assert "request" not in made.__dict__
