"""`make demo`: an invented class of 12, from a platform's download to the file that goes back."""

import shutil
import sys
from itertools import count

from nbgrader.converters import GenerateFeedback

from autograder.__main__ import main as autograder
from autograder.engine.assignment import ROOT, find_assignment
from autograder.gradebook.nbgrader_course import Course
from autograder.engine.course import make_course
from autograder.authoring.publish import main as publish
from autograder.cli.exit_status import OK

DEMO = ROOT / "demo"
ASSIGNMENT = "encoder-layer"
STEPS = """
Where to look:
  demo/moodle-class.csv                  what each invented student handed in
  demo/results/{assignment}/            verdicts as JSON, grades.csv, and what goes back to Moodle
  demo/feedback/{student}/{assignment}/{assignment}.html
                                         a page that a student gets back
  cd demo && PATH=../.venv/bin:$PATH jupyter lab
                                         the same class in nbgrader's formgrader (menu: Nbgrader)
"""


def main() -> int:
    """Return the status of the first step that failed, or 0."""
    step = count(1)
    print(f"{next(step)}. The release of {ASSIGNMENT}, made by nbgrader")
    if status := publish(["release", ASSIGNMENT]):
        return status
    shutil.rmtree(DEMO, ignore_errors=True)
    make_course(DEMO)
    download, submitted, results = (
        str(DEMO / name) for name in ("moodle.zip", "submitted", "results")
    )
    which, course = ["--assignment", ASSIGNMENT], ["--course", str(DEMO)]
    sheet = str(DEMO / "moodle-grading-worksheet.csv")
    for title, words in (
        (
            "An invented class, as Moodle hands it out",
            ["sample-class", download, *which, "--as", "moodle", "--students", "12"],
        ),
        ("Submissions", ["collect", download, *which, "--into", submitted]),
        ("Verdicts and gradebook", ["grade", submitted, *which, "--results", results, *course]),
    ):
        print(f"\n{next(step)}. {title}")
        if status := autograder(words):
            return status
    print(f"\n{next(step)}. Feedback, made by nbgrader")
    Course(DEMO).convert(GenerateFeedback, find_assignment(ASSIGNMENT))
    student = sorted(page.name for page in (DEMO / "feedback").iterdir())[1]
    print(f"\n{next(step)}. What goes back to Moodle")
    export = ["export", results, "--format", "moodle", "--submitted", submitted, "--sheet", sheet]
    if status := autograder([*export, *course]):
        return status
    print(STEPS.format(assignment=ASSIGNMENT, student=student))
    return OK


if __name__ == "__main__":
    sys.exit(main())
