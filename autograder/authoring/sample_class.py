"""Generate a class of invented submissions: correct, mistaken, unfinished and broken.

The submissions are files like those of students. A table beside them describes each.
"""

import csv
import random
from dataclasses import dataclass
from pathlib import Path

import nbformat

from autograder.authoring.sample_names import names
from autograder.authoring.variants import variants
from autograder.engine import Assignment, AutograderError, Pattern, points_text
from autograder.gradebook.pages.schemes import schemes
from autograder.mistakes.mistake import Mistake, merge, mistakes

CAPITAL = Pattern(r"(?m)^[A-Z]")  # at the beginning of a line
ANSWER = "**Your answer:** an invented student's words, for a person to mark."

TABLE = "sample-class.csv"  # beside the students' folders: a description of each submission


@dataclass
class SampleSubmission:
    """One invented submission."""

    cells: dict[str, str]  # source of the cells that differ from the release, by id
    what: str  # description
    damaged: bool = False  # its file ends halfway


class SampleClass:
    """Invents submissions for an assignment.

    They are made of its solution, its mistakes, its variants and the example answers of its marking
    schemes. The solution replaces missing mistakes or variants. Without examples, written answers
    are a fixed sentence.
    """

    def __init__(self, assignment: Assignment, seed: int):
        """Raises `AutograderError` if the assignment has no exercise with a check cell.

        `seed`: of all random choices.
        """
        if not assignment.exercises:
            raise AutograderError(
                f"`{assignment.id}` has no check cell, and so no exercise to try."
            )
        self.random = random.Random(seed)
        # A separate generator, so that examples do not change the code.
        self.random_words = random.Random(seed)
        self.solutions = solutions(assignment)
        self.written = [name for name in self.solutions if name not in assignment.solutions]
        self.examples = {name: scheme.examples for name, scheme in schemes(assignment).items()}
        self.coded = [exercise.id for exercise in assignment.exercises]
        self.mistakes = mistakes(assignment)
        self.variants = variants(assignment)
        self.kinds = (
            self._solved,
            self._mistaken,
            self._solved_differently,
            self._mistaken_twice,
            self._begun,
            self._mistaken,
            self._broken,
            self._solved_differently,
            self._mistaken,
            self._untouched,
            self._mistaken_twice,
            self._damaged,
            self._solved,
            self._ending_its_process,
            self._mistaken,
        )

    def submission(self, number: int) -> SampleSubmission:
        """Return the submission of the student with this number, which decides its kind."""
        submission = self.kinds[number % len(self.kinds)]()
        for name in self.written:
            if name in submission.cells and self.examples.get(name):
                self._answer(name, submission)
        return submission

    def _answer(self, name: str, submission: SampleSubmission) -> None:
        """Write an example answer into the cell `name`: unchanged (half the time) or reformatted."""
        number = self.random_words.randrange(len(self.examples[name]))
        example = self.examples[name][number]
        kinds = {
            "": example.text,
            ", other blanks": example.text.replace("\n", "\n\n"),
            ", small letters": CAPITAL.sub(lambda match: match[0].lower(), example.text),
        }
        remark, submission.cells[name] = self.random_words.choices([*kinds.items()], (2, 1, 1))[0]
        submission.what += (
            f"; {name}: example {number + 1}, worth {points_text(example.points)}{remark}"
        )

    def _solved(self) -> SampleSubmission:
        return SampleSubmission(dict(self.solutions), "the solution")

    def _mistaken(self, count: int = 1) -> SampleSubmission:
        """Return a submission with this many mistakes, or fewer if they cannot be combined."""
        cells, made_mistakes = dict(self.solutions), []
        for mistake in self.random.sample(self.mistakes, min(count, len(self.mistakes))):
            made_mistakes += self._make(mistake, cells)
        description = ", ".join(f"{mistake.exercise}: {mistake.id}" for mistake in made_mistakes)
        return SampleSubmission(cells, description) if made_mistakes else self._solved()

    def _mistaken_twice(self) -> SampleSubmission:
        return self._mistaken(2)

    def _make(self, preferred: Mistake, cells: dict[str, str]) -> list[Mistake]:
        """Make this mistake in the cells, or the next that can be combined with earlier mistakes.

        Return the mistake in a list, or [].
        """
        index = self.mistakes.index(preferred)
        for mistake in self.mistakes[index:] + self.mistakes[:index]:
            name, mistaken_cell = mistake.exercise, mistake.cells[0]
            merged = merge(self.solutions[name], cells[name], mistaken_cell)
            is_first = cells[name] == self.solutions[name]
            if merged is not None and (is_first or merged not in (cells[name], mistaken_cell)):
                cells[name] = merged
                return [mistake]
        return []

    def _solved_differently(self) -> SampleSubmission:
        if not self.variants:
            return self._solved()
        variant = self.random.choice(self.variants)
        return SampleSubmission(self.solutions | variant.cells, f"rightly, {variant.name}")

    def _begun(self) -> SampleSubmission:
        """Return a submission in which only the first exercises are solved, and no text is written."""
        solved_count = self.random.randrange(1, len(self.coded)) if len(self.coded) > 1 else 0
        missing = [*self.coded[solved_count:], *self.written]
        cells = {name: cell for name, cell in self.solutions.items() if name not in missing}
        return SampleSubmission(cells, f"not yet: {', '.join(missing)}")

    def _untouched(self) -> SampleSubmission:
        return SampleSubmission({}, "as released")

    def _broken(self) -> SampleSubmission:
        name = self.random.choice(self.coded)
        cell = self.solutions[name].replace("def __init__(", "def __init__((", 1)
        if cell == self.solutions[name]:  # there is no class in it
            cell += "\n("
        return SampleSubmission(self.solutions | {name: cell}, f"{name}: a syntax error")

    def _ending_its_process(self) -> SampleSubmission:
        """Return a submission with a cell that ends its own process."""
        name = self.random.choice(self.coded)
        cell = "import os\nos._exit(0)\n" + self.solutions[name]
        return SampleSubmission(self.solutions | {name: cell}, f"{name}: ends the process")

    def _damaged(self) -> SampleSubmission:
        return SampleSubmission(dict(self.solutions), "half a file", damaged=True)


def write_class(assignment: Assignment, place: Path, students: int, seed: int) -> int:
    """Write a class of invented students into the folder `place`, and return their number.

    Nothing is overwritten. Raises `AutograderError` if `place` holds anything but invented classes
    of other assignments, or if the assignment has no exercise.
    """
    _refuse_what_is_there(place, assignment)
    sample = SampleClass(assignment, seed)
    place.mkdir(parents=True, exist_ok=True)
    with (place / TABLE).open("a", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        if not file.tell():
            table.writerow(["student", "assignment", "what"])
        for number, name in enumerate(names(students, seed)):
            submission = sample.submission(number)
            write_submission(assignment, place / name / assignment.id, submission)
            table.writerow([name, assignment.id, submission.what])
    return students


def _refuse_what_is_there(place: Path, assignment: Assignment) -> None:
    """Raise `AutograderError` if `place` holds anything but invented classes of other assignments."""
    if not place.exists() or not any(place.iterdir()):
        return
    if not (place / TABLE).is_file():
        raise AutograderError(
            f"`{place}` is not empty; name a folder that is, or that is not there yet."
        )
    if any(place.glob(f"*/{assignment.id}")):
        raise AutograderError(
            f"`{place}` is not empty: it has submissions of `{assignment.id}`; name another folder."
        )


def write_submission(assignment: Assignment, folder: Path, submission: SampleSubmission) -> Path:
    """Write a submission's notebook into a new folder, and return its path."""
    folder.mkdir(parents=True)
    path = folder / f"{assignment.id}.ipynb"
    path.write_text(notebook_text(assignment, submission), encoding="utf-8")
    return path


def notebook_text(assignment: Assignment, submission: SampleSubmission) -> str:
    """Return the text of a submission's notebook file, only half of it for a damaged submission."""
    notebook = nbformat.reads(assignment.pristine, as_version=4)
    for cell in notebook.cells:
        cell.source = submission.cells.get(cell.id, cell.source)
    text = nbformat.writes(notebook) + "\n"
    return text[: len(text) // 2] if submission.damaged else text


def solutions(assignment: Assignment) -> dict[str, str]:
    """Return the source's solution cells by id, with an invented answer for each written exercise."""
    written = [cell.id for cell in assignment.cells if cell.solution and cell.kind == "markdown"]
    return assignment.solutions | dict.fromkeys(written, ANSWER)
