"""The points of the invented course as one would calculate them on paper, beside the gradebook's.

    python -m tests.semester.paper MATERIAL GRADEBOOK

MATERIAL is the folder of `invented.py`, GRADEBOOK the file gradebook.db of a course. It prints each
difference, also from `results/<assignment>/export/moodle.csv` beside the gradebook, and ends with 1
if there is one. Nothing of the program is asked.
"""

import csv
import json
import math
import sys
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from nbgrader.api import Gradebook, MissingEntry

DAY = timedelta(days=1)
Grades = dict[tuple[str, str], float | None]  # by assignment and student; None: no grade


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return [*csv.DictReader(file)]


def moment(text: str) -> datetime:
    """A time of Berlin's clocks, as one that can be subtracted from another."""
    return (
        datetime.fromisoformat(text)
        .replace(tzinfo=ZoneInfo("Europe/Berlin"))
        .astimezone(ZoneInfo("UTC"))
    )


class Paper:
    """The calculation, from what the course received and the truth beside it."""

    def __init__(self, material: Path):
        self.truth = json.loads(material.with_name(f"{material.name}.truth.json").read_text())
        self.crib = {
            row["wording"]: float(row["points"] or 0) for row in rows(material / "crib.csv")
        }
        taken = {
            (row["student"], row["assignment"], row["exercise"])
            for row in rows(material / "inquiries.csv")
            if moment(self.truth["opens"])
            <= moment(row["received"])
            <= moment(self.truth["closes"])
        }
        self.decided = {
            key: float(row["decision"])
            for row in rows(material / "decisions.csv")
            if (key := (row["student"], row["assignment"], row["exercise"])) in taken
            and row["decision"] != "kept"
        }

    def grades(self) -> Grades:
        """The final points of everybody in each assignment."""
        found: Grades = {}
        for student in self.truth["students"]:
            counting = {sheet: self._counting(sheet, student) for sheet in self.truth["sheets"]}
            left = self.truth["policy"]["late_days"]
            by_time = sorted(counting, key=lambda sheet: (counting[sheet] or {"when": "~"})["when"])
            for sheet in by_time:
                found[sheet, student] = None
                if (one := counting[sheet]) and one["kind"] != "damaged":
                    days = self._days_late(sheet, one)
                    used = min(left, days)
                    left -= used
                    points = self._points(sheet, one) - self._penalty(sheet, days - used)
                    found[sheet, student] = max(0.0, points)
        return found

    def _senders(self, sheet: str, student: str) -> list[list[str]]:
        """The groups of a student, each with its members; alone where there is none."""
        groups = self.truth["members"].get(sheet, {}).values()
        return [group for group in groups if student in group] or [[student]]

    def _counting(self, sheet: str, student: str) -> dict | None:
        """The submission that counts: the newest of the group; of two groups, the better one."""
        newest = []
        for group in self._senders(sheet, student):
            sent = [
                one | {"group": group}
                for one in self.truth["submissions"]
                if one["sheet"] == sheet and self._senders(sheet, one["by"])[0] == group
            ]
            newest += [max(sent, key=lambda one: one["when"])] if sent else []
        return max(newest, key=lambda one: self._checked(sheet, one), default=None)

    def _checked(self, sheet: str, one: dict) -> float:
        return sum(self.truth["sheets"][sheet]["kinds"].get(one["kind"], {}).values())

    def _points(self, sheet: str, one: dict) -> float:
        by_checks = self.truth["sheets"][sheet]["kinds"][one["kind"]]
        by_hand = {exercise: self.crib[wording] for exercise, wording in one["wordings"].items()}
        decided = {
            e: points
            for (who, of, e), points in self.decided.items()
            if of == sheet and who in one["group"]
        }
        return sum((by_checks | by_hand | decided).values())

    def _days_late(self, sheet: str, one: dict) -> int:
        """Days begun after the due date, or the latest extension of a member, and the grace."""
        more = [
            until
            for who, of, until in self.truth["extensions"]
            if of == sheet and who in one["group"]
        ]
        deadline = max(moment(until) for until in [self.truth["sheets"][sheet]["due"], *more])
        late = (
            moment(one["when"])
            - deadline
            - timedelta(minutes=self.truth["policy"]["grace_minutes"])
        )
        return max(0, math.ceil(late / DAY))

    def _penalty(self, sheet: str, days: int) -> float:
        policy, most = self.truth["policy"], sum(self.truth["sheets"][sheet]["points"].values())
        return most * min(policy["percent"] * days, policy["most"]) / 100


def in_gradebook(gradebook: Path, paper: Paper) -> Grades:
    """What nbgrader's gradebook says of everybody in it."""
    found: Grades = {}
    with Gradebook(f"sqlite:///file:{gradebook}?mode=ro&uri=true") as book:
        for sheet in paper.truth["sheets"]:
            for student in {*paper.truth["students"], *(one.id for one in book.students)}:
                try:
                    one = book.find_submission(sheet, student)
                    found[sheet, student] = max(0.0, one.score - one.late_submission_penalty)
                except MissingEntry:
                    found[sheet, student] = None
    return found


def in_sheet(path: Path, sheet: str, roster: list[dict[str, str]]) -> Grades:
    """What a worksheet gives back to Moodle, of whom the roster has."""
    ids = {f"Participant {row['number']}": row["student"] for row in roster}
    grades = {ids.get(row["Identifier"], row["Full name"]): row["Grade"] for row in rows(path)}
    return {(sheet, who): float(grade) if grade else None for who, grade in grades.items()}


def differences(material: Path, gradebook: Path) -> list[str]:
    """A line for each grade that is not the paper's."""
    paper = Paper(material)
    wanted, roster = paper.grades(), rows(material / "roster.csv")
    places = {"gradebook": in_gradebook(gradebook.absolute(), paper), "Moodle": {}}
    for sheet in paper.truth["sheets"]:
        exported = gradebook.parent / "results" / sheet / "export" / "moodle.csv"
        places["Moodle"] |= in_sheet(exported, sheet, roster)
    return [
        f"{place}: {sheet}, {student}: {has}, and {wants} on paper"
        for place, grades in places.items()
        for sheet, student in sorted(wanted | grades)
        if not same(has := grades.get((sheet, student)), wants := wanted.get((sheet, student)))
    ]


def same(one: float | None, other: float | None) -> bool:
    """Whether two grades are the same; to a tenth of a hundredth, since Moodle rounds."""
    return one is other is None or (None not in (one, other) and abs(one - other) < 0.006)


if __name__ == "__main__":
    found = differences(*map(Path, sys.argv[1:3]))
    print(*found, f"{len(found)} differences.", sep="\n")
    sys.exit(bool(found))
