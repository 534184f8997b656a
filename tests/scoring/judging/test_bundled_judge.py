"""The stress lab on a small model of EvalApp itself, behind a server of the tests."""

from __future__ import annotations

import json

import pytest

from scoring.endpoints import requests
from scoring.judging import stress_test, text_sample, trials
from scoring.judging.ledger import Limit
from scoring.judging.trial_judge import with_defaults
from scoring.metrics import models
from tests.scoring.endpoints import torch_server
from tests.scoring.judging.asked import served, work
from tests.support.messages import catch

# Such a model goes on as the text before did: with numbers.
PROMPT = "{text} {question} #3 and #1 and #4 and #2 and #5 and #4 and #1 and #5 and #"


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_judge_that_always_answers_the_same_flips_no_verdict(
    make_study, monkeypatch, tmp_path
):
    catch(monkeypatch, "try_judge", lambda pk: None)
    monkeypatch.setattr(requests, "MOST_LIKELIEST", 400)
    study = make_study(prompts=3)
    [question, *_] = text_sample.questions(study)
    asked = {"aspects": json.dumps([question]), "prompt": PROMPT, "mode": "logprobs"}
    answering = torch_server.answering(models.find("bundled:causal-small"))
    with served(monkeypatch, tmp_path, answering, calls_at_once=1):
        trial = trials.start(
            study=study,
            kind="stress",
            options=with_defaults(model="endpoint:lab/tiny", **asked),
            setup={
                "question": question["key"],
                "texts": 10,
                "experiments": [stress_test.WORDS, stress_test.LONGER],
            },
            limit=Limit(100),
        )
        work(trial)
    assert (trial.state, trial.result["missing"]) == ("done", 0)
    found = {one["key"]: one for one in trial.result["effects"]}
    assert found["repeat_flips"]["value"] == found["repeat_change"]["value"] == 0
    assert found["longer_shift"]["value"] != 0
    # A prompt of one's own has no other words that EvalApp knows.
    assert len(trial.result["left_out"]) == 1
