"""What an invented course receives in a semester, written into a folder as a colleague hands it over.

    python -m tests.semester.invented FOLDER [--students 120]

Beside the folder, `FOLDER.truth.json` says what each submission is: whoever plays does not read it.
"""

import argparse
import csv
import json
import random
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import cycle
from pathlib import Path

from autograder import Assignment, find_assignment, find_course
from autograder.authoring.sample_class import SampleSubmission, notebook_text
from autograder.authoring.sample_download import _zip_info
from autograder.authoring.sample_names import names
from autograder.authoring.sample_platforms import (
    SAMPLE_DOWNLOADS,
    InventedClass,
    InventedStudent,
)
from autograder.authoring.variants import variants
from autograder.mistakes.mistake import mistakes

from .semester import DECISIONS, EXTENSIONS, OPEN, RULES, SENTENCES, SHEETS, TEXTS, Sheet

WORDINGS = [*"0123 012 013 023 123 01 23 0 1 3".split(), ""]  # which sentences each has
CLOCK = "%Y-%m-%d %H:%M"
FIRST, SECOND = 1, 2  # downloads


@dataclass
class Upload:
    """A file that a student uploaded: of what kind, when, in which download it is seen first."""

    by: int
    kind: str
    after: float  # hours after the due date; below zero: in time
    download: int = FIRST
    wordings: dict[str, int] = field(default_factory=dict)  # of each written answer


class Semester:
    """The course of `count` students; all is drawn with one seed."""

    def __init__(self, count: int, seed: int = 2025):
        self.random = random.Random(seed)
        ids = names(count, seed)
        self.random.shuffle(ids)
        self.students = [_student(id, number) for number, id in enumerate(ids)]
        self.ids = [one.login for one in self.students]
        self.groups = self._groups(count)
        self.uploads = {
            SHEETS[0].id: self._alone(SHEETS[0], count),
            SHEETS[1].id: self._together(SHEETS[1]),
        }

    def _groups(self, count: int) -> dict[str, list[int]]:
        """The groups as the roster says; student 4 is in two, and student 2 changes later."""
        groups = {"Group 1": [0, 1, 2], "Group 2": [3, 4], "Group 3": [5, 6, 4]}
        sizes, first = cycle((2, 3, 1, 2, 3)), 8
        while first < count:
            size = next(sizes)
            if size > 1:
                groups[f"Group {len(groups) + 1}"] = [*range(first, min(first + size, count))]
            first += size
        return groups

    @property
    def members(self) -> dict[str, list[int]]:
        """The groups as they are when they hand in."""
        return self.groups | {"Group 1": [0, 1], "Group 2": [3, 4, 2]}

    def _upload(
        self, sheet: Sheet, by: int, kind: str, after: float, download: int = FIRST
    ) -> Upload:
        """An upload with a wording for each question, of an answer that has been begun."""
        drawn = {name: self.random.randrange(len(WORDINGS)) for name in sheet.written}
        return Upload(by, kind, after, download, {} if kind == "untouched" else drawn)

    def _usual(self, sheet: Sheet, by: int, n: int) -> list[Upload]:
        """What the student or group with number `n` uploads where nothing else is said."""
        kind = [*sheet.kinds][(n + n // 11) % len(sheet.kinds)]
        in_time = -self.random.randrange(1, 9000) / 60
        first = self._upload(sheet, by, kind, in_time)
        if n % 17 == 9:  # late
            return [self._upload(sheet, by, kind, (5, 26, 50, 100)[n // 17 % 4], SECOND)]
        if n % 11 == 10:  # again, and late
            return [first, self._upload(sheet, by, "solution", (3, 29)[n // 11 % 2], SECOND)]
        return [] if n % 29 == 12 else [first]

    def _alone(self, sheet: Sheet, count: int) -> list[Upload]:
        make = self._upload
        special = [
            make(sheet, 0, "damaged", -5), make(sheet, 0, "solution", 60, SECOND),
            make(sheet, 1, "damaged", -9), make(sheet, 3, "unscaled", 29, SECOND),
            make(sheet, 4, "begun", -30), make(sheet, 4, "future_ignored", 53, SECOND),
            make(sheet, 5, "heads_not_checked", 40, SECOND), make(sheet, 6, "solution", -1),
            make(sheet, 7, "no_sequential", 0.3),
        ]  # fmt: skip
        special[-2].wordings |= dict([OPEN])
        return special + [one for n in range(8, count) for one in self._usual(sheet, n, n)]

    def _together(self, sheet: Sheet) -> list[Upload]:
        make = self._upload
        special = [
            make(sheet, 0, "mean_stays", -20), make(sheet, 1, "never_both", -2),
            make(sheet, 0, "no_residual", 52, SECOND), make(sheet, 3, "begun", -40),
            make(sheet, 2, "beta_is_the_mean_of_the_table", 50, SECOND), make(sheet, 5, "solution", -3),
            make(sheet, 7, "b_taken_for_true", 20, SECOND),
        ]  # fmt: skip
        grouped = {n for group in self.groups.values() for n in group}
        alone = [n for n in range(8, len(self.students)) if n not in grouped]
        usual = [(group[-1], n) for n, group in enumerate(self.groups.values()) if n > 2]
        return special + [
            one for by, n in [*usual, *((n, n) for n in alone)] for one in self._usual(sheet, by, n)
        ]

    def text(self, assignment: Assignment, sheet: Sheet, one: Upload) -> bytes:
        """The file of an upload."""
        cells, kind = dict(assignment.solutions), one.kind
        if kind in ("untouched", "begun"):
            cells = {name: cells[name] for name in (sheet.begun if kind == "begun" else ())}
        elif kind == "variant":
            alone = [one.cells for one in variants(assignment) if ":" in one.path]
            cells |= self.random.choice(alone)
        for exercise in sheet.kinds.get(kind, ()):
            made = {(one.id, one.exercise): one.cells for one in mistakes(assignment)}
            cells[exercise] = made[kind, exercise][0]
        cells |= {name: wording(name, number) for name, number in one.wordings.items()}
        return notebook_text(assignment, SampleSubmission(cells, kind, kind == "damaged")).encode()

    def tables(self, sheets: Sequence[Sheet]) -> dict[str, list]:
        """The tables of the material by name, each a header and rows."""
        ids, asked = (
            self.ids,
            [d for d in DECISIONS if d[0] < len(self.ids) and SHEETS[d[1]] in sheets],
        )
        of = [
            [g for g, group in self.groups.items() if n in group] or [""] for n in range(len(ids))
        ]
        numbers = [(e, n) for e in SENTENCES for n in range(len(WORDINGS))] + [OPEN]
        # fmt: off
        return {
            "roster.csv": ["student,name,email,platform,number,section,group"] + [
                [s.login, s.full_name, s.email, "moodle", s.number, f"T{n % 5 + 1}", group]
                for n, s in enumerate(self.students) for group in of[n]],
            "group-changes.csv": ["student,assignment,from,to,since",
                [ids[2], SHEETS[1].id, "Group 1", "Group 2", "2025-10-20"]],
            "extensions.csv": ["student,assignment,until"] + [
                [ids[n], SHEETS[s].id, until] for n, s, until in EXTENSIONS],
            "crib.csv": ["exercise,wording,points"] + [
                [e, wording(e, n), "" if (e, n) == OPEN else len(WORDINGS[n]) / 2] for e, n in numbers],
            "inquiries.csv": ["student,assignment,exercise,text,received"] + [
                [ids[n], SHEETS[s].id, e, text, when] for n, s, e, text, when, *_ in asked],
            "decisions.csv": ["student,assignment,exercise,decision,reason"] + [
                [ids[n], SHEETS[s].id, e, decided, why] for n, s, e, _, _, decided, why in asked],
        }
        # fmt: on

    def truth(self, sheets: Sequence[Sheet]) -> dict:
        """What each submission is, and the rules by which it is worth something."""
        groups = {name: [self.ids[n] for n in members] for name, members in self.members.items()}
        submissions = [
            {"sheet": sheet.id, "by": self.ids[one.by], "kind": one.kind}
            | {"when": sheet.clock(one.after)}
            | {"wordings": {e: wording(e, n) for e, n in one.wordings.items()}}
            for sheet in sheets
            for one in self.uploads[sheet.id]
        ]
        return {
            "sheets": {sheet.id: sheet.truth() for sheet in sheets},
            "students": self.ids,
            "members": {SHEETS[1].id: groups},
            "submissions": submissions,
            "extensions": self.tables(sheets)["extensions.csv"][1:],
            **RULES,
        }


def _student(id: str, number: int) -> InventedStudent:
    first, last, *more = id.title().split("-")
    new = 4_100_000 + 13 * number
    return InventedStudent(first, " ".join([last, *more]), id, new, datetime.min, False, False)


def wording(exercise: str, number: int) -> str:
    """An answer to a question. OPEN is one of which the crib has no points."""
    sentences = SENTENCES[exercise]
    if (exercise, number) == OPEN:
        return f"I think that {sentences[0][0].lower()}{sentences[0][1:]} But see my drawing."
    told = " ".join(sentences[int(n)] for n in WORDINGS[number])
    return told or "It makes training better, as shown in the lecture."


def write_table(path: Path, header: str, rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header.split(","), *rows])


def write_material(folder: Path, count: int, sheets: Sequence[Sheet] = SHEETS) -> Path:
    """Write what the course receives for these sheets, and the truth beside it; return its path."""
    semester = Semester(count)
    course = find_course(Path(__file__).parents[2])
    for sheet in sheets:
        _write_downloads(semester, find_assignment(sheet.id, course), sheet, folder / sheet.id)
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    for name, (header, *rows) in semester.tables(sheets).items():
        write_table(folder / name, header, rows)
    path = folder.with_name(f"{folder.name}.truth.json")
    path.write_text(json.dumps(semester.truth(sheets), indent=1))
    return path


def _write_downloads(
    semester: Semester, assignment: Assignment, sheet: Sheet, folder: Path
) -> None:
    """Write both downloads of an assignment: each has the newest file of each sender by then."""
    uploads, moodle = semester.uploads[sheet.id], SAMPLE_DOWNLOADS["moodle"]
    texts = {id(one): semester.text(assignment, sheet, one) for one in uploads}
    guest = Upload(len(semester.students), "solution", -7)
    texts[id(guest)] = texts[id(next(one for one in uploads if one.kind == "solution"))]
    for download, hours in ((FIRST, 15), (SECOND, 7 * 24)):
        sent = {one.by: one for one in [*uploads, guest] if one.download <= download}
        people, files = [], []
        for n, who in enumerate([*semester.students, _student("nemo-unlisted", 90_000)]):
            when = datetime.strptime(sheet.clock(sent[n].after if n in sent else 0), CLOCK)
            people.append(replace(who, handed_in=when))
            files.append(texts[id(sent[n])] if n in sent else b"")
        senders = {who.number: who for n, who in enumerate(people) if n in sent}
        absent = [who for who in people if who.number not in senders]
        day = datetime.strptime(sheet.clock(hours), CLOCK)
        place = folder / f"{day:%Y-%m-%d}"
        of_class = InventedClass(sheet.id, sum(sheet.points.values()), people, files, absent, day)
        place.mkdir(parents=True)
        with zipfile.ZipFile(place / "submissions.zip", "x", zipfile.ZIP_DEFLATED) as archive:
            for member in moodle.files(of_class):  # of all, so that names of files stay
                if int(member.name.split("_")[1]) in senders:
                    archive.writestr(_zip_info(member), member.data)
        of_class = replace(of_class, people=[*senders.values()])
        header, *rows = moodle.tables["grading-worksheet"](of_class)
        write_table(place / "grading-worksheet.csv", ",".join(header), rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--students", type=int, default=120)
    given = parser.parse_args()
    print(write_material(given.folder, given.students))
