"""formgrader with a pair, in a real browser: its buttons grade, mark and make feedback for it."""

import re
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import expect
from servers import BROWSER_IS_THERE, wait_for_formgrader
from submissions import marked_by_hand
from typed_commands import typed

from autograder import Assignment
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.engine.courses import CHECK, make_course
from tests.gradebook.test_formgrader import dismissed, row

pytestmark = [pytest.mark.browser, pytest.mark.walls, pytest.mark.database, BROWSER_IS_THERE]


@pytest.fixture(scope="module")
def folder(small, tmp_path_factory) -> Path:
    """A course in which ada and ben have submitted together, and cleo alone."""
    folder = tmp_path_factory.mktemp("course")
    make_course(folder, small.course, f"\nc.Exchange.root = {str(folder / 'exchange')!r}\n")
    (folder / "groups.csv").write_text("student,group\nada,Pair 1\nben,Pair 1\n")
    for owner in ("pair-1", "cleo"):
        answered = solutions(small) | {marked_by_hand(small): f"The root, says {owner}."}
        place = folder / "submitted" / owner / small.id
        write_submission(small, place, SampleSubmission(answered, ""))
    return folder


def entered(folder: Path, assignment: Assignment) -> dict[str, tuple[float, bool]]:
    """The points of each student and group, and whether an answer waits."""
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        found = gradebook.assignment_submissions(assignment.id)
        return {one.student.id: (one.score, one.needs_manual_grade) for one in found}


def test_the_pair_is_graded_marked_and_gets_feedback_by_buttons(
    page, server, folder, small, picture, monkeypatch
):
    page.goto(f"{server.address}/formgrader/manage_submissions/{small.id}")
    row(page, "pair-1").locator(".autograde a").click()
    assert "Successfully autograded" in dismissed(page)
    expect(row(page, "Pair 1, (group)")).to_contain_text("needs manual grading")
    assert entered(folder, small) == dict.fromkeys(["ada", "ben", "pair-1"], (7.0, True))
    picture("groups-1-graded")

    row(page, "pair-1").get_by_role("link", name="Pair 1, (group)").click()
    page.locator("#main-table a", has_text=small.id).click()
    wait_for_formgrader(page)
    written = page.locator(".nbgrader_cell", has=page.locator(f"#{marked_by_hand(small)}"))
    expect(page.locator(f"#{CHECK}softmax")).to_have_attribute("placeholder", "2")  # it is loaded
    expect(written.locator(".score")).to_have_class(re.compile("needs_manual_grade"))
    with page.expect_response(lambda answer: "/api/grade/" in answer.url and answer.ok):
        written.locator(".score").fill("1.5")
        written.locator(".score").blur()
    picture("groups-2-marked")

    page.goto(f"{server.address}/formgrader/manage_submissions/{small.id}")
    row(page, "pair-1").locator(".autograde a").click()
    dismissed(page)
    assert entered(folder, small) == dict.fromkeys(["ada", "ben", "pair-1"], (8.5, False))
    row(page, "Pair 1, (group)").locator(".generate-feedback a").click()
    assert "Successfully generated feedback" in dismissed(page)
    assert "8.5" in (folder / "feedback" / "pair-1" / small.id / f"{small.id}.html").read_text()
    monkeypatch.chdir(folder)
    assert typed("feedback", "--jobs", "1")[0] == 0
    assert {one.name for one in (folder / "feedback").iterdir()} == {"ada", "ben", "pair-1"}
