"""Who may see what: every address of the site, as nobody, a stranger and the owner."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

import pytest
from django.core.exceptions import PermissionDenied
from django.db.models.signals import post_init
from django.http import Http404, HttpResponse
from django.template import base
from django.test import RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from django.utils import timezone
from rest_framework.exceptions import APIException
from rest_framework.test import force_authenticate

from annotation.access import Roles
from annotation.models import Study, Upload
from annotation.models.surveys import pseudonym
from evalapp import storage
from evalapp.accounts import tokens
from scoring.contrib.probing import starting as probing
from scoring.models import (
    AnchorSet,
    Chunk,
    Corpus,
    DataSet,
    EvaluatorTable,
    JudgeTrial,
    MetricRun,
    Plan,
    Probe,
    Signature,
)
from scoring.publishing import shelf as published
from tests.annotation.seating import hire, lay_out, sit
from tests.scoring import analysed
from tests.support.learner import trained
from tests.support.scored import COHERENCE, rate, score

pytestmark = pytest.mark.django_db

# Open to everybody. An address that is missing here must ask for a login.
PUBLIC = {
    "login/",
    "health/",
    # Workers have no account: their own pages ask who they are.
    "w/<uuid:study_id>/",
    "w/<uuid:study_id>/mturk/",
    "w/<uuid:study_id>/start/",
    "w/<uuid:study_id>/practice/",
    "w/<uuid:study_id>/practice/try/",
    "w/<uuid:study_id>/prove/",
    "w/<uuid:study_id>/leave/",
    "w/<uuid:study_id>/finish/",
    "w/<uuid:study_id>/done/",
    "w/<uuid:study_id>/withdraw/",
    "w/seat/<uuid:seat_id>/",
    "w/seat/<uuid:seat_id>/answer/",
    "w/seat/<uuid:seat_id>/report/",
    "w/seat/<uuid:seat_id>/keep/",
    "w/seat/<uuid:seat_id>/submit/",
    # From an email, to someone who has no account.
    "mail/<str:signed>/",
    # Takes a user name and a password, as login does.
    "api/token/",
    "api/v1/token/",
}
REFUSED = ("401", "403")
# What a probe of a corpus found, as far as its page needs it.
SURFACE = {
    **{"model": "x", "clusters": [], "features": [], "n_texts": 4, "left_out": 0},
    "seeds": 1,
}

# What a judge found, as far as its page needs it.
NONE = {"value": None, "low": None, "high": None, "reason": "no pairs", "n": 0}
TRIAL = {
    "most_calls": 9,
    "options": {
        **{"model": "endpoint:lab/tiny", "mode": "answer", "samples": 5},
        "aspects": '[{"key": "coherence", "question": "Is it good?"}]',
    },
    "setup": {
        **{"aspect": "coherence", "title": "Coherence", "question": "Which?"},
        **{"voted": False, "n_possible": 0, "pairs": []},
    },
    "result": {
        **{"version": 1, "verdicts": [], "inconsistency": NONE, "bias": NONE},
        **{"n_first": 0, "n_second": 0, "n_half": 0, "reasons": {}},
        "out_of_budget": False,
    },
}


def walk(resolver: URLResolver | None = None, before: str = "") -> list[str]:
    """The route of every address of the site but the admin's many."""
    routes = []
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            routes.append(route)
        elif route != "admin/":
            routes += walk(pattern, route)
    return routes


ROUTES = walk()
OF_A_STUDY = [route for route in ROUTES if "<slug:name>" in route]
# What was added there is now added at one page.
MOVED = {
    "studies/<slug:name>/votes/",
    "studies/<slug:name>/metrics/upload/",
    "studies/<slug:name>/metrics/upload/<uuid:public_id>/",
}
# What stood there is in data sets now.
BUNDLES = {route for route in OF_A_STUDY if "/bundle/" in route}
READABLE = set(OF_A_STUDY) - MOVED - BUNDLES


@pytest.fixture
def study(make_study, settings, tmp_path):
    """A study with a survey, a seat, ratings, scores and a run: nothing is missing."""
    settings.DATA_DIR = tmp_path
    study = make_study()
    lay_out(study)
    sit(study, "w1")
    rate(study, "coherence", [[n % 5 + 1] for n in range(8)])
    score(study, COHERENCE, [n / 10 for n in range(8)])
    asked = {"options": TRIAL["options"], "most_calls": 9}
    MetricRun.objects.create(study=study, metric="llm_judge", **asked)
    run = MetricRun.objects.create(study=study, metric="length")
    Chunk.objects.create(
        run=run,
        index=0,
        generations=[],
        system=study.systems.first(),
        state=Chunk.State.DONE,
        details={"curve": [[0, 1], [1, 0]]},
    )
    EvaluatorTable.objects.create(
        study=study, name="x", labels=[], prompts=[], words=[]
    )
    Corpus.objects.create(study=study, name="human", n_texts=1).texts.create(
        position=0, text="One."
    )
    Probe.objects.create(
        study=study,
        corpus=study.corpora.get(),
        protocol="surface",
        options=probing.usual("surface"),
        state=Probe.State.DONE,
        result={"encoders": [SURFACE]},
    )
    Plan.objects.create(
        study=study,
        policy=study.current_policy(),
        aspect=study.aspects.first(),
        coefficient="pearson",
        grouping="none",
        metrics=[],
    )
    JudgeTrial.objects.create(study=study, kind="pairs", state="done", **TRIAL)
    agreed = {"most_calls": 9, "agreed_at": timezone.now()}
    AnchorSet.objects.create(study=study, looks=3, options=TRIAL["options"], **agreed)
    trained(study)
    analysed.computed(study, "agreement")
    analysed.overview_of(study)
    DataSet.objects.create(study=study, state="done", file="x.zip")
    with storage.writing(f"{published.SHELF.folder(study)}/x.zip") as path:
        path.touch()
    return study


def address(route: str, study) -> str:
    if not hasattr(study, "in_addresses"):  # asked once: every walk has hundreds
        study.in_addresses = in_addresses(study)
    for name, value in study.in_addresses.items():
        route = route.replace(name, value)
    assert "<" not in route, f"say below what stands for the part in {route}"
    return f"/{route}"


def in_addresses(study) -> dict[str, str]:
    """What stands for each part of a route."""
    return {
        # Before the parts that it is made of.
        "<slug:analysis>/<slug:table>": "agreement/alpha",
        "<int:pk>/<slug:table>": f"{MetricRun.objects.first().pk}/curves",
        "<int:pk>/calls": f"{MetricRun.objects.get(metric='llm_judge').pk}/calls",
        "<int:probe>/<slug:table>": f"{Probe.objects.get().pk}/surface",
        "<int:trial>/<slug:table>": f"{JudgeTrial.objects.get().pk}/verdicts",
        "<int:trial>": str(JudgeTrial.objects.get().pk),
        "<int:anchors>": str(AnchorSet.objects.get().pk),
        "<slug:training>/<slug:table>": "learner-1/loss-1",
        "<slug:training>": "learner-1",
        "<int:probe>": str(Probe.objects.get().pk),
        "<slug:analysis>": "agreement",
        "<slug:name>": study.name,
        "<int:number>": "1",
        "<int:pk>": str(MetricRun.objects.first().pk),
        "<int:member>": str(study.members.first().pk),
        "<int:signature>": str(Signature.objects.first().pk),
        "<int:evaluators>": str(EvaluatorTable.objects.first().pk),
        "<slug:corpus>": "human",
        "<slug:kind>": "texts",
        "<slug:work>": "runs",
        "<slug:which>": "approve",
        "<slug:metric>": "length",
        "<slug:table>": "correlations",
        "<slug:format>": "csv",
        "<slug:action>": "publish",
        "<str:signed>": "x",
        "<slug:aspect>": "coherence",
        "<path:output>": "coherence",
        "<uuid:public_id>": str(uuid.uuid4()),
        "<uuid:study_id>": str(study.public_id),
        "<uuid:seat_id>": str(study.workers.get().seats.get().public_id),
        "<slug:worker>": pseudonym(study, study.workers.get().pk),
    }


@pytest.fixture
def undrawn(monkeypatch) -> None:
    """Views decide and count as ever, and no template is filled in.

    Who gets in is decided before. Pages are drawn for the owner here, and for all in
    test_roles_at_every_address.
    """
    monkeypatch.setattr(base.Template, "render", lambda self, context: "")


def visit(client, study, routes: Iterable[str], *methods: str) -> dict[str, str]:
    """What each address answers, as "status where-to". One test visits them all, as
    its study takes longer to make than its pages to answer."""
    found = {}
    for route in routes:
        url = address(route, study)
        for method in methods:
            answer = getattr(client, method)(url)
            where = answer.headers.get("Location", "")
            found[f"{method} {url}"] = f"{answer.status_code} {where}".strip()
    return found


def decisions(
    study, user, routes: Iterable[str], method: str = "post"
) -> dict[str, int]:
    """The status with which roles end such a request before its view begins, or 0."""
    found = {}
    for route in routes:
        request = getattr(RequestFactory(), method)(address(route, study))
        request.user = user
        request.resolver_match = resolve(request.path_info)
        found[f"{method} {route}"] = _decision(request)
    return found


def _decision(request) -> int:
    view, args, kwargs = request.resolver_match
    try:
        Roles(HttpResponse).process_view(request, view, args, kwargs)
        if of_api := getattr(view, "cls", None):
            force_authenticate(request, request.user)
            asked = of_api(**view.initkwargs)
            asked.setup(request, *args, **kwargs)
            asked.check_permissions(asked.initialize_request(request))
    except (Http404, PermissionDenied) as error:
        return 404 if isinstance(error, Http404) else 403
    except APIException as error:
        return error.status_code
    return 0


def others(found: dict[str, str], *expected: str) -> dict[str, str]:
    """Those that answer anything else. What only takes forms leads to a page above."""
    return {
        url: said
        for url, said in found.items()
        if not said.startswith(expected)
        and not url.startswith(f"get {said.removeprefix('302 ')}")
    }


@pytest.mark.usefixtures("undrawn")
def test_nobody_gets_in_without_a_login(client, study):
    closed = [route for route in ROUTES if route not in PUBLIC]
    found = visit(client, study, closed, "get", "post")
    assert others(found, "302 /login/", *REFUSED) == {}


def test_the_list_of_public_addresses_names_real_ones():
    assert set(ROUTES) >= PUBLIC


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("first", ["studies/", "api/studies/", "api/v1/studies/"])
def test_a_stranger_does_not_learn_that_a_study_exists(client, study, bob, first):
    client.force_login(bob)
    routes = [route for route in OF_A_STUDY if route.startswith(first)]
    assert routes
    assert others(visit(client, study, routes, "get"), "404", "405") == {}
    reading = [route for route in routes if route in TestRoles.FOR_VIEWERS]
    assert others(visit(client, study, reading, "post"), "404") == {}
    changing = set(routes) - set(reading)
    assert set(decisions(study, bob, changing).values()) == {404}


def test_every_address_of_a_study_begins_like_those():
    begins = ("studies/", "api/studies/", "api/v1/studies/")
    assert [route for route in OF_A_STUDY if not route.startswith(begins)] == []


@pytest.mark.slow
def test_the_owner_gets_in(client, study, alice):
    """Otherwise a stranger's 404 would prove nothing.

    An address that only takes forms leads back to the page of its form.
    """
    client.force_login(alice)
    assert others(visit(client, study, READABLE, "get"), "200", "302", "405") == {}


class TestRoles:
    """Every address of a study, in every role, archived or not."""

    # What a viewer may send: nothing of the study changes by it.
    FOR_VIEWERS = {
        "studies/<slug:name>/settings/preview/",
        "studies/<slug:name>/preview/",
        "studies/<slug:name>/practice/preview/",
        "studies/<slug:name>/members/leave/",
        "studies/<slug:name>/manage/copy/",
        "studies/<slug:name>/results/<slug:analysis>/retry/",
        "studies/<slug:name>/export/dataset/make/",
        "api/studies/<slug:name>/copy/",
        "api/v1/studies/<slug:name>/copy/",
        "api/studies/<slug:name>/bundle/",
        "api/v1/studies/<slug:name>/bundle/",
        "api/studies/<slug:name>/dataset/",
        "api/v1/studies/<slug:name>/dataset/",
    }
    ABOUT_PEOPLE = {
        "studies/<slug:name>/payments/",
        "studies/<slug:name>/payments/<slug:which>.csv",
        "studies/<slug:name>/invites/",
        "studies/<slug:name>/recruit/",
        "studies/<slug:name>/mailing/",
    }
    FOR_OWNERS = {
        "studies/<slug:name>/members/add/",
        "studies/<slug:name>/members/<int:member>/role/",
        "studies/<slug:name>/members/<int:member>/remove/",
        "studies/<slug:name>/manage/archive/",
        "studies/<slug:name>/manage/unarchive/",
        "studies/<slug:name>/manage/delete/",
    }
    API_FOR_OWNERS = {
        "api/studies/<slug:name>/",
        "api/v1/studies/<slug:name>/",
        "api/studies/<slug:name>/archive/",
        "api/v1/studies/<slug:name>/archive/",
        "api/studies/<slug:name>/unarchive/",
        "api/v1/studies/<slug:name>/unarchive/",
        "api/studies/<slug:name>/members/",
        "api/studies/<slug:name>/members/<int:member>/",
        "api/v1/studies/<slug:name>/members/",
        "api/v1/studies/<slug:name>/members/<int:member>/",
    }

    def member(self, client, study, user, role):
        study.members.create(user=user, role=role)
        client.force_login(user)

    @pytest.mark.slow
    @pytest.mark.usefixtures("undrawn")
    def test_a_viewer_reads_all_but_what_is_about_people(self, client, study, bob):
        self.member(client, study, bob, "viewer")
        closed = self.ABOUT_PEOPLE | self.FOR_OWNERS
        found = visit(client, study, READABLE - closed, "get")
        assert others(found, "200", "405") == {}
        assert others(visit(client, study, closed, "get"), "403") == {}

    def test_a_viewer_changes_nothing_at_any_address(self, client, study, bob):
        """A new address is found here by itself, and refuses viewers by itself."""
        self.member(client, study, bob, "viewer")
        may_not = set(OF_A_STUDY) - self.FOR_VIEWERS
        for method in ("post", "put", "patch", "delete"):
            assert set(decisions(study, bob, may_not, method).values()) == {403}
        assert set(decisions(study, bob, self.FOR_VIEWERS).values()) == {0}
        assert client.post("/studies/ferry/pause/").status_code == 403
        assert client.post("/api/studies/ferry/state/").status_code == 403

    def test_a_viewer_is_told_why(self, client, study, bob):
        self.member(client, study, bob, "viewer")
        page = client.post("/studies/ferry/pause/").content.decode()
        assert "You are a viewer of ferry" in page
        answer = client.post("/api/studies/ferry/state/", {"state": "open"})
        (said,) = answer.json()["errors"]
        assert "Ask an owner to make you an editor" in said

    @pytest.mark.slow
    @pytest.mark.usefixtures("undrawn")
    def test_an_editor_reads_all_but_what_is_for_owners(self, client, study, bob):
        self.member(client, study, bob, "editor")
        found = visit(client, study, READABLE - self.FOR_OWNERS, "get")
        assert others(found, "200", "405") == {}

    def test_an_editor_does_nothing_that_is_for_owners(self, client, study, bob):
        self.member(client, study, bob, "editor")
        found = visit(client, study, self.FOR_OWNERS, "get", "post")
        assert others(found, "403") == {}
        found = visit(client, study, self.API_FOR_OWNERS, "post", "patch", "delete")
        changed = {f"patch /api/{v}studies/ferry/": "200" for v in ("", "v1/")}
        assert others(found, "403", "405") == changed
        assert set(ROUTES) >= self.API_FOR_OWNERS
        for_editors = set(OF_A_STUDY) - self.FOR_OWNERS - self.API_FOR_OWNERS
        assert set(decisions(study, bob, for_editors).values()) == {0}
        assert client.post("/studies/ferry/pause/").status_code == 302

    def test_nobody_changes_an_archived_study(self, client, study, alice):
        type(study).objects.filter(pk=study.pk).update(archived_at=timezone.now())
        client.force_login(alice)
        closed = self.FOR_VIEWERS | self.FOR_OWNERS | self.API_FOR_OWNERS
        found = decisions(study, alice, set(OF_A_STUDY) - closed)
        assert set(found.values()) == {403}
        assert client.post("/studies/ferry/pause/").status_code == 403

    @pytest.mark.slow
    def test_an_archived_study_is_read_as_before(self, client, study, alice):
        type(study).objects.filter(pk=study.pk).update(archived_at=timezone.now())
        client.force_login(alice)
        assert others(visit(client, study, READABLE, "get"), "200", "405") == {}

    @pytest.mark.slow
    @pytest.mark.usefixtures("undrawn")
    def test_a_deleted_study_is_closed_to_its_owner_too(self, client, study, alice):
        type(study).objects.filter(pk=study.pk).update(deleted_at=timezone.now())
        client.force_login(alice)
        found = visit(client, study, OF_A_STUDY, "get", "post")
        assert others(found, "404", "405") == {}

    def test_old_addresses_lead_to_the_page_that_adds_data(self, client, study, bob):
        self.member(client, study, bob, "editor")
        found = visit(client, study, MOVED, "get", "post")
        assert others(found, "302 /studies/ferry/import/") == {}
        assert set(ROUTES) >= MOVED

    def test_addresses_of_bundles_lead_to_the_data_set(self, client, study, bob):
        self.member(client, study, bob, "viewer")
        for url, answer in visit(client, study, BUNDLES, "get").items():
            status, where = answer.split()
            page = url.removesuffix("download/") if "export" in url else url
            assert where == page.removeprefix("get ").replace("bundle", "dataset")
            assert status == ("302" if "export" in url else "307")
        assert len(BUNDLES) == 6

    def test_a_token_has_the_role_of_its_owner(self, client, study, bob):
        study.members.create(user=bob, role="viewer")
        _, key = tokens.make(user=bob, name="t", now=timezone.now())
        headers = {"Authorization": f"Token {key}"}
        assert client.get("/api/studies/ferry/", headers=headers).status_code == 200
        answer = client.post("/api/studies/ferry/state/", headers=headers)
        assert answer.status_code == 403


@pytest.mark.usefixtures("undrawn")
class TestAddressesThatNameNoStudy:
    """A view that reaches a study there has to ask by itself."""

    ROUTES = sorted({*ROUTES} - PUBLIC - {*OF_A_STUDY})

    def answers(self, client, study, user) -> dict[str, tuple[int, bool]]:
        """The status at each address, and whether the study was read for it."""
        upload = Upload.objects.create(user=user, study=study, file_name="x", size=1)
        own = {
            "<uuid:public_id>": str(upload.public_id),
            "deleted/<int:pk>": f"deleted/{study.pk}",
            "deleted-studies/<int:pk>": f"deleted-studies/{study.pk}",
        }
        client.force_login(user)
        read: list[int] = []

        def note(instance: Study, **kwargs: object) -> None:
            read.append(instance.pk)

        post_init.connect(note, sender=Study)
        answers = {}
        for route in self.ROUTES:
            place = route
            for part, value in own.items():
                place = place.replace(part, value)
            if "logout" in route:
                continue
            for method in ("get", "post"):
                read.clear()
                status = getattr(client, method)(address(place, study)).status_code
                answers[f"{method} {route}"] = status, study.pk in read
        post_init.disconnect(note, sender=Study)
        return answers

    def test_who_is_no_member_reaches_no_study(self, client, study, bob):
        answers = self.answers(client, study, bob)
        reached = {at: one for at, one in answers.items() if one[1]}
        assert {status for status, _ in reached.values()} <= {403, 404}
        assert len([at for at in answers if " uploads/" in at]) == 14

    @pytest.mark.slow
    @pytest.mark.parametrize("now", ["removed", "viewer", "archived"])
    def test_uploads_ask_for_the_role_that_their_sender_has_now(
        self, client, study, bob, now
    ):
        member = study.members.create(user=bob, role="editor")
        if now == "removed":
            member.delete()
        elif now == "viewer":
            study.members.filter(user=bob).update(role="viewer")
        else:
            type(study).objects.update(archived_at=timezone.now())
        answers = self.answers(client, study, bob)
        uploads = {at: one for at, one in answers.items() if " uploads/" in at}
        assert {status for status, read in uploads.values() if read} == {403}
        posts = {status for at, (status, _) in uploads.items() if at[:4] == "post"}
        assert posts == {403, 405}


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_staff_see_every_study(client, study, staff):
    client.force_login(staff)
    assert others(visit(client, study, READABLE, "get"), "200", "302", "405") == {}


def test_a_study_without_an_owner_is_seen_by_staff_only(client, study, staff, alice):
    study.members.all().delete()
    client.force_login(alice)
    assert client.get(study.get_absolute_url()).status_code == 404
    client.force_login(staff)
    assert client.get(study.get_absolute_url()).status_code == 200


def test_the_list_shows_only_own_studies(client, study, bob):
    client.force_login(bob)
    assert study.name not in client.get("/").content.decode()


def test_a_seat_of_somebody_else_is_closed_to_a_worker(client, study):
    seat = study.workers.get().seats.get()
    hire(study, "w2")
    assert client.get(seat.get_absolute_url()).status_code in (302, 403, 404)


@pytest.mark.parametrize("path", ["", "annotation/study/", "auth/user/", "login/"])
def test_the_admin_leads_to_the_site_s_own_login(client, path):
    answer = client.get(f"/admin/{path}", follow=True)
    assert answer.redirect_chain[-1][0].startswith("/login/")


def test_staff_who_are_no_superusers_find_the_admin_empty(client, study, staff):
    client.force_login(staff)
    assert client.get("/admin/annotation/study/").status_code == 403


def test_a_superuser_sees_every_table_of_the_admin(admin_client, study):
    index = admin_client.get("/admin/")
    for app in index.context["app_list"]:
        for model in app["models"]:
            assert admin_client.get(model["admin_url"]).status_code == 200


def test_the_admin_reads_records_and_edits_accounts(admin_client, study):
    index = admin_client.get("/admin/")
    assert "Administration" in index.content.decode()
    models = [m for app in index.context["app_list"] for m in app["models"]]
    editable = {m["object_name"] for m in models if m["perms"]["change"]}
    assert editable == {"User", "Group"}
    # What belongs to an account goes with it, a token is revoked.
    deletable = {m["object_name"] for m in models if m["perms"]["delete"]}
    assert deletable == {"User", "Group", "Member", "Token", "Identity"}


def test_an_account_with_studies_can_be_deleted(admin_client, study, alice):
    url = f"/admin/auth/user/{alice.pk}/delete/"
    assert admin_client.post(url, {"post": "yes"}).status_code == 302
    assert not study.members.exists()


class TestLogin:
    def enter(self, client, password, name="alice", **extra):
        data = {"username": name, "password": password}
        return client.post("/login/", data, **extra)

    def test_it_lets_alice_in(self, client, alice):
        assert self.enter(client, "alice-password")["Location"] == "/"

    def test_it_rests_after_five_wrong_passwords(self, client, alice):
        for _ in range(5):
            assert b"Too many" not in self.enter(client, "wrong").content
        assert b"Too many" in self.enter(client, "alice-password").content

    def test_it_counts_each_name_and_address_apart(self, client, alice, bob):
        for _ in range(6):
            self.enter(client, "wrong")
        assert self.enter(client, "bob-password", "bob").status_code == 302
        elsewhere = self.enter(client, "alice-password", REMOTE_ADDR="192.0.2.7")
        assert elsewhere.status_code == 302

    def test_a_right_password_begins_anew(self, client, alice):
        for _ in range(2):
            for _ in range(4):
                self.enter(client, "wrong")
            assert self.enter(client, "alice-password").status_code == 302

    def test_it_never_redirects_to_another_site(self, client, alice):
        data = {"username": "alice", "password": "alice-password"}
        answer = client.post("/login/?next=https://example.org/", data)
        assert answer["Location"] == "/"
