"""The faults of a candidate, and the sentence that the student reads about each.

A sentence consists of the project's own words, of names from fixed lists, and of the student's own
source. What the candidate reports only chooses between them, so that no text of its own can come
back in a verdict. (Which line and which names of its own it chooses may depend on what it was
asked.)
"""

import builtins
from collections import defaultdict
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.examiner.messages import LACKING_TEMPLATES, TEMPLATES, recognised
from autograder.engine.examiner.templates import misspelt, sayable

UNWRITTEN = frozenset({"not_implemented", "missing", "open"})  # nothing is there that could answer
EXCEPTIONS = frozenset(
    name
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
)
MAX_TEXT = 500  # characters of what it says that are looked at
RETURNS = {  # what `forward` returns instead of a tensor
    "nothing": "`forward` returns nothing (`None`). Is a `return` missing at its end, or on one of its "
    "branches?",
    "several": "`forward` returns several things. Which one does the statement ask for, alone?",
    "other": "`forward` returns something that is no tensor. Does it return the output, and nothing "
    "else?",
}
WHILE = {  # what was asked for when no line of the student's own raised
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
LACKING = "lacking"  # the kind of a fault whose cause is what the sandbox lacks
NEEDS_PACKAGE = (
    "There is no `{package}` where this is graded, and `{name}` depends on it. Does your code have to "
    "use it?"
)


@dataclass(frozen=True)
class Fault:
    """A candidate's report of an exception, reduced to the fields that may be used; `read_fault`
    makes it.

    `kind`: "raised", LACKING, or a key of SENTENCES; `type`: a built-in exception; `template`: the name of
    the known message that it has, or None; `words`: names in that message that may be repeated;
    `cell` and `line`: the student's code that raised it.
    """

    kind: str
    type: str
    template: str | None = None  # the name of the known message
    words: Mapping[str, str] = field(
        default_factory=dict, hash=False
    )  # of the message, that may be repeated
    cell: str | None = None
    line: int | None = None


class CandidateFault(Exception):
    """The student's code could not answer a question, because of `fault`. The check fails, and
    `sentence` is its message.
    """

    def __init__(self, fault: Fault, sentence: str):
        super().__init__(sentence)
        self.fault = fault


class CandidateLost(Exception):
    """The candidate died, timed out or sent an invalid message. `state` ("crashed", "timed_out" or
    "out_of_memory") becomes the state of the exercise.
    """

    def __init__(self, state: str):
        super().__init__(ENDINGS[state])
        self.state = state


def read_fault(report: object, own: Container[str] = ()) -> Fault:
    """Parse a candidate's report of a fault. Raise `ChannelError` if it has another form.

    `own`: the identifiers in the student's cells. Of the exception's message, only these and public
    names of Python and torch are kept.
    """
    if not isinstance(report, dict) or not isinstance(report.get("kind"), str):
        raise ChannelError("no report of a fault")
    if report["kind"] not in KINDS:
        raise ChannelError("no kind of fault")
    text, cell, line, kind = (report.get(key) for key in ("text", "cell", "line", "type"))
    known = kind if isinstance(kind, str) and kind in EXCEPTIONS else "an exception"
    template, words = recognised(known, text[:MAX_TEXT] if isinstance(text, str) else "")
    lacking = report["kind"] == "raised" and template and template.name in LACKING_TEMPLATES
    return Fault(
        kind=LACKING if lacking else report["kind"],
        type=known,
        template=template.name if template else None,
        words=sayable(words, own),
        cell=cell if isinstance(cell, str) else None,
        line=line if type(line) is int else None,
    )


def sentence(fault: Fault, sources: Mapping[str, str], name: str = "", operation: str = "") -> str:
    """Return the sentence that the student reads about a fault.

    `sources`: the student's code by cell id; `name`: the class or function that was asked for;
    `operation`: how it was used, such as "build" or "call".
    """
    place = _place(fault, sources)
    if fault.kind in SENTENCES:
        near = _near(name, sources) if fault.kind == "missing" else ""
        return SENTENCES[fault.kind].format(name=name, place=place, near=near)
    question = _question(fault, sources)
    if question and not fault.type:  # nothing was raised: a name is not defined
        return question
    words = f"Your code raised {_quoted(fault.type)}{place or _while(operation, name)}."
    return f"{words} {question}" if question else words


def _question(fault: Fault, sources: Mapping[str, str]) -> str | None:
    """Return the tutor's question about an exception; None if its message matches no template and no
    package is missing.

    `sources`: the student's code by cell id.
    """
    if fault.kind == LACKING and fault.template is None:
        return NEEDS_PACKAGE.format_map(fault.words)
    if _is_raised_there(fault, sources):
        return OWN_RAISE
    if fault.template is None:
        return None
    template = TEMPLATES[fault.template]
    wanted = template.misspelt.format_map(defaultdict(str, fault.words))
    return f"{template.say(fault.words)}{_near(wanted, sources) if wanted else ''}"


def _is_raised_there(fault: Fault, sources: Mapping[str, str]) -> bool:
    """Whether a `raise` line of the student's caused the fault; the `raise NotImplementedError` of
    a stub does not count.

    `sources`: the student's code by cell id.
    """
    line = _line(fault, sources)
    own = fault.template is None or fault.type in line
    return line.startswith("raise ") and own and fault.type != "NotImplementedError"


def _near(wanted: str, sources: Mapping[str, str]) -> str:
    found = misspelt(wanted, sources.values())
    return f" Your cells define `{found}`." if found else ""


def _quoted(kind: str) -> str:
    return f"`{kind}`" if kind in EXCEPTIONS else kind


def _place(fault: Fault, sources: Mapping[str, str]) -> str:
    """Return the cell, line number and quoted line that raised, as the end of a clause; "" if
    unknown.

    `sources`: the student's code by cell id.
    """
    if fault.cell is None or fault.cell not in sources or fault.line is None:
        return ""
    code = _line(fault, sources).replace("`", "'")[:100]
    if not code:
        return f" in `{fault.cell}`"
    return f" in `{fault.cell}`, line {fault.line}: `{code}`"


def _while(operation: str, name: str) -> str:
    """Return "while `name` was called" or the like, as the end of a clause; "" if the operation has
    no such words.
    """
    return f" {WHILE[operation].format(name)}" if name and operation in WHILE else ""


def _line(fault: Fault, sources: Mapping[str, str]) -> str:
    """Return the student's line that raised, without indentation; "" if it is unknown.

    `sources`: the student's code by cell id.
    """
    if fault.cell is None or fault.line is None:
        return ""
    lines = sources.get(fault.cell, "").splitlines()
    return lines[fault.line - 1].strip() if 0 < fault.line <= len(lines) else ""
