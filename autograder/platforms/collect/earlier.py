"""Import the records of earlier versions from files below SUBMITTED/.received, once."""

import json
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

from autograder.classroom.records.received import (
    Choice,
    GroupMember,
    Sighting,
    Submission,
    store_file,
)
from autograder.classroom.roster import RECEIVED
from autograder.engine import files, texts
from autograder.platforms.collect.graded import MAX_FILE
from autograder.platforms.collect.receive import Run, submission_key

IMPORTED = ".received-imported"
COMMAND = "import of what an earlier version recorded"  # command of a run that is never undone


def has_earlier_lists(into: Path) -> bool:
    """Whether an earlier version collected into this folder, and nothing was imported yet."""
    return files.kind_of(into / RECEIVED, into) == "folder"


def assignments_of_lists(into: Path) -> list[str]:
    """Return the ids of the assignments with records of earlier versions."""
    return [entry.name for entry in files.entries(into / RECEIVED, into) if entry.kind == "folder"]


def import_lists(run: Run) -> None:
    """Import the records of the run's assignment: received notebooks, unmatched submissions with
    staff's choices, rosters and groups. Damaged lines are skipped.
    """
    folder = run.into / RECEIVED / run.assignment.id
    records: dict[object, dict[str, Any]] = {}  # the last line of each unmatched submission
    for number, record in enumerate(files.read_records(folder / "received.jsonl", dict, run.into)):
        records[record.get("key", number)] = record
    for record in records.values():
        with suppress(KeyError, TypeError, ValueError, OSError):
            _import(run, folder, record)
    with suppress(files.TableError, OSError):
        run.record_roster(folder / ".course.csv", run.into, "an earlier roster")
    with suppress(files.TableError, OSError):
        for _, cells in files.read_table(folder / "groups.csv", run.into).records(
            "student", "group"
        ):
            run.records.merge(
                GroupMember(run.assignment.id, cells["group"], cells["student"], cells["group"])
            )


def _import(run: Run, folder: Path, record: dict[str, Any]) -> None:
    is_receipt = record.get("type") == "receipt"
    if is_receipt:
        part = {"parts": record["member"].split("/"), "kept": record["file"]}
        handed_in = {**record, "person": record, "label": record["member"], "files": [part]}
    else:
        handed_in = record["handed_in"]
    files = [_stored(run, folder, part) for part in handed_in["files"]]
    person, label = defaultdict(str, handed_in["person"]), handed_in["label"]
    sender = person["number"] or person["email"] or label
    key = submission_key(run.assignment.id, person["platform"], sender, files)
    imported = Submission(
        *run.fact, key, person["platform"], person["number"], person["name"], person["email"],
        suggested_id=person["student"], label=label, download=handed_in.get("download", ""),
        files=json.dumps(files),
    )  # fmt: skip
    submitted_at, source = None, ""
    if is_receipt:
        imported.placed_as, imported.notebook = record["student"], files[0]["sha256"]
        imported.notebook_file, imported.upload = label, record.get("upload")
        submitted_at, source = texts.parse_time(record["submitted_at"] or ""), record["time_from"]
    else:
        imported.trouble, imported.notebooks = record["sentence"], json.dumps(record["rows"])
    if run.add(imported) is not imported:
        return
    time, late = submitted_at.isoformat() if submitted_at else "", handed_in.get("late")
    run.records.add(Sighting(*run.fact, imported.id, time, source, is_late=late))
    if record.get("students"):  # it was placed, and receipts have the students
        run.records.add(Choice(*run.fact, imported.id))


def _stored(run: Run, folder: Path, part: dict[str, Any]) -> dict[str, str]:
    """Store a file kept by an earlier version. Return its path, name and hash."""
    data = files.read_regular(folder / "files" / part["kept"], MAX_FILE, run.into)
    name = part.get("student_name") or part["parts"][-1]
    return {"path": "/".join(part["parts"]), "name": name, "sha256": store_file(run.records, data)}
