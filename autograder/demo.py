"""`make demo`: an invented class of 12, from nothing to grades and feedback, in demo/."""

import shutil
import sys

from nbgrader.converters import GenerateFeedback

from autograder.__main__ import main as autograder
from autograder.assignment import ROOT, find_assignment
from autograder.gradebook import Course
from autograder.publish import main as publish
from autograder.status import OK

DEMO = ROOT / "demo"
ASSIGNMENT = "encoder-layer"
CONFIG = """# This demo is a course of its own, graded as its parent says.
load_subconfig("nbgrader_config.py", path={root!r})
c = get_config()
c.CourseDirectory.root = {demo!r}
c.CourseDirectory.source_directory = {source!r}
"""
STEPS = """
Where to look:
  demo/submitted/sample-class.csv        what each invented student handed in
  demo/results/{assignment}/            verdicts as JSON, and grades.csv
  demo/feedback/{student}/{assignment}/{assignment}.html
                                         a page that a student gets back
  cd demo && PATH=../.venv/bin:$PATH jupyter lab
                                         the same class in nbgrader's formgrader (menu: Nbgrader)
"""


def main() -> int:
    """Return the status of the first step that failed, or 0."""
    print(f"1. The release of {ASSIGNMENT}, made by nbgrader")
    if status := publish(["release", ASSIGNMENT]):
        return status
    print("\n2. An invented class")
    shutil.rmtree(DEMO, ignore_errors=True)
    course = ["--assignment", ASSIGNMENT]
    if status := autograder(["sample-class", str(DEMO / "submitted"), *course, "--students", "12"]):
        return status
    paths = {"root": str(ROOT), "demo": str(DEMO), "source": str(ROOT / "source")}
    (DEMO / "nbgrader_config.py").write_text(CONFIG.format(**paths))
    print("\n3. Verdicts and gradebook")
    folders = ["--results", str(DEMO / "results"), "--course", str(DEMO)]
    if status := autograder(["grade", str(DEMO / "submitted"), *course, *folders]):
        return status
    print("\n4. Feedback, made by nbgrader")
    Course(DEMO).convert(GenerateFeedback, find_assignment(ASSIGNMENT))
    student = sorted(page.name for page in (DEMO / "feedback").iterdir())[1]
    print(STEPS.format(assignment=ASSIGNMENT, student=student))
    return OK


if __name__ == "__main__":
    sys.exit(main())
