"""Downloads for tests: small notebooks, zips of any making, `collect`, and what is on the disk."""

import csv
import io
import json
import os
import stat
import zipfile
from pathlib import Path

import recorded

from autograder._commands.main import main
from autograder.engine.courses import read_cells
from autograder.platforms.collect.archive import open_download
from autograder.platforms.platform import Contents, Layout
from autograder.platforms.recognise import sort_by_student

COURSE = Path(__file__).with_name("course")
DATA = Path(__file__).with_name("platforms") / "data"
ID = "small-sheet"
BOOK = f"{ID}.ipynb"
CELL = next(cell.id for cell in read_cells(COURSE / "release" / ID / BOOK) if cell.solution)
MOODLE = "Ada Softmax_1234567_assignsubmission_file"
WHEN = (2026, 11, 20, 15, 0, 0)
METADATA = """---
submission_456:
  :submitters:
  - :name: Ada Softmax
    :sid: 0042
    :email: ada@uni.example
  - :name: Ben Mask
    :sid: ''
    :email: ben@uni.example
  :created_at: 2026-11-20 15:00:00.861687000 +01:00
  :results:
    output: |-
      ===
      Score: 1
submission_457:
  :submitters:
  - :name: Cleo Head
    :email: ben@other.example
  :created_at: 2026-11-21 08:30:00.5 Z
submission_458:
  :submitters: []
"""


def ours(mark: object = 0, **more: object) -> bytes:
    """A small notebook of the assignment."""
    cell = {"cell_type": "code", "id": CELL, "source": f"mark = {mark!r}", "metadata": {}}
    return json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 5} | more).encode()


def others(mark: object = 0) -> bytes:
    """A notebook that is for another assignment."""
    cell = {"cell_type": "code", "id": "pandas", "source": f"mark = {mark!r}", "metadata": {}}
    return json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 5}).encode()


DAMAGED = b'{"cells": ['


def entry(name: str, when: tuple = WHEN, mode: int = 0o100644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("name", when)
    info.filename = info.orig_filename = name  # as it is: ZipInfo would mend it
    info.external_attr, info.create_system = mode << 16, 3
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def zipped(files: dict | list) -> bytes:
    """A zip of members by name, or of pairs of entry and bytes."""
    pairs = files.items() if isinstance(files, dict) else files
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in pairs:
            archive.writestr(entry(name) if isinstance(name, str) else name, data)
    return file.getvalue()


def unzipped(content: bytes) -> dict[str, bytes]:
    """The members of a zip, by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_download(folder: Path, download: dict | list, **words) -> tuple[Layout, Contents]:
    """The layout that is recognised in a zip with these files, and the content, sorted."""
    path = folder / "read.zip"
    path.write_bytes(zipped(download))
    return sort_by_student(open_download(path), ID, words.pop("named", None), **words)


def samples(name: str) -> list[dict[str, str]]:
    """The rows of a table of samples, with the right reading of each."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def on_disk(top: Path) -> dict[str, bytes]:
    """All that is below a folder; fails for anything that is neither a folder nor a plain file."""
    found = {}
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            path = Path(folder, name)
            mode = path.lstat().st_mode
            assert stat.S_ISREG(mode) or stat.S_ISDIR(mode), path
            if stat.S_ISREG(mode):
                found[str(path.relative_to(top))] = path.read_bytes()
    return found


def moodle(mark, hour: int) -> bytes:
    return zipped([(entry(f"{MOODLE}/{BOOK}", (2026, 11, 20, hour, 0, 0)), ours(mark))])


class Collect:
    """Runs `collect` on downloads, which are paths, bytes, or files by name."""

    def __init__(self, folder: Path, capfd):
        self.folder, self.capfd = folder, capfd

    def __call__(self, *downloads, words=(), zone="UTC") -> tuple[int, str]:
        """Collect them into `submitted/`; return the exit status and what was said."""
        paths = []
        for number, download in enumerate(downloads):
            path = self.folder / f"download-{number}.zip"
            if isinstance(download, dict | list):
                download = zipped(download)
            if isinstance(download, bytes):
                path.write_bytes(download)
                download = path
            paths.append(str(download))
        into = self.folder / "submitted"
        zone_words = ["--timezone", zone] if zone else []
        status = main(["collect", *paths, *collect_words(into), *zone_words, *map(str, words)])
        return status, "".join(self.capfd.readouterr())


def collect_words(into: Path) -> list[str]:
    """The arguments of `collect` that every test needs."""
    return ["--course", str(COURSE), "--assignment", ID, "--into", str(into)]


def standing(into) -> dict[str, bytes]:
    """The notebooks that would be graded, by student."""
    return {path.parts[-3]: path.read_bytes() for path in into.glob(f"[!.]*/{ID}/{BOOK}")}


def receipts(into, student="*") -> list[dict]:
    """What is recorded of a student's submissions, or of all, as they were collected."""
    return recorded.receipts(into, ID, student)


def timestamp(into, student: str) -> str:
    return (into / student / ID / "timestamp.txt").read_text().strip()
