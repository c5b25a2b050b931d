"""Files in which earlier versions kept records: a line of JSON for each. A line that was cut off by an
interrupted write, or damaged by hand, is skipped.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from autograder.engine.files.reading import read_regular

MAX_BYTES = 1 << 30  # of a file of records
Record = TypeVar("Record")


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
