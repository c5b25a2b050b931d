"""Write a report's page and CSV files, and overwrite only unchanged files of an earlier report.

The last line of the page has the hash of the text above it. The hashes of the CSV files are in a
file beside them.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from autograder.desk.report.tables import NumberTable
from autograder.engine import AutograderError, files

KEPT = ".class-report.json"  # beside the CSV files, with their hashes
LAST_LINE = "<!-- python -m autograder report: {hash} -->\n"
MAX_BYTES = 64 << 20


def refuse_others(path: Path) -> None:
    """Raise `AutograderError` if `path` is a folder, or a file that is not an unchanged report."""
    if path.is_dir():
        raise AutograderError(f"`{path}` is a folder: name a file, such as {path / 'report.html'}.")
    folder = path.parent
    if not folder.is_dir() or files.kind_of(path, folder) is None:
        return
    try:
        text = files.read_regular(path, MAX_BYTES, folder).decode()
    except (OSError, UnicodeDecodeError):
        text = ""
    above, mark, _ = text.rpartition(LAST_LINE.partition("{")[0])
    if not mark or text != with_last_line(above):
        raise AutograderError(
            f"`{path}` was not written by `report`, or was changed since: move it, or name another "
            "--out."
        )


def with_last_line(page: str) -> str:
    """Return the page with a comment at its end that has its hash, for `refuse_others`."""
    return page + LAST_LINE.format(hash=_hash(page.encode()))


def write_page(path: Path, page: str) -> None:
    """Write the report's page, and replace an earlier report. Raises `AutograderError` if another
    or a changed file is there.
    """
    refuse_others(path)
    with files.replacing(path) as file:
        file.write(with_last_line(page))


def write_tables(folder: Path, tables: Mapping[str, NumberTable]) -> None:
    """Write each table as a CSV file into `folder`. `tables`: by file name. Raises
    `AutograderError`, before anything is written, if such a file was changed or not written by
    `report`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {name: _csv(table) for name, table in tables.items()}
    hashes = _kept(folder)
    existing = {entry.name for entry in files.entries(folder, folder)}
    for name in texts:
        if name in existing and _hash_there(folder / name) != hashes.get(name):
            raise AutograderError(
                f"`{folder / name}` was not written by `report`, or was changed since: move it, or "
                "name another folder with --csv."
            )
    with files.replacing(folder / KEPT) as file:
        json.dump(hashes | {name: _hash(text.encode()) for name, text in texts.items()}, file)
    for name, text in texts.items():
        with files.replacing(folder / name) as file:
            file.write(text)


def _csv(table: NumberTable) -> str:
    text = files.csv_text([table.columns, *table.rows])
    return text.encode(errors="backslashreplace").decode()


def _kept(folder: Path) -> dict[str, str]:
    """Return the hash of each CSV file of an earlier report, {} without a readable record."""
    try:
        hashes = json.loads(files.read_regular(folder / KEPT, MAX_BYTES, folder))
    except (OSError, ValueError, RecursionError):
        return {}
    return hashes if isinstance(hashes, dict) else {}


def _hash_there(path: Path) -> str:
    try:
        return _hash(files.read_regular(path, MAX_BYTES, path.parent))
    except OSError:
        return "no regular file"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
