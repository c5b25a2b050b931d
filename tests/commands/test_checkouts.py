"""The checkout that is started is the one that works, wherever it is started and whichever is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typed_commands import TOP

pytestmark = [pytest.mark.database, pytest.mark.slow]  # nbgrader, in processes of their own

MADE_BY = "a page of the second checkout"


@pytest.fixture(scope="module")
def second(tmp_path_factory) -> Path:
    """Another checkout, in which a page cannot be made, for a reason of its own."""
    folder = tmp_path_factory.mktemp("second")
    skipped = shutil.ignore_patterns("graders", "__pycache__")
    shutil.copytree(TOP / "autograder", folder / "autograder", ignore=skipped)
    module = folder / "autograder" / "gradebook" / "pages" / "feedback.py"
    text = module.read_text(encoding="utf-8")
    start = "        return feedback_pages(root, db_url, assignment_id).make(student), "
    assert start in text
    module.write_text(
        text.replace(start, f"        return False, {MADE_BY!r} + "), encoding="utf-8"
    )
    return folder


@pytest.mark.parametrize("started_in", ["second", "first", "elsewhere"])
def test_pages_are_made_by_the_checkout_that_is_started(empty_book, second, started_in, tmp_path):
    empty_book.enter(s001="An answer.")
    start = f"import sys; sys.path.insert(0, {str(second)!r}); from autograder._commands.main import main; main()"
    words = ["-m", "autograder"] if started_in == "second" else ["-c", start]
    folder = {"second": second, "first": TOP, "elsewhere": tmp_path}[started_in]
    done = subprocess.run(
        [sys.executable, *words, "feedback", "--course", str(empty_book.assignment.course.root)],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert f"s001 has no page: {MADE_BY}" in done.stdout, done.stdout + done.stderr
