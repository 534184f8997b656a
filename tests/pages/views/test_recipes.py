"""Recipes are saved from a file's page, proposed for the next one, and deleted."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.models import Annotation, Generation, Recipe, Study, Upload

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

TABLE = "id,answer,comments,Q1\n1,The sea.,Fine.,Agree\n2,A lake.,Good.,Disagree\n"
RECIPE = {
    "recipe": 1,
    "map": {"id": "key", "answer": "text", "comments": "ignore", "Q1": "rating:fun"},
    "values": {"fun": {"Agree": 5, "Disagree": 1}},
}


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path) -> None:
    settings.DATA_DIR = tmp_path


def send(client, content: str = TABLE, at: str = "/studies/new/", name="texts.csv"):
    """The page of the file."""
    file = SimpleUploadedFile(name, content.encode())
    return client.post(at, {"file": file}, follow=True)


def saved(alice, **changed) -> Recipe:
    """As for the columns of TABLE."""
    from annotation.imports import recipes

    columns = recipes.digest_of(["id", "answer", "comments", "Q1"])
    row = {"name": "ours", "columns": columns, "content": RECIPE, **changed}
    return Recipe.objects.create(user=alice, **row)


def use(client, page, name: str = "ours"):
    address = f"{page.context['upload'].get_absolute_url()}recipe/use/"
    return client.post(address, {"name": name}, follow=True)


def ratings() -> list[int]:
    rows = Annotation.objects.order_by("generation__key")
    return list(rows.values_list("value", flat=True))


def test_what_is_chosen_stands_there_and_is_saved(client, alice):
    page = send(client)
    shown = json.loads(page.context["recipe"])
    assert shown["columns"] == ["id", "answer", "comments", "Q1"]
    address = f"{page.context['upload'].get_absolute_url()}recipe/save/"
    answer = client.post(address, {"name": "ours"}, follow=True)
    assert "Recipe ours saved." in answer.content.decode()
    assert Recipe.objects.get().content == shown


def test_a_file_with_the_same_columns_gets_it_proposed(client, alice):
    saved(alice)
    page = send(client, TABLE.replace("sea", "shore"))
    assert "Use ours" in page.content.decode()
    page = use(client, page)
    assert page.context["report"]["open"] == 0
    assert page.context["report"]["values"]["fun"] == {"Agree": 5, "Disagree": 1}


def test_one_that_was_saved_reads_the_file_the_same_way_again(client, alice):
    saved(alice)
    page = use(client, send(client))
    shown = page.context["recipe"]
    client.post(
        f"{page.context['upload'].get_absolute_url()}recipe/save/", {"name": "again"}
    )
    page = use(client, send(client), "again")
    assert page.context["recipe"] == shown


def test_it_follows_each_choice(client, alice):
    page = send(client)
    sent = {}
    for form in (page.context["columns"], page.context["made"]):
        sent |= {field.html_name: field.value() or "" for field in form}
    address = page.context["upload"].get_absolute_url()
    headers = {"HX-Request": "true"}
    answer = client.post(address, {**sent, "role-2": "source"}, headers=headers)
    said = answer.content.decode()
    assert 'id="recipe-text"' in said and "&quot;comments&quot;: &quot;source" in said


def test_the_name_of_a_new_study_stays(client, alice):
    saved(alice)
    use(client, send(client, name="my lake.csv"))
    assert Upload.objects.get().choices["name"] == "my-lake"


@pytest.mark.parametrize("other", ["id,answer,comments\n1,The sea.,x\n"])
def test_other_columns_get_none(client, alice, other):
    saved(alice)
    assert "Use ours" not in send(client, other).content.decode()


def test_nobody_elses_is_proposed_used_or_deleted(client, alice, bob):
    recipe = saved(bob)
    page = send(client)
    assert "Use ours" not in page.content.decode()
    assert "This recipe was deleted" in use(client, page).content.decode()
    assert client.post(f"/recipes/{recipe.pk}/delete/").status_code == 404
    assert "ours" not in client.get("/recipes/").content.decode()


def test_they_are_listed_and_deleted(client, alice):
    recipe = saved(alice)
    page = client.get("/recipes/").content.decode()
    assert "ours" in page and "rating:fun" in page
    client.post(f"/recipes/{recipe.pk}/delete/")
    assert not Recipe.objects.exists()


@pytest.mark.parametrize("name", ["", "{x", "x" * 61, "a\0"])
def test_a_name_that_will_not_do_is_refused(client, alice, name):
    page = send(client)
    address = f"{page.context['upload'].get_absolute_url()}recipe/save/"
    assert client.post(address, {"name": name}).status_code == 302
    assert not Recipe.objects.exists()


def test_one_of_another_version_is_not_used(client, alice):
    saved(alice, content={**RECIPE, "recipe": 9})
    page = use(client, send(client))
    assert "the version of recipes" in page.content.decode()


class TestTheCommand:
    @pytest.fixture
    def table(self, tmp_path):
        path = tmp_path / "texts.csv"
        path.write_text(TABLE)
        return path

    def test_it_takes_a_file(self, table, tmp_path):
        path = tmp_path / "recipe.json"
        path.write_text(json.dumps(RECIPE))
        call_command("import_study", "lake", table, recipe=str(path))
        assert ratings() == [5, 1]

    def test_it_takes_one_that_the_owner_has_saved(self, table, alice):
        saved(alice)
        call_command("import_study", "lake", table, recipe="ours", owner="alice")
        assert ratings() == [5, 1]

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"recipe": "ours"}, "say whose with --owner"),
            ({"recipe": "x", "owner": "alice"}, 'alice has saved no recipe "x". There'),
            ({"recipe": "ours", "owner": "alice", "sheet": "A"}, "leave out --sheet"),
        ],
    )
    def test_what_is_wrong_is_said(self, table, alice, given, said):
        saved(alice)
        with pytest.raises(CommandError) as error:
            call_command("import_study", "lake", table, **given)
        assert said in str(error.value)
        assert not Study.objects.exists()

    def test_a_file_and_a_saved_one_of_one_name_are_told_apart(
        self, table, alice, tmp_path, monkeypatch
    ):
        saved(alice)
        monkeypatch.chdir(tmp_path)
        (tmp_path / "ours").write_text(json.dumps(RECIPE))
        with pytest.raises(CommandError, match="Write ./ours for the file"):
            call_command("import_study", "lake", table, recipe="ours", owner="alice")
        call_command("import_study", "lake", table, recipe="./ours", owner="alice")


class TestTheApi:
    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=0, systems=())
        study.aspects.all().delete()
        study.aspects.create(key="fun", title="Fun", question="Fun?")
        return study

    def post(self, client, **more):
        file = SimpleUploadedFile("texts.csv", TABLE.encode())
        sent = {"file": file, "format": "columns", **more}
        return client.post("/api/v1/studies/ferry/uploads/", sent)

    @pytest.mark.parametrize("recipe", ["ours", json.dumps(RECIPE)])
    def test_it_takes_a_name_or_json(self, client, alice, study, recipe):
        saved(alice)
        assert self.post(client, recipe=recipe).status_code == 201
        assert ratings() == [5, 1]
        assert Generation.objects.count() == 2

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"recipe": "nobody"}, "alice has saved no recipe"),
            ({"recipe": '{"recipe": 2}'}, "the version of recipes"),
            ({"recipe": "{"}, "A recipe is JSON"),
            ({"recipe": "ours", "decimal": "comma"}, "leave out decimal"),
        ],
    )
    def test_what_is_wrong_is_said(self, client, alice, study, given, said):
        saved(alice)
        answer = self.post(client, **given)
        assert answer.status_code == 400
        assert said in " ".join(answer.json()["errors"])
