"""The known messages of Python, torch, NumPy and einops, with what a tutor asks then.

The first that fits is taken: what is said by few things stands before what is said by many.
"""

from autograder.engine.examiner.messages.calls import CALLS
from autograder.engine.examiner.messages.modules import MODULES
from autograder.engine.examiner.messages.names import NAMES
from autograder.engine.examiner.messages.shapes import SHAPES
from autograder.engine.examiner.messages.tensors import TENSORS
from autograder.engine.examiner.messages.values import VALUES
from autograder.engine.examiner.templates import Template

_ALL = (*MODULES, *SHAPES, *TENSORS, *CALLS, *NAMES, *VALUES)
TEMPLATES = {template.name: template for template in _ALL}


def recognised(kind: str, text: str) -> tuple[Template | None, dict[str, str]]:
    """Return the first template that fits what an exception says, and the words in it."""
    for template in _ALL:
        words = template.words_of(kind, text)
        if words is not None:
            return template, words
    return None, {}
