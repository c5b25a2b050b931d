"""What can be wrong with an answer, and the sentence that the student reads about it.

A sentence is made of the project's own words, of names from fixed lists, and of the student's own
source. What the candidate says about itself only chooses between them, so that no text of its own
can come back in a verdict. (Which line of its own it chooses may depend on what it was asked.)
"""

import builtins
import re
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.engine.candidate.channel import ChannelError

KINDS = frozenset(
    {
        "raised",
        "not_implemented",
        "out_of_memory",
        "missing",
        "unsendable",
        "refused",
        "no_module",
        "no_member",
        "no_function",
        "no_value",
    }
)
UNWRITTEN = frozenset({"not_implemented", "missing"})  # there is nothing yet that could answer
EXCEPTIONS = frozenset(
    name
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
)
HINTS = (  # what torch and Python say, and what a tutor would ask
    (
        r"shapes cannot be multiplied|size of tensor .* must match|must match the size|[Ee]xpected size",
        "shapes",
    ),
    (r"is invalid for input of size|view size is not compatible", "view"),
    (r"expected (m1|scalar type|.*dtype)|same dtype|Expected all tensors", "dtype"),
    (r"positional argument|unexpected keyword|required positional", "arguments"),
    (r"not callable", "callable"),
    (r"has no attribute|object has no", "attribute"),
    (r"is not defined", "name"),
)
MAX_TEXT = 500  # characters of what it says that are looked at
QUESTIONS = {
    "shapes": "Which shapes meet there, and which did you expect?",
    "view": "Does `.view` still fit after a transpose (`.reshape`, `.contiguous()`), and do the sizes?",
    "dtype": "Do the tensors that meet there have one dtype?",
    "arguments": "Does the signature agree with the one in the statement?",
    "callable": "Is a module called there that was never created?",
    "attribute": "Is the member created in `__init__`, after `super().__init__()`?",
    "name": "Is it defined in a cell that runs before this one?",
}
ENDINGS = {
    "timed_out": "Your code gave no answer in time. Is there a loop that never ends?",
    "out_of_memory": "Your code asked for more memory than there is. How large do its tensors get?",
    "crashed": "Your code ended the process that it ran in. What in it could stop Python itself?",
}


@dataclass(frozen=True)
class Fault:
    """What a candidate reported, reduced to what may be used: see `read_fault`."""

    kind: str
    type: str
    question: str | None
    cell: str | None
    line: int | None


class CandidateFault(Exception):
    """The submission could not answer one question; the check fails with this sentence."""

    def __init__(self, fault: Fault, sentence: str):
        super().__init__(sentence)
        self.fault = fault


class CandidateLost(Exception):
    """The candidate died, was late, or sent nonsense; `state` is what the exercise becomes."""

    def __init__(self, state: str):
        super().__init__(ENDINGS[state])
        self.state = state


def read_fault(report: object) -> Fault:
    """Take a candidate's report of a fault. Raises `ChannelError` if it is none."""
    if not isinstance(report, dict) or not isinstance(report.get("kind"), str):
        raise ChannelError("no report of a fault")
    if report["kind"] not in KINDS:
        raise ChannelError("no kind of fault")
    text, cell, line, kind = (report.get(key) for key in ("text", "cell", "line", "type"))
    said = text[:MAX_TEXT] if isinstance(text, str) else ""
    known = (name for pattern, name in HINTS if re.search(pattern, said))
    return Fault(
        kind=report["kind"],
        type=kind if isinstance(kind, str) and kind in EXCEPTIONS else "an exception",
        question=QUESTIONS.get(next(known, "")),
        cell=cell if isinstance(cell, str) else None,
        line=line if type(line) is int else None,
    )


def sentence(fault: Fault, sources: Mapping[str, str], name: str = "") -> str:
    """Say what happened. `sources` holds the student's cells by id, `name` what was asked for."""
    match fault.kind:
        case "not_implemented":
            return "This part still raises `NotImplementedError`. It is yours to write."
        case "missing":
            return f"There is no `{name}` after your cells ran. Is it named as in the statement?"
        case "no_member":
            return f"There is no member `{name}`. Is it named as in the statement?"
        case "no_module":
            return f"`{name}` did not give an `nn.Module`. Does it return the layer that it makes?"
        case "no_function":
            return f"`{name}` is not a function. Is it the one that the statement asks for?"
        case "no_value":
            return (
                f"`{name}` holds something other than numbers, texts, tensors, and lists, tuples and "
                "dicts of these. What does the statement ask for?"
            )
        case "unsendable":
            return "The answer is no tensor. Does `forward` return the output, and nothing else?"
        case "out_of_memory":
            return ENDINGS["out_of_memory"]
        case "refused":
            return (
                f"A part was handed something that it cannot work with{_place(fault, sources)}. "
                "Which arguments does it expect, of which shapes?"
            )
    words = f"Your code raised {_quoted(fault.type)}{_place(fault, sources)}."
    return f"{words} {fault.question}" if fault.question else words


def _quoted(kind: str) -> str:
    return f"`{kind}`" if kind in EXCEPTIONS else kind


def _place(fault: Fault, sources: Mapping[str, str]) -> str:
    """The cell and its line, quoted from the notebook that was handed in."""
    if fault.cell is None or fault.cell not in sources or fault.line is None:
        return ""
    lines = sources[fault.cell].splitlines()
    if not 0 < fault.line <= len(lines):
        return f" in `{fault.cell}`"
    code = lines[fault.line - 1].strip().replace("`", "'")[:100]
    return f" in `{fault.cell}`, line {fault.line}: `{code}`"
