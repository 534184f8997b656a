"""What `manage.py judges` tells an operator. Never a key."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.scoring.endpoints.servers import KEY, Server, completion, error, likely
from tests.scoring.endpoints.texts_server import continued


@pytest.fixture
def told(monkeypatch, tmp_path):
    """Output of the command for servers, and what it failed with."""
    monkeypatch.setenv("JUDGES_FILE", str(tmp_path / "judges.toml"))
    monkeypatch.setenv("LAB_KEY", KEY)

    def run(reply, more=""):
        with Server(reply).running() as server:
            (tmp_path / "judges.toml").write_text(
                f'[judges.lab]\nurl = "{server.url}"\nmodels = ["tiny"]\n'
                f'key_env = "LAB_KEY"\nleaves_site = false\n{more}'
            )
            out, err = StringIO(), StringIO()
            try:
                call_command("judges", stdout=out, stderr=err)
                failed = ""
            except CommandError as found:
                failed = str(found)
        assert KEY not in out.getvalue() + err.getvalue() + failed
        return out.getvalue(), err.getvalue(), failed

    return run


def test_it_says_who_answers_and_what_works(told):
    def reply(body, n):
        if "prompt" in body:
            told = [("<s>", None), (body["prompt"], -1.0)]
            if body["prompt"].endswith(" so"):  # what it wrote is now read
                told = [("<s>", None), (body["prompt"][:-3], -1.0), (" so", -2.0)]
            return continued(body["prompt"], (" so", -2.0), told, "echo", body)
        if "response_format" in body:
            return completion('{"reason": "x", "score": 4}')
        return completion("4", logprobs=likely({"4": 0.9}))

    out, err, failed = told(reply)
    first, second, *rest = out.splitlines()
    assert first == "endpoint:lab/tiny"
    assert second.endswith("/v1, key in LAB_KEY, texts stay in the operator’s network")
    assert rest == [
        "  answered by tiny, fingerprint fp_1",
        "  answers: yes",
        "  log-probabilities: yes",
        "  answers by a schema: yes",
        "  log-probabilities of texts: yes",
    ]
    assert err == failed == ""


def test_what_does_not_work_is_said_with_its_reason(told):
    def reply(body, n):
        if "response_format" in body:
            return error(400, f"response_format is not known, {KEY}")
        return completion("4", fingerprint=None)

    out, _, failed = told(reply)
    assert "fingerprint none sent\n  answers: yes\n" in out
    assert "log-probabilities: no: the server sent no log-probabilities" in out
    assert (
        "log-probabilities of texts: no: the server sent something else than a" in out
    )
    assert "a schema: no: the server answered with the error 400: “response_fo" in out
    assert failed == ""  # other modes can be used


def test_one_that_does_not_answer_is_named_at_the_end(told):
    out, _, failed = told(lambda *_: error(401, KEY))
    assert "does not work: the endpoint lab refused the key (401): check the var" in out
    assert failed.startswith("Some judges cannot be used: lab/tiny. Correct ")


def test_what_is_wrong_in_the_file_is_told_and_stops_nothing_else(told):
    out, err, failed = told(lambda *_: completion("4"), "[judges.b]\nurl = 7\n")
    assert "answered by tiny" in out
    assert "line 7, judges.b.url: expected an address" in err
    assert failed.startswith("Some judges cannot be used. Correct ")


def test_no_file_is_no_error(monkeypatch, tmp_path):
    monkeypatch.setenv("JUDGES_FILE", str(tmp_path / "none"))
    out = StringIO()
    call_command("judges", stdout=out)
    assert out.getvalue().startswith("No judges are set up: there is no endpoint in")
