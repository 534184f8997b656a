"""What providers say of people, and what is believed."""

from __future__ import annotations

import pytest

from evalapp.contrib.institution import claims


def read(userinfo=None, claim="groups", **id_token):
    return claims.read(
        issuer="https://x",
        client_id="evalapp",
        id_token={"sub": "1", **id_token},
        userinfo={"sub": "1", **userinfo} if userinfo is not None else {},
        groups_claim=claim,
    )


def test_two_answers_about_different_people_are_refused():
    with pytest.raises(claims.Unusable, match="different subjects"):
        read({"sub": "2"})


@pytest.mark.parametrize("sub", [None, "", 7, "x" * 256])
def test_a_person_needs_a_subject(sub):
    with pytest.raises(claims.Unusable, match="expected a subject"):
        read(sub=sub)


@pytest.mark.parametrize("sub", ["a\0", "\ud800", "a\u200b"])
def test_a_subject_that_no_database_takes_is_refused(sub):
    with pytest.raises(claims.Unusable, match="cannot be stored"):
        read(sub=sub)


@pytest.mark.parametrize(
    "said",
    [
        {"aud": ["evalapp", "wiki"]},
        {"aud": ["evalapp", "wiki"], "azp": "wiki"},
        {"aud": ["evalapp", "wiki"], "azp": ["evalapp"]},
    ],
)
def test_a_token_that_was_made_for_another_application_is_refused(said):
    with pytest.raises(claims.Unusable, match="another application"):
        read(**said)


@pytest.mark.parametrize(
    "said",
    [
        {"aud": ["evalapp", "wiki"], "azp": "evalapp"},
        {"aud": ["evalapp"]},
        {"aud": "evalapp", "azp": "evalapp"},
    ],
)
def test_one_that_was_made_for_us_is_taken(said):
    assert read(**said).subject == "1"


class TestEmail:
    def test_only_a_verified_address_counts(self):
        assert read(email="a@b.org").email == ""
        assert read(email="a@b.org", email_verified=False).email == ""
        assert read(email="a@b.org", email_verified="false").email == ""
        assert read(email="a@b.org", email_verified=True).email == "a@b.org"
        assert read(email="a@b.org", email_verified="true").email == "a@b.org"

    @pytest.mark.parametrize(
        "email",
        [
            "a@b\u0131.org",
            "\u212ate@b.org",
            "a\u200b@b.org",
            "a @b.org",
            7,
            ["a@b.org"],
        ],
    )
    def test_one_that_could_be_taken_for_another_s_is_none(self, email):
        assert read(email=email, email_verified=True).email == ""

    def test_one_that_is_too_long_to_be_stored_is_none(self):
        long = "x" * 250 + "@b.org"
        assert read(email=long, email_verified=True).email == ""

    def test_one_answer_does_not_verify_the_address_of_the_other(self):
        assert read({"email": "evil@b.org"}, email_verified=True).email == ""


class TestUsername:
    @pytest.mark.parametrize(
        ("said", "name"),
        [
            ({"preferred_username": "ada"}, "ada"),
            ({"preferred_username": "Ada Lovelace"}, "Ada.Lovelace"),
            ({"preferred_username": "<b>'\n"}, "b"),
            ({"preferred_username": "''", "email": "ada@x.org"}, "ada"),
            ({"preferred_username": 7}, "1"),
            ({"preferred_username": "\ufb01nn\uff20x.org"}, "finn"),
            ({"sub": "//"}, "person"),
            ({"preferred_username": "x" * 200}, "x" * 150),
        ],
    )
    def test_it_is_made_of_what_there_is(self, said, name):
        assert read(**said).username == name

    def test_it_is_never_an_address_by_which_members_are_added(self):
        assert read(preferred_username="boss@x.org", email="boss@x.org").username == (
            "boss"
        )


class TestGroups:
    def test_they_may_be_in_either_answer(self):
        assert read(groups=["a"]).groups == {"a"}
        assert read({"groups": ["b"]}, groups=["a"]).groups == {"b"}
        assert read({}, groups=["a"]).groups == {"a"}

    def test_one_may_be_a_word_and_what_is_none_is_left_out(self):
        assert read(groups="a").groups == {"a"}
        assert read(groups=["a", 1, None]).groups == {"a"}
        assert not read(groups={"a": 1}).says_groups

    def test_a_claim_may_lie_inside_others(self):
        found = read(claim="realm_access.roles", realm_access={"roles": ["a"]})
        assert found.groups == {"a"}
        address = "https://x.org/groups"
        assert read(claim=address, **{address: ["b"]}).groups == {"b"}

    def test_no_claim_is_told_from_no_groups(self):
        assert read(groups=[]).says_groups and not read().says_groups


def test_a_name_is_split_where_only_the_whole_is_known():
    found = read(name="Ada King Lovelace")
    assert (found.first_name, found.last_name) == ("Ada", "King Lovelace")
    assert read(name="A\x00da B").first_name == "Ada"
