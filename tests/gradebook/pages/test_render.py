"""A text that cannot be laid out in time is shown as it was written, and the next one is laid out."""

import os
import re
from itertools import count

import pytest
from graded_notebooks import drawn
from markupsafe import escape

from autograder.gradebook.pages import render as module
from autograder.gradebook.pages.pictures import Pictures
from autograder.gradebook.pages.render import AS_WRITTEN, Budget, in_one_process, render

pytestmark = pytest.mark.slow

REPEATED = "".join(f"<b title={i}>" for i in range(3_000)) + "<p>x" * 9_000


def endless(text, pictures):
    for _ in count():
        pass


@pytest.mark.slow
def test_a_text_that_takes_too_long_is_shown_as_it_was_written_and_no_other(monkeypatch):
    module.import_all()
    monkeypatch.setattr(module, "TEXT_SECONDS", 1.0)
    monkeypatch.setitem(module.KINDS, "code", endless)
    budget = Budget()

    def page():
        kinds = "markdown", "code", "markdown"
        return [render(kind, "<b>x</b>", budget) for kind in kinds]

    first, slow, last = in_one_process(page)
    assert AS_WRITTEN in slow and "<b>x</b>" in first and first == last


def test_a_page_is_made_in_one_other_process(monkeypatch):
    module.import_all()
    monkeypatch.setitem(module.KINDS, "code", lambda text, pictures: str(os.getpid()))
    first, second = in_one_process(lambda: [render("code", "x", Budget()) for _ in range(2)])
    assert first == second != str(os.getpid()) != render("code", "x", Budget())


def test_a_page_has_a_clock_and_a_size_of_its_own():
    for spent in (Budget(seconds=0), Budget(elements=1)):
        assert AS_WRITTEN in render("markdown", "**x**", spent)
    budget = Budget()
    render("markdown", "**x**\n\n" * 2_000, budget)
    assert budget.elements < module.MAX_PAGE and budget.seconds < module.PAGE_SECONDS


def test_the_pictures_of_a_page_have_a_bound_of_all_its_texts():
    budget = Budget(pictures := Pictures(pixels_left=25_000))
    shown = [render("picture", drawn(100, 100), budget) for _ in range(3)]
    assert ["<img" in one for one in shown] == [True, True, False]
    assert pictures.pixels_left == 25_000  # for another page


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("markdown", "x" * 200_000),
        ("markdown", "\n\n".join("<b>x</b>" for _ in range(20_000))),
        ("markdown", REPEATED),
        ("markdown", "<div>" * 2_000),
        ("markdown", ("$" + "x" * 1_990 + "$\n") * 45),
        ("code", "x = 1\n" * 60_000),
        ("terminal", "\x1b[31mx" * 15_000 + "\x1b[0m" * 40_000),
        ("markdown", "x $a_1$ " * 9_000),
    ],
)
def test_what_is_too_large_is_shown_as_it_was_written_up_to_a_bound(kind, text):
    shown = render(kind, text, Budget())
    assert AS_WRITTEN in shown
    assert len(shown) < 10 * module.MAX_PLAIN
    assert str(escape(text[:100])) in shown


def test_what_would_become_a_gigabyte_is_refused_before_it_does():
    budget = Budget()
    render("markdown", REPEATED, budget)
    assert budget.seconds > module.PAGE_SECONDS - 1


def test_half_a_character_does_not_end_a_page():
    render("markdown", "a \ud800 b", Budget()).encode()


def test_a_progress_bar_shows_where_it_ended():
    assert re.findall(r"\w+ ?\d?", render("terminal", "epoch 1\repoch 2\r\ndone", Budget()))[
        1:3
    ] == [
        "epoch 2",
        "done",
    ]


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"\frac{1}{d_k}", "<mfrac>"),
        (r"\begin{aligned}a&=b\\c&=d\end{aligned}", "<mtable"),
        (r"\begin{gather}a\\b\end{gather}", "<mtable"),
        (r"x \label{one} \nonumber", "<mi>x</mi></mrow></math>"),
        (r"\text{<img src=x>}", "&lt;img"),
        (r"\color{red}{x}", 'mathcolor="red"'),
        (r"\sum_{i=1}^{n} x", "<munderover><mo>∑</mo>"),
        (r"\operatorname*{arg\,max}_x", '<mi mathvariant="normal">a</mi>'),
        (r"\xrightarrow{\text{linear}}", "<mpadded><mrow><mtext>linear</mtext>"),
        (r"\max(x)", '<mo lspace="0.167em" rspace="0.167em">max</mo>'),
        ("a < b", "<mo>&lt;</mo>"),
    ],
)
def test_a_formula_is_mathml(latex, words):
    made = render("markdown", f"$${latex}$$", Budget())
    assert '<math display="block">' in made and words in made


@pytest.mark.parametrize(
    ("latex", "gone"),
    [
        (r"\href{javascript:x}{y}", "javascript"),
        (r"\style{position:fixed}{y}", "position"),
        (r"\class{modal}{y}", "modal"),
        (r"\color{red\"onclick=x}{y}", "onclick"),
        (r"\hspace{-9999px}", "9999"),
        (r"\hspace{99em}", "99em"),
    ],
)
def test_a_formula_keeps_no_attribute_that_acts_or_leaves_its_place(latex, gone):
    made = render("markdown", f"${latex}$", Budget())
    assert "<math" in made and gone not in made


@pytest.mark.parametrize(
    "latex",
    [
        "{" * 3_000,
        r"\frac",
        r"\def\a{b}\a",
        r"\newcommand{\a}{b}\a",
        r"\sqrt[{" * 40 + "x" + "}]{x}" * 40,
    ],
)
def test_a_formula_that_is_none_is_shown_as_it_was_written(latex):
    made = render("markdown", f"**Bold** ${latex}$", Budget())
    assert made == f"<p><strong>Bold</strong> <code>${escape(latex)}$</code></p>\n"
