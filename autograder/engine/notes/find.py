"""The notes on one submission: sentences for staff, in the order of its cells."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from autograder.engine.assignment import Assignment
from autograder.engine.bounded import OutOfBounds, run_bounded
from autograder.engine.examiner.observing import Observation
from autograder.engine.notes.answers import find_answers, own_code, released_answers, too_long
from autograder.engine.notes.code import Code, read_code
from autograder.engine.notes.plain import is_plain, may_change
from autograder.engine.notes.reaching import reaches
from autograder.engine.submission import Cell, Submission
from autograder.text import printable

MAX_NOTES = 10
MAX_LENGTH = 200  # characters of a note
MAX_LINES = 5  # that a note names of each thing
SHORT = (("torch.nn.functional.", "F."), ("torch.nn.", "nn."))  # as they are usually imported
SHORT_CODE = 20_000  # of which no text takes more than a fifth of a second; solutions have 6,000
Found = tuple[list[str], set[str]]  # what is reached, exercises to look at


class Notes:
    """What staff should look at in one submission."""

    def __init__(self, assignment: Assignment, submission: Submission):
        self.assignment = assignment
        self.released = released_answers(submission)
        self.own = own_code(submission)
        self.reached: list[str] = []
        self.to_look_at = {exercise.id for exercise in assignment.exercises}
        long = too_long(self.own)
        provided = [cell for cell in submission.runs if cell.provided]
        self.unread = [f"`{name}` is too long to be looked through." for name in sorted(long)]
        wanted = [*provided, *(cell for cell in self.own if cell.id not in long)]
        try:
            self.reached, self.to_look_at = self._read_within_limits(wanted)
        except OutOfBounds as error:
            self.unread.append(f"The code {error} to be looked through.")
        except Exception:  # of odd code: no verdict depends on it
            pass

    def found(
        self,
        observations: Sequence[Observation],
        called: Mapping[str, frozenset[str]],
        broken: Iterable[str] = (),
    ) -> list[str]:
        """Return the notes, with what layers that were looked at gave away, with what of torch's is
        called by exercise, and with how checks broke on an answer.
        """
        uses = _about_library(self.assignment.library_parts, called)
        layers = _about_layers(observations)
        return bounded([*broken, *uses, *layers, *self.reached, *self.unread])

    def _read_within_limits(self, cells: Sequence[Cell]) -> Found:
        """The same as `_read`; what is short needs no process of its own, which is a tenth of a verdict."""
        if sum(len(cell.source) for cell in self.own) <= SHORT_CODE:
            return self._read(cells)
        return run_bounded(lambda: self._read(cells))

    def _read(self, cells: Sequence[Cell]) -> Found:
        """Read the code; find out which exercises have layers that have to be looked at."""
        code, own = read_code(cells), {cell.id for cell in self.own}
        answers = find_answers(code.cells, self.released)
        reached = list(_about_reaching(code, self.own))
        of_answers = {id(one) for answer in answers.values() for one in answer}
        beside = [
            one for cell in own for one in code.cells.get(cell, ()) if id(one) not in of_answers
        ]
        to_look_at = self.to_look_at
        if own <= code.cells.keys() and not any(map(may_change, beside)):
            to_look_at = {
                exercise
                for exercise in to_look_at
                if exercise not in answers
                or not is_plain(
                    code, answers[exercise], self.assignment.library_parts.get(exercise, ())
                )
            }
        return reached, to_look_at


def bounded(notes: Iterable[str]) -> list[str]:
    """Return at most MAX_NOTES notes, none of them long, and none with what cannot be printed."""
    cleaned = list(dict.fromkeys(printable(note, MAX_LENGTH) for note in notes))
    if len(cleaned) <= MAX_NOTES:
        return cleaned
    return [*cleaned[: MAX_NOTES - 1], f"And {len(cleaned) - MAX_NOTES + 1} more of the kind."]


def _about_library(
    parts: Mapping[str, Sequence[str]], called: Mapping[str, frozenset[str]]
) -> Iterator[str]:
    """Yield the first part of the library that each answer calls, or holds."""
    for exercise, names in called.items():
        for part in parts.get(exercise, ()):
            if part.rpartition(".")[2] in names:
                yield f"`{exercise}` uses `{_shown(part)}`: was an own one asked for?"
                break


def _shown(path: str) -> str:
    """`torch.nn.functional.relu` -> `F.relu`"""
    for long, short in SHORT:
        if path.startswith(long):
            return short + path.removeprefix(long)
    return path


def _about_layers(observations: Sequence[Observation]) -> Iterator[str]:
    """Yield where a layer does not agree with itself."""
    for seen in observations:
        start = f"`{seen.exercise}`: its layer"
        if not seen.gradients_fit:
            yield f"{start} reports gradients that do not fit its values."
        if not seen.chains_fit:
            yield f"{start} has an `nn.Sequential` that answers otherwise than its members do."
        if not seen.lists_all:
            yield f"{start} learns something that is not among its parameters."
        if seen.describing:
            names = ", ".join(f"`{name}`" for name in sorted(seen.describing))
            yield f"{start} says itself what it is made of ({names})."
        if seen.replaced:
            names = ", ".join(f"`nn.{name}`" for name in sorted(seen.replaced))
            yield f"{start} is made of {names} whose `forward` was replaced."
        for kind in sorted(seen.hooks):
            yield f"{start} has a {kind.strip('_').removesuffix('s').replace('_', ' ')}."


def _about_reaching(code: Code, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield what cells reach for beyond their exercise, a note for each cell."""
    for cell in cells:
        if cell.id in code.cells:
            released = cell.pristine.source if cell.pristine else ""
            found = reaches(code, cell.id, released)
            if found:
                named = ", ".join(f"`{w}` ({_lines(lines)})" for w, lines in found.items())
                yield f"`{cell.id}` reaches beyond its exercise: {named}."


def _lines(lines: Sequence[int]) -> str:
    named = ", ".join(str(line) for line in lines[:MAX_LINES])
    more = ", ..." if len(lines) > MAX_LINES else ""
    return f"line{'s' * (len(lines) > 1)} {named}{more}"
