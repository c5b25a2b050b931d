"""Imports run one way, from the top floor down, and never in a circle."""

import ast
import re
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import torch

from autograder.engine.course.assignment import Assignment, assignments

TOP = Path(__file__).parents[1]
FLOORS = [  # from the ground up: a room may import what is below it; rooms on one floor do not meet
    ["text", "engine.placing"],
    ["files", "toolbox"],
    ["engine.candidate", "engine.catalogue"],
    ["engine.course", "engine.limits"],
    ["engine.notebook"],
    ["engine.verdict"],
    ["engine.sandbox", "engine.examiner"],
    ["engine.diagnosis", "engine.graded", "engine.notes"],
    ["engine.grade", "engine.results"],
    ["classroom.records"],
    ["people", "report.blocks"],
    ["gradebook"],
    ["platforms"],
    ["platforms.collect"],
    ["classroom", "staff"],
    ["report"],
    ["authoring"],
    ["cli"],
    ["__main__"],
]
ROOMS = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
OF_GRADERS = {"torch", "pytest"}  # beside Python's own modules


def modules() -> dict[str, Path]:
    """Every module of the package by its name, but for graders and their like."""
    files = (TOP / "autograder").rglob("*.py")
    return {
        ".".join(file.relative_to(TOP).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
        if "graders" not in file.parts and "templates" not in file.parts
    }


MODULES = modules()


def imports(file: Path) -> set[str]:
    """What a file imports of the package, also inside functions and for types alone."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            name = node.module or ""
            assert not node.level, f"{file}: relative imports are for graders"
            inside = {f"{name}.{alias.name}" for alias in node.names} & MODULES.keys()
            found |= inside or {name}
    return {name for name in found if name.startswith("autograder.")}


def room(module: str) -> str:
    """The room of a module: the longest part of its name that has a floor; of its folder, without one."""
    parts = module.split(".")[1:]
    longer = ".".join(parts[:2])
    return longer if longer in ROOMS or (parts[0] == "engine" and parts[1:]) else parts[0]


@cache
def graph() -> dict[str, set[str]]:
    """What each module imports."""
    return {name: imports(file) for name, file in MODULES.items() if name != "autograder"}


@pytest.mark.parametrize("module", sorted(MODULES.keys() - {"autograder"}))
def test_a_module_imports_only_what_is_below_its_room(module):
    if module == "autograder.engine":
        return
    here = room(module)
    for other in graph()[module]:
        there = room(other)
        assert there == here or ROOMS[there] < ROOMS[here], f"{module} imports {other}"


def test_no_module_imports_itself_through_others():
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_every_room_has_its_floor_and_is_there():
    assert {room(name) for name in graph()} - {"engine"} == ROOMS.keys()


def test_the_candidate_imports_nothing_of_the_trusted_side():
    for name, found in graph().items():
        if name.startswith("autograder.engine.candidate"):
            assert all(other.startswith("autograder.engine.candidate") for other in found), name


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
