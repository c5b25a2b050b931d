"""Points that stay when a student goes: a row under a pseudonym, for the statistics of a course.

results/<assignment>/kept-points.csv    pseudonym,state,points,max_points,by_hand,penalty
"""

from contextlib import suppress
from pathlib import Path

from autograder.engine.verdict.verdict import Verdict
from autograder.files.csv_text import NoTable, csv_text, read_table
from autograder.files.digest import digest_of
from autograder.files.writing import replacing
from autograder.gradebook.tables import read_marks

HEADER = ["pseudonym", "state", "points", "max_points", "by_hand", "penalty"]


def keep_points(folder: Path, verdict: Verdict, gradebook: str | None) -> None:
    """Write the points of a verdict into the table in an assignment's folder of results, unless
    they are there.

    The pseudonym is a hash of the verdict, which is to be deleted: nobody derives it from an id.
    `gradebook`: its URL, None for none. Raises `CommandError` if it or the table cannot be read,
    `OSError`.
    """
    path, known = folder / "kept-points.csv", [HEADER]
    with suppress(NoTable):
        known = read_table(path, folder).rows
    marks = read_marks(gradebook, verdict.assignment, verdict.student) if gradebook else {}
    mark, pseudonym = marks.get(verdict.student), digest_of(verdict.to_json())
    points = [verdict.points, verdict.max_points, *((mark.by_hand, mark.penalty) if mark else ())]
    if pseudonym not in [row[0] for row in known]:
        with replacing(path) as file:
            file.write(csv_text([*known, [pseudonym, verdict.state, *points]]))
