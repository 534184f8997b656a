from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect
from django.test import RequestFactory

from annotation.crowd.sending import by_script

PLAIN = RequestFactory().post("/")
SCRIPT = RequestFactory().post("/", headers={"X-Sent-By-Script": "1"})


@by_script
def goes_on(request):
    answer = redirect("/next/?check#missing")
    answer.set_cookie("who", "ann")
    return answer


def test_a_browser_is_redirected():
    assert goes_on(PLAIN).url == "/next/?check#missing"


def test_a_script_is_told_where_to_go():
    answer = goes_on(SCRIPT)
    assert (answer.status_code, answer["X-Go-To"]) == (204, "/next/?check#missing")
    assert answer.cookies["who"].value == "ann"


def test_a_page_is_left_to_the_browser():
    answer = by_script(lambda request: HttpResponse("Some are missing.", status=400))
    assert "X-Go-To" not in answer(SCRIPT)
