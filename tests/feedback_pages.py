"""Pages of feedback on the small assignment, made without a gradebook."""

from dataclasses import replace

from nbformat import NotebookNode
from traitlets.config import Config

from autograder import Assignment, CheckResult, ExerciseResult, NamedMistake, Verdict
from autograder.engine.notebooks import read_notebook
from autograder.engine.notebooks.submission import repair
from autograder.engine.verdicts import Stamp
from autograder.gradebook.pages.details import DETAILS, Details
from autograder.gradebook.pages.exporters import PageExporter
from autograder.gradebook.sync.notebooks import graded_notebook
from autograder.gradebook.sync.settings import configure_pages

STAMP = Stamp(grader="g", submission="a", torch="2", python="3", seed=1, sandbox="namespaces")
NO_EPS = NamedMistake("no_eps", "`eps` is <added> behind the root.")
OLD = NamedMistake("wrong_axis", "The softmax ran over the other axis.")
QUESTION = "This part still raises `NotImplementedError`."
NOTE = "`rms_norm` reaches beyond its exercise."
REPAIR = "The cell `softmax` had lost its id."
WAITING = Details(
    handed_in="2026-11-12 09:30 UTC",
    late="Two days at 10 % of 9 points.",
    waiting=["explain"],
    automatic={"check_rms_norm": 2.5, "check_softmax": 2.0, "check_prediction": 0.0},
)

# for a browser
OPEN = "document.querySelectorAll('details').forEach(one => one.open = true)"
CUT_OFF = """() => [...document.querySelectorAll("body *")]
  .filter(one => !one.closest(".written.markdown, math, details:not([open])"))  // may be scrolled
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.outerHTML.slice(0, 200))"""


def result(id: str, points: float, most: float, state="answered", **more) -> ExerciseResult:
    """One exercise with a check that passed and one that did not."""
    question = QUESTION if state == "not_attempted" else "Where does it belong?"
    checks = [CheckResult("test_right", points, points, True, None)] if points else []
    if points < most:
        checks.append(CheckResult("test_wrong", 0.0, most - points, False, question))
    return ExerciseResult(id, state, points, most, checks, **{"mistakes": [], **more})


def verdict(*results: ExerciseResult, **more) -> Verdict:
    """One mistake, one that is gone, and an exercise that is as released."""
    results = results or (
        result("rms_norm", 2.5, 4.0, mistakes=[NO_EPS]),
        result("softmax", 2.0, 2.0, gone=[OLD]),
        result("prediction", 0.0, 1.0, "not_attempted"),
    )
    total = sum(one.points for one in results)
    said = {"repairs": [REPAIR], "notes": [NOTE], **more}
    return Verdict(
        "ada", "small-sheet", "graded", total, 7.0, list(results), seconds=0.1, stamp=STAMP, **said
    )


def notebook(assignment: Assignment, made: Verdict, **written: str) -> NotebookNode:
    """The graded notebook in which the student wrote this, by cell, with the scores of `GetGrades`."""
    cells = [
        replace(cell, source=written.get(cell.id, cell.source))
        for cell in read_notebook(assignment.release)
    ]
    graded = graded_notebook(assignment, repair(assignment, cells), made, {})
    scores = {f"check_{one.id}": one.points for one in made.exercises}
    for cell in graded.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader["score"] = scores.get(cell.id, 0.0)
    return graded


def feedback_page(
    assignment: Assignment, graded: NotebookNode, details=WAITING, penalty=1.8
) -> str:
    """The page that the exporter makes of it."""
    score = sum(
        cell.metadata.get("nbgrader", {}).get("score", 0.0)
        for cell in graded.cells
        if cell.metadata.get("nbgrader", {}).get("grade")
    )
    said = {
        "notebook": assignment.id,
        "assignment": assignment.id,
        "student": "ada",
        "score": score - penalty,
        "max_score": 9.0,
        "late_penalty": penalty,
        DETAILS: details,
    }
    return _page("feedback", assignment, graded, nbgrader=said)


def formgrader_page(assignment: Assignment, graded: NotebookNode) -> str:
    """The page that formgrader serves of it, without earlier answers."""
    said = {"submission_id": "x", "base_url": "", "index": 0, "total": 1}
    return _page("formgrade", assignment, graded, assignment_id=assignment.id, **said)


def _page(template: str, assignment: Assignment, graded: NotebookNode, **resources) -> str:
    config = Config()
    configure_pages(config)
    exporter = PageExporter(config=config, template_name=template)
    exporter.register_filter("earlier_answers", lambda id: {})
    place = assignment.course.root / "autograded" / "ada" / assignment.id
    resources["metadata"] = {"path": str(place)}
    return exporter.from_notebook_node(graded, resources=resources)[0]
