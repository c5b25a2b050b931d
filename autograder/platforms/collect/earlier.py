"""Import what earlier versions recorded in files below SUBMITTED/.received, once."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import select

from autograder.classroom.records.received import (
    Choice,
    GroupMember,
    RosterRow,
    Sighting,
    Submission,
    store_file,
)
from autograder.files.csv_text import TableError, read_table
from autograder.files.json_lines import read_records
from autograder.files.reading import entries, kind_of, read_regular
from autograder.people.roster import RECEIVED, people_in, roster_cells
from autograder.platforms.collect.graded import MAX_FILE
from autograder.platforms.collect.receive import Run, submission_key
from autograder.text.times import parse_time

IMPORTED = ".received-imported"
COMMAND = "import of what an earlier version recorded"  # of a run, which is never undone


def has_earlier_lists(into: Path) -> bool:
    """Whether an earlier version collected into this folder, and nothing was imported yet."""
    return kind_of(into / RECEIVED, into) == "folder"


def assignments_of_lists(into: Path) -> list[str]:
    """Return the ids of the assignments of which earlier versions recorded something."""
    return [one.name for one in entries(into / RECEIVED, into) if one.kind == "folder"]


def import_lists(run: Run) -> None:
    """Record what earlier versions recorded of the run's assignment: received notebooks, unmatched
    submissions with staff's choices, rosters and groups. A damaged line is skipped.
    """
    folder = run.into / RECEIVED / run.assignment.id
    for record in _last_records(folder, run.into):
        with suppress(KeyError, TypeError, ValueError, OSError):
            _import(run, folder, record)
    with suppress(TableError, OSError):
        table = read_table(folder / ".course.csv", run.into)
        for person, number in zip(people_in(table), table.lines[1:], strict=True):
            run.records.add(
                RosterRow(*run.fact, *roster_cells(person), "", "an earlier roster", number)
            )
    with suppress(TableError, OSError):
        for _, cells in read_table(folder / "groups.csv", run.into).records("student", "group"):
            run.records.merge(
                GroupMember(run.assignment.id, cells["group"], cells["student"], cells["group"])
            )
    run.records.flush()


def _last_records(folder: Path, top: Path) -> list[dict[str, Any]]:
    """Return the recorded receipts, and the last line on each unmatched submission."""
    records: dict[object, dict[str, Any]] = {}
    for number, record in enumerate(read_records(folder / "received.jsonl", dict, top)):
        records[record.get("key", number)] = record
    return [*records.values()]


def _import(run: Run, folder: Path, record: dict[str, Any]) -> None:
    if record.get("type") == "receipt":
        parts = [{"path": record["member"], "name": record["member"], "kept": record["file"]}]
        submission = _submission(run, folder, record, parts, record["member"], record["download"])
        submission.placed_as = record["student"]
        submission.notebook = json.loads(submission.files)[0]["sha256"]
        submission.notebook_file, submission.upload = record["member"], record.get("upload")
        when = parse_time(record["submitted_at"] or "")
        times = when.isoformat() if when else "", record["time_from"]
        late = record.get("late")
    else:
        handed_in = record["handed_in"]
        parts = [{**file, "path": "/".join(file["parts"])} for file in handed_in["files"]]
        submission = _submission(
            run,
            folder,
            handed_in["person"],
            parts,
            handed_in["label"],
            handed_in.get("download", ""),
        )
        submission.trouble, submission.notebooks = record["sentence"], json.dumps(record["rows"])
        times, late = ("", ""), handed_in.get("late")
    same = select(Submission.id).where(Submission.key == submission.key)
    if run.records.scalar(same) is not None:
        return
    run.records.add(submission)
    run.records.flush()
    run.records.add(Sighting(*run.fact, submission.id, *times, is_late=late))
    if record.get("students"):  # it was placed, and its receipts say for whom
        run.records.add(Choice(*run.fact, submission.id))


def _submission(
    run: Run, folder: Path, person: dict[str, Any], parts: list[dict[str, Any]], label: str,
    download: str,
) -> Submission:  # fmt: skip
    files = []
    for part in parts:
        data = read_regular(folder / "files" / part["kept"], MAX_FILE, run.into)
        name = part.get("student_name") or part["path"].rpartition("/")[2]
        files.append({"path": part["path"], "name": name, "sha256": store_file(run.records, data)})
    sender = person.get("number") or person.get("email") or label
    key = submission_key(run.assignment.id, person.get("platform", ""), sender, files)
    return Submission(
        *run.fact, key, person.get("platform", ""), person.get("number", ""), person.get("name", ""),
        person.get("email", ""), suggested_id=person.get("student", ""), label=label,
        download=download, files=json.dumps(files),
    )  # fmt: skip
