"""Parse `viva.md`, beside the graders of an assignment: calls of students' functions, for questions
on shapes and laws. Verdicts do not depend on it.

    ## softmax
    call:
        scores = torch.randn(2, 5)
        softmax(scores)
    same: softmax(scores + 3)                    a law: this answers the same as the call above,
    other: softmax(3 * scores)                   and this something else
    why: A factor that all exponentials share goes away in the division.

A heading names an exercise. The last line of `call:` is the call, and earlier lines run before it.
There may be any number of laws.
"""

from collections.abc import Mapping
from typing import NamedTuple

from autograder.engine import Assignment, GraderError
from autograder.mistakes.blocks import read_blocks

NAME = "viva.md"
CALL, LAW = ["call"], ["same", "other", "why"]
FORM = "is no exercise, or has other lines than `call:` and laws of `same:`, `other:`, `why:`"


class Calls(NamedTuple):
    """The lines of code that `viva.md` gives for an exercise."""

    code: str  # all lines of `call:`
    before: str  # lines that run before the call
    call: str
    laws: list[list[str]]  # [same, other, why]: an equal call, a different one, and the reason


def read_calls(assignment: Assignment) -> Mapping[str, Calls]:
    """Return the calls in the assignment's `viva.md` by exercise id, {} without such a file. Raises
    `GraderError` at the first heading that does not name an exercise, or line in another form.
    """
    path, calls = assignment.graders / NAME, {}
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    (_, *blocks), errors = read_blocks(text)
    for block in blocks:
        names, texts = [entry.name for entry in block.named], [entry.text for entry in block.named]
        is_exercise = block.title in {exercise.id for exercise in assignment.exercises}
        if not is_exercise or names != CALL + LAW * (len(names) // len(LAW)):
            errors.append((block.line, f"`{block.title}` {FORM}"))
            continue
        setup, _, call = texts[0].rpartition("\n")
        laws = [texts[n : n + len(LAW)] for n in range(1, len(texts), len(LAW))]
        calls[block.title] = Calls(texts[0], setup, call, laws)
    for line, sentence in errors:
        raise GraderError(f"`{path}`, line {line}: {sentence}.")
    return calls
