"""Points that stay when a student goes: a row under a pseudonym, for the statistics of a course.

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
    """Write the points of the verdict that counts for a student, who may have handed in with a
    group, into the table in an assignment's folder of results, unless they are there.

    The pseudonym is a hash of a verdict, the group's if there is one, as it is there until the end of
    a deletion, and of how many members the group has left: nobody derives it from an id. `gradebook`:
    its URL, None for none. Raises `AutograderError` if it or the table cannot be read, `OSError`.
    """
    groups, student = subject.groups[folder.name], subject.student
    paths = (folder / f"{id}.json" for id in subject.ids(folder.name))
    had = [*filter(None, map(verdicts.read_verdict, paths))]
    verdict = groups.share(had, as_counted(folder.parent, folder.name))[0].get(student)
    if verdict is None:
        return
    path, known = folder / "kept-points.csv", [HEADER]
    with suppress(files.NoTable):
        known = files.read_table(path, folder).rows
    mark = read_marks(gradebook, folder.name, student).get(student) if gradebook else None
    pseudonym = files.digest_of(had[-1].to_json(), len(groups.members(had[-1].student)))
    points = [verdict.points, verdict.max_points, *((mark.by_hand, mark.penalty) if mark else ())]
    if pseudonym not in [row[0] for row in known]:
        with files.replacing(path) as file:
            file.write(files.csv_text([*known, [pseudonym, verdict.table_state, *points]]))
