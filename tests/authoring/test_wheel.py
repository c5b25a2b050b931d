"""The engine, installed into another course: without any grader of this one."""

import csv
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.walls

PIP = ["-m", "pip", "--quiet", "--disable-pip-version-check"]


def run(words: list[object], folder: Path, **env: str) -> str:
    """Run Python with these words in a folder; return what it said."""
    command = [sys.executable, "-P", *map(str, words)]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | env, text=True, capture_output=True, timeout=250
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(course, tmp_path_factory) -> Path:
    """The wheel, built from a copy of the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    skipped = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(course.root / "autograder", folder / "sources" / "autograder", ignore=skipped)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(course.root / name, folder / "sources")
    flags = ["--no-deps", "--no-build-isolation", "--no-index"]
    run([*PIP, "wheel", *flags, "--wheel-dir", folder, folder / "sources"], folder)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_no_grader(wheel, course):
    names = zipfile.ZipFile(wheel).namelist()
    assert "autograder/engine/grading/grade.py" in names
    ours = {folder.name for folder in course.graders.iterdir() if folder.is_dir()}
    hidden = ours | {"graders"}
    assert not [name for name in names if hidden & set(name.split("/"))]


def test_the_wheel_says_its_licence(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in names if name.endswith(".dist-info/licenses/LICENSE")]


def test_the_wheel_holds_every_file_that_the_code_reads(wheel, course):
    names = set(zipfile.ZipFile(wheel).namelist())
    package = course.root / "autograder"
    read = [file for kind in ("jinja", "json", "j2", "toml") for file in package.rglob(f"*.{kind}")]
    wanted = {file.relative_to(course.root).as_posix() for file in read}
    assert wanted - names == set()


@pytest.mark.long
def test_installed_elsewhere_it_begins_releases_and_grades_an_assignment(wheel, tmp_path):
    packages, course = tmp_path / "packages", tmp_path / "course"
    flags = ["--no-deps", "--no-index", "--target", packages]
    run([*PIP, "install", *flags, wheel], tmp_path)
    course.mkdir()
    (course / "nbgrader_config.py").touch()

    def autograder(*words: object) -> str:
        return run(["-m", "autograder", *words], course, PYTHONPATH=str(packages))

    where = run(
        ["-c", "import autograder; print(autograder.__file__)"], course, PYTHONPATH=str(packages)
    )
    assert Path(where.strip()).is_relative_to(packages)
    for kind in ("module", "function", "value", "choice"):
        autograder("new", "my-sheet", f"one_{kind}", "--kind", kind)
    autograder("release", "my-sheet")
    for student, version in (("solves-all", "source"), ("does-nothing", "release")):
        shutil.copytree(course / version / "my-sheet", course / "submitted" / student / "my-sheet")
    autograder("grade", "--no-gradebook")
    assert re.search("2  not in the gradebook .* enter --assignment my-sheet", autograder("status"))
    with (course / "results" / "my-sheet" / "grades.csv").open() as file:
        points = {row["student"]: float(row["points"]) for row in csv.DictReader(file)}
    assert points == {"solves-all": 4.0, "does-nothing": 0.0}
