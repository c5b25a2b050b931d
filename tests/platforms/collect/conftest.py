"""`collect`, run on downloads of any making, ordinary or made to do harm."""

import hashlib
import json
import os
from collections.abc import Callable

import pytest
from downloads import BOOK, ID, collect_words, on_disk, ours, zipped

from autograder._commands.main import main


@pytest.fixture
def world(tmp_path):
    """A folder with a bystander in it, and SUBMITTED beside that."""
    top = tmp_path / "world"
    top.mkdir()
    (top / "bystander.txt").write_text("untouched")
    return top


@pytest.fixture
def collect_hostile(tmp_path, world, capfd):
    """Collect a zip of these members, or a folder; look at the disk; return status, words, files."""

    def run(download, *more):
        path = download
        if isinstance(download, bytes | list | dict):
            path = tmp_path / "download.zip"
            path.write_bytes(download if isinstance(download, bytes) else zipped(download))
        into = world / "submitted"
        status = main(["collect", str(path), *collect_words(into), "--timezone", "UTC", *more])
        said = "".join(capfd.readouterr())
        beside = {"records.db", "records.db-journal", f"unmatched-{ID}.csv"}
        assert set(os.listdir(world)) <= {"bystander.txt", "submitted", "away"} | beside
        assert (world / "bystander.txt").read_text() == "untouched"
        assert set(os.listdir(tmp_path)) <= {"world", "download.zip", "unpacked", "secret.ipynb"}
        files = on_disk(into) if into.is_dir() else {}
        graded = {
            name.split("/")[0]: files[name] for name in files if name.endswith(f"/{ID}/{BOOK}")
        }
        return status, said, {name: data for name, data in graded.items() if name != ".received"}

    return run


class Died(BaseException):
    """As if the machine had stopped: nothing gets to tidy up by what it knows."""


@pytest.fixture
def dies(monkeypatch) -> Callable[[Callable[[], object], int], bool]:
    """Do something that dies at a step on the disk, the first is 0; return whether it came to that."""

    def run(work: Callable[[], object], at: int) -> bool:
        steps = iter(range(1_000))

        def dying(step):
            def counted(*words, **more):
                if next(steps) == at:
                    raise Died
                return step(*words, **more)

            return counted

        with monkeypatch.context() as patched:
            for name in ("replace", "rename", "fsync", "unlink"):
                patched.setattr(os, name, dying(getattr(os, name)))
            try:
                work()
            except Died:
                return True
        return False

    return run


@pytest.fixture
def earlier_lists(into):
    """What the version before records.db left in SUBMITTED: a notebook, and one that staff chose."""
    folder = into / ".received" / ID
    (folder / "files").mkdir(parents=True)
    lines = []
    for student, text in (("ada-softmax-1810040", ours(1)), ("cleo", ours("chosen"))):
        digest = hashlib.sha256(text).hexdigest()
        kept = f"{digest[:16]}-{BOOK}"
        (folder / "files" / kept).write_bytes(text)
        lines.append(
            {
                "type": "receipt", "student": student, "platform": "moodle", "number": "",
                "name": "", "email": "", "clock": None, "submitted_at": "2026-11-17 20:15:00 UTC",
                "time_from": "the zip, read as UTC", "sha256": digest, "bytes": len(text),
                "file": kept, "download": "old.zip", "member": f"{student}/{BOOK}",
                "collected_at": "2026-11-18T08:00:00+00:00", "order": 0,
            }
        )  # fmt: skip
    for key, students in (("chosen", ["cleo"]), ("open", [])):
        file = {"parts": [key, BOOK], "changed": None, "kept": kept, "sha256": digest}
        sender = {"person": {"student": ""}, "label": f"{key}/{BOOK}", "files": [file]}
        lines.append(
            {
                "type": "unplaced", "key": key, "sentence": "It is nobody's.", "rows": [BOOK],
                "students": students, "collected_at": "2026-11-18T08:00:00+00:00",
                "handed_in": {**sender, "download": "old.zip"},
            }
        )  # fmt: skip
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / "received.jsonl").write_text(text + '{"type": "receipt", "cut')
