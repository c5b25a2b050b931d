"""An invented class to try things on: right, differently right, mistaken, unfinished, broken.

What is written is what students would hand in; `sample-class.csv` beside it says what each one is.
"""

import csv
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from autograder.engine.assignment import ROOT, Assignment
from autograder.engine.mistake import mistakes

FIRST = "ada ben cleo dan eva finn gia hugo ida jan kim leo mia noa ole pia quin rosa sam tia uli vera wim yara zoe"
LAST = "softmax residual dropout layernorm embedding query key value mask head token relu batch gradient"
ANSWER = "**Your answer:** an invented student's words, for a person to mark."


class SampleError(Exception):
    """The class cannot be written; the message says why."""


@dataclass
class Handout:
    """One submission in the making."""

    cells: dict[str, str]  # what this student changed, by cell id
    what: str
    damage: Callable[[str], str] = field(default=lambda text: text)  # of the file's text


class Sampler:
    """Makes submissions of one assignment from its source, its mistakes and its variants."""

    def __init__(self, assignment: Assignment, seed: int):
        self.assignment = assignment
        self.random = random.Random(seed)
        self.solutions = solutions(assignment)
        self.coded = [exercise.id for exercise in assignment.exercises]
        self.mistakes = mistakes(assignment)
        self.variants = variants(assignment)

    def make(self, number: int) -> Handout:
        """Return the submission of the student with this number: kinds take turns."""
        turns = (
            *(self._solution, self._mistaken, self._differently, self._mistaken_twice, self._begun),
            *(self._mistaken, self._broken, self._differently, self._mistaken, self._untouched),
            *(self._mistaken_twice, self._damaged, self._solution, self._leaving, self._mistaken),
        )
        return turns[number % len(turns)]()

    def _solution(self) -> Handout:
        return Handout(dict(self.solutions), "the solution")

    def _mistaken(self, count: int = 1) -> Handout:
        chosen = self.random.sample(self.mistakes, count)
        cells = dict(self.solutions)
        for mistake in chosen:
            cells[mistake.exercise] = mistake.make(self.solutions[mistake.exercise])
        return Handout(cells, ", ".join(f"{m.exercise}: {m.id}" for m in chosen))

    def _mistaken_twice(self) -> Handout:
        return self._mistaken(2)

    def _differently(self) -> Handout:
        name, cells = self.random.choice(self.variants)
        return Handout(self.solutions | cells, f"rightly, {name}")

    def _begun(self) -> Handout:
        """The first exercises and no more."""
        last = self.random.randrange(1, len(self.coded))
        missing = set(self.coded[last:])
        cells = {name: cell for name, cell in self.solutions.items() if name not in missing}
        return Handout(cells, f"not yet: {', '.join(self.coded[last:])}")

    def _untouched(self) -> Handout:
        return Handout({}, "as released")

    def _broken(self) -> Handout:
        name = self.random.choice(self.coded)
        cell = self.solutions[name].replace("def __init__(", "def __init__((", 1)
        return Handout(self.solutions | {name: cell}, f"{name}: a syntax error")

    def _leaving(self) -> Handout:
        name = self.random.choice(self.coded)
        cell = "import os\nos._exit(0)\n" + self.solutions[name]
        return Handout(self.solutions | {name: cell}, f"{name}: ends the process")

    def _damaged(self) -> Handout:
        return Handout(dict(self.solutions), "half a file", lambda text: text[: len(text) // 2])


def write_class(assignment: Assignment, place: Path, students: int, seed: int) -> int:
    """Write the class into `place`; return how many there are. Raises `SampleError`.

    Nothing that is there is overwritten.
    """
    if place.exists() and any(place.iterdir()):
        raise SampleError(
            f"`{place}` is not empty; name a folder that is, or that is not there yet."
        )
    sampler = Sampler(assignment, seed)
    place.mkdir(parents=True, exist_ok=True)
    with (place / "sample-class.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["student", "what"])
        for number, name in enumerate(names(students, seed)):
            handout = sampler.make(number)
            write_submission(assignment, place / name / assignment.id, handout)
            table.writerow([name, handout.what])
    return students


def write_submission(assignment: Assignment, folder: Path, handout: Handout) -> Path:
    """Write one submission; return its notebook."""
    folder.mkdir(parents=True)
    path = folder / f"{assignment.id}.ipynb"
    path.write_text(notebook_text(assignment, handout), encoding="utf-8")
    return path


def notebook_text(assignment: Assignment, handout: Handout) -> str:
    """What the file of a submission holds."""
    notebook = nbformat.read(assignment.release, as_version=4)
    for cell in notebook.cells:
        cell.source = handout.cells.get(cell.id, cell.source)
    return handout.damage(nbformat.writes(notebook) + "\n")


def names(students: int, seed: int) -> list[str]:
    """Invented names, as student ids."""
    pairs = [f"{first}-{last}" for first in FIRST.split() for last in LAST.split()]
    random.Random(seed).shuffle(pairs)
    more = (f"{pairs[i % len(pairs)]}-{i // len(pairs) + 1}" for i in range(len(pairs), students))
    return sorted([*pairs[:students], *more])


def solutions(assignment: Assignment) -> dict[str, str]:
    """The source's solution cells as a student would have written them, and invented answers."""
    written = [cell.id for cell in assignment.cells if cell.solution and cell.kind == "markdown"]
    return assignment.solutions | dict.fromkeys(written, ANSWER)


def variants(assignment: Assignment) -> list[tuple[str, dict[str, str]]]:
    """The legitimate variants, from tests/variants/<assignment>/: name, and cells by exercise.

    A variant of one exercise is <exercise>/<name>.py; one of several is together/<name>/, with a
    file an exercise.
    """
    top = ROOT / "tests" / "variants" / assignment.graders.name
    alone = [
        (f"{file.parent.name}: {file.stem}", {file.parent.name: file.read_text(encoding="utf-8")})
        for file in sorted(top.glob("*/*.py"))
    ]
    together = [
        (folder.name, {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.py")})
        for folder in sorted(top.glob("together/*"))
    ]
    return alone + together
