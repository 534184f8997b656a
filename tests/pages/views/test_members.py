"""The pages on which a study is shared, copied, archived and deleted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Member, Study
from tests.annotation.seating import lay_out, sit
from tests.pages.working import worker_page

pytestmark = pytest.mark.django_db
MEMBERS = "/studies/ferry/members/"
MANAGE = "/studies/ferry/manage/"


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def owner(client, study, alice):
    client.force_login(alice)
    return client


def read(client, url, **more) -> str:
    return client.get(url, **more).content.decode()


class TestMembers:
    def test_an_owner_adds_changes_and_removes(self, owner, study, bob):
        sent = {"who": "bob", "role": "viewer"}
        page = owner.post(f"{MEMBERS}add/", sent, follow=True).content.decode()
        assert "bob is now a viewer of this study." in page
        member = study.members.get(user=bob)
        page = owner.post(
            f"{MEMBERS}{member.pk}/role/", {"role": "editor"}, follow=True
        )
        assert "bob is now an editor." in page.content.decode()
        page = owner.post(f"{MEMBERS}{member.pk}/remove/", follow=True)
        assert "bob is no longer a member." in page.content.decode()

    def test_an_unknown_name_is_told_beside_the_field(self, owner):
        answer = owner.post(f"{MEMBERS}add/", {"who": "bobb", "role": "viewer"})
        assert answer.status_code == 400
        assert "There is no account “bobb”" in answer.content.decode()

    def test_a_member_of_another_study_cannot_be_touched(self, owner, make_study, bob):
        other = make_study(name="other").members.get()
        assert owner.post(f"{MEMBERS}{other.pk}/remove/").status_code == 404

    def test_a_viewer_reads_the_list_and_can_leave(self, client, study, bob):
        study.members.create(user=bob, role=Member.Role.VIEWER)
        client.force_login(bob)
        page = read(client, MEMBERS)
        assert "alice" in page and "Add member" not in page
        page = client.post(f"{MEMBERS}leave/", follow=True).content.decode()
        assert "You have left the study ferry." in page
        assert not study.members.filter(user=bob).exists()

    def test_the_only_owner_is_told_why_they_cannot_leave(self, owner, study):
        page = owner.post(f"{MEMBERS}leave/", follow=True).content.decode()
        assert "alice is the only owner. Make someone else an owner first." in page

    def test_staff_who_are_no_members_cannot_leave(self, client, study, staff):
        client.force_login(staff)
        assert client.post(f"{MEMBERS}leave/").status_code == 404


class TestWhatAViewerSees:
    @pytest.fixture
    def viewer(self, client, study, bob):
        study.members.create(user=bob, role=Member.Role.VIEWER)
        client.force_login(bob)
        return client

    def test_pages_say_view_only_and_hide_what_sends(self, viewer):
        for url in ("", "settings/", "quality/", "texts/", "metrics/"):
            page = read(viewer, f"/studies/ferry/{url}")
            assert "view only</span>" in page
            assert " view-only" in page  # of the style sheet

    def test_no_personal_code_of_a_worker(self, viewer, study):
        lay_out(study)
        code = sit(study, "w1").worker.personal_code
        worker = study.workers.get()
        one = f"/studies/ferry/{worker_page(worker)}"
        for url in ("/studies/ferry/workers/", one):
            assert f">{code}</" not in read(viewer, url)

    def test_nothing_that_a_viewer_reads_leads_to_a_code(self, viewer, study):
        lay_out(study)
        worker = sit(study, "w1").worker
        for url in ("workers/", worker_page(worker), "monitor/"):
            page = read(viewer, f"/studies/ferry/{url}")
            assert (
                str(worker.public_id) not in page and worker.personal_code not in page
            )
        guess = str(worker.public_id)[: len(worker.personal_code)]
        assert worker.personal_code != guess

    def test_an_editor_sees_them(self, viewer, study, bob):
        study.members.filter(user=bob).update(role="editor")
        lay_out(study)
        code = sit(study, "w1").worker.personal_code
        page = read(viewer, "/studies/ferry/workers/")
        assert f">{code}</" in page and " view-only" not in page


class TestCopy:
    def test_a_viewer_copies_into_a_study_of_their_own(self, client, study, bob):
        study.members.create(user=bob, role=Member.Role.VIEWER)
        client.force_login(bob)
        answer = client.post(f"{MANAGE}copy/", {"name": "mine", "texts": "yes"})
        assert answer["Location"] == "/studies/mine/"
        made = Study.objects.get(name="mine")
        assert (made.owner, made.generations.count()) == (bob, 8)

    def test_a_taken_name_is_told_and_what_was_typed_stays(self, owner):
        answer = owner.post(f"{MANAGE}copy/", {"name": "ferry", "texts": ""})
        page = answer.content.decode()
        assert answer.status_code == 400
        assert "is already used" in page and 'value="ferry"' in page


class TestArchive:
    def test_it_leaves_the_list_and_comes_back(self, owner, study):
        owner.post(f"{MANAGE}archive/")
        assert "/studies/ferry/" not in read(owner, "/")
        assert "1 archived study" in read(owner, "/")
        assert "/studies/ferry/" in read(owner, "/?archived=1")
        page = read(owner, "/studies/ferry/settings/")
        assert "archived</span>" in page and " view-only" in page
        owner.post(f"{MANAGE}unarchive/")
        assert "/studies/ferry/" in read(owner, "/")

    def test_an_open_one_is_paused_first(self, owner, study):
        lay_out(study)
        page = owner.post(f"{MANAGE}archive/", follow=True).content.decode()
        assert "Pause or close it before you archive it." in page


class TestDelete:
    def test_the_page_names_what_is_lost(self, owner, study):
        lay_out(study)
        sit(study, "w1")
        page = read(owner, f"{MANAGE}delete/")
        for lost in ("8 texts", "2 surveys", "1 worker<", "workers may be rating"):
            assert lost in page

    def test_a_wrong_name_deletes_nothing(self, owner, study):
        answer = owner.post(f"{MANAGE}delete/", {"typed": "fery"})
        assert answer.status_code == 400
        assert "Type the name of the study, ferry" in answer.content.decode()
        assert Study.objects.filter(deleted_at=None).exists()

    def test_a_deleted_study_is_listed_and_restored(self, owner, study):
        owner.post(f"{MANAGE}delete/", {"typed": "ferry"})
        assert "1 deleted study" in read(owner, "/")
        page = read(owner, "/deleted/")
        last = timezone.now() + timedelta(days=30)
        assert "ferry" in page and f"{last:%b %Y}" in page
        answer = owner.post(f"/deleted/{study.pk}/restore/")
        assert answer["Location"] == "/studies/ferry/"
        assert owner.get("/studies/ferry/").status_code == 200

    def test_only_an_owner_restores(self, client, study, bob):
        study.members.create(user=bob, role=Member.Role.EDITOR)
        Study.objects.filter(pk=study.pk).update(deleted_at=timezone.now())
        client.force_login(bob)
        assert "ferry" not in read(client, "/deleted/")
        assert client.post(f"/deleted/{study.pk}/restore/").status_code == 404

    def test_links_tell_workers_that_the_study_is_closed(self, owner, client, study):
        lay_out(study)
        link = study.get_worker_url()
        owner.post(f"{MANAGE}delete/", {"typed": "ferry"})
        assert "This study is closed" in read(client, link, follow=True)


def test_viewers_do_not_see_the_codes_that_workers_are_paid_for(client, study, bob):
    """Whoever knows one could be paid without rating."""
    type(study).objects.update(
        completion_code="C0DE2345", nothing_left_code="N0NE", screen_out_code="0UT"
    )
    study.members.create(user=bob, role="viewer")
    pages = ["", "settings/", "preview/", "setup/", "manage/", "export/"]
    client.force_login(bob)
    for page in pages:
        found = client.get(f"/studies/ferry/{page}").content.decode()
        assert not [code for code in ("C0DE2345", "N0NE", "0UT") if code in found], page
    preview = {"preview": "consent", "consent": "Words."}
    found = client.post("/studies/ferry/settings/preview/", preview).content.decode()
    assert "C0DE2345" not in found
    study.members.filter(user=bob).update(role="editor")
    assert "C0DE2345" in client.get("/studies/ferry/settings/").content.decode()
