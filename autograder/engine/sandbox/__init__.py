"""The sandbox: a warm parent inside bubblewrap, and namespaces, a seccomp filter and limits for each
candidate.
"""

from typing import TYPE_CHECKING

from autograder import _lazily

if TYPE_CHECKING:
    from autograder.engine.sandbox.advice import PROCESSES, advice_on, memory_advice, with_advice
    from autograder.engine.sandbox.choose import choose_walls
    from autograder.engine.sandbox.started import ListeningParent, try_namespaces

__all__ = [
    "PROCESSES",
    "ListeningParent",
    "advice_on",
    "choose_walls",
    "memory_advice",
    "try_namespaces",
    "with_advice",
]

# imported at first use, because they import torch
__getattr__ = _lazily(
    __name__,
    {
        "autograder.engine.sandbox.advice": "PROCESSES advice_on memory_advice with_advice",
        "autograder.engine.sandbox.choose": "choose_walls",
        "autograder.engine.sandbox.started": "ListeningParent try_namespaces",
    },
)
