"""The pages of those who have no points: harmless, and with something to do."""

import re

import pytest

from autograder.gradebook.pages.no_grade import missing_page, unreadable_page

BAD = "<script>canary()</script>\x1b[31m\u202e"
PAGES = {
    "unreadable": unreadable_page("sheet", BAD, f"`{BAD}` is no notebook."),
    "missing": missing_page("sheet", BAD, "2026-11-10 18:00 UTC"),
}


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_nothing_in_it_acts(html):
    assert not re.search(r"<script|<link|<img|\bon\w+=|\x1b|\u202e", html)
    assert "&lt;script&gt;canary()" in html
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    assert "default-src 'none'" in policy and "script" not in policy and "http" not in policy


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_it_says_what_to_do(html):
    assert html.count("<li>") >= 2


def test_the_reason_stands_on_the_page():
    assert "is no notebook." in PAGES["unreadable"]
    assert "It was due on 2026-11-10 18:00 UTC." in PAGES["missing"]
    assert "due" not in missing_page("sheet", "ada", "").partition("What to do")[0]
