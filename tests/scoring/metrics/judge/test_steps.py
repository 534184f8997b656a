"""Steps that a judge writes, and the command that prints them."""

from __future__ import annotations

import pytest

from scoring.endpoints import requests
from scoring.endpoints.client import Client
from scoring.endpoints.configuration import Endpoint
from scoring.metrics import MetricError
from scoring.metrics import __main__ as command
from scoring.metrics.judge import questions, rubric, steps
from tests.scoring.endpoints.servers import Clock, Server, completion

ASKED, OTHER = questions.parse_questions("fluency: How fluent?\ntopic: How apt?")
LIST = "1. Read the text.\n2. Count mistakes."


def written(reply):
    server = Server(lambda body, n: completion("1") if is_test(body) else reply)
    with server.running():
        endpoint = Endpoint("lab", server.url, ("tiny",))
        client = Client(endpoint, "tiny", waits=Clock().waits(5.0))
        return steps.written(client, ASKED), server.asked


def is_test(body):
    return body["messages"][0]["content"] == requests.TEST


def test_they_are_what_the_model_says_of_the_question():
    found, asked = written(completion(f"<think>x</think>\n{LIST}\n"))
    assert found == LIST
    _, body = asked
    assert "How fluent?" in body["messages"][0]["content"]
    assert body["temperature"] == 0


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (completion(""), "the answer is empty"),
        (completion("1. Re", finish="length"), "cut off"),
        (completion("", refusal="I will not."), "the model refused"),
    ],
)
def test_without_steps_there_is_a_reason(reply, said):
    with pytest.raises(MetricError, match=f"no steps were written for fluency: {said}"):
        written(reply)


def test_the_command_prints_what_the_option_takes(monkeypatch, tmp_path, capsys):
    server = Server(lambda body, n: completion(LIST))
    file = tmp_path / "judges.toml"
    monkeypatch.setenv("JUDGES_FILE", str(file))
    with server.running():
        file.write_text(f'[judges.lab]\nurl = "{server.url}"\nmodels = ["tiny"]\n')
        arguments = ["--aspects", "fluency: How fluent?\ntopic: How apt?"]
        assert command.main(["steps", "--model", "endpoint:lab/tiny", *arguments]) == 0
    printed = capsys.readouterr().out
    assert rubric.steps(printed, (ASKED, OTHER)) == {"fluency": LIST, "topic": LIST}


def test_an_endpoint_that_is_not_there_is_told(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("JUDGES_FILE", str(tmp_path / "none"))
    assert command.main(["steps", "--model", "endpoint:lab/tiny"]) == 2
    assert "there is no endpoint lab" in capsys.readouterr().err
