"""A page of feedback begins with what there is to know, and leads to where it is."""

import re
from pathlib import Path

import pytest
from feedback_pages import NOTE, QUESTION, WAITING, feedback_page, notebook, result, verdict
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder import NamedMistake, assignments, find_assignment, find_course
from autograder.engine import verdicts
from autograder.gradebook.pages import details
from autograder.gradebook.pages.details import Details
from autograder.gradebook.sync.notebooks import VERDICT, verdict_in

pytestmark = pytest.mark.slow

COURSE = find_course(Path(__file__).parents[3])
TAGS = re.compile(r"<[^>]+>")
ROW = re.compile(r'<tr class="(\w+)">(.*?)</tr>', re.DOTALL)


def rows(html: str) -> list[tuple[str, str]]:
    """The kinds and the words of the summary's lines."""
    table = html.partition('<table class="overview">')[2].partition("</table>")[0]
    return [(kind, " ".join(TAGS.sub(" ", row).split())) for kind, row in ROW.findall(table)]


@pytest.fixture(scope="module")
def made(small):
    return feedback_page(small, notebook(small, verdict()))


def test_each_exercise_has_a_line_with_its_name_its_points_and_its_mistake(made):
    rms_norm, softmax, prediction, explain, late, total = rows(made)
    assert rms_norm[0] == "part" and rms_norm[1].startswith("± 1. RMSNorm")
    assert "eps is &lt;added&gt; behind the root." in rms_norm[1] and "2.5 / 4" in rms_norm[1]
    assert softmax[0] == "full" and "The softmax ran over the other axis." in softmax[1]
    assert "Fixed since an earlier submission:" in softmax[1]
    assert prediction[0] == "none" and "not attempted" in prediction[1]
    assert explain[0] == "open" and "still to be marked" in explain[1] and "– / 2" in explain[1]
    assert late[1].endswith("−1.8") and total[1] == "Total 2.7 / 9"


def test_every_line_leads_to_the_exercise(made):
    links = set(re.findall(r'href="#(cell-\w+)"', made.partition("<main>")[0]))
    assert len(links) == 4
    assert all(made.count(f'id="{link}"') == 1 for link in links)


def test_what_happened_to_the_whole_is_said_on_top(made):
    top = made.partition('<table class="overview">')[0]
    assert "handed in on 2026-11-12 09:30 UTC" in top
    assert "1 answer still has to be marked by a person, for up to 2 points." in top
    assert "Late, 1.8 points less.</b> Two days at 10 % of 9 points." in top
    assert "The cell <code>softmax</code> had lost its id." in top


def test_of_what_is_marked_again_the_points_that_are_given_are_not_open(small):
    graded = notebook(small, verdict())
    (cell,) = (cell for cell in graded.cells if cell.id == "explain")
    cell.metadata.nbgrader.score = 0.5
    assert "to be marked by a person, for up to 1.5 points." in feedback_page(small, graded)


def test_a_penalty_is_one_number_and_takes_no_more_than_there_is(small):
    graded = notebook(small, verdict())
    late, total = rows(feedback_page(small, graded, penalty=9.0))[-2:]
    assert late[1].endswith("−9") and total[1] == "Total, never below 0 0 / 9"


def test_a_heading_above_two_exercises_names_neither(small):
    graded = notebook(small, verdict())
    goal = next(cell for cell in graded.cells if cell.id == "prediction_goal")
    graded.cells.remove(goal)
    (cell,) = (cell for cell in graded.cells if cell.id == "explain")
    cell.id = goal.id  # it stands below the heading of another exercise
    names = [words for _, words in rows(feedback_page(small, graded))]
    assert names[0].startswith("± 1. RMSNorm")
    assert names[2].startswith("✗ Prediction") and names[3].startswith("? Explain")


def test_nothing_is_said_of_what_did_not_happen(small):
    clean = feedback_page(small, notebook(small, verdict(repairs=[])), Details(), penalty=0.0)
    for words in ("Late", "to be marked", "Repaired", "handed in on"):
        assert words not in clean.partition("</header>")[0]


def test_a_person_who_gave_something_else_than_the_checks_is_named(small):
    graded = notebook(small, verdict())
    (cell,) = (cell for cell in graded.cells if cell.id == "check_rms_norm")
    cell.metadata.nbgrader.score = 4.0
    made = feedback_page(small, graded)
    assert "The checks gave 2.5; a person made it 4." in made
    assert made.count("a person made it") == 1
    assert rows(made)[0][0] == "full"


def test_answered_exercises_come_first_then_what_has_no_answer_then_the_rest(made):
    answered, _, after = made.partition("<main>")[2].partition("<h2>Without an answer</h2>")
    folded, _, rest = after.partition('<details class="rest">')
    assert re.findall(r'id="cell-(\w+)"', answered) == ["rms_norm", "softmax", "explain"]
    assert re.findall(r'<details class="exercise none" id="cell-(\w+)"', folded) == ["prediction"]
    words = QUESTION.replace("`NotImplementedError`", "<code>NotImplementedError</code>")
    assert folded.count(words) == 1 and "Your answer" not in folded
    words = [TAGS.sub("", part) for part in (answered + folded, rest)]
    assert "<details" not in answered and ["import torch" in part for part in words] == [
        False,
        True,
    ]
    assert rest.rpartition("</details>")[2].split()[0] == "</main>"


def test_what_a_check_found_stands_once_with_its_answer(made):
    assert made.count('<table class="checks">') == 3
    assert 'class="checks"' not in made.partition('<details class="rest">')[2]


def test_of_what_has_no_answer_a_person_may_have_said_something(small):
    graded = notebook(small, verdict())
    (cell,) = (cell for cell in graded.cells if cell.id == "prediction")
    cell.metadata.nbgrader.comment = "You told me in the tutorial."
    made = feedback_page(small, graded)
    assert "Without an answer" not in made
    assert "You told me" in made.partition("<details")[0]


def test_nothing_for_staff_travels_to_the_page(small, made):
    assert verdict_in(notebook(small, verdict())).notes == [NOTE]  # for formgrader
    assert "reaches beyond" not in made


def test_no_check_cell_shows_what_is_for_staff(small):
    outputs = [cell.get("outputs", []) for cell in notebook(small, verdict()).cells]
    assert "eps" in str(outputs) and "reaches beyond" not in str(outputs)


@pytest.mark.parametrize("room", ["blocks", "gradebook"])
def test_a_page_is_made_anew_where_the_code_that_makes_it_is_another(monkeypatch, room):
    before, hashes = details._code.__wrapped__(), verdicts.file_hashes
    monkeypatch.setattr(
        verdicts, "file_hashes", lambda folder: [] if folder.name == room else hashes(folder)
    )
    assert details._code.__wrapped__() != before


def test_a_notebook_that_holds_no_verdict_has_a_page_too(small):
    graded = notebook(small, verdict())
    for damaged in ({}, {"schema": 1}, "no verdict"):
        graded.metadata[VERDICT] = damaged
        made = feedback_page(small, graded)
        assert "2.5 / 4" in made and "eps" in made


def test_sentences_and_details_are_escaped(small):
    bad = "<script>canary()</script>"
    graded = notebook(
        small,
        verdict(
            result("rms_norm", 1.0, 4.0, mistakes=[NamedMistake("x", bad)]),
            result("softmax", 2.0, 2.0, gone=[NamedMistake("x", bad)]),
            repairs=[bad],
        ),
    )
    html = feedback_page(small, graded, Details(late=bad, waiting=WAITING.waiting))
    assert "<script" not in html and html.count("&lt;script&gt;canary") >= 4


def test_the_rest_says_how_many_cells_are_the_students_own(small, made):
    assert "that you added" not in made
    graded = notebook(small, verdict())
    graded.cells += [new_markdown_cell("Mine."), new_code_cell("mine = 2")]
    rest = feedback_page(small, graded).partition('<details class="rest">')[2]
    assert "and 2 cells that you added</summary>" in rest
    assert rest.count("A cell that you added:") == 2 and "Mine." in rest


def test_nothing_of_a_notebooks_machinery_is_shown(made):
    for words in ("Out[", "In [", "Test cell", "check_rms_norm"):
        assert words not in TAGS.sub("", made)


@pytest.mark.parametrize("id", assignments(COURSE))
def test_every_formula_of_a_practical_is_shown_without_a_script(id):
    one = find_assignment(id, COURSE)
    verdict_on = verdict(*(result(e.id, e.points, e.points) for e in one.exercises))
    html = feedback_page(one, notebook(one, verdict_on), Details(), penalty=0.0)
    assert html.count("<math ") > 10
    assert not re.search(r"<code>\$", html) and "MathJax" not in html
    assert not re.findall(r"https?://(?!www\.w3\.org)[^\"]+\.(?:js|css|woff2?)\b", html)
    words = TAGS.sub("", re.sub(r"<(pre|code|style)\b.*?</\1>", "", html, flags=re.DOTALL))
    assert not re.search(r"\$[^$\n]*\\[a-z]+", words)
