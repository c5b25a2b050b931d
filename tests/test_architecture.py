"""What graders may import, and whom the product may name; `make check` holds the rooms apart."""

import ast
import re
import sys
from pathlib import Path

import pytest
import torch

from autograder import Assignment, assignments

TOP = Path(__file__).parents[1]
OF_GRADERS = {"torch", "pytest"}  # beside Python's own modules


@pytest.mark.parametrize("course", ["autograder/graders", "tests/course/graders"])
def test_graders_import_their_own_folder_and_little_else(course):
    for file in (TOP / course).rglob("*.py"):
        if {"variants", "plain_tests"} & set(file.parts):
            continue  # students' code, and what it is compared with
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            for name in names:
                top = name.partition(".")[0]
                known = {name, top} & OF_GRADERS or top in sys.stdlib_module_names
                assert known, f"{file} imports {name}"


def test_product_code_reads_no_tests():
    for file in (TOP / "autograder").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        read = re.search(r"(?<!\w)tests/|^\s*(from|import) tests\b", text, re.MULTILINE)
        assert not read or "variants" in file.parts, file


def product_files(graders: Path) -> list[Path]:
    """All that is no document and no picture, outside the folders of assignments, tests and releases."""
    tops = [TOP / "Makefile", *TOP.glob("*.py"), *TOP.glob("*.toml"), *TOP.glob("*.yml")]
    inside = [
        file
        for folder in ("autograder", "tests/benchmarks")
        for file in (TOP / folder).rglob("*")
        if file.suffix not in (".md", ".svg", ".png", ".pyc") and file.is_file()
        if not (folder == "tests/benchmarks" and file.name.startswith("test_"))
    ]
    return [
        *tops,
        *(file for file in inside if file.parent == graders or graders not in file.parents),
    ]


def names_of_torch(name: str) -> bool:
    return hasattr(torch, name) or hasattr(torch.nn.functional, name)


def test_nothing_outside_an_assignments_folders_names_it(course):
    """The product knows no assignment and no exercise by name.

    Exercises of one word are left out, `attention` is said of much else; and so are functions of
    torch's, which is an exercise's name and that of what students call instead.
    """
    assert len(assignments(course)) > 1
    packages = [Assignment(id, course).graders for id in assignments(course)]
    exercises = {file.stem.removeprefix("test_") for one in packages for file in one.glob("test_*")}
    assert len(exercises) > 10
    names = {name for name in exercises | {one.name for one in packages} if "_" in name}
    names = {name for name in names if not names_of_torch(name)} | {*assignments(course)}
    files = product_files(course.graders)
    assert {"Makefile", "conftest.py", "course.py"} <= {file.name for file in files}
    for file in files:
        text = file.read_text(encoding="utf-8")
        told = {name for name in names if name in text}
        assert not told, f"{file} names {told}"
