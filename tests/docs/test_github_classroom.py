"""The page on GitHub Classroom, followed from its first command to its last."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from downloads import BOOK
from downloads import ID as SHEET
from repositories import IDENTITY, commit, git

from autograder.authoring.sample_class import SampleClass, notebook_text

PAGE = Path(__file__).parents[2] / "autograder" / "docs" / "github-classroom.md"
pytestmark = [pytest.mark.walls, pytest.mark.database, pytest.mark.slow]

GH = """#!/bin/sh
# What gh does, with the bare repositories of a folder in the place of GitHub.
set -e
case "$1 $2 $3" in
"classroom clone student-repos")
    mkdir "$SHEET-submissions"
    for repository in "$GITHUB/$SHEET"-[a-z]*[0-9].git; do
        name=$(basename "$repository" .git)
        git clone --quiet "$repository" "$SHEET-submissions/$name"
    done ;;
"classroom assignment-grades --assignment-id") cp "$GITHUB/grades.csv" "$6" ;;
"pr comment 1") cat > "$GITHUB/$(basename "$5").comment" ;;
*) echo "gh: $*" >&2; exit 1 ;;
esac
"""
STUDENTS = {"ada1": "0042", "ben2": "0043", "cleo3": "0044"}  # GitHub user, id in the course


class Walk:
    """A course, a folder in the place of GitHub, and the page's blocks of commands."""

    def __init__(self, course: Path, folder: Path):
        self.course, self.github, self.home = course, folder / "github", folder / "home"
        (self.home / "Downloads").mkdir(parents=True)
        self.github.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        (programs / "gh").write_text(GH)
        (programs / "gh").chmod(0o755)
        self.environment = {
            **os.environ,
            **IDENTITY,
            "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(PAGE.parents[2]),
            "HOME": str(self.home),
            "GITHUB": str(self.github),
            "SHEET": SHEET,
        }
        first, *self.blocks = re.findall(r"```bash\n(.*?)```", PAGE.read_text(), re.DOTALL)
        self.names = re.findall(r"^(\w+)=", first, re.MULTILINE)
        values = {"sheet": SHEET, "github": self.github, "organisation": "o", "number": 7}
        self.settings = "".join(f"{name}='{values[name]}'\n" for name in self.names)

    def follow(self) -> str:
        """Type the next block; return what is said."""
        block = f"set -eo pipefail\n{self.settings}{self.blocks.pop(0)}"
        done = subprocess.run(
            ["bash", "-c", block],
            cwd=self.course,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def bare(self, name: str) -> Path:
        git(self.github, "init", "--quiet", "--bare", "--initial-branch=main", f"{name}.git")
        return self.github / f"{name}.git"


def students_work(walk: Walk, assignment) -> None:
    """Each accepts, works and pushes; GitHub Classroom lists them."""
    sample = SampleClass(assignment, 1)
    rows = []
    for number, (user, student) in enumerate(STUDENTS.items()):
        name = f"{SHEET}-{user}"
        work, remote = walk.home / name, walk.bare(name)
        git(walk.github, "clone", "--quiet", f"{SHEET}-starter.git", str(work))
        commit(work, {BOOK: notebook_text(assignment, sample.submission(number)).encode()})
        git(work, "push", "--quiet", str(remote), "main")
        rows.append(f"s,u,c,{user},{student},{name},u,2026-11-2{number} 08:00:00 UTC,0,0\n")
    head = (
        "assignment_name,assignment_url,starter_code_url,github_username,roster_identifier,"
        "student_repository_name,student_repository_url,submission_timestamp,points_awarded,"
        "points_available\n"
    )
    (walk.github / "grades.csv").write_text(head + "".join(rows))
    roster = "".join(f'"{student}","{user}","1",""\n' for user, student in STUDENTS.items())
    (walk.home / "Downloads" / "classroom_roster.csv").write_text(
        "identifier,github_username,github_id,name\n" + roster
    )


def names_in(repository: Path) -> set[str]:
    """The names of all files of all commits of all branches."""
    listed = git(repository, "rev-list", "--all", "--objects").splitlines()
    return {line.split(" ", 1)[1] for line in listed if " " in line} - {""}


def test_the_page_is_followed_from_begin_to_end(copied, tmp_path):
    walk = Walk(copied.course.root, tmp_path / "elsewhere")
    starter = walk.bare(f"{SHEET}-starter")
    walk.follow()  # 1. publish
    released = {path.name for path in (copied.course.root / "release" / SHEET).iterdir()}
    assert names_in(starter) == released
    students_work(walk, copied)
    walk.follow()  # 3. clone
    said = walk.follow()  # 4. grade
    assert "3 students: 3 placed; all placed" in said and "3 branches" in said
    stamp = copied.course.root / "submitted" / "0043" / SHEET / "timestamp.txt"
    assert stamp.read_text().startswith("2026-11-21 08:00:00")
    assert "not pushed" not in walk.follow()  # 5a. a branch
    for user in STUDENTS:
        remote = walk.github / f"{SHEET}-{user}.git"
        assert git(remote, "ls-tree", "-r", "--name-only", "feedback").split() == [
            "feedback.html",
            "feedback.md",
        ]
        assert names_in(remote) == released | {"feedback.html", "feedback.md"}
    walk.follow()  # 5b. the pull request's text
    comments = {path.stem: path.read_text() for path in walk.github.glob("*.comment")}
    assert comments.keys() == {f"{SHEET}-{user}" for user in STUDENTS}
    assert all(text.startswith("# Feedback on") for text in comments.values())
    assert walk.blocks == []
