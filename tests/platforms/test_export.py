"""One export: the same again, no verdict of its own, and without what only grading needs."""

import subprocess
import sys
from pathlib import Path

from exports import moodle_assignment


def test_an_export_again_is_the_same_to_the_byte(export):
    Path("sheet.csv").write_bytes(moodle_assignment().worksheet())
    seen = []
    for _ in range(2):
        export("moodle", "--sheet", "sheet.csv")
        folder = Path("results/sheet-3/export")
        seen.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert seen[0] == seen[1] and set(seen[0]) == {"moodle.csv", "moodle-feedback.zip"}


def test_exports_are_no_verdicts(export):
    for kind in ("csv", "canvas", "gradescope"):
        export(kind)
    assert len(list(Path("results/sheet-3").glob("*.json"))) == 3
    assert export("csv")[0] == 0


def test_an_export_needs_no_torch():
    code = "import sys, autograder.platforms.export; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
