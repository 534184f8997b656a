"""Standard words and questions that fit the texts of a study."""

from __future__ import annotations

import io

import pytest

from annotation import imports, studies
from annotation.models import Study

pytestmark = pytest.mark.django_db

HEAD = "prefix,label,system,text,source"
PROMPT = f"{HEAD}\n,,a,It rained.,Rain\n,,b,It was wet.,Rain\n"
OPENING = f"{HEAD}\nIt,sad,a,It rained.,\nIt,sad,b,It was wet.,\n"
ALONE = f"{HEAD}\n,,a,It rained.,\n,,b,It was wet.,\n"


def given(study: Study, rows: str) -> Study:
    imports.into(
        study=study,
        format="csv",
        file=io.BytesIO(rows.encode()),
        file_name="texts.csv",
    )
    return Study.objects.get(pk=study.pk)


def questions(study: Study) -> dict[str, str]:
    return dict(study.aspects.values_list("key", "question"))


@pytest.fixture
def study(alice) -> Study:
    return studies.create(name="ferry", owner=alice)


def test_texts_with_an_opening_and_a_label_keep_all(study):
    before = study.instructions, questions(study)
    found = given(study, OPENING)
    assert (found.instructions.strip(), questions(found)) == (
        before[0].strip(),
        before[1],
    )


def test_texts_with_a_prompt_are_asked_whether_they_fit_it(study):
    found = given(study, PROMPT)
    assert set(questions(found)) == {"coherence", "consistency"}
    assert questions(found)["consistency"] == "How well does the text fit its prompt?"
    assert found.instructions.startswith("Each page shows a prompt and several texts")
    assert "opening" not in found.instructions
    assert "feeling" not in found.instructions


def test_texts_alone_are_asked_about_nothing_else(study):
    found = given(study, ALONE)
    assert set(questions(found)) == {"coherence"}
    assert found.instructions.startswith("Each page shows several texts.")


def test_what_somebody_wrote_stays(study):
    Study.objects.update(instructions="Read.")
    study.aspects.filter(key="consistency").update(question="Is it true?")
    study.refresh_from_db()
    found = given(study, ALONE)
    assert found.instructions == "Read."
    assert len(questions(found)) == 3


def test_the_first_file_decides(study):
    first = questions(given(study, PROMPT))
    more = PROMPT.replace("Rain", "Sun").replace("rained", "shone")
    assert questions(given(study, more)) == first
