from __future__ import annotations

import hashlib
import io

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation import imports
from annotation.models import Annotation, Reference, Study
from tests.support import shared

pytestmark = pytest.mark.django_db

HEADER = "prefix,label,system,text"


def run(content: str, **given) -> imports.ImportResult:
    given = {"format": "csv", "file_name": "texts.csv", "owner": None, **given}
    file = io.BytesIO(content.encode())
    if "study" in given:
        del given["owner"]
        return imports.into(file=file, **given)
    return imports.run(study_name="lake", file=file, **given)


def test_a_file_becomes_a_study(alice):
    now = timezone.now()
    result = run(
        f"{HEADER},source,reference,rating:fun,mean:depth,n:depth,system_kind\n"
        "The lake,sad,a,It is cold.,Ask,r,4;5,2.5,4,human\n"
        "The lake,sad,b,It is wet.,Ask,r,3,,,\n"
        ",,,No prompt.,,,,,,\n",
        owner=alice,
        now=now,
    )
    study = result.study
    assert [aspect.key for aspect in study.aspects.all()] == ["fun", "depth"]
    first = study.generations.first()
    assert (first.key, first.sample, first.text) == ("t-0001", 1, "It is cold.")
    assert (first.prompt.prefix, first.prompt.label.name) == ("The lake", "sad")
    assert [r.text for r in first.prompt.references.all()] == ["r"]
    assert first.system.kind == "human"
    assert [a.value for a in first.annotations.all()] == [4, 5]
    assert first.annotations.first().updated_at == now
    assert (first.means.get().mean, first.means.get().n) == (2.5, 4)
    last = study.generations.last()
    assert (last.system, last.prompt.label, last.prompt.prefix) == (None, None, "")
    assert (study.owner, study.state) == (alice, Study.State.DRAFT)
    assert (
        str(result)
        == "lake: 3 texts of 2 systems for 2 prompts, 3 ratings and 1 mean rating."
    )


def test_where_it_is_from_is_kept(alice):
    content = f"{HEADER}\nx,,a,One two three.\n"
    record = run(content, owner=alice, options={"cut": "80", "title": ""}).record
    assert record.sha256 == hashlib.sha256(content.encode()).hexdigest()
    assert (record.n_rows, record.created_by) == (1, alice)
    assert record.options["cut"] == 80
    assert record.study.generations.get().imported == record


def test_a_file_without_values_gets_the_aspects_of_the_paper():
    study = run(f"{HEADER}\nx,sad,a,t\n").study
    keys = [aspect.key for aspect in study.aspects.all()]
    assert keys == ["coherence", "consistency", "attribute-relevance"]


def test_options_go_to_the_new_study():
    options = {"title": "Lakes", "ratings_per_text": "3", "scale": "0-1"}
    study = run(f"{HEADER},rating:c\nx,,a,t,0\n", options=options).study
    assert (study.title, study.ratings_per_text) == ("Lakes", 3)
    assert (study.scale_min, study.scale_max) == (0, 1)


def test_a_second_file_adds_to_the_draft():
    study = run(f"{HEADER},reference,rating:c\nx,sad,a,t,r1,4\n").study
    run(
        f"{HEADER},reference,rating:c:ann,system_model,top_p\n"
        "x,sad,a,u,r1,5,gpt,0.9\nx,sad,b,t,r2,5,,\ny,sad,a,t,,5,,\n",
        study=study,
    )
    assert [g.key for g in study.generations.all()] == [
        *("t-0001", "t-0002", "t-0003", "t-0004"),
    ]
    assert [g.sample for g in study.generations.all()] == [1, 2, 1, 1]
    assert [p.position for p in study.prompts.all()] == [0, 1]
    references = study.prompts.first().references.all()
    assert [(r.text, r.position) for r in references] == [("r1", 0), ("r2", 1)]
    assert study.systems.get(name="a").model == "gpt"
    assert study.labels.count() == 1 and study.imports.count() == 2


def test_a_study_without_labels_takes_any(make_study):
    study = make_study(prompts=0)
    study.labels.all().delete()
    run(f"{HEADER}\nx,sad,a,t\n", study=study)
    assert study.labels.get().name == "sad"


def test_writing_takes_few_queries_for_many_rows(django_assert_max_num_queries):
    rows = "".join(f"x{i},sad,a,t{i},4;5\n" for i in range(500))
    # Four of them where nothing was ever imported: SQLite counts no rows there yet.
    with django_assert_max_num_queries(46):
        run(f"{HEADER},rating:c\n{rows}")
    assert Annotation.objects.count() == 1000


def test_the_files_of_a_form_can_be_read(alice, client):
    from django.core.files.uploadedfile import (
        SimpleUploadedFile,
        TemporaryUploadedFile,
    )

    content = f"{HEADER}\nx,,a,t\n".encode()
    on_disk = TemporaryUploadedFile("b.csv", "text/csv", len(content), "utf-8")
    on_disk.write(content)
    on_disk.seek(0)
    for name, file in (("m", SimpleUploadedFile("a.csv", content)), ("d", on_disk)):
        result = imports.run(
            study_name=name, format="csv", file=file, file_name="a.csv", owner=None
        )
        assert result.n_texts == 1


class TestRealData:
    def test_ctrleval(self):
        with shared.path("data/ctrleval/data_senti.txt").open("rb") as file:
            result = imports.run(
                study_name="senti",
                format="ctrleval",
                file=file,
                file_name="data_senti.txt",
                owner=None,
                options={"systems": "by-order"},
            )
        study = result.study
        assert str(result) == (
            "senti: 360 texts of 4 systems for 30 prompts, 1,080 mean ratings."
        )
        assert study.labels.get(name="negative").verbalizers == [
            *("bad", "negative", "terrible")
        ]
        assert {mean.n for mean in result.record.means.all()} == {5}
        # Each text begins with its prefix: the full text repeats nothing.
        assert all(g.full_text == g.text for g in study.generations.all())

    def test_openmeva(self):
        with shared.path("data/openmeva_mans/mans_roc.json").open("rb") as file:
            result = imports.run(
                study_name="mans",
                format="openmeva",
                file=file,
                file_name="mans_roc.json",
                owner=None,
            )
        assert str(result) == (
            "mans: 1,000 texts of 5 systems for 200 prompts, 5,000 ratings."
        )
        assert [a.key for a in result.study.aspects.all()] == ["overall"]
        assert result.study.prompts.first().references.count() == 1


class TestAPrefixThatIsRepeatedInAnotherSpelling:
    FILE = (
        f"{HEADER}\n"
        "Once upon a time,,a,once upon  a time there was.\n"
        "Once upon a time,,b,Once upon a time it was.\n"
        "Once upon a time,,c,there is.\n"
    )

    def test_is_stored_once_in_the_spelling_of_the_prefix(self):
        study = run(self.FILE).study
        assert [one.full_text for one in study.generations.all()] == [
            "Once upon a time there was.",
            "Once upon a time it was.",
            "Once upon a time there is.",
        ]
        assert study.generations.first().text == "Once upon a time there was."

    def test_is_counted_in_the_result_and_on_record(self):
        result = run(self.FILE)
        said = "1 text repeats its prefix in another spelling: the prefix is kept once."
        assert str(result).endswith(said)
        assert result.record.options["respelled"] == 1


class TestCorrections:
    def test_they_become_references_of_their_own_text(self):
        study = run(
            f"{HEADER},reference,edited,edited:2\nx,,a,t,r,t1,t1\nx,,b,u,r,u1,u2\n"
        ).study
        first, last = study.generations.all()
        assert [one.text for one in first.references.all()] == ["t1"]  # twice the same
        assert [one.text for one in last.references.all()] == ["u1", "u2"]
        assert {one.kind for one in last.references.all()} == {"targeted"}
        assert [one.text for one in first.prompt.references.all()] == ["r"]

    def test_one_row_for_each_editor_gives_one_text(self):
        study = run("text,system,edited\nt,a,t1\nt,a,t2\n", format="columns").study
        text = study.generations.get()
        assert [one.text for one in text.references.all()] == ["t1", "t2"]

    def test_a_reference_is_of_a_prompt_or_of_a_text(self):
        study = run(f"{HEADER}\nx,,a,t\n").study
        text = study.generations.get()
        for wrong in (
            {"kind": "targeted", "prompt": text.prompt},
            {"kind": "prewritten", "generation": text},
            {"kind": "targeted", "prompt": text.prompt, "generation": text},
            {"kind": "targeted"},
        ):
            with pytest.raises(IntegrityError), transaction.atomic():
                Reference.objects.create(text="r", **wrong)
