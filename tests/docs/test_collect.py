"""The page on collecting, followed from a look at a download to taking it back."""

import csv
import re

import pytest
from downloads import BOOK, ID, ours, zipped
from typed_commands import TOP, blocks, type_in, typed

pytestmark = pytest.mark.slow

SETTINGS = f"sheet={ID}\n"


def resolve_command() -> str:
    """The command that reads a filled table, which the page shows with a table of its own."""
    page = (TOP / "docs" / "collect.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^python -m autograder collect --resolve .*$", page, re.MULTILINE)
    return command


def test_a_download_is_looked_at_collected_resolved_and_taken_back(copied, monkeypatch):
    root = copied.course.root
    monkeypatch.chdir(root)
    members = {f"class/s001/{BOOK}": ours(1), f"class/s002/{BOOK}": ours(2)}
    members |= {f"class/Ben Mask/{name}.ipynb": ours(name) for name in ("a", "b")}
    (root / "download.zip").write_bytes(zipped(members))
    both, undo = blocks("collect.md")
    look, write = both.splitlines()
    status, shown = typed(*words(look))
    assert status == 3 and "2 placed; 1 unmatched" in shown
    assert not (root / "submitted").exists() and not (root / "records.db").exists()

    status, written = typed(*words(write))
    assert status == 3 and "2 placed; 1 unmatched" in written
    assert {path.parts[-3] for path in root.glob(f"submitted/*/{ID}/{BOOK}")} == {"s001", "s002"}
    with (root / f"unmatched-{ID}.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == 2 and all(row["reason"] for row in rows)
    rows[1]["student"] = "s003"
    with (root / "choices.csv").open("w", encoding="utf-8") as table:
        copy = csv.DictWriter(table, rows[0])
        copy.writeheader()
        copy.writerows(rows)
    assert "1 placed; none unmatched" in type_in(root, resolve_command(), SETTINGS)
    assert not (root / f"unmatched-{ID}.csv").exists()

    assert "changes for s003" in type_in(root, undo, SETTINGS)
    assert not (root / "submitted" / "s003").exists()
    assert (root / f"unmatched-{ID}.csv").is_file()


def words(command: str) -> list[str]:
    """The words of a command of the page, after the name of the program."""
    return command.replace('"$sheet"', ID).split("autograder ")[1].split()
