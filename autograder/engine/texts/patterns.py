"""Regular expressions for untrusted text by RE2, with a running time linear in the text.

RE2 (https://github.com/google/re2/wiki/Syntax) has neither look-around nor back-references. `\\w`,
`\\d`, `\\s` and `\\b` match ASCII only (`\\pL` is any letter), and the end of a text is `\\z`.
Python's own patterns may backtrack for a very long time, so `ruff` forbids them here.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import re2

WORDS = re.compile(r"\w++")  # possessive, of a single character class: it never backtracks

WORD = r"\pL\pM\pN_"  # for a bracket expression: the characters of a name in any language


class Pattern:
    """A compiled RE2 pattern with the methods of Python's `re.Pattern`, for text or for bytes."""

    def __init__(self, pattern: str | bytes):
        self.pattern = pattern
        self._compiled = re2.compile(pattern)

    def search(self, text: str | bytes) -> Any:
        return self._compiled.search(_whole(text))

    def match(self, text: str | bytes, start: int = 0) -> Any:
        return self._compiled.match(_whole(text), start)

    def fullmatch(self, text: str | bytes) -> Any:
        return self._compiled.fullmatch(_whole(text))

    def finditer(self, text: str | bytes) -> Iterator[Any]:
        return self._compiled.finditer(_whole(text))

    def findall(self, text: str | bytes) -> list[Any]:
        return self._compiled.findall(_whole(text))

    def split(self, text: str) -> list[str]:
        return self._compiled.split(_whole(text))

    def sub(self, replacement: str | Callable[[Any], str], text: str, count: int = 0) -> str:
        return self._compiled.sub(replacement, _whole(text), count)


def escape(text: str) -> str:
    """Return a pattern that matches exactly this text."""
    return re2.escape(text)


def _whole(text: Any) -> Any:
    # RE2 takes valid Unicode only: a lone surrogate becomes a question mark
    return text.encode(errors="replace").decode() if isinstance(text, str) else text
