"""What Canvas and Moodle do with a file that they take back, as their importers are written."""

import csv
import datetime
import io
import re
import zipfile
from dataclasses import dataclass, field


@dataclass
class Canvas:
    """A course: people by user id, grades by assignment and user id. An empty cell deletes."""

    people: dict[str, dict[str, str]]  # id -> Student, SIS User ID, SIS Login ID
    grades: dict[str, dict[str, str]]  # "Title (12)" -> user id -> grade
    possible: dict[str, str]
    changed: list[tuple[str, str, str]] = field(default_factory=list)

    HEAD = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
    TAIL = ("Current Score", "Final Score")

    def export(self, delimiter: str = ",", bom: bool = False) -> bytes:
        columns = list(self.grades)
        rows = [
            [*self.HEAD, *columns, *self.TAIL],
            ["", "", "", "", "", *("Manual Posting" for _ in columns), "", ""],
            ["    Points Possible", *[""] * 4, *(self.possible[name] for name in columns)]
            + ["(read only)"] * 2,
        ]
        for id, who in self.people.items():
            head = [who["Student"], id, who["SIS User ID"], who["SIS Login ID"], "Section A, B"]
            rows.append([*head, *(self.grades[name].get(id, "") for name in columns), "71.5", "70"])
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
        return (b"\xef\xbb\xbf" if bom else b"") + out.getvalue().encode()

    def take(self, content: bytes) -> None:
        text = content.decode("utf-8-sig")
        delimiter = ";" if text.count(";") > text.count(",") else ","
        header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        assert "Student" in header[0] and "ID" in header[1], "Invalid header row"
        assert "Section" in header[4], "Invalid header row"
        columns = {
            i: self._assignment(name)
            for i, name in enumerate(header)
            if i > 4 and not re.search("Current Score|Final Score", name)
        }
        read_only: set[int] = set()
        for row in rows:
            assert len(row) == len(header)
            if "Points Possible" in row[0]:
                read_only = {i for i in columns if re.search(r"read\s+only", row[i])}
            elif not all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", cell) for cell in row):
                for i in columns.keys() - read_only:
                    self._set(columns[i], self._person(row), row[i].strip().replace(",", "."))

    def _assignment(self, header: str) -> str:
        titles = {name: re.fullmatch(r"(.*) \((\d+)\)", name) for name in self.grades}
        asked = re.fullmatch(r"(.*) \((\d+)\)", header)
        for name, title in titles.items():
            if (asked and title[2] == asked[2]) or title[1] == header:
                return name
        self.grades[header] = {}
        return header

    def _person(self, row: list[str]) -> str:
        if row[1] in self.people:
            return row[1]
        for place, key in ((2, "SIS User ID"), (3, "SIS Login ID"), (0, "Student")):
            for id, who in self.people.items():
                if row[place] and who[key] == row[place]:
                    return id
        raise AssertionError(f"Canvas knows nobody like {row[:4]}")

    def _set(self, assignment: str, id: str, grade: str) -> None:
        before = self.grades[assignment].get(id, "")
        if before.replace(",", ".") != grade and not {before, grade} <= {"", "-"}:
            self.changed.append((assignment, id, grade))
            self.grades[assignment][id] = grade


@dataclass
class CanvasUploads:
    """What students uploaded to a Canvas assignment, by user and upload, and the files put beside it."""

    names: dict[tuple[str, str], str]  # what the student called it
    comments: dict[str, dict[str, bytes]] = field(default_factory=dict)  # by user: name, content

    def take_feedback(self, content: bytes) -> None:
        """As `infer_comment_context_from_filename` finds out whose a file is."""
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                parts = [part for part in member.split("/")[-1].split("_") if part != "LATE"]
                if parts[0] == "anon":
                    user, upload = parts[1:3]
                else:
                    user, upload = [part for part in parts if re.fullmatch(r"\d+", part)][:2]
                assert (user, upload) in self.names, f"Canvas ignores {member}"
                shown = self.names[user, upload]
                self.comments.setdefault(user, {})[shown] = archive.read(member)


GERMAN = {
    "Identifier": "ID",
    "Full name": "Vollständiger Name",
    "Email address": "E-Mail-Adresse",
    "Status": "Status",
    "Grade": "Bewertung",
    "Maximum grade": "Bestwertung",
    "Grade can be changed": "Bewertung kann geändert werden",
    "Last modified (submission)": "Zuletzt geändert (Abgabe)",
    "Last modified (grade)": "Zuletzt geändert (Bewertung)",
    "Feedback comments": "Feedback als Kommentar",
}
ENGLISH = {name: name for name in GERMAN} | {"Maximum grade": "Maximum Grade"}
DATE = "%A, %d %B %Y, %I:%M %p"


@dataclass
class Moodle:
    """One assignment: participants by number, with name, e-mail, grade, comment, time of the grade."""

    people: dict[str, dict]
    maximum: float
    words: dict[str, str] = field(default_factory=lambda: ENGLISH)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)

    @property
    def german(self) -> bool:
        return self.words is GERMAN

    def export(self) -> bytes:
        out = io.StringIO()
        table = csv.writer(out, lineterminator="\n")
        table.writerow(self.words.values())
        for number, who in self.people.items():
            table.writerow(
                [
                    f"Teilnehmer/in{number}" if self.german else f"Participant {number}",
                    *(who["name"], who["email"], "Submitted for grading"),
                    *(self._number(who.get("grade")), self._number(self.maximum)),
                    *(who.get("changeable", "Ja" if self.german else "Yes"), "-"),
                    who["modified"].strftime(DATE) if "modified" in who else "-",
                    who.get("comment", ""),
                ]
            )
        return b"\xef\xbb\xbf" * self.german + out.getvalue().encode()

    def _number(self, value: float | None) -> str:
        text = "" if value is None else f"{value:.2f}"
        return text.replace(".", ",") if self.german else text

    def take(self, content: bytes) -> None:
        text = content.decode("utf-8-sig")
        header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        place = {name: header.index(said) for name, said in self.words.items() if said in header}
        assert {"Identifier", "Grade", "Last modified (grade)"} <= place.keys(), "invalid import"
        for row in rows:
            assert len(row) == len(header)
            number = row[place["Identifier"]][
                len("Teilnehmer/in" if self.german else "Participant ") :
            ]
            if number in self.people:
                cells = {name: row[at] for name, at in place.items()}
                self._take_row(self.people[number], cells)

    def _take_row(self, who: dict, cells: dict[str, str]) -> None:
        grade = cells["Grade"].strip().replace(",", ".")
        try:
            modified = datetime.datetime.strptime(cells["Last modified (grade)"], DATE)
        except ValueError:
            modified = datetime.datetime.min
        stale = who.get("modified", modified) > modified + datetime.timedelta(seconds=60)
        if stale:
            return
        if grade and 0 <= float(grade) <= self.maximum and who.get("changeable") != "No":
            who["grade"] = float(grade)
        if "Feedback comments" in cells:
            who["comment"] = cells["Feedback comments"]

    def take_feedback(self, content: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert archive.testzip() is None
            for member in archive.namelist():
                folder, name = member.split("/")
                parts = folder.split("_", 4)
                assert len(parts) == 5 and parts[1].isnumeric() and parts[1] in self.people, member
                assert parts[2:4] == ["assignsubmission", "file"] and name[0] not in ".~"
                self.files.setdefault(parts[1], {})[parts[4] + name] = archive.read(member)


@dataclass
class Ilias:
    """An exercise in ILIAS: the numbers of its members, and the feedback files that they got."""

    members: set[int]
    files: dict[int, dict[str, bytes]] = field(default_factory=dict)

    def take_feedback(self, content: bytes) -> None:
        """As `getMultiFeedbackFiles` reads it: files two folders deep, a number at the end."""
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.namelist():
                top, folder, name = entry.split("/")
                user = int(folder.split("_")[-1])
                assert top.startswith("multi_feedback") and user in self.members and name[0] != "."
                self.files.setdefault(user, {})[name] = archive.read(entry)
