from __future__ import annotations

import pytest
from django.core import mail
from django.test import Client

from annotation.contrib.mailing import sending, writing
from annotation.models import Mailing, Recipient

pytestmark = pytest.mark.django_db

TEXT = {"whom": "new", "subject": "Rate: {study}", "body": "Hi {name}, {link}"}


@pytest.fixture
def study(make_study, as_alice, settings):
    settings.EMAIL_READY = True
    return make_study(state="open", contact="lab@example.org", title="Ferries")


def page(client, study) -> str:
    return client.get(f"/studies/{study.name}/mailing/").content.decode()


def press(client, study, what, **given) -> str:
    url = f"/studies/{study.name}/mailing/{what}/"
    return client.post(url, given, follow=True).content.decode()


def test_from_a_list_to_sent_emails(client, study, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    said = press(client, study, "list", lines="Ann,ann@example.org\nben@example.org")
    assert "2 people are added" in said and "ann@example.org" in said
    said = press(client, study, "write", **TEXT)
    assert "2 people read" in said and "Hi Ann, http" in said
    assert "Rate: Ferries" in said and "Send 2 emails" in said
    assert not Mailing.objects.exists(), "a preview sends nothing"
    assert "are being sent" in press(client, study, "write", send="1", **TEXT)
    sending.MAILINGS.perform(pk=Mailing.objects.get().pk, owner="w")
    assert len(mail.outbox) == 2
    assert "2 of 2 processed" in page(client, study)
    assert "2 names and addresses are deleted" in press(client, study, "forget")
    assert "ann@example.org" not in page(client, study)


def test_sending_is_stopped_and_the_rest_sent(client, study):
    press(client, study, "list", lines="ann@example.org\nben@example.org")
    assert "Stop sending" in press(client, study, "write", send="1", **TEXT)
    row = Mailing.objects.get()
    assert "Send the rest" in press(client, study, f"{row.pk}/cancel")
    sending.MAILINGS.perform(pk=row.pk, owner="w")
    assert not mail.outbox
    press(client, study, f"{row.pk}/retry")
    sending.MAILINGS.perform(pk=row.pk, owner="w")
    assert len(mail.outbox) == 2


def test_a_list_comes_as_a_file_too(client, study, tmp_path):
    file = tmp_path / "list.csv"
    file.write_text("name,email\nAnn,ann@example.org\n")
    with file.open("rb") as sent:
        assert "1 person is added" in press(client, study, "list", file=sent)
    assert Recipient.objects.get().name == "Ann"


def test_a_text_without_the_link_is_not_sent(client, study):
    press(client, study, "list", lines="ann@example.org")
    said = press(client, study, "write", send="1", **{**TEXT, "body": "Hello"})
    assert "Put {link} where" in said


def test_where_no_server_is_set_up_the_page_names_the_variable(client, study, settings):
    settings.EMAIL_READY = False
    assert "EMAIL_URL" in page(client, study)
    press(client, study, "list", lines="ann@example.org")
    assert "set EMAIL_URL" in press(client, study, "write", send="1", **TEXT)


def test_viewers_see_no_address(client, study, bob):
    press(client, study, "list", lines="ann@example.org")
    study.members.create(user=bob, role="viewer")
    client.force_login(bob)
    assert client.get(f"/studies/{study.name}/mailing/").status_code == 403


class TestRefusal:
    @pytest.fixture
    def one(self, client, study) -> Recipient:
        press(client, study, "list", lines="Ann,ann@example.org")
        return Recipient.objects.get()

    def path(self, one) -> str:
        return writing.refusal_link(one).partition("8000")[2]

    def test_opening_the_link_changes_nothing(self, one):
        answer = Client().get(self.path(one))
        assert "Send me no more emails" in answer.content.decode()
        one.refresh_from_db()
        assert one.refused_at is None

    def test_a_mail_program_refuses_without_a_login_or_a_cookie(self, one):
        strict = Client(enforce_csrf_checks=True)
        given = {"List-Unsubscribe": "One-Click"}
        answer = strict.post(self.path(one), given)
        assert "You get no more emails" in answer.content.decode()
        one.refresh_from_db()
        assert one.refused_at and (one.name, one.address) == ("", "")

    def test_it_speaks_the_language_of_the_study(self, one, study):
        type(study).objects.update(language="de")
        said = Client().get(self.path(one)).content.decode()
        assert "Keine weiteren E-Mails" in said

    @pytest.mark.parametrize("signed", ["x", "1:2:3", "MQ:1abc:def"])
    def test_nobody_else_s_link_can_be_guessed(self, one, signed):
        assert Client().post(f"/mail/{signed}/").status_code == 404
