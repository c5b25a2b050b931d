"""Describe a notebook as it was released: its exercises, its map, fingerprints of its cells.

`release` writes this, as plain data, at the end of `<assignment>_checks.py`, so that it can be read
without torch and without a notebook.
"""

import ast
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from autograder.authoring.toolbox.exercises import ExerciseHeading
from autograder.engine.placing import ReleasedCell

NAME = "RELEASED"  # variable with the data in that file
MODULE_SUFFIX = "_checks"  # of the module with an assignment's checks
SUFFIX = f"{MODULE_SUFFIX}.py"
CHECK_CELL = "check_"  # a check cell is named after its solution cell


class Released(NamedTuple):
    """The data of an assignment as it was released to students."""

    exercises: Mapping[str, ExerciseHeading]  # by solution cell
    cells: Sequence[ReleasedCell] = ()  # all, in order
    overview: str = ""  # the map, as SVG
    ungraded: Collection[str] = ()  # number and title of exercises without a cell to answer in
    notebook: str = ""  # the name under which it is submitted
    checks: Path | None = None  # the file with this data

    @property
    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of the cells, by id."""
        return {cell.id: cell.fingerprint for cell in self.cells}


NOTHING = Released({})


def title_of_cell(name: str, released: Released) -> str:
    """Return "The cell of exercise 3a" for the cell of an exercise, else "The cell `name`"."""
    exercise = released.exercises.get(name)
    return f"The cell of exercise {exercise.number}" if exercise else f"The cell `{name}`"


def checks_module(assignment: str) -> str:
    """Return the name of the module with an assignment's checks: `my-sheet` -> `my_sheet_checks`."""
    return assignment.replace("-", "_") + MODULE_SUFFIX


def released_from(data: Mapping[str, Any]) -> Released:
    """Make a `Released` from plain data: its fields by name, and those of exercises and cells."""
    exercises = {id: ExerciseHeading(**fields) for id, fields in data["exercises"].items()}
    cells = [ReleasedCell(*fields) for fields in data["cells"]]
    return Released(**{**data, "exercises": exercises, "cells": cells})


def read_released(checks: Path) -> Released:
    """Read the release from a file `<assignment>_checks.py` without running it.

    Return NOTHING if it does not exist or has no such data.
    """
    try:
        tree = ast.parse(checks.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return NOTHING
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == NAME:
            return released_from(ast.literal_eval(node.value))._replace(checks=checks)
    return NOTHING


def checks_beside(folder: Path) -> list[Path]:
    """Return the paths of the files of visible checks in a folder, one for each assignment."""
    return sorted(folder.glob(f"*{SUFFIX}"))
