"""Templates of known exception messages, with the sentence that the student reads about each.

The message of an exception comes from a student's code and may contain anything, so it is never
repeated. It only chooses a template with a sentence of the project's own. The sentence names an
identifier from the message only if it occurs in the student's own cells or is a public name of
Python or torch. It never repeats a number.
"""

import builtins
import difflib
import keyword
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import nn
from torch.nn import functional

from autograder.engine.texts.patterns import WORD, WORDS, Pattern

MAX_NAME = 40  # characters of an identifier in a sentence
MAX_DEFINED = 1_000  # definitions that are compared with a misspelt name
ALIKE = 0.8  # ratio of two names, by difflib
DEFINED = Pattern(  # the names after `def` and `class`, and the attributes assigned to `self`
    rf"(?m)^[ \t]*(?:async +)?(?:(?:def|class)[ \t]+([{WORD}]+)|self\.([{WORD}]+)[ \t]*(?::[^=\n]*)?=)",
)
OTHER_WORDS = """
    NoneType numpy math einops forward input other mask value dim dim0 dim1 size
""".split()
PUBLIC = frozenset(
    name
    for place in (builtins, torch, torch.Tensor, nn, functional)
    for name in vars(place)
    if name.isidentifier() and len(name) <= MAX_NAME
) | {*OTHER_WORDS}
INSTEAD = {  # phrases for words that must not be repeated
    "name": "a name there",
    "attribute": "such attribute",
    "argument": "an argument",
    "call": "what is called there",
    "owner": "what stands there",
    "package": "a package",
    "left": "what stands on the left",
    "right": "what stands on the right",
}


@dataclass(frozen=True)
class Template:
    """One kind of message, with the student's sentence about it.

    Named groups of the pattern are the words that the sentence contains, as `{group}`. With
    `misspelt`, a name or `{group}`, the sentence also mentions a similar name that the student's
    cells define.
    """

    name: str
    types: str  # names of exceptions, separated by spaces
    pattern: str
    sentence: str
    misspelt: str = ""

    @cached_property
    def compiled(self) -> Pattern:
        """The compiled pattern, in which `\\w` also matches letters of other alphabets."""
        return Pattern(self.pattern.replace(r"[\w", f"[{WORD}").replace(r"\w", f"[{WORD}]"))

    def words_of(self, kind: str, text: str) -> dict[str, str] | None:
        """Return the named groups of the pattern in an exception's message.

        Return None if the type `kind` or the message does not match.
        """
        if kind not in self.types.split():
            return None
        match = self.compiled.search(text)
        return {name: word or "" for name, word in match.groupdict().items()} if match else None

    def say(self, words: Mapping[str, str]) -> str:
        """Return the sentence with these words by group name, and phrases for the other groups."""
        quoted = {name: f"`{word}`" for name, word in words.items()}
        text = self.sentence.format_map(INSTEAD | quoted)
        return text[0].upper() + text[1:]


def sayable(words: Mapping[str, str], allowed: Container[str]) -> dict[str, str]:
    """Return the words, by group name, that may be repeated.

    Each dotted part is public, or one of the student's identifiers `allowed`.
    """
    return {
        name: word
        for name, word in words.items()
        if all(part in PUBLIC or part in allowed for part in word.split("."))
    }


def identifiers(sources: Iterable[str]) -> frozenset[str]:
    """Return the identifiers in the texts of cells, without keywords and very long identifiers."""
    names = {name for source in sources for name in WORDS.findall(source)}
    return frozenset(
        name
        for name in names
        if len(name) <= MAX_NAME and name.isidentifier() and not keyword.iskeyword(name)
    )


def misspelt(identifier: str, sources: Iterable[str]) -> str | None:
    """Return a name that these cells define and that is almost like `identifier`, if any."""
    return next((name for name in _defined(sources) if _is_nearly(name, identifier)), None)


def _defined(sources: Iterable[str]) -> Iterator[str]:
    matches = (match for source in sources for match in DEFINED.finditer(source))
    names = (match[1] or match[2] for match in matches)
    for _, name in zip(range(MAX_DEFINED), names, strict=False):
        if name.isidentifier() and len(name) <= MAX_NAME:
            yield name


def _is_nearly(name: str, identifier: str) -> bool:
    if name == identifier:
        return False
    bare, bare_identifier = (text.strip("_").lower() for text in (name, identifier))
    return (
        bare == bare_identifier
        or difflib.SequenceMatcher(None, bare, bare_identifier).ratio() >= ALIKE
    )
