"""Parse `viva.md`, beside the graders of an assignment: calls of what students write, for questions
on shapes and laws. No verdict depends on it.

    ## softmax
    call:
        scores = torch.randn(2, 5)
        softmax(scores)
    same: softmax(scores + 3)                    a law: this answers the same as the call above,
    other: softmax(3 * scores)                   and this something else
    why: A factor that all exponentials share goes away in the division.

A heading names an exercise. The last line of `call:` is the call; those before it are run first.
There may be no law, or several.
"""

from collections.abc import Mapping
from typing import NamedTuple

from autograder.engine import Assignment, GraderError
from autograder.mistakes.blocks import read_blocks

NAME = "viva.md"
CALL, LAW = ["call"], ["same", "other", "why"]
FORM = "is no exercise, or has other lines than `call:` and laws of `same:`, `other:`, `why:`"


class Calls(NamedTuple):
    """The lines of code that `viva.md` gives for one exercise: those that are run first (`before`),
    the call after them, and the laws.

    Each law is `[same, other, why]`: a call that answers the same as `call`, one that answers
    something else, and the reason.
    """

    code: str  # all that is run
    before: str
    call: str
    laws: list[list[str]]  # a call that answers the same, one that does not, and why


def read_calls(assignment: Assignment) -> Mapping[str, Calls]:
    """Return the calls that `viva.md` beside the assignment's graders gives, by exercise id; {} if
    there is no such file. Raise `GraderError` at its first error: a heading that is no exercise, or
    lines in another form.
    """
    path, calls = assignment.graders / NAME, {}
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    (_, *blocks), errors = read_blocks(text)
    for block in blocks:
        names, texts = [one.name for one in block.named], [one.text for one in block.named]
        is_exercise = block.title in {one.id for one in assignment.exercises}
        if not is_exercise or names != CALL + LAW * (len(names) // len(LAW)):
            errors.append((block.line, f"`{block.title}` {FORM}"))
            continue
        before, _, call = texts[0].rpartition("\n")
        laws = [texts[n : n + len(LAW)] for n in range(1, len(texts), len(LAW))]
        calls[block.title] = Calls(texts[0], before, call, laws)
    for line, sentence in errors:
        raise GraderError(f"`{path}`, line {line}: {sentence}.")
    return calls
