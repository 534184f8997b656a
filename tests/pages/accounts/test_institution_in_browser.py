"""Log in at an institution, in a browser, against a provider that really answers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.pages.accounts import institution
from tests.pages.accounts.institution import Site

pytestmark = [
    pytest.mark.migrations,
    pytest.mark.server,
    # The provider is built on calls that its own library will drop.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory, django_db_setup, django_db_blocker):
    folder = tmp_path_factory.mktemp("institution")
    with django_db_blocker.unblock():
        institution.copy_database(folder / "db.sqlite3")
    with (
        institution.Provider() as provider,
        institution.site(folder, provider) as found,
    ):
        yield found


def make_token(page: Page, site: Site) -> str:
    page.goto(f"{site.url}/account/")
    page.get_by_label("Name", exact=True).fill("script")
    page.get_by_role("button", name="Create token").click()
    return page.locator("#key").input_value()


@pytest.mark.path
def test_a_new_person_comes_in_and_back_to_the_page_they_wanted(page, site):
    site.someone(
        "s-1",
        groups=["people"],
        preferred_username="ada l",
        name="Ada Lovelace",
        email="ada@example.org",
        email_verified=True,
    )
    site.log_in(page, "s-1", "/account/")
    assert page.url == f"{site.url}/account/"
    expect(page.locator("main")).to_contain_text("You are logged in as ada.l")
    expect(page.get_by_label("First name")).to_have_value("Ada")
    expect(page.locator("main")).to_contain_text("ada@example.org")
    expect(page.get_by_role("button", name="Change password")).to_have_count(0)
    page.goto(f"{site.url}/studies/ferry/")
    expect(page.locator("h1")).to_contain_text("not")
    assert not [said for said in page.problems if "Content Security" in said]


def test_the_policy_of_the_pages_names_no_other_site(page, site):
    policy = page.goto(f"{site.url}/login/").headers["content-security-policy"]
    assert "form-action 'self'" in policy and "localhost" not in policy


def test_the_same_subject_is_the_same_account_under_any_name(page, site):
    site.someone("s-2", groups=["people"], preferred_username="first")
    site.log_in(page, "s-2", "/account/")
    site.log_out(page)
    site.someone("s-2", groups=["people"], preferred_username="second")
    site.log_in(page, "s-2", "/account/")
    expect(page.locator("main")).to_contain_text("You are logged in as first")


def test_staff_are_staff_as_long_as_their_group_says_so(page, site):
    site.someone("s-3", groups=["people", "admins"])
    site.log_in(page, "s-3")
    expect(page.get_by_role("link", name="harbour")).to_be_visible()
    site.log_out(page)
    site.someone("s-3", groups=["people"])
    site.log_in(page, "s-3")
    expect(page.get_by_role("link", name="harbour")).to_have_count(0)


def test_a_group_gives_a_role_in_a_study_and_takes_it_away(page, site):
    site.someone("s-4", groups=["people", "readers"], preferred_username="vera")
    site.log_in(page, "s-4", "/studies/ferry/members/")
    expect(page.locator("main")).to_contain_text(
        "Viewer through a group at the institution"
    )
    site.log_out(page)
    site.someone("s-4", groups=["people", "lab"])
    site.log_in(page, "s-4", "/studies/ferry/members/")
    expect(page.locator("main")).to_contain_text(
        "Editor through a group at the institution"
    )
    site.log_out(page)
    site.someone("s-4", groups=["people"])
    site.log_in(page, "s-4")
    assert page.goto(f"{site.url}/studies/ferry/").status == 404


def test_who_is_in_no_allowed_group_stays_outside_with_all_their_programs(page, site):
    site.someone("s-5", groups=["people"])
    site.log_in(page, "s-5")
    token = make_token(page, site)
    assert site.answer("/api/v1/studies/", token) == 200
    site.log_out(page)
    site.someone("s-5", groups=["guests"])
    site.log_in(page, "s-5")
    expect(page.locator("main")).to_contain_text("is not in a group that may use this")
    assert page.goto(f"{site.url}/account/").url.startswith(f"{site.url}/login/")
    assert site.answer("/api/v1/studies/", token) == 401
    assert "s-5: institution" in site.command("accounts")
    assert "refused by the institution since" in site.command("accounts")
    site.someone("s-5", groups=["people"])
    site.log_in(page, "s-5")
    assert site.answer("/api/v1/studies/", token) == 200
    site.command("accounts", "close", "s-5")
    assert site.answer("/api/v1/studies/", token) == 401
    assert page.goto(f"{site.url}/account/").url.startswith(f"{site.url}/login/")
    site.log_in(page, "s-5")
    expect(page.locator("main")).to_contain_text("Your account on this site is closed")


def test_after_a_log_out_they_may_log_out_of_the_institution_too(page, site):
    site.someone("s-6", groups=["people"])
    site.log_in(page, "s-6")
    site.log_out(page)
    expect(page.locator("h1")).to_have_text("You are logged out here")
    leave = page.get_by_role("link", name="Log out of the Example University")
    assert "id_token_hint=ey" in leave.get_attribute("href")
    leave.click()
    assert page.url.startswith(site.provider.url)
    assert page.goto(f"{site.url}/account/").url.startswith(f"{site.url}/login/")


def test_an_existing_account_is_linked_by_its_owner_alone(page, site):
    claims = {"groups": ["people"], "email": "alice@example.org"}
    site.someone("s-7", **claims, email_verified=True)
    site.log_in(page, "s-7")
    expect(page.locator("main")).to_contain_text("An account on this site already uses")
    page.goto(f"{site.url}/login/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill("alice-password")
    page.get_by_role("button", name="Log in", exact=True).click()
    page.goto(f"{site.url}/account/")
    link = page.get_by_role("button", name="Link the Example University")
    page.locator("#id_link_password").fill("wrong")
    link.click()
    expect(page.get_by_role("status")).to_contain_text("The password is wrong")
    page.locator("#id_link_password").fill("alice-password")
    link.click()
    page.get_by_placeholder("sub").fill("s-7")
    page.get_by_role("button", name="Authorize", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Your account is linked")
    site.log_out(page)
    site.log_in(page, "s-7", "/account/")
    expect(page.locator("main")).to_contain_text("You are logged in as alice")


def test_an_address_that_nobody_verified_opens_no_account(page, site):
    site.someone("s-8", groups=["people"], email="alice@example.org")
    site.log_in(page, "s-8", "/account/")
    expect(page.locator("main")).to_contain_text("You are logged in as alice-2")


def test_a_login_that_was_cancelled_says_so(page, site):
    page.goto(f"{site.url}/login/")
    page.get_by_role("button", name="Log in with the Example University").click()
    page.get_by_role("button", name="Deny").click()
    expect(page.locator("main")).to_contain_text("was cancelled")


def test_a_login_that_nobody_began_here_says_so(page, site):
    answer = page.goto(f"{site.url}/login/institution/callback/?code=x&state=y")
    assert answer.status == 400
    expect(page.locator("main")).to_contain_text("Start again")
    page.get_by_role("link", name="Go to the login page").click()
    expect(page.locator("h1")).to_have_text("Log in")


def test_the_operator_can_ask_how_things_are_and_get_in_without_it(page, site):
    said = site.command("institution")
    assert f"{site.url}/login/institution/callback/" in said
    assert "lab: editor of ferry\n" in said and "answers" in said
    assert "a secret" not in said
    (link,) = re.findall(r"http://\S+", site.command("rescue", "alice"))
    page.goto(link)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.locator(".me > summary")).to_have_text("alice")
    page.context.clear_cookies()
    page.goto(link)
    expect(page.locator("main")).to_contain_text("has already been used")


def test_only_these_addresses_are_added_and_none_of_allauth_s_own(site):
    from tests.pages.test_access import ROUTES

    code = "from tests.pages.test_access import walk; print(*walk(), sep='\\n')"
    added = set(site.command("shell", "-v", "0", "-c", code).split()) - set(ROUTES)
    assert added == {
        "login/institution/",
        "login/institution/callback/",
        "login/rescue/<str:key>/",
        "account/institution/link/",  # the only one that asks for a login
    }


def test_linking_asks_for_a_login(page, site):
    answer = page.request.post(f"{site.url}/account/institution/link/")
    assert answer.status == 403  # without a token of a form nothing is asked
    assert (
        page.request.get(f"{site.url}/account/institution/link/", max_redirects=0)
        .headers["location"]
        .startswith("/login/")
    )


def test_an_institution_that_is_away_is_said_to_be(page, site):
    page.goto(f"{site.url}/login/")
    site.provider.__exit__()
    try:
        page.get_by_role("button", name="Log in with the Example University").click()
        expect(page.locator("main")).to_contain_text("We cannot reach the Example")
    finally:
        site.provider.__enter__()
