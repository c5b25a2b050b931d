"""Files of records: a line of JSON for each, to which lines are only added.

A line that was cut off by an interrupted write, or damaged by hand, is skipped when the file is
read.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from autograder.engine.files.reading import read_regular

MAX_BYTES = 1 << 30  # of a file of records
Record = TypeVar("Record")


def add_record(path: Path, record: msgspec.Struct) -> None:
    """Append a record to the file at `path`, which is created with its folder if it is missing.
    When this returns, the line is on the disk. Lone surrogates are written as question marks.

    Raises `OSError` if it cannot be written.
    """
    text = json.dumps(msgspec.to_builtins(record), ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        begin = "" if file.read(1) in (b"", b"\n") else "\n"  # after what was cut off
        file.write(f"{begin}{text}\n".encode(errors="replace"))
        file.flush()
        os.fsync(file.fileno())


def read_records(path: Path, kind: type[Record], top: Path) -> Iterator[Record]:
    """Yield the records of the type `kind` in the file at `path`, in the order in which they were
    added; none if there is no file. A line that is no such record is skipped.

    `top`: a folder around it, below which no link is followed. Raises `NotRegular`, `TooLarge` or
    another `OSError` if the file cannot be read.
    """
    decoder = msgspec.json.Decoder(kind)
    try:
        lines = read_regular(path, MAX_BYTES, top).splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        with suppress(ValueError, RecursionError):
            yield decoder.decode(line)
