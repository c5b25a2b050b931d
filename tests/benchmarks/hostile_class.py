"""A class of 30 in which ten hand in what takes long to read: how long `collect` and `grade` take.

    python -m tests.benchmarks.hostile_class [--assignment ID] [KIND ...]

The first row is a class of 20 without them. What the 20 get must be the same, in at most twice the time.
"""

import argparse
import base64
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

HONEST, HOSTILE = 20, 10
Write = Callable[[Path, dict], None]  # into a student's folder, made of the honest notebook


def write(path: Path, notebook: dict) -> None:
    path.write_text(json.dumps(notebook))


def with_cell(notebook: dict, kind: str, source: str, **more: object) -> dict:
    """The notebook with one more cell."""
    cell = {"cell_type": kind, "id": "own", "metadata": {}, "source": source, **more}
    code: dict = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return notebook | {"cells": [*notebook["cells"], cell | code]}


def slow_images(notebook: dict) -> dict:
    """Lines that begin an image, and name an attachment, again and again."""
    for number in range(5):
        line = "<img " + "attachment:" * 2_600
        notebook = with_cell(notebook, "markdown", line, id=f"own-{number}")
    return notebook


def picture(side: int) -> str:
    """A white PNG of side x side pixels, in base64."""

    def chunk(name: bytes, data: bytes) -> bytes:
        length, check = len(data).to_bytes(4, "big"), zlib.crc32(name + data).to_bytes(4, "big")
        return length + name + data + check

    size = side.to_bytes(4, "big") * 2
    pixels = zlib.compress((b"\0" + b"\xff" * 3 * side) * side)
    parts = chunk(b"IHDR", size + b"\x08\x02\0\0\0"), chunk(b"IDAT", pixels), chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def five_pictures(folder: Path, notebook: dict, name: str) -> None:
    names = [f"{number}.png" for number in range(5)]
    shown = picture(6_000)
    attachments = {one: {"image/png": shown} for one in names}
    text = "".join(f"![x](attachment:{one})" for one in names)
    write(folder / name, with_cell(notebook, "markdown", text, attachments=attachments))


def torch_line(folder: Path, notebook: dict, name: str) -> None:
    write(folder / name, with_cell(notebook, "code", "#" + "from torch import " * 9_000))


def image_lines(folder: Path, notebook: dict, name: str) -> None:
    write(folder / name, slow_images(notebook))


def zipped_notebooks(folder: Path, notebook: dict, name: str) -> None:
    content = json.dumps(slow_images(notebook))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"{number}.ipynb", content + " " * number)
    (folder / "work.zip").write_bytes(target.getvalue())


def many_files(folder: Path, notebook: dict, name: str) -> None:
    write(folder / name, notebook)
    for number in range(70_000):
        os.close(os.open(folder / f"{number}.txt", os.O_CREAT))


def many_folders(folder: Path, notebook: dict, name: str) -> None:
    write(folder / name, notebook)
    for number in range(30_000):
        (folder / str(number)).mkdir()


def sparse_files(folder: Path, notebook: dict, name: str) -> None:
    write(folder / name, notebook)
    for number in range(34):
        with (folder / f"{number}.bin").open("wb") as file:
            file.truncate(255 << 20)


KINDS: dict[str, Callable[[Path, dict, str], None]] = {
    one.__name__: one
    for one in (
        *(torch_line, image_lines, five_pictures, zipped_notebooks),
        *(many_files, many_folders, sparse_files),
    )
}


def inbound(folder: Path, assignment: str, kind: str | None) -> None:
    """An exchange's folder with the honest ones, and with ten of this kind."""
    release = Path("release") / assignment / f"{assignment}.ipynb"
    notebook = json.loads(release.read_text())
    for number in range(HONEST + HOSTILE * (kind is not None)):
        theirs = folder / f"s{number * 7 % 30:03}+{assignment}+2026-11-20 15:00:00.{number} UTC+x"
        theirs.mkdir(parents=True)
        own = with_cell(notebook, "code", f"x = {number}")
        if number < HONEST:
            write(theirs / release.name, own)
        else:
            KINDS[str(kind)](theirs, own, release.name)


def run(*words: str | Path) -> float:
    """Run a command of ours; return how long it took."""
    begin = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "autograder", *map(str, words)], stdout=subprocess.DEVNULL
    )
    return time.monotonic() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", help=", ".join(KINDS))
    parser.add_argument("--assignment", default=min(Path("release").iterdir()).name)
    given = parser.parse_args()
    for kind in (None, *(given.kinds or KINDS)):
        with tempfile.TemporaryDirectory() as name:
            top = Path(name)
            inbound(top / "inbound", given.assignment, kind)
            course = "--assignment", given.assignment
            into = top / "submitted"
            collected = run("collect", top / "inbound", "--into", into, *course)
            graded = run("grade", into, *course, "--results", top / "results", "--no-gradebook")
            states = [
                json.loads(one.read_text())["state"]
                for one in (top / "results" / given.assignment).glob("s*.json")
            ]
            counts = {state: states.count(state) for state in sorted({*states})}
            print(
                f"{kind or 'nobody':18} collect {collected:6.1f} s  grade {graded:6.1f} s  {counts}"
            )


if __name__ == "__main__":
    main()
