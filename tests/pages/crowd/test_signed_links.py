"""Links that Prolific signs: whoever only knows an id cannot begin under it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.checks import run_checks
from django.test import Client
from django.utils import timezone

from annotation import surveys
from annotation.contrib.prolific import drafting
from annotation.crowd import signatures
from annotation.crowd.prolific_client import Unknown
from annotation.models import Worker
from tests.pages.working import agreement, full_form, url
from tests.support.prolific import Prolific, says

pytestmark = [pytest.mark.django_db, pytest.mark.server]

PID = "5f1d7a2b3c4d5e6f7a8b9c0d"
OURS, THEIRS = "644aaabfaf6bbc363b9d47c6", "644aaabfaf6bbc363b9d47c7"
IDS = {"STUDY_ID": "study1", "SESSION_ID": "650c1f2e3d4a5b6c7d8e9f00"}
NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def private():
    """A key of Prolific's, made by us."""
    from cryptography.hazmat.primitives.asymmetric import rsa

    return rsa.generate_private_key(65537, 2048)


@pytest.fixture(scope="module")
def stranger():
    from cryptography.hazmat.primitives.asymmetric import rsa

    return rsa.generate_private_key(65537, 2048)


def published(key, name: str = "k1") -> dict[str, object]:
    """As Prolific shows its keys."""
    from jwt.algorithms import RSAAlgorithm

    shown = json.loads(RSAAlgorithm.to_jwk(key.public_key()))
    return {**shown, "kid": name, "alg": "RS256", "use": "sig"}


@pytest.fixture
def prolific(make_study, settings, private, monkeypatch):
    settings.PROLIFIC_WORKSPACES = [OURS]
    settings.PUBLIC_URL = "https://ratings.example.org"
    keys = {"k1": private.public_key()}
    monkeypatch.setattr(signatures, "KEYRING", signatures.Keyring(lambda: keys))
    study = make_study(name="crowd", prompts=1, samples=2, platform="prolific")
    surveys.open_study(study=study)
    return study


def signed(key, *, pid=PID, now=None, kid="k1", algorithm="RS256", **more) -> str:
    import jwt

    at = now or timezone.now()
    names = {"PROLIFIC_PID": pid, **IDS, "workspace_id": OURS}
    claims = {
        "iss": "https://www.prolific.com",
        "sub": IDS["SESSION_ID"],
        "aud": "https://ratings.example.org/w/1/?PROLIFIC_PID=x",
        "exp": int((at + timedelta(minutes=5)).timestamp()),
        "prolific": {**names, **more.pop("prolific", {})},
        **more,
    }
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})


def come(study, token: str | None, pid: str = PID, **more: str) -> Client:
    client = Client()
    query = {"PROLIFIC_PID": pid, **IDS, **more}
    if token is not None:
        query["prolific_token"] = token
    client.arrival = client.get(study.get_worker_url(), query)
    return client


def start(client, study):
    return client.post(url("start", study), agreement(study))


class TestArriving:
    def test_a_signed_link_lets_in_and_leaves_the_address(self, prolific, private):
        client = come(prolific, signed(private))
        assert client.arrival["Location"] == prolific.get_worker_url()
        assert "/seat/" in start(client, prolific)["Location"]
        worker = Worker.objects.get()
        assert (worker.external_id, worker.arrival) == (PID, IDS)

    @pytest.mark.parametrize("token", [None, "", "eyJ.a.b", "eyJhbGciOiJ9.e30.x"])
    def test_an_id_alone_lets_nobody_begin(self, prolific, token):
        client = come(prolific, token)
        assert client.arrival.status_code == 403
        said = client.arrival.content.decode()
        assert "Open this study from its page on Prolific" in said
        start(client, prolific)
        assert not Worker.objects.exists()

    def test_a_signature_for_one_person_is_none_for_another(self, prolific, private):
        other = "5f1d7a2b3c4d5e6f7a8b9c0e"
        assert come(prolific, signed(private), pid=other).arrival.status_code == 403

    @pytest.mark.parametrize(
        "more",
        [
            {"exp": 1_700_000_000},
            {"exp": None},
            {"exp": "soon"},
            {"aud": "https://elsewhere.example.org/"},
            {"aud": None},
            {"aud": ["https://["]},
            {"prolific": {"workspace_id": THEIRS}},
            {"prolific": {"workspace_id": ["x"]}},
            {"prolific": {"SESSION_ID": "another"}},
            {"prolific": {"STUDY_ID": "another"}},
            {"kid": "k2"},
        ],
        ids=str,
    )
    def test_each_claim_is_compared(self, prolific, private, more):
        assert come(prolific, signed(private, **more)).arrival.status_code == 403

    def test_the_audience_may_be_the_domain_alone(self, prolific, private):
        for audience in ("ratings.example.org", ["x", "https://ratings.example.org"]):
            token = signed(private, aud=audience)
            assert come(prolific, token).arrival.status_code == 302

    def test_a_key_of_somebody_else_signs_nothing(self, prolific, stranger):
        assert come(prolific, signed(stranger)).arrival.status_code == 403

    def test_no_other_algorithm_is_taken(self, prolific, private):
        """Else the public key would be the secret of a symmetric one."""
        for key, algorithm in (("k" * 32, "HS256"), (None, "none")):
            token = signed(key, algorithm=algorithm)
            assert come(prolific, token).arrival.status_code == 403
        import jwt

        token = signed(private, algorithm="RS512")
        assert jwt.get_unverified_header(token)["alg"] == "RS512"
        assert come(prolific, token).arrival.status_code == 403

    def test_a_reload_of_an_old_link_goes_on_in_the_same_browser(
        self, prolific, private
    ):
        client = come(prolific, signed(private))
        old = signed(private, now=timezone.now() - timedelta(hours=1))
        query = {"PROLIFIC_PID": PID, **IDS, "prolific_token": old}
        assert client.get(prolific.get_worker_url(), query).status_code == 302
        assert Client().get(prolific.get_worker_url(), query).status_code == 403

    def test_the_real_person_is_let_in_where_another_session_began(
        self, prolific, private
    ):
        """Also by a new session: the signature proves them."""
        first = come(prolific, signed(private))
        seat = start(first, prolific)["Location"]
        first.post(f"{seat}submit/", full_form(Worker.objects.get().seats.get()))
        assert Worker.objects.get().proofs
        session = {"SESSION_ID": "650c1f2e3d4a5b6c7d8e9f11"}
        token = signed(private, prolific=session)
        other = come(prolific, token, **session)
        assert other.get(url("withdraw", prolific)).status_code == 200

    def test_without_workspaces_an_id_is_a_claim_as_before(self, prolific, settings):
        settings.PROLIFIC_WORKSPACES = []
        client = come(prolific, None)
        assert "/seat/" in start(client, prolific)["Location"]

    def test_other_platforms_sign_nothing(self, make_study, prolific):
        study = make_study(name="plain", prompts=1, samples=2)
        surveys.open_study(study=study)
        answer = Client().get(study.get_worker_url(), {"worker": "7"})
        assert answer["Location"] == study.get_worker_url()


class TestKeys:
    def ring(self, *answers):
        asked, answers = [], list(answers)

        def fetch():
            asked.append(1)
            answer = answers.pop(0) if answers else {}
            if isinstance(answer, Exception):
                raise answer
            return answer

        return signatures.Keyring(fetch), asked

    def test_they_are_fetched_once_and_again_after_half_a_day(self):
        ring, asked = self.ring({"k1": 1}, {"k1": 2})
        assert [ring.key("k1", NOW) for _ in range(3)] == [1, 1, 1]
        assert len(asked) == 1
        assert ring.key("k1", NOW + signatures.LASTING) == 2

    def test_a_new_key_is_asked_for_and_invented_ones_at_most_once_a_minute(self):
        ring, asked = self.ring({"k1": 1}, {"k1": 1, "k2": 2})
        ring.key("k1", NOW)
        for seconds in range(59):
            with pytest.raises(signatures.Unsigned):
                ring.key("x", NOW + timedelta(seconds=seconds))
        assert len(asked) == 1
        assert ring.key("k2", NOW + signatures.AGAIN) == 2

    def test_older_keys_stay_while_prolific_does_not_answer(self):
        ring, _ = self.ring({"k1": 1}, Unknown("away"))
        ring.key("k1", NOW)
        assert ring.key("k1", NOW + signatures.LASTING) == 1

    def test_nobody_is_let_in_where_it_never_answered(self):
        ring, _ = self.ring(Unknown("away"))
        with pytest.raises(signatures.Unsigned):
            ring.key("k1", NOW)

    def test_they_come_over_the_network_without_our_token(self, settings, private):
        with Prolific().running() as server:
            settings.PROLIFIC_URL, settings.PROLIFIC_TOKEN = server.url, "secret-token"
            server.next_time("jwks.json", says(200, {"keys": [published(private)]}))
            keys = signatures.fetched()
            assert server.calls == [f"GET {signatures.KEYS}"]
            assert server.tokens == {""}
        assert keys["k1"].public_numbers() == private.public_key().public_numbers()

    @pytest.mark.parametrize(
        "answer", [{}, {"keys": 7}, {"keys": []}, {"keys": [{"kty": "RSA"}]}], ids=str
    )
    def test_nonsense_is_no_key(self, settings, answer):
        with Prolific().running() as server:
            settings.PROLIFIC_URL = server.url
            server.next_time("jwks.json", says(200, answer))
            ring = signatures.Keyring(signatures.fetched)
            with pytest.raises(signatures.Unsigned):
                ring.key("k1", NOW)


def test_drafts_ask_prolific_to_sign(prolific, settings):
    wanted = drafting.Wanted("Rate", "https://x", 3, 5, 100, ["desktop"])
    name = "is_external_study_url_secure"
    assert drafting.facts(prolific, wanted)[name] is True
    settings.PROLIFIC_WORKSPACES = []
    assert name not in drafting.facts(prolific, wanted)


def test_a_site_that_lacks_the_packages_does_not_start(settings, monkeypatch):
    settings.PROLIFIC_WORKSPACES = [OURS]
    assert "evalapp.E002" not in [one.id for one in run_checks()]
    monkeypatch.setattr("evalapp.system.checks.find_spec", lambda name: None)
    assert "evalapp.E002" in [one.id for one in run_checks()]
