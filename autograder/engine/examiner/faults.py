"""The faults of a candidate, and the sentence that the student reads about each.

A sentence consists of the project's own words, of names from fixed lists, and of the student's own
source. The candidate's report only chooses between them, so that its own text cannot come back in a
verdict. (The chosen line and names of its source may depend on the question.)
"""

import builtins
from collections import defaultdict
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.examiner.messages import LACKING_TEMPLATES, TEMPLATES, recognised
from autograder.engine.examiner.templates import misspelt, sayable

UNWRITTEN = frozenset({"not_implemented", "missing", "open"})  # nothing could answer
EXCEPTIONS = frozenset(
    name
    for name, builtin in vars(builtins).items()
    if isinstance(builtin, type) and issubclass(builtin, BaseException)
)
MAX_TEXT = 500  # characters of an exception's message that are read
RETURNS = {  # sentences on `forward` without a tensor as result
    "nothing": "`forward` returns nothing (`None`). Is a `return` missing at its end, or on one of its "
    "branches?",
    "several": "`forward` returns several things. Which one does the statement ask for, alone?",
    "other": "`forward` returns something that is no tensor. Does it return the output, and nothing "
    "else?",
}
WHILE = {  # clauses on the operation, for an exception outside of the student's lines
    "build": "while `{}` was built",
    "refusals": "while `{}` was built",
    "call": "while `{}` was called",
    "function": "while `{}` was called",
    "gradients": "while gradients went through `{}`",
}
OWN_RAISE = (
    "You raise it yourself there. Does the condition above hold for what the statement allows?"
)
ENDINGS = {
    "timed_out": "Your code gave no answer in time. Is there a loop that never ends?",
    "out_of_memory": "Your code asked for more memory than there is. How large do its tensors get?",
    "crashed": "Your code ended the process that it ran in. What in it could stop Python itself?",
}
SENTENCES = {  # by kind of fault, of all but exceptions
    "not_implemented": "This part still raises `NotImplementedError`{place}. It is yours to write, in "
    "place of that line.",
    "missing": "There is no `{name}` after your cells ran.{near} Is it named as in the statement?",
    "no_class": "`{name}` is neither a class nor a function that makes a layer. Is it a finished layer, "
    "or does a later line give that name to something else?",
    "no_module": "`{name}` did not give an `nn.Module`. If it is a class: does it inherit from that? If "
    "it is a function: does it return the layer that it makes?",
    "no_function": "`{name}` is not a function. Is it the one that the statement asks for?",
    "no_value": "`{name}` holds something other than numbers, texts, tensors, and lists, tuples and "
    "dicts of these. What does the statement ask for?",
    "unsendable": RETURNS["other"],
    "returns_nothing": RETURNS["nothing"],
    "out_of_memory": ENDINGS["out_of_memory"],
    "asked_too_often": "In one call of yours, another part is called hundreds of times{place}. Does a "
    "method call itself, or a loop never end?",
    "refused": "A part was handed something that it cannot work with{place}. Which arguments does it "
    "expect, of which shapes?",
}
KINDS = frozenset({"raised", *SENTENCES})
LACKING = "lacking"  # the kind of a fault caused by a package missing in the sandbox
NEEDS_PACKAGE = (
    "There is no `{package}` where this is graded, and `{name}` depends on it. Does your code have to "
    "use it?"
)


@dataclass(frozen=True)
class Fault:
    """A candidate's report of an exception, reduced by `read_fault` to the safe fields."""

    kind: str  # "raised", LACKING, or a key of SENTENCES
    type: str  # the name of a built-in exception
    template: str | None = None  # the name of the known message
    # names in that message that may be repeated
    words: Mapping[str, str] = field(default_factory=dict, hash=False)
    # the student's code that raised the exception
    cell: str | None = None
    line: int | None = None


class CandidateFault(Exception):
    """The student's code could not answer a question, because of `fault`.

    The check fails, and `sentence` is its message.
    """

    def __init__(self, fault: Fault, sentence: str):
        super().__init__(sentence)
        self.fault = fault


class CandidateLost(Exception):
    """The candidate died, timed out or sent an invalid message.

    `state` ("crashed", "timed_out" or "out_of_memory") becomes the state of the exercise.
    """

    def __init__(self, state: str):
        super().__init__(ENDINGS[state])
        self.state = state


def read_fault(report: object, identifiers: Container[str] = ()) -> Fault:
    """Parse a candidate's report of a fault. Raise `ChannelError` for another form.

    `identifiers`: those in the student's cells. Of the exception's message, only these and public
    names of Python and torch are kept.
    """
    if not isinstance(report, dict) or not isinstance(report.get("kind"), str):
        raise ChannelError("no report of a fault")
    if report["kind"] not in KINDS:
        raise ChannelError("no kind of fault")
    text, cell, line, kind = (report.get(key) for key in ("text", "cell", "line", "type"))
    type_name = kind if isinstance(kind, str) and kind in EXCEPTIONS else "an exception"
    template, words = recognised(type_name, text[:MAX_TEXT] if isinstance(text, str) else "")
    lacking = report["kind"] == "raised" and template and template.name in LACKING_TEMPLATES
    return Fault(
        kind=LACKING if lacking else report["kind"],
        type=type_name,
        template=template.name if template else None,
        words=sayable(words, identifiers),
        cell=cell if isinstance(cell, str) else None,
        line=line if type(line) is int else None,
    )


def sentence(fault: Fault, sources: Mapping[str, str], name: str = "", operation: str = "") -> str:
    """Return the sentence that the student reads about a fault.

    `sources`: the student's code by cell id. `name`: the class or function in the question.
    `operation`: its use, such as "build" or "call".
    """
    place = _place(fault, sources)
    if fault.kind in SENTENCES:
        near = _near(name, sources) if fault.kind == "missing" else ""
        return SENTENCES[fault.kind].format(name=name, place=place, near=near)
    question = _question(fault, sources)
    if question and not fault.type:  # no exception, but an undefined name
        return question
    words = f"Your code raised {_quoted(fault.type)}{place or _while(operation, name)}."
    return f"{words} {question}" if question else words


def _question(fault: Fault, sources: Mapping[str, str]) -> str | None:
    """Return the tutor's question about an exception, or None if its message is unknown."""
    if fault.kind == LACKING and fault.template is None:
        return NEEDS_PACKAGE.format_map(fault.words)
    if _is_raised_there(fault, sources):
        return OWN_RAISE
    if fault.template is None:
        return None
    template = TEMPLATES[fault.template]
    misspelt_name = template.misspelt.format_map(defaultdict(str, fault.words))
    return f"{template.say(fault.words)}{_near(misspelt_name, sources) if misspelt_name else ''}"


def _is_raised_there(fault: Fault, sources: Mapping[str, str]) -> bool:
    """Whether a `raise` line of the student's, except for a stub's, caused the fault."""
    line = _line(fault, sources)
    is_in_line = fault.template is None or fault.type in line
    return line.startswith("raise ") and is_in_line and fault.type != "NotImplementedError"


def _near(name: str, sources: Mapping[str, str]) -> str:
    similar = misspelt(name, sources.values())
    return f" Your cells define `{similar}`." if similar else ""


def _quoted(kind: str) -> str:
    return f"`{kind}`" if kind in EXCEPTIONS else kind


def _place(fault: Fault, sources: Mapping[str, str]) -> str:
    """Return cell, line number and quoted line of the fault as the end of a clause, if known."""
    if fault.cell is None or fault.cell not in sources or fault.line is None:
        return ""
    code = _line(fault, sources).replace("`", "'")[:100]
    if not code:
        return f" in `{fault.cell}`"
    return f" in `{fault.cell}`, line {fault.line}: `{code}`"


def _while(operation: str, name: str) -> str:
    return f" {WHILE[operation].format(name)}" if name and operation in WHILE else ""


def _line(fault: Fault, sources: Mapping[str, str]) -> str:
    """Return the student's line that raised, without indentation, or "" if it is unknown."""
    if fault.cell is None or fault.line is None:
        return ""
    lines = sources.get(fault.cell, "").splitlines()
    return lines[fault.line - 1].strip() if 0 < fault.line <= len(lines) else ""
