from __future__ import annotations

import pytest

from annotation.markdown import html


def test_it_renders_what_instructions_need():
    page = html("# Read first\n\n1. One\n2. **Two**\n\nA line\nand another")
    assert "<h3>Read first</h3>" in page  # below the page's own h1 and h2
    assert "<li><strong>Two</strong></li>" in page
    assert "A line<br />" in page


def test_the_deepest_heading_stays_one():
    assert html("###### Deep") == "<h6>Deep</h6>\n"


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<div>\n<img src=x onerror=alert(1)>\n</div>",
        "`<b onclick=alert(1)>`",
        "```\n<script>\n```",
        "[words](https://example.org 'a\" onclick=\"alert(1)')",
    ],
)
def test_tags_are_shown_and_never_run(text):
    page = html(text)
    assert not any(tag in page for tag in ("<script", "<img", "<div", "<b ", '" on'))


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "&#106;avascript:alert(1)",
        "data:text/html,words",
        "vbscript:x",
        "//example.org",
        "/admin/",
        "file:///etc/passwd",
    ],
)
def test_a_link_that_leads_elsewhere_than_the_web_or_mail_is_words(address):
    assert "<a" not in html(f"[here]({address})")
    assert "<a" not in html(f"[here]\n\n[here]: {address}")


def test_links_open_beside_the_page_and_say_nothing_of_where_they_stood():
    page = html("[more](https://example.org/?a=1&b=2) <mailto:lab@example.org>")
    assert 'href="https://example.org/?a=1&amp;b=2"' in page
    assert 'href="mailto:lab@example.org"' in page
    assert page.count('rel="nofollow noopener noreferrer" target="_blank"') == 2


def test_an_image_is_never_fetched():
    assert "<img" not in html("![words](https://example.org/pixel.png)")
