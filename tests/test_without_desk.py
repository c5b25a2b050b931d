"""The desk can be deleted: the rest is imported, lists its commands, and passes its tests."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typed_commands import TOP

pytestmark = pytest.mark.slow

DESKS = {
    "status",
    "report",
    "show",
    "marking",
    "inquiries",
    "look-alikes",
    "viva",
    "student",
    "course",
}
INSTALLED_IS_HIDDEN = """# an editable installation would find the desk in the checkout that is installed
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "Editable" not in getattr(one, "__name__", "")]
"""
FEW = "not walls and not browser and not database and not slow and not long"


@pytest.fixture(scope="module")
def without_desk(tmp_path_factory) -> Path:
    """A copy of the checkout without `autograder/desk/`."""
    folder = tmp_path_factory.mktemp("without") / "checkout"
    skipped = shutil.ignore_patterns(
        "desk", "demo", ".git", "__pycache__", ".*_cache", ".hypothesis"
    )
    shutil.copytree(TOP, folder, symlinks=True, ignore=skipped)
    (folder / "sitecustomize.py").write_text(INSTALLED_IS_HIDDEN)
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", *words], cwd=folder, env={"PYTHONPATH": str(folder)},
        capture_output=True, text=True,
    )  # fmt: skip


def test_help_lists_the_commands_of_the_other_rooms_alone(without_desk):
    listed = run(TOP, "-m", "autograder", "--help").stdout.partition("Commands:")[2]
    there = run(without_desk, "-m", "autograder", "--help").stdout.partition("Commands:")[2]
    all_of, core = ({*re.findall(r"^  ([a-z-]+) ", text, re.M)} for text in (listed, there))
    assert core and all_of - core == DESKS
    done = run(without_desk, "-m", "autograder", "grade", "--watch", "--feedback")
    assert done.returncode == 2 and "autograder.desk" in done.stderr


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_others_tests_pass(without_desk):
    done = run(without_desk, "-m", "pytest", "-n2", "-m", FEW)
    passed = re.search(r"(\d+) passed", done.stdout)
    assert done.returncode == 0 and passed and int(passed[1]) > 3_000, done.stdout[-5000:]
