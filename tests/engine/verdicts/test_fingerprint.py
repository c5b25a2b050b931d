"""The fingerprint is whole: whatever a verdict depends on changes it, and nothing else."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from autograder.engine import Assignment, RunSettings, find_course
from autograder.engine.verdicts import fingerprint, is_current

pytestmark = pytest.mark.slow


@pytest.fixture
def here(small_course, tmp_path, monkeypatch):
    """The small assignment and the package, copied: every file may be touched."""
    package = tmp_path / "package"
    shutil.copytree(fingerprint.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(fingerprint, "PACKAGE", package)
    shutil.copytree(small_course.root, tmp_path / "course")
    course = find_course(tmp_path / "course")
    for folder in (course.source / "other-sheet", course.graders / "other_sheet"):
        folder.mkdir()
        (folder / "file.py").write_text("")
    return Assignment("small-sheet", course)


def hash_of(assignment):
    fingerprint.grader_hash.cache_clear()
    return fingerprint.grader_hash(assignment)


PROOFS = {  # a file of each kind that proves the graders or is left behind, and decides no verdict
    "__pycache__/x.pyc",
    ".ipynb_checkpoints/x.ipynb",
    ".DS_Store",
    "variants/softmax.py",
    "variants/sheets/another.py",
    "mistakes/in_variants.md",
    "plain_tests/softmax.py",
    "contract.md",
    "viva.md",
}


def files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and not is_proof(file)]


def is_proof(file: Path) -> bool:
    return bool({"__pycache__", "variants", "viva.md"} & {*file.parts})


def test_touching_any_file_of_the_engine_or_the_graders_or_a_notebook_changes_it(here):
    engine = [
        file for name in ("engine", "files", "text") for file in files(fingerprint.PACKAGE / name)
    ]
    own = [*files(here.graders), here.source, here.release]
    assert len(engine) > 40 and len(own) > 10
    before = hash_of(here)
    for file in (*engine, *own):
        content = file.read_bytes()
        file.write_bytes(content + b" ")
        assert hash_of(here) != before, file
        file.write_bytes(content)
    assert hash_of(here) == before


@pytest.mark.parametrize("name", sorted(PROOFS))
def test_what_proves_the_graders_or_is_left_behind_changes_nothing(name, here):
    before = hash_of(here)
    file = here.graders / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("Another text.")
    assert hash_of(here) == before


@pytest.mark.parametrize(
    "name",
    ["reference.py", "test_softmax.py", "conftest.py", "stand_ins.py", "mistakes/softmax.md"],
)
def test_what_decides_a_verdict_changes_it(name, here):
    before = hash_of(here)
    with (here.graders / name).open("a") as file:
        file.write("\n")
    assert hash_of(here) != before


def test_what_students_get_beside_the_notebook_changes_nothing(here):
    before = hash_of(here)
    beside = [file for file in files(here.release.parent) if file != here.release]
    assert len(beside) >= 3
    for file in (*beside, here.source.parent / "small_sheet_checks.py"):
        file.write_text("Another text.")
    assert hash_of(here) == before


def test_it_does_not_hang_on_where_the_course_lies(here, small):
    """Workers on other machines have their own checkouts."""
    for folder in (here.course.source / "other-sheet", here.course.graders / "other_sheet"):
        shutil.rmtree(folder)
    assert hash_of(here) == hash_of(small)


def test_a_verdict_is_current_by_all_that_decides_it(small):
    settings = RunSettings(small, seed=1)
    wanted = settings.stamp("abc")
    assert is_current(wanted, wanted) and is_current(wanted.by_wall_clock(), wanted)
    assert is_current(replace(wanted, sandbox="landlock"), wanted)
    for other in (
        settings.stamp("abd"),
        RunSettings(small, seed=2).stamp("abc"),
        RunSettings(small, sandbox="practice").stamp("abc"),
        replace(wanted, grader="other"),
        replace(wanted, packages="other"),
    ):
        assert not is_current(other, wanted)


def test_the_seed_of_a_run_goes_before_that_of_a_verdict(small):
    assert RunSettings(small, seed=1).stamp("abc", 7).seed == 1
    assert RunSettings(small).stamp("abc", 7).seed == 7


def test_without_a_seed_each_submission_gets_one_of_its_own(small):
    assert len({RunSettings(small).stamp("abc").seed for _ in range(8)}) == 8
    assert {RunSettings(small, seed=3).stamp("abc").seed for _ in range(8)} == {3}
