"""Read the record files of earlier versions, with a line of JSON for each record.

A line that was cut off by an interrupted write, or damaged by hand, is skipped.
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
    """Yield the records of the type `kind` in the file at `path`, in the order of the file.

    A missing file has no records, and invalid lines are skipped. `top`: a folder around the file,
    below which no link is followed. Raise `NotRegular`, `TooLarge` or another `OSError` if the file
    cannot be read.
    """
    decoder = msgspec.json.Decoder(kind)
    try:
        lines = read_regular(path, MAX_BYTES, top).splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        with suppress(ValueError, RecursionError):
            yield decoder.decode(line)
