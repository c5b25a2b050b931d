"""What Canvas and Moodle do with a file that they take back, as their importers are written."""

import csv
import datetime
import html
import io
import re
import zipfile
from dataclasses import dataclass, field


@dataclass
class Canvas:
    """A course: people by user id, grades by assignment and user id, as they are now.

    The import reads every column of an assignment; an empty cell deletes a grade.
    """

    people: dict[str, dict[str, str]]  # id -> Student, SIS User ID, SIS Login ID
    grades: dict[str, dict[str, str]]  # "Title (12)" -> user id -> grade
    possible: dict[str, str]
    changed: list[tuple[str, str, str]] = field(default_factory=list)
    asked_for: list[list[str]] = field(default_factory=list)  # rows of nobody

    HEAD = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
    TAIL = ("Current Score", "Final Score")
    TOTALS = "(Current|Final) (Score|Points|Grade)|Override Grade"

    @classmethod
    def of_export(cls, content: bytes) -> "Canvas":
        """The course in which this gradebook was exported."""
        header, *rows = cls._table(content)
        people: dict[str, dict[str, str]] = {}
        grades: dict[str, dict[str, str]] = {
            name: {} for name in header if re.search(r" \(\d+\)$", name)
        }
        possible = {}
        for row in rows:
            cells = dict(zip(header, row, strict=True))
            if "Points Possible" in row[0]:
                possible = {name: cells[name] for name in grades}
            elif cells["ID"]:
                name = cells.get("Student") or f"{cells['LastName']}, {cells['FirstName']}"
                people[cells["ID"]] = {"SIS User ID": "", **cells, "Student": name}
                for assignment in grades:
                    grades[assignment][cells["ID"]] = cells[assignment]
        return cls(people, grades, possible)

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

    @staticmethod
    def _table(content: bytes) -> list[list[str]]:
        """The delimiter is guessed from the first three lines."""
        text = content.decode("utf-8")
        if not text.startswith("\ufeffLastName"):  # there the comparison is exact
            text = text.removeprefix("\ufeff")
        first = "".join(text.splitlines(keepends=True)[:3])
        delimiter = ";" if first.count(";") > first.count(",") else ","
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))

    def take(self, content: bytes) -> None:
        header, *rows = self._table(content)
        names = 2 if header[0] == "LastName" else 1
        assert header[:names] in (["LastName", "FirstName"], ["Student"]), "Invalid header row"
        assert header[names] == "ID" and "Section" in header, "Invalid header row"
        first = header.index("Section") + 1
        columns = {
            i: self._assignment(name)
            for i, name in enumerate(header)
            if i >= first and not re.search(self.TOTALS, name)
        }
        read_only: set[int] = set()
        for row in rows:
            assert len(row) == len(header)
            if "Points Possible" in row[0]:
                read_only = {i for i in columns if re.search(r"read\s+only", row[i])}
                for i in columns.keys() - read_only:
                    if self._number(row[i]) != self._number(self.possible[columns[i]]):
                        self.changed.append((columns[i], "Points Possible", row[i]))
            elif not all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", cell) for cell in row):
                id = self._person(header, names, row)
                for i in columns.keys() - read_only if id else ():
                    self._set(columns[i], id, row[i].strip().replace(",", "."))

    @staticmethod
    def _number(cell: str) -> str:
        return re.sub(r"\.?0*$", "", cell.replace(",", "."))

    def _assignment(self, header: str) -> str:
        titles = {name: re.fullmatch(r"(.*) \((\d+)\)", name) for name in self.grades}
        asked = re.fullmatch(r"(.*) \((\d+)\)", header)
        for name, title in titles.items():
            if (asked and title[2] == asked[2]) or title[1] == header:
                return name
        self.grades[header], self.possible[header] = {}, ""  # a new assignment
        return header

    def _person(self, header: list[str], names: int, row: list[str]) -> str:
        """By ID, else by SIS User ID, SIS Login ID or the exact name; "" where Canvas asks."""
        if row[names] in self.people:
            return row[names]
        cells = dict(zip(header, row, strict=True)) | {"Student": ", ".join(row[:names])}
        for key in ("SIS User ID", "SIS Login ID", "Student"):
            for id, who in self.people.items():
                if cells.get(key) and who[key] == cells[key]:
                    return id
        self.asked_for.append(row)
        return ""

    def _set(self, assignment: str, id: str, grade: str) -> None:
        before = self.grades[assignment].get(id, "")
        if "N/A" in (before, grade):
            return  # not assigned to this student, or hidden
        if before.replace(",", ".") != grade and not {before, grade} <= {"", "-"}:
            self.changed.append((assignment, id, grade))
            self.grades[assignment][id] = grade


@dataclass
class CanvasUploads:
    """What students uploaded to a Canvas assignment, by user and upload, and the files put beside it."""

    names: dict[tuple[str, str], str]  # what the student called it
    comments: dict[str, dict[str, bytes]] = field(default_factory=dict)  # by user: name, content

    def take_feedback(self, content: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                user, upload = self.reads(member)
                assert (user, upload) in self.names, f"Canvas ignores {member}"
                shown = self.names[user, upload]
                self.comments.setdefault(user, {})[shown] = archive.read(member)

    @staticmethod
    def reads(member: str, group: str = "") -> tuple[str, str]:
        """User and upload, as `infer_comment_context_from_filename` reads a name in the zip. `group`
        is the name of one of the assignment's groups, cleaned.
        """
        name = member.split("/")[-1]
        parts = name.removeprefix(f"{group}_" if group else "").split("_")
        parts = [part for part in parts if part != "LATE"]
        if name.startswith("._") or parts[-1].startswith("link"):
            return "", ""
        if parts[0] == "anon":
            return parts[1], parts[2]
        user, upload, *_ = [*(part for part in parts if re.fullmatch(r"\d+", part)), "", ""]
        return user, upload


ENGLISH_WORDS = (
    "Identifier|Full name|Email address|Status|Group|Grade|Maximum grade|Grade can be changed|"
    "Last modified (submission)|Last modified (grade)|Feedback comments"
)
GERMAN_WORDS = (
    "ID|Vollständiger Name|E-Mail-Adresse|Status|Gruppe|Bewertung|Bestwertung|"
    "Bewertung kann geändert werden|Zuletzt geändert (Abgabe)|Zuletzt geändert (Bewertung)|"
    "Feedback als Kommentar"
)
FRENCH_WORDS = (
    "Identifiant|Nom complet|Adresse de courriel|Statut|Groupe|Note|Note maximale|"
    "La note peut être modifiée|Dernière modification (travail remis)|Dernière modification (note)|"
    "Feedback par commentaires"
)
SPANISH_WORDS = (
    "Identificador|Nombre completo|Dirección de correo|Estado|Grupo|Calificación|"
    "Calificación máxima|La calificación puede ser cambiada|Última modificación (entrega)|"
    "Última modificación (calificación)|Comentarios de retroalimentación"
)
ENGLISH, GERMAN, FRENCH, SPANISH = (
    dict(zip(ENGLISH_WORDS.split("|"), words.split("|"), strict=True))
    for words in (ENGLISH_WORDS, GERMAN_WORDS, FRENCH_WORDS, SPANISH_WORDS)
)
PARTICIPANT = {
    "Identifier": "Participant ",
    "ID": "Teilnehmer/in",
    "Identifiant": "Participant",
    "Identificador": "Participante",
}
DATE = "%A, %d %B %Y, %I:%M %p"


@dataclass
class Moodle:
    """One assignment: participants by number, with name, e-mail, group, grade, comment as HTML, and
    time of the grade.
    """

    people: dict[str, dict]
    maximum: float
    words: dict[str, str] = field(default_factory=lambda: ENGLISH)
    teams: dict[str, str] = field(default_factory=dict)  # where teams submit: numbers by name
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)  # by participant
    updated: tuple[int, int] = (0, 0)  # grades and comments, as Moodle reports the last upload
    download: bytes = b""  # a worksheet that a real Moodle wrote

    @classmethod
    def of(cls, worksheet: bytes, **more) -> "Moodle":
        """The assignment of which a real Moodle wrote this worksheet."""
        header, *rows = csv.reader(io.StringIO(worksheet.decode("utf-8-sig"), newline=""))
        languages = (ENGLISH, GERMAN, FRENCH, SPANISH)
        words = next(one for one in languages if one["Identifier"] == header[0])
        moodle = cls({}, 0.0, words, download=worksheet, **more)
        place = moodle._places(header)
        for row in rows:
            cells = {name: row[at] for name, at in place.items()}
            moodle.maximum = moodle._read(cells["Maximum grade"])
            time = cells["Last modified (grade)"]
            moodle.people[row[0].removeprefix(PARTICIPANT[header[0]])] = {
                "group": cells.get("Group", ""),
                "grade": moodle._read(cells["Grade"]) if cells["Grade"] else None,
                "comment": html.escape(cells["Feedback comments"], quote=False),
            } | ({"modified": datetime.datetime(2026, 11, 28, 12, 56)} if time != "-" else {})
        return moodle

    def export(self) -> bytes:
        out = io.StringIO()
        table = csv.writer(out, lineterminator="\n")
        header = [*self.words.values()]
        if not self.teams:
            header.remove(self.words["Group"])
        table.writerow(header)
        comma = "28.00" if self.words["Grade"] == "Grade" else "28,00"
        for number, who in self.people.items():
            identifier = f"{PARTICIPANT[header[0]]}{number}"
            row = [identifier, who["name"], who["email"], "Submitted for grading -  - "]
            row += [who["group"]] if self.teams else []
            row += [self._number(who.get("grade"), comma), self._number(self.maximum, comma)]
            row += [who.get("changeable", "Yes"), "-"]
            row += [who["modified"].strftime(DATE) if "modified" in who else "-"]
            table.writerow([*row, self.shown(who.get("comment", ""))])
        return b"\xef\xbb\xbf" + out.getvalue().encode()

    def shown(self, comment: str) -> str:
        """A comment as it is in a worksheet."""
        for end in ("</p>", "\n", "\r"):
            comment = comment.replace(end, "   ")
        return html.unescape(re.sub("<[^>]*>", "", comment))

    def _number(self, value: float | None, like: str) -> str:
        text = "" if value is None else f"{value:.2f}"
        return text.replace(".", ",") if "," in like else text

    def _read(self, cell: str) -> float:
        return float(cell.strip().replace(",", "."))

    def _places(self, header: list[str]) -> dict[str, int]:
        places = {one.casefold(): at for at, one in enumerate(header)}  # 4.2.3: Maximum Grade
        return {
            name: places[here.casefold()]
            for name, here in self.words.items()
            if here.casefold() in places
        }

    def take(self, content: bytes, tick: bool = False) -> None:
        """Take a worksheet back. `tick`: also where a grade is newer than in the worksheet."""
        text = content.decode("utf-8-sig")
        header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        place = self._places(header)
        assert {"Identifier", "Grade", "Last modified (grade)"} <= place.keys(), "invalid import"
        self.updated = (0, 0)
        for row in rows:
            assert len(row) == len(header)
            number = row[place["Identifier"]][len(PARTICIPANT[self.words["Identifier"]]) :]
            if number in self.people:
                self._take_row(
                    self.people[number], {name: row[at] for name, at in place.items()}, tick
                )

    def _take_row(self, who: dict, cells: dict[str, str], tick: bool) -> None:
        try:
            modified = datetime.datetime.strptime(cells["Last modified (grade)"], DATE)
        except ValueError:  # also in each language but English
            modified = datetime.datetime(1970, 1, 1)
        if (
            not tick
            and "modified" in who
            and who["modified"] > modified + datetime.timedelta(minutes=1)
        ):
            return
        grades, comments = self.updated
        grade = self._read(cells["Grade"]) if cells["Grade"].strip() else None
        is_locked = who.get("changeable", "Yes") not in ("Yes", "Ja", "Oui", "Sí")
        if grade not in (None, who.get("grade")) and grade <= self.maximum and not is_locked:
            who["grade"] = grade
            grades += 1
        if cells.get("Feedback comments", "") != who.get("comment", ""):
            who["comment"] = cells["Feedback comments"]
            comments += 1
        self.updated = (grades, comments)

    def take_feedback(self, content: bytes) -> None:
        """Give each page to its participant, or to the members of its team."""
        owners = {number: [number] for number in self.people}
        if self.teams:
            owners = {
                number: [who for who, person in self.people.items() if person["group"] == name]
                for name, number in self.teams.items()
            }
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert archive.testzip() is None
            for member in archive.namelist():
                folder, name = member.split("/")
                parts = folder.split("_", 4)
                assert len(parts) > 3 and parts[1].isnumeric() and parts[1] in owners, member
                assert parts[2:4] == ["assignsubmission", "file"] and name[0] not in ".~"
                for number in owners[parts[1]]:
                    self.files.setdefault(number, {})[name] = archive.read(member)


@dataclass
class Ilias:
    """An exercise in ILIAS: the numbers of its members, and the feedback files that they got."""

    members: set[int]
    files: dict[int, dict[str, bytes]] = field(default_factory=dict)

    def take_feedback(self, content: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.namelist():
                user = self.reads(entry, is_old=True)
                assert user in self.members, f"ILIAS ignores {entry}"
                self.files.setdefault(user, {})[entry.split("/")[-1]] = archive.read(entry)

    @staticmethod
    def reads(entry: str, is_old: bool) -> int | None:
        """The number that `getMultiFeedbackFiles` (older) or `getFiles` reads, None if it reads none."""
        parts = entry.split("/")
        if len(parts) != 3 or parts[2].startswith("."):
            return None
        if is_old and not parts[0].startswith("multi_feedback"):
            return None
        return int(parts[1].split("_")[-1])
