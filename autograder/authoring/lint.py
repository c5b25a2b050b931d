"""What an assignment still lacks, a sentence for each piece.

Most is seen from the files alone. Then the solution is asked all checks, and each mistake those that
have to fail: in this process, since it is all code of ours.
"""

import contextlib
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.authoring.edited import as_edited
from autograder.authoring.variants import SEVERAL
from autograder.engine.assignment import Assignment, Exercise, GraderError
from autograder.engine.diagnosis.in_process import InProcessCandidate, run_cells
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.fixtures import Fixtures
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import CollectedCheck, Examination, collect, undisturbed
from autograder.engine.mistake import DoesNotFit, Mistake, Mistakes, pairs
from autograder.engine.verdict import check_name, points_text

TODO = "TODO"
SEED = 1


def missing_pieces(assignment: Assignment) -> Iterator[str]:
    """Yield what the assignment lacks, from the notebook to what comes out of trying it."""
    if not assignment.release.is_file():
        yield "it has no release yet: run `make release`."
    lint = _Lint(as_edited(assignment))
    for look in (
        lint.notebook,
        lint.files,
        lint.imports,
        lint.checks,
        lint.mistakes,
        lint.pairs,
        lint.variants,
        lint.todo,
        lint.tried,
    ):
        yield from look()


class _Lint:
    """One assignment as it is edited; each method that is public yields sentences."""

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self.folder = assignment.graders
        self.exercises = {exercise.id: exercise for exercise in assignment.exercises}

    def notebook(self) -> Iterator[str]:
        """Solution cells and check cells belong together, and have points."""
        if not self.exercises:
            yield "the notebook has no exercise yet: a solution cell and a check cell."
        for name in self.assignment.solutions.keys() - self.exercises.keys():
            yield f"the solution cell `{name}` has no check cell `check_{name}`."
        for name, exercise in self.exercises.items():
            if name not in self.assignment.solutions:
                yield f"the check cell `{exercise.check_cell}` has no solution cell `{name}`."
            if not exercise.points:
                yield f"the check cell `{exercise.check_cell}` has no points."

    def files(self) -> Iterator[str]:
        """An exercise has a grader, and a grader an exercise."""
        if not (self.folder / "__init__.py").is_file():
            yield f"there is no package of graders: `{self.folder}/__init__.py` is missing."
        for exercise in self.exercises.values():
            if not exercise.grader.is_file():
                yield (
                    f"the check cell `{exercise.check_cell}` has no grader `{exercise.grader.name}`."
                )
        for file in sorted(self.folder.glob("test_*.py")):
            name = file.stem.removeprefix("test_")
            if name not in self.exercises:
                yield f"the grader `{file.name}` has no check cell `check_{name}`."

    def imports(self) -> Iterator[str]:
        """Every module of the graders can be imported."""
        files = [*self.folder.glob("*.py"), *self.folder.glob("mistakes/*.py")]
        for file in sorted(files):
            if reason := self._broken(file):
                yield reason

    def checks(self) -> Iterator[str]:
        """Checks have points, which add up to those of the check cell."""
        yield from self._collected[1]
        for exercise in self._graded:
            items = self._items[exercise.id]
            without = [item for item in items if not _has_points(item)]
            for name in dict.fromkeys(item.originalname for item in without):
                yield f"`{exercise.grader.name}`: the check `{name}` has no points."
            total = sum(item.get_closest_marker("points").args[0] for item in items if item not in without)
            if not items:
                yield f"`{exercise.grader.name}` has no check."
            elif not without and total != exercise.points:
                yield (
                    f"the checks of `{exercise.grader.name}` have {points_text(total)} points, and "
                    f"the cell `{exercise.check_cell}` has {points_text(exercise.points)}."
                )

    def mistakes(self) -> Iterator[str]:
        """Every check is the one that names some mistake; every mistake fits its solution."""
        for exercise in self._graded:
            known, names = self._known.get(exercise.id, []), self._names(exercise)
            if not known:
                yield f"no mistake makes `{exercise.grader.name}` fail: `{_listed(exercise)}` has none."
                continue
            for name, count in Counter(mistake.id for mistake in known).items():
                if count > 1:
                    yield f"`{_listed(exercise)}` has {count} mistakes with the name `{name}`."
            for mistake in known:
                yield from self._about(mistake, names)
            caught_by = {f"test_{check}" for mistake in known for check in mistake.caught_by}
            for name in names:
                if name not in caught_by:
                    yield f"`{exercise.grader.name}`: no mistake has to fail `{name}`."

    def pairs(self) -> Iterator[str]:
        """TOGETHER names mistakes that there are."""
        with contextlib.suppress(GraderError) if self._any_broken else contextlib.nullcontext():
            try:
                pairs(self.assignment)
            except GraderError as error:
                yield f"{error}."

    def variants(self) -> Iterator[str]:
        """An exercise has a variant, and a variant or a file of mistakes an exercise."""
        top = self.folder / "variants"
        for name in self.exercises:
            if not list(top.glob(f"{name}/*.py")):
                yield f"the exercise `{name}` has no variant in `variants/{name}/`."
        for folder in sorted(top.glob("*/")):
            if folder.name not in {*self.exercises, SEVERAL, "__pycache__"}:
                yield f"`variants/{folder.name}/` is of no exercise."
        for file in sorted(top.glob(f"{SEVERAL}/*/*.py")):
            if file.stem not in self.exercises:
                yield f"`{file.relative_to(self.folder)}` is of no exercise."
        for name in self._listing.keys() - self.exercises.keys():
            yield f"`mistakes/{name}.py` is of no exercise."

    def todo(self) -> Iterator[str]:
        """Nothing says TODO any more."""
        for cell in self.assignment.cells:
            if TODO in cell.source:
                yield f"the cell `{cell.id}` says {TODO}."
        for file in sorted(self.folder.rglob("*.py")):
            if TODO in file.read_text(encoding="utf-8"):
                yield f"`{file.relative_to(self.folder)}` says {TODO}."

    def tried(self) -> Iterator[str]:
        """The solution passes every check, and a mistake in its usual way no check that catches it."""
        with _quiet(), undisturbed():
            try:
                solved = run_cells(_compiled(self.assignment.solved_cells().values()))
            except Exception as error:  # whatever its code raises
                yield f"the solution cannot be run: {error!r}."
                return
            yield from self._try("the solution", solved, lambda run: not run.passed)
            for mistake in (one for known in self._known.values() for one in known):
                yield from self._try_mistake(mistake, solved)

    def _about(self, mistake: Mistake, names: Sequence[str]) -> Iterator[str]:
        where = f"the mistake `{mistake.exercise}: {mistake.id}`"
        if not mistake.caught_by:
            yield f"{where} names no check that must fail."
        for check in mistake.caught_by:
            if f"test_{check}" not in names:
                yield f"{where} names the check `{check}`, which there is not."
        if not mistake.ways:
            yield f"{where} has no way in which it is made."
        for way in range(len(mistake.ways)):
            try:
                compile(mistake.make(self._solution(mistake), way), mistake.id, "exec")
            except DoesNotFit as error:
                yield f"the mistake {error}."
            except SyntaxError as error:
                yield f"{where} is no Python in its way {way + 1}: {error}."

    def _try_mistake(self, mistake: Mistake, solved: dict[str, Any]) -> Iterator[str]:
        must_fail = {f"test_{check}" for check in mistake.caught_by}
        try:
            cell = mistake.make(self._solution(mistake))
            names = run_cells(_compiled([cell]), solved)
        except (DoesNotFit, SyntaxError, IndexError):
            return  # which is said already
        except Exception as error:  # whatever its code raises
            yield f"the mistake `{mistake.exercise}: {mistake.id}` cannot be run: {error!r}."
            return
        passed: dict[str, bool] = {}
"""
