"""Who comes in, as whom, and what groups are worth."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User

import evalapp.urls  # noqa: F401 -- before a test sets INSTITUTION, which it reads
from annotation import studies
from evalapp.accounts import closing, tokens
from evalapp.accounts.institution_settings import Institution
from evalapp.accounts.models import Identity
from evalapp.contrib.institution import admitting
from evalapp.contrib.institution.claims import Person
from evalapp.spending import permission

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def institution(**more) -> Institution:
    fields = {
        **{"url": "https://x", "client_id": "c", "client_secret": "s", "name": "X"},
        **{"scopes": (), "groups_claim": "groups", "staff_group": "admins"},
        **{"allowed_groups": frozenset(), "link_by_email": False},
        "study_groups": {"lab": {"ferry": "editor"}, "readers": {"ferry": "viewer"}},
    }
    return Institution(**{**fields, **more})


def person(*groups: str, **more) -> Person:
    fields = {
        **{"issuer": "https://x", "subject": "1", "username": "ada", "email": ""},
        **{"first_name": "", "last_name": "", "says_groups": True},
    }
    return Person(**{**fields, "groups": frozenset(groups), **more})


def admit(who: Person, now: datetime = NOW, **more) -> User:
    return admitting.admit(person=who, institution=institution(**more), now=now)


def may_spend(user: User) -> bool:
    return permission.may_spend(User.objects.get(pk=user.pk))


def role_of(user: User, study) -> str | None:
    found = study.members.filter(user=user).first()
    return found.role if found else None


class TestWho:
    def test_a_new_person_gets_an_account_without_a_password(self):
        user = admit(person(first_name="Ada", email="ada@x.org"))
        assert (user.username, user.first_name, user.email) == (
            *("ada", "Ada"),
            "ada@x.org",
        )
        assert not user.has_usable_password() and not user.is_staff

    def test_the_subject_says_who_it_is_and_nothing_else(self, bob):
        first = admit(person(username="bob"))
        assert first != bob and first.username == "bob-2"
        assert admit(person(username="other")) == first
        assert admit(person(subject="2", username="Bob")).username == "Bob-3"

    def test_the_same_subject_of_another_provider_is_someone_else(self):
        assert admit(person()) != admit(person(issuer="https://y"))

    def test_a_verified_address_opens_no_account_unless_the_operator_says_so(self, bob):
        User.objects.filter(pk=bob.pk).update(email="Bob@x.org")
        with pytest.raises(admitting.Refused, match="log in with its password"):
            admit(person(email="bob@x.org"))
        assert not Identity.objects.exists()
        assert admit(person(email="bob@x.org"), link_by_email=True) == bob
        assert admit(person()) == bob

    @pytest.mark.parametrize("email", ["", "ada@x.org"])
    @pytest.mark.parametrize("by_email", [False, True])
    def test_who_comes_in_twice_at_one_moment_has_one_account(
        self, monkeypatch, email, by_email
    ):
        first = admit(person(email=email))
        look, seen = admitting._identity_of, []

        def too_early(who):
            seen.append(who)
            return None if len(seen) == 1 else look(who)

        monkeypatch.setattr(admitting, "_identity_of", too_early)
        assert admit(person(email=email), link_by_email=by_email) == first
        assert User.objects.count() == 1

    def test_who_was_given_the_address_of_someone_else_is_not_told_of_a_password(self):
        admit(person(email="ada@x.org"))
        with pytest.raises(admitting.Refused) as refused:
            admit(person(subject="2", email="ada@x.org"), link_by_email=True)
        assert "password" not in str(refused.value)

    def test_an_address_of_two_accounts_is_nobody_s(self, alice, bob):
        User.objects.update(email="same@x.org")
        with pytest.raises(admitting.Refused):
            admit(person(email="same@x.org"), link_by_email=True)


class TestAllowedGroups:
    def test_who_is_in_none_of_them_gets_no_account(self):
        with pytest.raises(admitting.Refused, match="not in a group that may use"):
            admit(person("x"), allowed_groups=frozenset(["people"]))
        assert not User.objects.exists()

    def test_who_has_left_them_is_out_until_they_are_back(self):
        only = {"allowed_groups": frozenset(["people"])}
        user = admit(person("people"), **only)
        _, key = tokens.make(user=user, name="t", now=NOW)
        with pytest.raises(admitting.Refused):
            admit(person(), **only)
        assert tokens.find(key=key, now=NOW) is None
        assert admit(person("people"), **only).is_active
        assert tokens.find(key=key, now=NOW) is not None

    def test_an_account_that_an_administrator_closed_stays_closed(self):
        only = {"allowed_groups": frozenset(["people"])}
        user = admit(person("people"), **only)
        with pytest.raises(admitting.Refused):
            admit(person(), **only)
        closing.close(user=user)
        with pytest.raises(admitting.Refused, match="is closed"):
            admit(person("people"), **only)
        closing.reopen(user=user, now=NOW)
        assert admit(person("people"), **only) == user


class TestStaff:
    def test_they_are_staff_while_they_are_in_the_group(self):
        assert admit(person("admins")).is_staff
        assert not admit(person()).is_staff

    def test_they_may_spend_while_they_are_in_the_group(self):
        assert may_spend(admit(person("buyers"), spending_group="buyers"))
        assert not may_spend(admit(person(), spending_group="buyers"))

    def test_who_may_spend_by_hand_still_may_without_the_group(self):
        permission.allow(admit(person()))
        assert may_spend(admit(person("buyers"), spending_group="buyers"))
        assert may_spend(admit(person(), spending_group="buyers"))

    def test_who_is_unlinked_may_spend_no_more(self):
        user = admit(person("buyers"), spending_group="buyers")
        closing.unlink(identity=user.identity, now=NOW)
        assert not may_spend(user)

    def test_staff_by_hand_stay_without_the_group(self):
        user = admit(person())
        User.objects.filter(pk=user.pk).update(is_staff=True)
        assert admit(person("admins")).is_staff
        assert admit(person()).is_staff


class TestRoles:
    @pytest.fixture
    def study(self, make_study):
        return make_study()

    def test_they_follow_the_groups(self, study):
        user = admit(person("readers"))
        assert role_of(user, study) == "viewer"
        admit(person("readers", "lab"))
        assert role_of(user, study) == "editor"
        admit(person("readers"))
        assert role_of(user, study) == "viewer"
        admit(person())
        assert role_of(user, study) is None

    def test_what_was_given_by_hand_stays(self, study, alice):
        user = admit(person())
        study.members.create(user=user, role="viewer")
        admit(person("lab"))
        assert role_of(user, study) == "editor"
        admit(person())
        assert role_of(user, study) == "viewer"

    def test_a_higher_role_by_hand_is_not_touched(self, study):
        user = admit(person())
        study.members.create(user=user, role="owner")
        admit(person("readers"))
        admit(person())
        assert role_of(user, study) == "owner"

    @pytest.mark.parametrize("role", ["viewer", "editor"])
    def test_a_role_that_an_owner_sets_is_by_hand_from_then_on(self, study, role):
        user = admit(person("lab"))
        member = study.members.get(user=user)
        studies.change_role(member=member, role=role, user=None, now=NOW)
        admit(person("lab"))
        assert role_of(user, study) == "editor"
        admit(person())
        assert role_of(user, study) == role

    def test_a_study_that_does_not_exist_is_no_error(self, study):
        admit(person("lab"), study_groups={"lab": {"nowhere": "viewer"}})

    def test_the_log_of_the_study_names_it(self, study):
        admit(person("lab"))
        admit(person())
        found = study.events.filter(about="ada").order_by("pk")
        assert list(found.values_list("verb", "detail")) == [
            ("got-group-role", "editor"),
            ("lost-group-role", "editor"),
        ]

    def test_an_account_that_is_unlinked_keeps_nothing_of_them(self, study):
        user = admit(person("lab", "admins"))
        closing.unlink(identity=user.identity, now=NOW)
        user.refresh_from_db()
        assert role_of(user, study) is None and not user.is_staff


class TestLink:
    def link(self, user, who, **more):
        admitting.link(user=user, person=who, institution=institution(**more), now=NOW)

    def test_from_then_on_it_opens_this_account(self, bob):
        self.link(bob, person("admins"))
        assert admit(person()) == bob

    def test_an_account_of_someone_else_is_not_taken_over(self, bob, alice):
        self.link(alice, person())
        with pytest.raises(admitting.Refused, match="linked to another account"):
            self.link(bob, person())

    def test_one_of_another_provider_takes_the_place_of_the_former(self, bob):
        self.link(bob, person(issuer="https://former"))
        self.link(bob, person(subject="2"))
        assert admit(person(subject="2")) == bob
        assert admit(person(issuer="https://former")) != bob

    def test_who_has_left_does_not_stay_in_by_the_account_of_someone_else(self, bob):
        self.link(bob, person())
        with pytest.raises(admitting.Refused, match="another account at X already"):
            self.link(bob, person(subject="2"))

    def test_who_links_without_a_group_that_they_had_is_out_from_then_on(self, bob):
        only = {"allowed_groups": frozenset(["people"])}
        self.link(bob, person("people"), **only)
        with pytest.raises(admitting.Refused, match="not in a group"):
            self.link(bob, person(), **only)
        bob.refresh_from_db()
        assert not bob.is_active and bob.identity.refused_at == NOW

    def test_two_links_at_one_moment_make_one(self, bob, monkeypatch):
        self.link(bob, person())
        bob.refresh_from_db()
        look, seen = admitting._identity_of, []

        def too_early(who):
            seen.append(who)
            return None if len(seen) == 1 else look(who)

        monkeypatch.setattr(admitting, "_is_known", lambda user, who: False)
        monkeypatch.setattr(admitting, "_identity_of", too_early)
        monkeypatch.setattr(
            admitting,
            "_linked",
            lambda user, who, now: Identity.objects.create(
                user=user, issuer=who.issuer, subject=who.subject, seen_at=now
            ),
        )
        self.link(bob, person())
        assert Identity.objects.get().user == bob


class TestTokens:
    def test_they_rest_when_their_owner_has_not_been_at_the_institution(
        self, client, settings
    ):
        settings.INSTITUTION, settings.OIDC_TOKEN_DAYS = institution(), 30
        user = admit(person(), now=datetime.now(UTC) - timedelta(days=31))
        _, key = tokens.make(user=user, name="t", now=NOW)
        headers = {"Authorization": f"Token {key}"}
        answer = client.get("/api/v1/studies/", headers=headers)
        assert answer.status_code == 401
        assert "through their institution for 30 days" in answer.json()["errors"][0]
        client.force_login(user)  # such as by a link of `manage.py rescue`
        client.logout()
        assert client.get("/api/v1/studies/", headers=headers).status_code == 401
        admit(person(), now=datetime.now(UTC))
        assert client.get("/api/v1/studies/", headers=headers).status_code == 200

    @pytest.mark.parametrize("now", [None, institution(url="https://another")])
    def test_where_nobody_can_log_in_there_any_more_a_login_here_wakes_them(
        self, settings, now
    ):
        settings.INSTITUTION = now
        user = admit(person(), now=NOW - timedelta(days=31))
        assert tokens.rests(user=user, now=NOW)
        user.last_login = NOW - timedelta(days=29)
        assert not tokens.rests(user=user, now=NOW)
        assert tokens.rests(user=user, now=NOW + timedelta(days=1))

    def test_those_of_accounts_of_this_site_do_not(self, bob):
        assert not tokens.rests(user=bob, now=NOW)
