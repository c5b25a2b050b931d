"""Keep the points of a deleted student under a pseudonym, for the statistics of a course.

results/<assignment>/kept-points.csv    pseudonym,state,points,max_points,by_hand,penalty
"""

from contextlib import suppress
from pathlib import Path

from autograder.classroom.groups import as_counted
from autograder.desk.student_data.subject import Subject
from autograder.engine import files, verdicts
from autograder.gradebook.sync.tables import read_marks

HEADER = ["pseudonym", "state", "points", "max_points", "by_hand", "penalty"]


def keep_points(folder: Path, subject: Subject, gradebook: str | None) -> None:
    """Write the points of the student's verdict that counts into the table in an assignment's
    folder of results, unless they are there. The verdict may be a group's.

    The pseudonym is a hash of the verdict as it stays until the end of a deletion, and of the
    number of members left in the group. It cannot be derived from an id. Raises `AutograderError`
    if the gradebook or the table cannot be read, `OSError`.
    """
    groups, student = subject.groups[folder.name], subject.student
    paths = (folder / f"{id}.json" for id in subject.ids(folder.name))
    student_verdicts = [*filter(None, map(verdicts.read_verdict, paths))]
    verdict = groups.share(student_verdicts, as_counted(folder.parent, folder.name))[0].get(student)
    if verdict is None:
        return
    path, table = folder / "kept-points.csv", [HEADER]
    with suppress(files.NoTable):
        table = files.read_table(path, folder).rows
    mark = read_marks(gradebook, folder.name, student).get(student) if gradebook else None
    pseudonym = files.digest_of(
        student_verdicts[-1].to_json(), len(groups.members(student_verdicts[-1].student))
    )
    points = [verdict.points, verdict.max_points, *((mark.by_hand, mark.penalty) if mark else ())]
    if pseudonym not in [row[0] for row in table]:
        with files.replacing(path) as file:
            file.write(files.csv_text([*table, [pseudonym, verdict.table_state, *points]]))
