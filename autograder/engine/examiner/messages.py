"""The known messages of exceptions, read from `messages.toml`."""

import tomllib
from pathlib import Path

from autograder.engine.examiner.templates import Template

PACKAGES = ("torch", "numpy", "einops", "jaxtyping", "matplotlib")  # that students may import

_ENTRIES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
# Messages about missing packages: none of these sentences says that the code is wrong.
LACKING_TEMPLATES = frozenset(
    {"no_package", *(name for name, entry in _ENTRIES.items() if entry.pop("lacking", False))}
)
TEMPLATES = {name: Template(name, **entry) for name, entry in _ENTRIES.items()}


def recognised(kind: str, text: str) -> tuple[Template | None, dict[str, str]]:
    """Return the first template that matches an exception, and the words in its message by group.

    Return (None, {}) if none matches. `kind`: the name of the exception's type. `text`: its
    message.
    """
    for template in TEMPLATES.values():
        words = template.words_of(kind, text)
        if words is not None:
            return template, words
    return None, {}
