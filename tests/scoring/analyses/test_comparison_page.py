from __future__ import annotations

from dataclasses import replace

from scoring.drawing.tables import Link
from tests.scoring import made
from tests.scoring.analyses.shown import everything
from tests.scoring.analyses.test_comparison import FIRST, SECOND, copied, run


def shown(data=None, **options):
    found = everything("comparison", run(data or made.data(), **options))
    return {section.key: section for section in found}


def table(section):
    (found,) = section.tables.values()
    return found


def test_each_aspect_has_both_values_and_their_difference():
    section = shown(first=FIRST, second=SECOND)["difference"]
    found = table(section)
    assert found.header == ["Aspect", "judge: q0", "judge: q1", "Difference", "Texts"]
    assert sorted(row[0] for row in found.rows) == ["Coherence", "Fluency"]
    assert found.rows[0][3].value >= found.rows[1][3].value
    assert list(section.chart.data[0].x) == [row[3].value for row in found.rows]


def test_a_negative_number_says_that_the_second_is_closer_to_people():
    words = shown(first=FIRST, second=SECOND)["difference"].words
    assert "First metric: judge: q0. Second metric: judge: q1." in words


def test_p_values_have_four_digits_and_say_what_they_speak_for():
    section = shown(design="systems")["tests"]
    found = table(section)
    assert found.rows[0][1].digits == 4
    assert "for new systems" in found.caption
    assert "all texts of a system" in section.after


def test_texts_lead_to_themselves_and_to_what_their_scores_are_made_of():
    data = made.data()
    scored = replace(data.outputs[0], signature_id=7)
    key = data.texts.key.astype("U20")
    key[:] = [f"a&b {one}" for one in key]
    data = replace(
        data,
        outputs=[scored, *data.outputs[1:]],
        texts=replace(data.texts, key=key),
    )
    found = table(shown(data, first=FIRST, second=SECOND)["texts"])
    text, why = found.rows[0][0], found.rows[0][-1]
    assert found.header[-1] == "Why, first"
    assert (text.to, text.query[:12]) == ("study_text", "key=a%26b%20")
    assert (why.to, why.args, why.query) == ("explain", (7,), text.query)


def test_two_texts_lead_to_a_page_that_shows_them_side_by_side():
    link = table(shown()["pairs"]).rows[0][0]
    assert isinstance(link, Link) and link.to == "compare"
    assert link.query.startswith("a=") and "&b=" in link.query


def test_where_nothing_differs_the_tables_say_so():
    found = shown(copied(made.data()), first=FIRST, second=SECOND)
    assert (
        table(found["texts"]).empty == "The two metrics rank all texts in the same way."
    )
    assert not table(found["pairs"]).rows


def test_one_metric_alone_has_a_sentence_and_no_chart():
    data = made.data()
    data = replace(data, outputs=data.outputs[:1], scores=data.scores[:, :1])
    section = shown(data)["difference"]
    assert "fewer than two metrics" in section.words
    assert section.chart is None


def test_texts_on_which_a_metric_and_people_part_lead_to_themselves():
    section = shown(first=FIRST, second=SECOND)["people"]
    assert list(section.tables) == ["people-first", "people-second"]
    found = section.tables["people-second"]
    assert found.title == "judge: q1 and people, Coherence"
    apart = [abs(row[-1].value) for row in found.rows]
    assert apart == sorted(apart, reverse=True)
    assert {row[0].to for row in found.rows} == {"study_text"}
