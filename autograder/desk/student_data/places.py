"""The kinds of locations of student data in a course, a row for each.

A file belongs to the first row with a matching path. Files that can be made again are deleted
first, then the rest in the order of the rows. The records and `groups.csv` are last, because they
have the student's names and groups: so an interrupted deletion can be repeated.
"""

from functools import cache
from typing import NamedTuple

from autograder.classroom.records.database import RECORDS as RECORDS_FILE
from autograder.desk.student_data.parts import (
    Split,
    imported,
    lines,
    made,
    nothing,
    reported,
    rows,
    whole,
)
from autograder.engine import Pattern, texts, verdicts

WILD = {r"\*\*": ".+", r"\*": "[^/]*", r"\%": "[^/.]*", r"\?": "[^/]"}  # escaped by `escape`
ITSELF, VIEW = "as it is", "as the student sees it"
IN_RECORDS, IN_GRADEBOOK, VERDICTS = "records", "gradebook", "verdicts"
TABLES, OF_CLASS = "tables of staff", "made of the whole class"
TREES = "submitted", "autograded", "feedback"  # have a folder for each student


class Place(NamedTuple):
    """A kind of location. In `paths`, ** is any path, * a part of a name, % a part without dots,
    {student} the id of a student or a group.
    """

    name: str
    paths: tuple[str, ...]
    split: Split
    again: str = ""  # the command that makes such a file again
    handed_out: str = ""  # in a student's export: ITSELF, VIEW, or "" for not at all

    @property
    def fate(self) -> str:
        """The effect of a deletion on such files, in words."""
        rows_only = self.split in (rows, lines, nothing)
        fate = "only the student's rows are to be deleted" if rows_only else "to be deleted"
        return f"{fate}; made again by: {self.again}" if self.again else fate


GRADEBOOK = Place(IN_GRADEBOOK, ("gradebook.db",), nothing, "", "as marks and comments")
RECORDS = Place(IN_RECORDS, (RECORDS_FILE,), nothing, "", ITSELF)
GROUPS = Place(TABLES, ("groups.csv",), rows, "", ITSELF)
LAST = RECORDS, GROUPS
PLACES = [
    Place("submissions", ("submitted/{student}/**",), whole, "", ITSELF),
    Place("graded copies", ("autograded/{student}/**",), whole, "enter"),
    Place("feedback pages", ("feedback/{student}/**",), whole, "feedback", ITSELF),
    Place(VERDICTS, ("results/*/history/{student}.jsonl",), whole, "", VIEW),
    Place(TABLES, ("results/*/marking/second*.csv",), rows),
    Place(OF_CLASS, ("results/*/marking/**",), made, "marking list"),
    Place(OF_CLASS, ("results/*/export/**",), made, "export"),
    Place(OF_CLASS, ("results/*/.look-alikes.json", "results/**.html"), made, "look-alikes"),
    Place(OF_CLASS, ("results/*/.counted",), lines, "enter"),
    Place(OF_CLASS, ("results/*/.files",), lines, "grade"),
    Place(OF_CLASS, ("results/*/grades.csv",), rows, "grade"),
    Place(TABLES, tuple(
        f"{name}.csv" for name in ("late", "extensions", "counts")
    ), rows, "", ITSELF),
    *LAST,
    Place(TABLES, ("*.csv",), rows),
    Place("logs", ("*.log",), lines),
    Place(OF_CLASS, tuple(
        f"{top}/**/.*.????????" for top in (*TREES, "results")
    ), made, "the command that was killed"),
    Place(TABLES, ("results/*/kept-points.csv", "results/*/.lock"), nothing),
    Place(IN_RECORDS, ("submitted/.received-imported/**",), imported),
    GRADEBOOK,
    Place(IN_GRADEBOOK, ("gradebook.db.*", "backups/**"), nothing),
    Place(VERDICTS, ("results/*/{student}.json",), whole, "", VIEW),
    Place(VERDICTS, (
        "results/*/cells/{student}.%.json", "results/**/{student}.%", "results/**/{student}/**"
    ), whole),
    Place(OF_CLASS, ("*.html", "**/*.html", "**/*.csv"), reported, "report"),
]  # fmt: skip


def place_of(label: str, ids: tuple[str, ...] = ()) -> Place | None:
    """Return the kind of a file with this path, or None. `ids`: the student's ids in the
    file's assignment, () for any student.
    """
    for place in PLACES:
        if any(_pattern(path, ids).fullmatch(label) for path in place.paths):
            return place
    return None


@cache
def _pattern(path: str, ids: tuple[str, ...]) -> Pattern:
    text = texts.escape(path.format(student="\0"))
    for sign, meaning in WILD.items():
        text = text.replace(sign, meaning)
    id_pattern = "|".join(map(texts.escape, ids)) or str(verdicts.STUDENT.pattern)
    return Pattern(text.replace(texts.escape("\0"), f"(?:{id_pattern})"))
