"""Templates for the messages of Python, torch, NumPy and einops, each with a question as a tutor
would ask it.

The first template that matches is used, so special ones stand before general ones.
"""

from autograder.engine.examiner.messages.calls import CALLS
from autograder.engine.examiner.messages.lacking import LACKING
from autograder.engine.examiner.messages.modules import MODULES
from autograder.engine.examiner.messages.names import NAMES
from autograder.engine.examiner.messages.shapes import SHAPES
from autograder.engine.examiner.messages.tensors import TENSORS
from autograder.engine.examiner.messages.values import VALUES
from autograder.engine.examiner.templates import Template

_ALL = (*LACKING, *MODULES, *SHAPES, *TENSORS, *CALLS, *NAMES, *VALUES)
TEMPLATES = {template.name: template for template in _ALL}
LACKING_TEMPLATES = frozenset({"no_package", *(template.name for template in LACKING)})


def recognised(kind: str, text: str) -> tuple[Template | None, dict[str, str]]:
    """Return the first template that matches an exception, and the words in its message by group
    name; (None, {}) if none matches.

    `kind`: the name of the exception's type; `text`: its message.
    """
    for template in _ALL:
        words = template.words_of(kind, text)
        if words is not None:
            return template, words
    return None, {}
