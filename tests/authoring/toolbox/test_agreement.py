"""Grading, `check`, and the toolbox agree on which cell answers which exercise, whatever editors and
students did to a notebook, and no text of a student's disappears.
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from autograder.authoring.checked_file import check_file
from autograder.authoring.publish import make_release
from autograder.authoring.toolbox_file import toolbox_module
from autograder.engine import Submission
from autograder.engine.notebooks import read_submission

pytestmark = pytest.mark.slow

TOOLBOX = toolbox_module()  # as it is released
place_saved = TOOLBOX.place_saved
report_on = TOOLBOX.report_on
Released = TOOLBOX.Released
read_released = TOOLBOX.read_released
read_saved = TOOLBOX.read_saved

Cells = list[dict]
NOTEBOOKS = 200
UNANSWERED = ("open", "missing")
TOKEN = re.compile(r"token-\d+-\w+")


def cell_of(kind: str, source: str) -> dict:
    return {
        "cell_type": kind,
        "id": f"new-{abs(hash(source)) % 10**9}",
        "metadata": {},
        "source": source,
    }


def name_of(cell: dict) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id") or cell.get("id", "")


def is_answer(cell: dict) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("solution"))


def lose_ids(cells: Cells, chance: random.Random) -> None:
    """An editor that keeps neither ids nor metadata."""
    for cell in cells:
        cell.pop("id", None)
        cell["metadata"] = {}


def lose_some_ids(cells: Cells, chance: random.Random) -> None:
    for cell in chance.sample(cells, 8):
        cell.pop("id", None)
        cell["metadata"] = {}


def change_type(cells: Cells, chance: random.Random) -> None:
    cell = chance.choice([cell for cell in cells if is_answer(cell)])
    kinds = {"code", "markdown", "raw"} - {cell["cell_type"]}
    cell["cell_type"] = chance.choice(sorted(kinds))


def copy_released(cells: Cells, chance: random.Random, released: Cells) -> None:
    """Some released cells are pasted at the end, with new ids."""
    for cell in chance.sample(released, 12):
        cells.append(json.loads(json.dumps(cell)) | {"id": f"copy-{chance.random()}"})


def split(cells: Cells, chance: random.Random) -> None:
    """Split an answer as JupyterLab does (both halves keep the metadata), or as VS Code does."""
    place = chance.choice([n for n, cell in enumerate(cells) if is_answer(cell)])
    lines = cells[place]["source"].splitlines(keepends=True)
    middle = next(
        (n for n in range(len(lines) // 2, len(lines)) if not lines[n].startswith(" ")), 0
    )
    lower = json.loads(json.dumps(cells[place])) | {
        "source": "".join(lines[middle:]),
        "id": "lower",
    }
    if chance.random() < 0.5:
        lower["metadata"] = {}
    if middle and cells[place]["cell_type"] != "code":
        cells[place]["source"] = "".join(lines[:middle])
        cells.insert(place + 1, lower)


def merge(cells: Cells, chance: random.Random) -> None:
    """Merge a cell with the one below it, if both are of one kind."""
    pairs = [
        n
        for n, (cell, below) in enumerate(pairwise(cells))
        if cell["cell_type"] == below["cell_type"] and (is_answer(cell) or is_answer(below))
    ]
    if pairs:
        place = chance.choice(pairs)
        below = cells.pop(place + 1)
        cells[place]["source"] += "\n\n" + below["source"]


def move(cells: Cells, chance: random.Random) -> None:
    cell = chance.choice([cell for cell in cells if is_answer(cell)])
    cells.remove(cell)
    cells.insert(chance.randrange(len(cells)), cell)


def rename(cells: Cells, chance: random.Random) -> None:
    cell = chance.choice([cell for cell in cells if is_answer(cell)])
    cell["id"], cell["metadata"] = (
        "renamed",
        {"nbgrader": {"grade_id": "renamed", "solution": True}},
    )


def retype(cells: Cells, chance: random.Random) -> None:
    """Delete the cell of an answer, and type it again in a new one, often of the wrong kind."""
    place = chance.choice([n for n, cell in enumerate(cells) if is_answer(cell)])
    kind = chance.choice([cells[place]["cell_type"], "code"])
    cells[place] = cell_of(kind, cells[place]["source"])


def add_own(cells: Cells, chance: random.Random) -> None:
    number = chance.randrange(10**6)
    cells.insert(chance.randrange(len(cells)), cell_of("markdown", f"My note token-{number}-own."))
    cells.insert(chance.randrange(len(cells)), cell_of("code", f"x{number} = 1"))


CHANGES: list[Callable] = [  # in this order: without metadata, it is not known what is an answer
    split, merge, move, retype, change_type, add_own, rename, lose_some_ids, lose_ids,
]  # fmt: skip


def notebooks(assignment, number: int) -> Iterator[tuple[str, set[str], dict]]:
    """Yield the changes that were made, as words, the answers that were written, and the notebook."""
    released = json.loads(assignment.release.read_text())
    for cell in released["cells"]:
        cell["source"] = "".join(cell["source"])
    for seed in range(number):
        chance = random.Random(seed)
        content = json.loads(json.dumps(released))
        cells, written = content["cells"], set()
        for place, cell in enumerate(cells):
            if is_answer(cell) and chance.random() < 0.85:
                written.add(name_of(cell))
                if cell["cell_type"] == "code":
                    cell["source"] = assignment.solutions[name_of(cell)]
                else:
                    cell["source"] += (
                        f"\n\nFirst, token-{place}-first.\n\nThen so, token-{place}-then."
                    )
        changes = sorted(chance.sample(CHANGES, chance.choice([1, 1, 2, 3])), key=CHANGES.index)
        for change in changes:
            change(cells, chance)
        if chance.random() < 0.2:
            copy_released(cells, chance, released["cells"])
        yield f"{seed}: {', '.join(change.__name__ for change in changes)}", written, content


@pytest.fixture(scope="module")
def released(assignment, tmp_path_factory) -> Released:
    folder = make_release(assignment, tmp_path_factory.mktemp("made"))
    return read_released(folder / f"{assignment.id.replace('-', '_')}_checks.py")


def answered_in_grading(submission: Submission) -> set[str]:
    """The exercises with an answer, as graded and as shown to a person."""
    coded = {cell.id for cell in submission.cells if cell.pristine and cell.pristine.solution}
    written = {
        cell.id
        for cell in submission.cells
        if cell.pristine and cell.pristine.solution and cell.kind != "code" and not cell.as_released
    }
    code = {cell.id for cell in submission.cells if cell.kind == "code"} & coded
    return written | (code - submission.untouched)


def lost_texts(content: dict, submission: Submission) -> set[str]:
    """What the student wrote and nobody is shown."""
    shown = {
        token
        for cell in submission.cells
        if cell.pristine
        or cell.kind == "code"
        or "more" in (notes := " ".join(submission.unclaimed))
        or f"`{cell.id}`" in notes
        for token in TOKEN.findall(cell.source)
    }
    return {token for cell in content["cells"] for token in TOKEN.findall(cell["source"])} - shown


def test_all_four_agree_and_no_text_disappears(assignment, released, tmp_path):
    trouble = []
    for words, written, content in notebooks(assignment, NOTEBOOKS):
        path = tmp_path / f"{assignment.id}.ipynb"
        path.write_text(json.dumps(content))
        submission = read_submission(assignment, "s001", path)
        assert not submission.unreadable, words
        in_command = check_file(path, assignment.course, assignment.id)[1].states
        in_notebook = report_on(place_saved(read_saved(path), released), released).states
        answered = [
            answered_in_grading(submission),
            {name for name, state in in_command.items() if state not in UNANSWERED},
            {name for name, state in in_notebook.items() if state not in UNANSWERED},
        ]
        if answered[0] != answered[1] or answered[1] != answered[2]:
            trouble.append((words, *answered))
        if written - answered[0]:
            trouble.append((words, written - answered[0]))
        if texts := lost_texts(content, submission):
            trouble.append((words, texts, submission.unclaimed))
    assert not trouble, f"{len(trouble)}: {trouble[:5]}"
