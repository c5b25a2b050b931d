"""Runs of `collect`, one after the other: whose is what after each, as a table says."""

import json
import tomllib
from datetime import datetime
from pathlib import Path

import pytest
from downloads import BOOK, DATA, ID, entry, ours, standing, timestamp, zipped
from platforms.worksheets import worksheet
from recorded import everything_received
from repositories import commit

from autograder.classroom.newest_files import newest_files
from autograder.classroom.roster import read_roster

pytestmark = [pytest.mark.usefixtures("read_without_fork"), pytest.mark.slow]

TABLE = (DATA / "facts.toml").read_text(encoding="utf-8")
TABLE = TABLE.replace("BOOK", BOOK).replace("SHEET", ID)
SCENARIOS = {law: scenario["runs"] for law, scenario in tomllib.loads(TABLE).items()}
RUN = {"status": 0, "words": [], "said": [], "unsaid": [], "times": {}, "at": "2026-11-20 15:00:00"}


def gradescope(people: list[list]) -> dict[str, int | bytes]:
    """The files of an export with one submission for each of these people; [] is of nobody."""
    files, lines = {}, ["---"]
    for place, (*person,) in enumerate(people):
        mark = person.pop() if len(person) == 4 else place
        lines += [f"submission_{mark}:", "  :created_at: 2026-11-20 15:00:00 Z"]
        keys = dict(zip((":name", ":sid", ":email"), person, strict=False))
        lines += [f"  :submitters: {json.dumps([keys] if keys else [])}"]
        files[f"submission_{mark}/{BOOK}"] = mark
    return files | {"submission_metadata.yml": "\n".join(lines).encode()}


def members(run: dict) -> list:
    """The entries of the zip that is collected in a run."""
    files = run.get("files", {}) | gradescope(run.get("gradescope", []))
    if "gradescope" not in run:
        del files["submission_metadata.yml"]
    for name, mark in run.get("moodle", {}).items():
        files[f"{name}_assignsubmission_file/{BOOK}"] = mark
    files |= {path: text.encode() for path, text in run.get("texts", {}).items()}
    when = datetime.fromisoformat(run["at"]).timetuple()[:6]
    return [
        (
            entry(name, (*when[:3], mark, 0, 0) if run.get("hours") else when),
            mark if isinstance(mark, bytes) else ours(mark),
        )
        for name, mark in files.items()
    ]


def clones(top: Path, run: dict) -> Path:
    """A folder as gh makes it, with clones and tables."""
    folder = top / f"{ID}-submissions"
    for name, mark in run["git"].items():
        commit(folder / name, {BOOK: ours(mark), "README.md": b"# Sheet"})
    for name, text in run.get("tables", {}).items():
        (folder / name).write_text(text)
    return folder


def fill_in(table: Path, students: str | list[str]) -> Path:
    """Write a copy of the table of what is unmatched, with students in its rows, or in the last."""
    header, *rows = table.read_text().splitlines()
    each = students if isinstance(students, list) else ["" for _ in rows[1:]] + [students]
    choices = table.with_name("choices.csv")
    filled = [row + student for row, student in zip(rows, each, strict=True)]
    choices.write_text("\n".join([header, *filled]) + "\n")
    return choices


@pytest.mark.parametrize("law", SCENARIOS)
def test_runs_add_up(collect, into, tmp_path, roster, law):
    for number, given in enumerate(SCENARIOS[law]):
        run = RUN | given
        words = [*run["words"], *(roster(run["roster"]) if "roster" in run else [])]
        if "sheet" in run:
            words += ["--worksheet", worksheet(tmp_path / "sheet.csv", *run["sheet"])]
        downloads = [clones(tmp_path / str(number), run) if "git" in run else zipped(members(run))]
        if "choose" in run:
            choices = fill_in(into.parent / f"unmatched-{ID}.csv", run["choose"])
            words, downloads = [*words, "--resolve", choices], []
        status, said = collect(*downloads, words=words)
        said = " ".join(said.split())
        assert status == run["status"], (number, said)
        assert all(sentence in said for sentence in run["said"]), (number, said)
        assert not any(sentence in said for sentence in run["unsaid"]), (number, said)
        check(into, run)


def check(into, run: dict) -> None:
    """What stands after a run is what the table says."""
    there = standing(into)
    if "placed" in run:
        assert there == {student: ours(mark) for student, mark in run["placed"].items()}
    if "marks" in run:
        assert sorted(there.values()) == sorted(map(ours, run["marks"]))
    if "kept" in run:
        assert {*map(ours, run["kept"])} == everything_received(into)
    for student, time in run["times"].items():
        assert timestamp(into, student) == time
    if "teams" in run:
        files = newest_files(into, ID, "moodle")
        assert not any(file.number for file in files.values()), "a member's would be a stranger's"
        assert {id: [file.team, file.team_number] for id, file in files.items()} == run["teams"]
    if "sections" in run:
        assert {person.section for person in read_roster(into, ID).values()} == {*run["sections"]}
    if "people" in run:
        assert {person.name for person in read_roster(into, ID).values()} == {*run["people"]}
