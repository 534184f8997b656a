"""What a judge answered about a text, as its page says it."""

from __future__ import annotations

import json

from scoring.metrics.judge.questions import parse_questions
from scoring.results import judged


def test_half_characters_of_a_kept_answer_are_on_no_page():
    content = '{"reason": "Short \\ud800 and dry.", "score": 4}'
    choice = {"message": {"content": content}, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice]})
    (question,) = parse_questions("quality: Good?")
    heard = judged._heard(body, question, "form")
    assert (heard.number, heard.said) == (4, "Short  and dry.")
    body = body.replace("message", "other")
    assert judged._heard("\ud800" + body, question, "form").content == body
