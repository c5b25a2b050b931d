"""The page on GitHub Classroom, followed from its first command to its last."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from downloads import BOOK
from downloads import ID as SHEET
from repositories import commit, git

from autograder.authoring.sample_class import SampleClass, notebook_text

PAGE = Path(__file__).parents[2] / "autograder" / "docs" / "github-classroom.md"
pytestmark = [pytest.mark.walls, pytest.mark.database, pytest.mark.slow]

STUDENTS = {"ada1": "0042", "ben2": "0043", "cleo3": "0044"}  # GitHub user, id in the course


HEAD = (
    "assignment_name,assignment_url,starter_code_url,github_username,roster_identifier,"
    "student_repository_name,student_repository_url,submission_timestamp,points_awarded,"
    "points_available\n"
)


def make_archive(folder: Path, assignment) -> None:
    """What `gh` left of a class: clones, and the two tables of GitHub Classroom beside them."""
    folder.mkdir()
    sample, rows = SampleClass(assignment, 1), []
    for number, (user, student) in enumerate(STUDENTS.items()):
        name = f"{SHEET}-{user}"
        git(folder, "init", "--quiet", "--initial-branch=main", name)
        text = notebook_text(assignment, sample.submission(number))
        commit(folder / name, {BOOK: text.encode()})
        rows.append(f"s,u,c,{user},{student},{name},u,2026-11-2{number} 08:00:00 UTC,0,0\n")
    (folder / "grades.csv").write_text(HEAD + "".join(rows))
    roster = "".join(f'"{student}","{user}","1",""\n' for user, student in STUDENTS.items())
    (folder / "classroom_roster.csv").write_text(
        "identifier,github_username,github_id,name\n" + roster
    )


@pytest.mark.long
def test_the_page_is_followed_from_begin_to_end(copied):
    root = copied.course.root
    make_archive(root / f"{SHEET}-submissions", copied)
    settings, commands = re.findall(r"```bash\n(.*?)```", PAGE.read_text(), re.DOTALL)
    typed = f"set -eo pipefail\n{settings.replace('my-sheet', SHEET)}{commands}"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(PAGE.parents[2])}
    done = subprocess.run(
        ["bash", "-c", typed],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "3 students: 3 placed; all placed" in said and "3 grades from 3 verdicts" in said
    stamp = root / "submitted" / "0043" / SHEET / "timestamp.txt"
    assert stamp.read_text().startswith("2026-11-21 08:00:00")
