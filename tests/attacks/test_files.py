"""Hostile files: what is no notebook is unreadable and told so, what is one is believed in nothing.

The wrong solution in them keeps losing its points, whatever the file says about itself.
"""

import json
import os

import pytest
from sampling import every
from submissions import UNDIAGNOSED, edit, exercise, lost

from autograder.engine.examiner import collecting
from autograder.engine.grading import Grader
from autograder.engine.sandbox.walls import Walls
from autograder.mistakes.exercises import diagnose_exercises

pytestmark = pytest.mark.walls

WRONG = """
class Attention(nn.Module):
    def forward(self, query, key, value, attention_mask=None):
        return query
"""


def cells(content):
    return {cell["id"]: cell for cell in content["cells"]}


def tags_say_skip(content):
    for cell in content["cells"]:
        cell["metadata"]["tags"] = ["skip-grading", "skip-execution", "remove-cell"]


def points_say_a_thousand(content):
    for cell in content["cells"]:
        cell["metadata"].setdefault("nbgrader", {})["points"] = 1_000


def checks_are_gone(content):
    content["cells"] = [c for c in content["cells"] if not c["id"].startswith("check_")]


def checks_are_solutions(content):
    for name, cell in cells(content).items():
        if name.startswith("check_"):
            cell["metadata"]["nbgrader"] |= {"solution": True, "grade": False, "locked": False}
            cell["source"] = "1.0"


def checks_were_passed(content):
    output = {"output_type": "execute_result", "data": {"text/plain": "4.0"}, "metadata": {}}
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [output | {"execution_count": 1}]


def outputs_are_scripts(content):
    script = {"text/html": "<script>alert(1)</script>"}
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "display_data", "data": script, "metadata": {}}]


def metadata_is_deep(content):
    nest = content["metadata"]
    for _ in range(300):
        nest["a"] = {}
        nest = nest["a"]


def metadata_is_of_the_wrong_kind(content):
    content["metadata"], content["nbformat"] = [], "four"
    for cell in content["cells"]:
        cell["metadata"] = cell["metadata"].get("nbgrader") and {"nbgrader": "x", "tags": 3}


def ids_are_paths(content):
    for number, cell in enumerate(content["cells"]):
        if "nbgrader" not in cell["metadata"]:
            cell["id"] = f"../../../{number}"


def kernel_is_another(content):
    content["metadata"]["kernelspec"] = {"name": "bash", "display_name": "sh", "language": "sh"}


@pytest.mark.parametrize(
    "change",
    every(
        3,
        [
            *(tags_say_skip, points_say_a_thousand, checks_are_gone, checks_are_solutions),
            *(checks_were_passed, outputs_are_scripts, metadata_is_deep),
            *(metadata_is_of_the_wrong_kind, ids_are_paths, kernel_is_another),
        ],
    ),
    ids=lambda change: change.__name__,
)
def test_what_a_file_says_about_itself_is_not_believed(change, hand_in, assignment, walls):
    path = edit(hand_in(attention=WRONG), change)
    verdict = Grader(assignment, walls, UNDIAGNOSED).grade("s001", path).verdict
    assert verdict.state == "graded" and verdict.max_points == 24
    assert lost(verdict) == {"attention": 4}
    assert exercise(verdict, "attention").state == "answered"


def deep(text: str) -> str:
    return text.replace('"metadata": {', '"metadata": {"a": ' + "[" * 3_000 + "]" * 3_000 + ", ", 1)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text[: len(text) // 2].encode(), "damaged"),
        (lambda text: b"[]", "no notebook with cells"),
        (lambda text: b"null", "no notebook with cells"),
        (lambda text: b"", "empty"),
        (lambda text: text.encode().replace(b'"id"', b'"\xff"', 1), "not UTF-8"),
        (lambda text: text.replace('"cells"', '"cells": [], "cells"', 1).encode(), "damaged"),
        (lambda text: text.replace('"nbformat": 4', '"nbformat": nan').encode(), "damaged"),
        (lambda text: text.replace('"nbformat"', '\n<<<<<<< HEAD\n"nbformat"').encode(), "conflict"),
        (lambda text: deep(text).encode(), "damaged"),
        (lambda text: json.dumps({"cells": [{"cell_type": "code", "source": ""}] * 20_000}).encode(), "cells"),
        (lambda text: text.replace('"metadata": {', '"metadata": {"a": "' + "x" * (40 << 20) + '", ', 1).encode(), "damaged"),
        (lambda text: text.replace('"id": "attention"', '"id": "attention", "id": "x"', 1).encode(), "damaged"),
    ],
    ids=[
        *("half", "a list", "null", "nothing", "no UTF-8", "a key twice", "nan", "conflict"),
        *("depth", "20,000 cells", "40 MiB", "a cell's key twice"),
    ],
)  # fmt: skip
def test_a_hostile_file_is_unreadable_with_a_reason(damage, reason, hand_in, assignment, walls):
    path = hand_in()
    path.write_bytes(damage(path.read_text()))
    verdict = Grader(assignment, walls, explain=diagnose_exercises).grade("s001", path).verdict
    assert verdict.state == "unreadable" and reason in verdict.reason
    assert verdict.points == 0 and verdict.exercises == []


def test_files_beside_a_notebook_are_nobodys_business(
    hand_in, assignment, tmp_path, monkeypatch, walls
):
    """Not loaded by the examiner, not followed, not there for the candidate."""
    path, sign = hand_in(attention=WRONG), tmp_path / "executed"
    code = f"open({str(sign)!r}, 'w')"
    for name in ("conftest.py", "sitecustomize.py", "torch.py", "json.py", "usercustomize.py"):
        (path.parent / name).write_text(code)
    for name in ("pytest.ini", "tox.ini", "pyproject.toml", "setup.cfg"):
        (path.parent / name).write_text("[pytest]\naddopts=--collect-only\n")
    (path.parent / "link").symlink_to("/etc")
    os.mkfifo(path.parent / "pipe.ipynb")
    monkeypatch.chdir(path.parent)
    collecting.collect_checks.cache_clear()
    here = Walls(walls.level)  # all that is started is started here
    verdict = Grader(assignment, here, UNDIAGNOSED).grade("s001", path).verdict
    here.close()
    assert lost(verdict) == {"attention": 4} and not sign.exists()
