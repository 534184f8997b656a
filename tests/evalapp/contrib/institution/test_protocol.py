"""A provider's odd answers. Asked in a process that has its packages."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.scoring.processes import ROOT

pytestmark = pytest.mark.server

ISSUER = "https://login.example.org"
ASK = """
import json
from unittest.mock import patch
from django.http import HttpRequest
from requests.exceptions import ConnectionError, JSONDecodeError
from evalapp.contrib.institution import protocol
from evalapp.contrib.institution.protocol import Endpoints, ID, Provider

def told(**found):
    config = {"issuer": "https://login.example.org", **found}
    base = "evalapp.contrib.institution.protocol.OpenIDConnectOAuth2Adapter"
    with patch(f"{base}.openid_config", config):
        try:
            return protocol.discover() and ""
        except protocol.Problem as problem:
            return problem.told

def log_out(token):
    end = {"end_session_endpoint": "https://login.example.org/end"}
    with patch.object(Endpoints, "openid_config", end):
        return Endpoints(HttpRequest(), ID)._log_out_url(token)

request = HttpRequest()
provider = protocol.Adapter(request).get_provider(request, ID)
said = {"id_token": {"sub": "x" * 255}, "userinfo": {"email": ["odd"], "name": 7}}
login = provider.sociallogin_from_response(request, said)
print(json.dumps({
    "https": told(token_endpoint="https://login.example.org/token"),
    "http": told(token_endpoint="http://login.example.org/token"),
    "script": told(authorization_endpoint="javascript:alert(1)"),
    "short": log_out("ey"),
    "long": log_out("e" * 5000),
    "said": login.account.extra_data == said,
    "silent": protocol._problem_of(ConnectionError()).what,
    "no json": protocol._problem_of(JSONDecodeError("x", "y", 0)).what,
}))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict[str, object]:
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "evalapp.settings",
        "DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "OIDC_URL": ISSUER,
        "OIDC_CLIENT_ID": "evalapp",
        "OIDC_CLIENT_SECRET": "a secret",
    }
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", ASK]
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_secret_is_sent_in_clear_to_no_address(said):
    assert said["https"] == ""
    assert "expected https in token_endpoint, got http://login" in said["http"]


def test_no_browser_is_sent_to_a_script(said):
    assert "expected https in authorization_endpoint" in said["script"]


def test_a_token_too_long_for_an_address_is_left_out_of_it(said):
    end = f"{ISSUER}/end?"
    assert said["short"] == f"{end}id_token_hint=ey&client_id=evalapp"
    assert said["long"] == f"{end}client_id=evalapp"


def test_a_long_subject_and_odd_claims_reach_our_own_reading(said):
    assert said["said"] is True


def test_an_answer_that_is_no_json_does_not_mean_that_nobody_answers(said):
    assert (said["silent"], said["no json"]) == ("away", "broken")
