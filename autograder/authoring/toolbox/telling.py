"""Describe an exception in a few words with the student's own line, instead of a long traceback."""

import difflib
import html
import linecache
import re
from collections.abc import Iterable
from traceback import walk_tb
from types import FrameType, ModuleType, TracebackType

from IPython.display import display
from torch import Tensor, nn

from autograder.authoring.toolbox.ended import without_file
from autograder.authoring.toolbox.exercises import exercise_that_defines, title_of
from autograder.authoring.toolbox.released import MODULE_SUFFIX
from autograder.authoring.toolbox.student import names

PACKAGE = __name__.removesuffix(".telling")  # of these modules, or the one file made of them
COLOURS = {"done": "#2a9d57", "filled": "#34689f", "open": "#808080", "failing": "#d08700"}
MADE_FIRST = (
    "A layer is made first, and then called with a tensor: are brackets missing where it is made?"
)
SYMPTOMS = {  # patterns in messages of Python and torch, and their meaning here
    r"^(?!.*same dtype).*\b(ints?|integers?|slices|non-int)\b.*\bfloat|got \((?![^)]*Tensor)[^)]*\bfloat"
    r"|'float' object (cannot|is not iterable)|slice indices": "A float stands where a whole number is "
    "needed: `/` gives a float, `//` a whole number.",
    r"missing the required \"forward\" function": "The class has no `forward`: is it spelt so, and indented as far as `__init__`?",
    r"cannot assign \w+ before Module.__init__|has no attribute '_(modules|parameters|buffers|\w*hooks\w*)'": "`super().__init__()` has to come before the first member.",
    r"shapes cannot be multiplied|Expected size for first two dimensions": "The last dimension of the left is not the first of the right: write the shape behind each line.",
    r"view size is not compatible": "`view` wants memory in order; after a `transpose`, `reshape` does not mind.",
    r"must match the (existing )?size of tensor|not broadcastable|output with shape": "Two shapes do not fit: write both as comments, right-aligned.",
    r"missing (\d+|a) required": "A call leaves out what the message names: a size, or a tensor?",
    r"got an unexpected keyword argument|positional arguments? but": "A call hands over other arguments than the signature names.",
    r"expected .*dtype|same dtype|expected scalar type|boolean masks|a boolean tensor": "Two tensors have different types: an integer mask becomes a boolean one with `.bool()`.",
    r"NoneType": "Something is None where a value should be: was `return` forgotten, an argument left out, or has a layer no bias?",
    r"maximum recursion depth": "A method calls itself, without an end.",
    r"Boolean value of Tensor": "`if`, `and`, `or`, `not` want one truth, and the tensor has many: is `is not None` meant?",
    r"object is not (subscriptable|callable)": "Round brackets call, square ones take a part: which does it need?",
    r"must be Tensor, not (int|float)": "A number is there instead of a tensor: for numbers there is `math`.",
    r"is not a Module subclass|must be Tensor, not": MADE_FIRST,
    r"leaf Variable": "The numbers of a layer are written under `with torch.no_grad():`.",
    r"in-?place operation": "A tensor is changed in place, which autograd needs as it was.",
}
KINDS = {  # meaning of errors without a symptom
    IndentationError: "The lines of one block begin at one column: spaces, or tabs, and not both.",
    SyntaxError: "Look at this line and at those above: is a bracket, a quotation mark, a comma or a colon missing?",
}
IMPORTS = {  # of common names
    "np": "import numpy as np",
    "nn": "from torch import nn",
    "F": "from torch.nn import functional as F",
    "Tensor": "from torch import Tensor",
    "plt": "from matplotlib import pyplot as plt",
    "torch": "import torch",
    "math": "import math",
}


def is_stub(error: BaseException) -> bool:
    """Whether a stub raised the exception: a `NotImplementedError` without a message.

    The exercise is then still open.
    """
    return isinstance(error, NotImplementedError) and not error.args


def open_exercise(error: BaseException) -> str:
    """Return the exercise of the stub that raised this exception, or ""."""
    frames = _frames(error.__traceback__)
    name = frames[-1].f_code.co_qualname.partition(".")[0] if frames else ""
    return exercise_that_defines(name)


def cell_text(error: BaseException) -> str:
    """Return the text of the cell or file in which the exception was raised."""
    return "".join(linecache.getlines(raised_in(error)))


def in_words(error: BaseException, given: str = "") -> str:
    """Return an exception's type and message, the student's line, and the usual meaning.

    `given`: the file of a cell whose lines are not the student's, or "".
    """
    text = " ".join(message_of(error).split())
    title = f"{type(error).__name__}: {text}" if text else type(error).__name__
    parts = title, own_line(error, given), _meaning(error, text)
    return "\n".join(part for part in parts if part)


def message_of(error: BaseException, longest: int = 400) -> str:
    """Return an exception's message, cut off after `longest` characters.

    Return "" if making the message raises.
    """
    try:
        text = without_file(str(error))
    except Exception:  # the student's own exception class may raise anything
        return ""
    return text if len(text) <= longest else f"{text[:longest]} ..."


def is_ours(error: BaseException) -> bool:
    """Whether a line of the toolbox or of the visible checks raised the exception itself."""
    frames = _frames(error.__traceback__)
    module = str(frames[-1].f_globals.get("__name__")) if frames else ""
    return module.startswith(PACKAGE) or module.endswith(MODULE_SUFFIX)


def is_of_library(error: BaseException) -> bool:
    """Whether the toolbox or a visible check uses a module, or a name in one, that is missing.

    An example is `F.rms_norm` before torch 2.4. No code of the student can cause that.
    """
    in_module = isinstance(error, AttributeError) and isinstance(error.obj, ModuleType)
    return is_ours(error) and (in_module or isinstance(error, ImportError))


def raised_in(error: BaseException) -> str:
    """Return the name of the file or cell in which the exception was raised, or ""."""
    frames = _frames(error.__traceback__)
    return frames[-1].f_code.co_filename if frames else ""


def panel(state: str, title: str, text: str = "") -> None:
    """Show a title and a text below the cell, with an edge in the colour of `state`.

    They are shown as plain text if HTML cannot be shown. `state`: a key of COLOURS.
    """
    style = f"border-left: 4px solid {COLOURS[state]}; padding: 0.2em 0.8em; white-space: pre-wrap"
    body = f"<b>{html.escape(title)}</b>" + (f"\n{html.escape(text)}" if text else "")
    bundle = {
        "text/plain": f"{title}\n{text}".strip(),
        "text/html": f'<div style="{style}">{body}</div>',
    }
    display(bundle, raw=True, metadata={"check": {"state": state}})


def _meaning(error: BaseException, text: str) -> str:
    """Return the usual meaning of an exception here, or "". `text`: its message."""
    if isinstance(error, NameError) and error.name and not isinstance(error, UnboundLocalError):
        exercise = exercise_that_defines(error.name)
        origin = f"`{error.name}` comes from the cell of {title_of(exercise)}" if exercise else ""
        local = [name for frame in _frames(error.__traceback__)[-1:] for name in frame.f_locals]
        if similar := _similar(error.name, [*local, *names()]):
            return f"{origin}. There is `{similar}`: is one of the two misspelt?".removeprefix(". ")
        if error.name in IMPORTS:
            return f"A line is missing: `{IMPORTS[error.name]}`."
        if origin:
            return f"{origin}: has it been run, and does it define that?"
        return f"Is `{error.name}` spelt as where it was made, and has that cell been run?"
    if any(map(_makes_a_layer_of_a_tensor, _frames(error.__traceback__))):
        return MADE_FIRST
    meaning = next((sentence for sign, sentence in SYMPTOMS.items() if re.search(sign, text)), "")
    if isinstance(error, AttributeError) and error.name and not meaning:
        similar = _similar(error.name, _members(error.obj))
        return f"Is `{similar}` meant?" if similar else _layers_inside(error.obj)
    return meaning or next(
        (sentence for kind, sentence in KINDS.items() if isinstance(error, kind)), ""
    )


def _similar(name: str, candidates: Iterable[str]) -> str:
    """Return the most similar of the `candidates` that do not belong to exercises, or ""."""
    names_by_casefold = {
        candidate.casefold(): candidate
        for candidate in candidates
        if not exercise_that_defines(candidate)
    }
    matches = difflib.get_close_matches(name.casefold(), names_by_casefold, 1, 0.8)
    return names_by_casefold[matches[0]] if matches else ""


def _members(owner: object) -> list[str]:
    try:
        return dir(owner)
    except Exception:  # a module without `super().__init__()` raises here
        return []


def _layers_inside(layer: object) -> str:
    """Return a sentence with the names of the layers inside a layer, or ""."""
    layers = vars(layer).get("_modules", {}) if isinstance(layer, nn.Module) else {}
    quoted_names = ", ".join(f"`{name}`" for name in layers)
    return f"The layers inside are called {quoted_names}." if quoted_names else ""


def _makes_a_layer_of_a_tensor(frame: FrameType) -> bool:
    """Whether this frame is the constructor of a torch layer that got a tensor for a size."""
    code, arguments = frame.f_code, frame.f_locals.values()
    is_torch_layer = str(frame.f_globals.get("__name__")).startswith("torch.nn.modules.")
    return (
        is_torch_layer
        and code.co_name == "__init__"
        and any(isinstance(argument, Tensor) for argument in arguments)
    )


def own_line(error: BaseException, given: str = "") -> str:
    """Return the last line of the traceback that the student wrote, with its number, or "".

    `given`: the file of a cell whose lines are not the student's, or "".
    """
    for frame, number in reversed(list(walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        text = linecache.getline(file, number).strip()
        # The line is neither a library's nor the toolbox's.
        if text and frame.f_globals is names() and file != given:
            return f"in `{frame.f_code.co_qualname}`, line {number} of its cell:  {text}"
    return ""


def _frames(traceback: TracebackType | None) -> list[FrameType]:
    return [frame for frame, _ in walk_tb(traceback)]
