"""Play the invented semester by commands, from the first download to the last export."""

import csv
import json
import re
from html import unescape
from pathlib import Path

from marking_pages import data_of
from nbgrader.api import Gradebook
from typed_commands import TOP, typed

from autograder.desk.marking.marks_file import FORMAT

from .paper import rows

SETTINGS = """c.Marking.markers = {}
c.Inquiries.opens = dict.fromkeys(("encoder-layer", "layer-norm"), "2025-11-10 12:00")
c.Inquiries.closes = dict.fromkeys(("encoder-layer", "layer-norm"), "2025-11-17 18:00")
"""
ANSWER = re.compile(r'<article class="answer" aria-label="Answer">(.*?)</article>', re.S)
DUE = {"encoder-layer": "2025-10-15 18:00", "layer-norm": "2025-10-24 18:00"}


class Semester:
    """A course in a new folder, and the material that it is played with."""

    def __init__(self, material: Path, course: Path):
        self.material, self.course = material, course
        self.crib = {row["wording"]: row["points"] for row in rows(material / "crib.csv")}
        self.markers = (material / "markers.txt").read_text().split()

    def do(self, *words: object, statuses: tuple[int, ...] = (0,)) -> str:
        """Type a command for the course; return what is said."""
        status, said = typed(*words, "--course", self.course)
        assert status in statuses, said
        return said

    def begin(self) -> None:
        """Make the course, with its settings, its groups and its due dates."""
        assert typed("course", "new", self.course, "--course", TOP)[0] == 0
        with (self.course / "nbgrader_config.py").open("a") as file:
            file.write((self.material / "late-policy.txt").read_text())
            file.write(SETTINGS.format(self.markers))
        extensions = (self.material / "extensions.csv").read_text()
        (self.course / "extensions.csv").write_text(extensions)
        people, changes = (rows(self.material / f"{n}.csv") for n in ("roster", "group-changes"))
        with (self.course / "groups.csv").open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["student", "group", "assignment"])
            table.writerows([one["student"], "", "encoder-layer"] for one in people if one["group"])
            table.writerows([one["student"], one["to"], one["assignment"]] for one in changes)
        for sheet, due in DUE.items():
            with Gradebook(f"sqlite:///{self.course}/gradebook.db") as book:  # as `nbgrader db`
                book.update_or_create_assignment(sheet, duedate=f"{due} Europe/Berlin")

    def downloads(self) -> list[tuple[str, Path]]:
        """All downloads with their assignments, by day."""
        found = [(sheet, path) for sheet in DUE for path in (self.material / sheet).glob("*")]
        return sorted(found, key=lambda one: one[1].name)

    def collect(self, sheet: str, download: Path) -> None:
        into = ["--into", self.course / "submitted", "--roster", self.material / "roster.csv"]
        times = ["--worksheet", download / "grading-worksheet.csv", "--timezone", "Europe/Berlin"]
        zipped = download / "submissions.zip"
        self.do("collect", zipped, "--assignment", sheet, *into, *times, statuses=(0, 3))

    def grade(self, sheet: str, *words: str) -> None:
        """Grade what is new, and have all markers mark what is open."""
        self.do("grade", self.course / "submitted", "--assignment", sheet, *words)
        for marker in self.markers:
            said = self.do("marking", "page", "--for", marker, "--assignment", sheet)
            page = Path(re.search(r"-> (.*\.html)", said)[1])
            if marks := self.marks(page):
                saved = {"format": FORMAT, "assignment": sheet, "marker": marker, "scheme": []}
                file = self.course / f"marks-{sheet}-{marker}.json"
                saved |= {"saved_at": "2025-11-01T10:00:00Z", "marks": marks}
                file.write_text(json.dumps(saved))
                self.do("marking", "enter", file)

    def marks(self, page: Path) -> list[dict]:
        """What the crib gives for the answers on a page; nothing for one that it leaves open."""
        data = data_of(page)
        groups = [one for one in data["groups"] if "answers" in one]
        marks = []
        for group, shown in zip(groups, ANSWER.findall(page.read_text()), strict=True):
            text, exercise = unescape(shown), data["questions"][group["question"]]["exercise"]
            if points := self.crib[max((one for one in self.crib if one in text), key=len)]:
                mark = {"exercise": exercise, "points": float(points), "comment": "", "items": []}
                marks += [each | mark for each in group["answers"]]
        return marks

    def decide(self) -> None:
        """Take the inquiries in, and answer each as decided, by somebody who has not marked it."""
        said = self.do("inquiries", "add", self.material / "inquiries.csv", statuses=(0, 1))
        for one in rows(self.material / "decisions.csv"):
            if "after the window" in one["reason"]:
                assert "inquiries are taken" in said
                continue
            what = [one["student"], one["exercise"], "--assignment", one["assignment"]]
            points = ["--points", one["decision"]] if one["decision"] != "kept" else ["--kept"]
            listed = self.do("inquiries", "list", "--assignment", one["assignment"])
            by = self.decider(listed, one)
            self.do("inquiries", "answer", *what, *points, "--by", by, "--reason", one["reason"])

    def decider(self, listed: str, one: dict[str, str]) -> str:
        """Who decides, as `inquiries list` says."""
        found = re.search(
            rf"{one['student']}\W+{one['exercise']}\b.*?({'|'.join(self.markers)})", listed, re.S
        )
        assert found, listed
        return found[1]

    def give_back(self, sheet: str, download: Path) -> None:
        self.do("feedback", sheet)
        self.export(sheet, download)

    def export(self, sheet: str, download: Path) -> None:
        results, worksheet = self.course / "results", download / "grading-worksheet.csv"
        to_moodle = ["--format", "moodle", "--sheet", worksheet]
        self.do("export", results, "--assignment", sheet, *to_moodle)
