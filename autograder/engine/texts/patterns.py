"""Regular expressions for untrusted text, by RE2: their time is linear in the length of the text.

The engine is RE2 (https://github.com/google/re2/wiki/Syntax). It has neither look-around nor
back-references; `\\w`, `\\d`, `\\s` and `\\b` match ASCII only (`\\pL` is any letter), and the end
of a text is `\\z`. Python's own patterns may backtrack for a very long time; `ruff` forbids them
here.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import re2

WORDS = re.compile(r"\w++")  # of one kind of characters alone: it never goes back

WORD = r"\pL\pM\pN_"  # between brackets: what a name is made of, in any language


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

    def sub(self, new: str | Callable[[Any], str], text: str, count: int = 0) -> str:
        return self._compiled.sub(new, _whole(text), count)


def escape(text: str) -> str:
    """Return a pattern that matches exactly this text."""
    return re2.escape(text)


def _whole(text: Any) -> Any:
    """Return the text with each lone surrogate replaced by a question mark, since RE2 takes valid
    Unicode only. Bytes are returned unchanged.
    """
    return text.encode(errors="replace").decode() if isinstance(text, str) else text
