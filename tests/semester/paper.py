"""The points of the invented course as one would calculate them on paper, beside the gradebook's.

    python -m tests.semester.paper MATERIAL GRADEBOOK

MATERIAL is the folder of `invented.py`, GRADEBOOK a course's gradebook.db, beside `results/`. Each
difference of the gradebook, or of what Moodle gets, is printed. Nothing of the program is asked.
"""

import csv
import json
import math
import sys
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from nbgrader.api import Gradebook, MissingEntry

DAY, BERLIN = 24 * 3600, ZoneInfo("Europe/Berlin")
Grades = dict[tuple[str, str], float | None]  # by assignment and student; None: no grade


def rows(path: Path) -> list[dict[str, str]]:
    return [*csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines())]


def seconds(text: str) -> float:
    """A time on Berlin's clocks as a number."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp()


class Paper:
    """The calculation, from what the course received and the truth beside it."""

    def __init__(self, material: Path):
        self.truth = json.loads(material.with_name(f"{material.name}.truth.json").read_text())
        self.sheets, self.policy = self.truth["sheets"], self.truth["policy"]
        self.crib = {one["wording"]: one["points"] or 0 for one in rows(material / "crib.csv")}
        asked = rows(material / "inquiries.csv")  # in the order of their decisions
        self.decided = [
            (one["assignment"], one["student"], one["exercise"], float(one["decision"]))
            for one, inquiry in zip(rows(material / "decisions.csv"), asked, strict=True)
            if self.truth["opens"] <= inquiry["received"] <= self.truth["closes"]
            and one["decision"] != "kept"
        ]

    def grades(self) -> Grades:
        """The final points of everybody in each assignment."""
        found: Grades = {}
        for student in self.truth["students"]:
            left = self.policy["late_days"]
            counting = {sheet: self._counting(sheet, student) for sheet in self.sheets}
            for sheet in sorted(counting, key=lambda one: (counting[one] or {"when": ""})["when"]):
                found[sheet, student] = None
                if (one := counting[sheet]) and one["kind"] != "damaged":
                    days = self._days_late(sheet, one)
                    paid, left = max(0, days - left), max(0, left - days)
                    percent = min(self.policy["percent"] * paid, self.policy["most"])
                    penalty = sum(self.sheets[sheet]["points"].values()) * percent / 100
                    found[sheet, student] = max(0.0, self._points(sheet, one) - penalty)
        return found

    def of_groups(self) -> Grades:
        """The points of each group's submission, by the group's id, as if nobody were ever late."""
        found: Grades = {}
        for sheet, groups in self.truth["members"].items():
            for name, members in groups.items():
                sent = [
                    one | {"group": members}
                    for one in self.truth["submissions"]
                    if one["sheet"] == sheet and self._groups(sheet, one["by"])[0] == members
                ]
                newest = max(sent, key=lambda one: one["when"], default=None)
                if newest and newest["kind"] != "damaged":
                    id = name.lower().replace(" ", "-")
                    found[sheet, id] = self._points(sheet, newest)
        return found

    def _groups(self, sheet: str, student: str) -> list[list[str]]:
        """The members of each group that a student is in; the student alone without one."""
        groups = self.truth["members"].get(sheet, {}).values()
        return [group for group in groups if student in group] or [[student]]

    def _counting(self, sheet: str, student: str) -> dict | None:
        """The submission that counts: the newest of the group; of two groups, the better one."""
        newest = {}
        for one in sorted(self.truth["submissions"], key=lambda one: one["when"]):
            group = self._groups(sheet, one["by"])[0]
            if one["sheet"] == sheet and group in self._groups(sheet, student):
                newest[group[0]] = one | {"group": group}
        kinds = self.sheets[sheet]["kinds"]
        worth = {who: sum(kinds.get(one["kind"], {}).values()) for who, one in newest.items()}
        return newest[max(worth, key=lambda who: worth[who])] if newest else None

    def _points(self, sheet: str, one: dict) -> float:
        points = self.sheets[sheet]["kinds"][one["kind"]]
        points = points | {name: float(self.crib[text]) for name, text in one["wordings"].items()}
        for of, student, exercise, new in self.decided:
            points |= {exercise: new} if of == sheet and student in one["group"] else {}
        return sum(points.values())

    def _days_late(self, sheet: str, one: dict) -> int:
        """Days begun after the due date, or the latest extension of a member, and the grace."""
        said = [(who, until) for who, of, until in self.truth["extensions"] if of == sheet]
        more = [until for who, until in said if who in one["group"]]
        deadline = max([self.sheets[sheet]["due"], *more], key=seconds)
        passed = seconds(one["when"]) - seconds(deadline)
        by_clock = datetime.fromisoformat(one["when"]) - datetime.fromisoformat(deadline)
        late = min(passed, by_clock.total_seconds()) - 60 * self.policy["grace_minutes"]
        return max(0, math.ceil(late / DAY))


def differences(material: Path, gradebook: Path) -> list[str]:
    """A line for each grade that is not the paper's."""
    paper = Paper(material)
    wanted, entered, exported = paper.grades(), {}, {}
    with_groups = wanted | paper.of_groups()
    ids = {f"Participant {one['number']}": one["student"] for one in rows(material / "roster.csv")}
    with Gradebook(f"sqlite:///file:{gradebook.absolute()}?mode=ro&uri=true") as book:
        for sheet in paper.sheets:
            for who in {*paper.truth["students"], *(one.id for one in book.students)}:
                try:
                    one = book.find_submission(sheet, who)
                    entered[sheet, who] = max(0.0, one.score - one.late_submission_penalty)
                except MissingEntry:
                    entered[sheet, who] = None
            for row in rows(gradebook.parent / "results" / sheet / "export" / "moodle.csv"):
                who = ids.get(row["Identifier"], row["Full name"])
                exported[sheet, who] = float(row["Grade"]) if row["Grade"] else None
    return [
        f"{place}: {sheet}, {who}: {has}, on paper {wants}"
        for place, grades, on_paper in (
            ("gradebook", entered, with_groups),
            ("Moodle", exported, wanted),
        )
        for sheet, who in sorted(on_paper | grades)
        if (has := _text(grades.get((sheet, who)))) != (wants := _text(on_paper.get((sheet, who))))
    ]


def _text(grade: float | None) -> str:
    return "no grade" if grade is None else f"{grade:.2f}"


if __name__ == "__main__":
    print(
        *(found := differences(*map(Path, sys.argv[1:3]))), f"{len(found)} differences.", sep="\n"
    )
    sys.exit(bool(found))
