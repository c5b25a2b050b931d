"""Points that stay when a student goes: a row under a pseudonym, for the statistics of a course.

results/<assignment>/kept-points.csv    pseudonym,state,points,max_points,by_hand,penalty
"""

from pathlib import Path

from autograder.engine.verdict.verdict import read_verdict
from autograder.files.csv_text import NoTable, csv_text, read_table
from autograder.files.digest import digest_of
from autograder.files.writing import replacing
from autograder.gradebook.tables import read_marks

NAME = "kept-points.csv"
HEADER = ["pseudonym", "state", "points", "max_points", "by_hand", "penalty"]


def keep_points(results: Path, assignment_id: str, student: str, gradebook: str | None) -> None:
    """Write the points of a student's verdict into the table of an assignment, unless they are
    there.

    The pseudonym is a hash of the verdict, which is to be deleted: nobody can derive it from an id.
    Raises `CommandError` if the table or the gradebook cannot be read, `OSError`.
    """
    verdict, path = (
        read_verdict(results / assignment_id / f"{student}.json"),
        results / assignment_id / NAME,
    )
    if verdict is None:
        return
    mark = read_marks(gradebook, assignment_id, student).get(student) if gradebook else None
    by_hand, penalty = (mark.by_hand, mark.penalty) if mark else ("", "")
    pseudonym = digest_of(verdict.to_json())
    try:
        before = read_table(path, results).rows[1:]
    except NoTable:
        before = []
    row = [pseudonym, verdict.state, verdict.points, verdict.max_points, by_hand, penalty]
    if pseudonym not in [one[0] for one in before]:
        with replacing(path) as file:
            file.write(csv_text([HEADER, *sorted([*before, row], key=lambda one: str(one[0]))]))
