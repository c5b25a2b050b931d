"""nbgrader's `timestamp.txt` beside a submission: when it was handed in."""

from pathlib import Path

from autograder.files.reading import read_regular

TIMESTAMP = "timestamp.txt"
MAX_TIMESTAMP = 200  # bytes: a longer file is none


def read_timestamp(folder: Path, top: Path) -> str:
    """Return the first line of a folder's timestamp.txt; "" without such a file.

    No link is followed on the way from the folder `top` to the file.
    """
    try:
        data = read_regular(folder / TIMESTAMP, MAX_TIMESTAMP, top)
    except OSError:
        return ""
    return data.decode(errors="replace").partition("\n")[0].strip()
