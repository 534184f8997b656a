from __future__ import annotations

import csv
import json

import pytest

from annotation import exports
from annotation.exports import ratings
from annotation.models.surveys import pseudonym
from tests.annotation.seating import NOON, hand_in, lay_out, sit
from tests.support.scored import give_means, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    study = make_study()
    lay_out(study)
    return study


def read_csv(rows) -> list[dict[str, str]]:
    return list(csv.DictReader(exports.as_csv(rows)))


class TestTexts:
    def test_each_text_is_a_row_with_its_prompt_and_system(self, study):
        rows = list(exports.texts(study=study))
        assert len(rows) == 8
        assert rows[0]["key"] == "0-a-1"
        assert (rows[0]["label"], rows[0]["system"]) == ("positive", "a")
        assert rows[0]["full_text"].startswith(rows[0]["prefix"])

    def test_a_text_of_an_unknown_system_says_nothing_of_it(self, study):
        study.generations.update(system=None)
        assert {row["system"] for row in exports.texts(study=study)} == {""}


class TestReferences:
    def test_each_says_whether_it_is_of_a_prompt_or_of_one_text(self, study):
        text = study.generations.last()
        text.references.create(kind="targeted", text="Corrected.", position=0)
        study.prompts.first().references.create(text="A good one.", position=0)
        rows = list(exports.references(study=study))
        assert [(r["kind"], r["text"], r["reference"]) for r in rows] == [
            ("prewritten", "", "A good one."),
            ("targeted", text.key, "Corrected."),
        ]
        assert rows[1]["prefix"] == text.prompt.prefix

    def test_there_may_be_none(self, study):
        assert list(exports.references(study=study)) == []


class TestAnnotations:
    def test_a_page_that_counts_is_there_with_its_negative(self, study):
        hand_in(sit(study, "w1"))
        rows = list(exports.annotations(study=study))
        assert len(rows) == 5 * 3
        assert {row["state"] for row in rows} == {"valid"}
        negatives = [row for row in rows if row["negative_of"]]
        assert {row["perturbation"] for row in negatives} == {"shuffle"}
        assert {row["position"] for row in rows} == {1, 2, 3, 4, 5}

    def test_ratings_whose_page_is_gone_are_not_there(self, study, monkeypatch):
        """As while an export streams and a worker withdraws."""
        hand_in(sit(study, "w1"))
        monkeypatch.setattr(ratings, "_seats", lambda ids: {})
        assert list(exports.annotations(study=study)) == []

    def test_a_discarded_page_is_there_with_its_reason(self, study):
        hand_in(sit(study, "w1"), careful=False)
        rows = list(exports.annotations(study=study))
        assert {row["state"] for row in rows} == {"discarded"}
        assert "damaged text got 5" in rows[0]["reason"]

    def test_imported_ratings_keep_the_rater_s_name_in_the_file(self, study):
        rate(study, "coherence", [[4]])
        study.imports.get().annotations.update(rater="ann")
        (row,) = exports.annotations(study=study)
        assert (row["state"], row["rater"], row["value"]) == ("imported", "ann", 4)

    def test_workers_are_codes_that_lead_back_to_no_account(self, study):
        hand_in(sit(study, "platform-id-of-a-person"))
        lines = "".join(exports.as_jsonl(exports.annotations(study=study)))
        assert "platform-id" not in lines
        worker = study.workers.get()
        assert worker.public_id.hex not in lines.replace("-", "")
        assert pseudonym(study, worker.pk) in lines

    def test_simulated_ratings_say_so_in_every_row(self, study):
        study.simulated = True
        hand_in(sit(study, "w1"))
        assert all(row["simulated"] for row in exports.annotations(study=study))

    def test_another_study_s_ratings_stay_away(self, study, make_study):
        hand_in(sit(study, "w1"))
        other = make_study(name="other")
        assert list(exports.annotations(study=other)) == []


class TestScores:
    def test_means_stand_beside_those_with_discarded_pages(self, make_study):
        study = make_study(prompts=1)
        lay_out(study)
        hand_in(sit(study, "w1"))  # its texts got 4
        hand_in(sit(study, "w2"), careful=False)  # 2, and the negative 5
        rows = list(exports.scores(study=study))
        assert len(rows) == 4 * 3
        assert {(row["mean"], row["n"]) for row in rows} == {(4.0, 1)}
        both = {(row["mean_with_discarded"], row["n_with_discarded"]) for row in rows}
        assert both == {(3.0, 2)}

    def test_a_text_whose_only_page_was_discarded_has_no_mean(self, study):
        hand_in(sit(study, "w1"), careful=False)
        found = {(row["mean"], row["n"]) for row in exports.scores(study=study)}
        assert found == {(None, 0)}

    @pytest.mark.parametrize("size", [1, 3, 4])
    def test_in_parts_it_has_the_same_rows(self, study, monkeypatch, size):
        give_means(study, "coherence", [4.5, 2.0])
        hand_in(sit(study, "w1"))
        text = study.generations.last()
        study.generations.filter(pk=text.pk).update(excluded_at=NOON)
        whole = list(exports.scores(study=study))
        assert len({row["text"] for row in whole}) > 3
        monkeypatch.setattr(exports, "TEXTS_AT_ONCE", size)
        assert list(exports.scores(study=study)) == whole

    def test_an_imported_mean_is_a_score(self, study):
        give_means(study, "coherence", [4.5])
        rows = [row for row in exports.scores(study=study) if row["mean"] is not None]
        assert [(row["text"], row["mean"]) for row in rows] == [("0-a-1", 4.5)]


class TestCsv:
    @pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
    def test_a_cell_that_would_be_a_formula_gets_an_apostrophe(self, start):
        (row,) = read_csv([{"text": f"{start}1+1"}])
        assert row["text"].startswith("'")

    def test_a_negative_number_stays_a_number(self):
        assert read_csv([{"mean": -1.5}]) == [{"mean": "-1.5"}]

    def test_a_number_that_does_not_exist_is_an_empty_cell(self):
        assert read_csv([{"mean": None, "n": 0}]) == [{"mean": "", "n": "0"}]

    def test_line_ends_and_quotes_survive(self):
        text = 'She said "no,\nnever".'
        assert read_csv([{"text": text}]) == [{"text": text}]


def test_jsonl_leaves_every_text_as_it_is():
    rows = [{"text": "=1+1 – ß\n"}]
    assert [json.loads(line) for line in exports.as_jsonl(rows)] == rows
