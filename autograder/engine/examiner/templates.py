"""Templates of known exception messages, with the sentence that the student reads about each.

The message of an exception comes from a student's code and may contain anything, so it is never
repeated. It only chooses a template, whose sentence is the project's own. The sentence names an
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

MAX_NAME = 40  # characters of an identifier that is named
MAX_DEFINED = 1_000  # definitions among which a misspelt one is looked for
ALIKE = 0.8  # of two names, by difflib
DEFINED = Pattern(  # what `def` and `class` name, and what is assigned to `self`
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
INSTEAD = {  # of a word that must not be repeated
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
    """One kind of message: the exceptions that have it (their names, separated by spaces), the
    pattern that recognises it, and the student's sentence. Named groups of the pattern are the
    words that the sentence contains, as `{group}`.

    `misspelt` is a name, or `{group}`, or "" for none: the sentence also mentions a similar name
    that the student's cells define.
    """

    name: str
    types: str
    pattern: str
    sentence: str
    misspelt: str = ""

    @cached_property
    def compiled(self) -> Pattern:
        """The compiled pattern, in which `\\w` also matches letters of other alphabets."""
        return Pattern(self.pattern.replace(r"[\w", f"[{WORD}").replace(r"\w", f"[{WORD}]"))

    def words_of(self, kind: str, text: str) -> dict[str, str] | None:
        """Return the named groups of the pattern in `text`, an exception's message. None if its
        type `kind` or the message does not match.
        """
        if kind not in self.types.split():
            return None
        found = self.compiled.search(text)
        return {name: word or "" for name, word in found.groupdict().items()} if found else None

    def say(self, words: Mapping[str, str]) -> str:
        """Return the sentence with these words, given by group name. A general phrase replaces a
        word that is not given.
        """
        quoted = {name: f"`{word}`" for name, word in words.items()}
        said = self.sentence.format_map(INSTEAD | quoted)
        return said[0].upper() + said[1:]


def sayable(words: Mapping[str, str], own: Container[str]) -> dict[str, str]:
    """Return those of the words, given by group name, that may be repeated: each dotted part is
    public, or one of the student's identifiers `own`.
    """
    return {
        name: word
        for name, word in words.items()
        if all(part in PUBLIC or part in own for part in word.split("."))
    }


def identifiers(sources: Iterable[str]) -> frozenset[str]:
    """Return the identifiers in these sources, the texts of cells; keywords and very long ones are
    left out.
    """
    found = {name for source in sources for name in WORDS.findall(source)}
    return frozenset(
        name
        for name in found
        if len(name) <= MAX_NAME and name.isidentifier() and not keyword.iskeyword(name)
    )


def misspelt(wanted: str, sources: Iterable[str]) -> str | None:
    """Return a name that these sources, the texts of cells, define and that is spelled almost like
    `wanted`; None if there is none.
    """
    return next((name for name in _defined(sources) if _is_nearly(name, wanted)), None)


def _defined(sources: Iterable[str]) -> Iterator[str]:
    found = (match for source in sources for match in DEFINED.finditer(source))
    names = (match[1] or match[2] for match in found)
    for _, name in zip(range(MAX_DEFINED), names, strict=False):
        if name.isidentifier() and len(name) <= MAX_NAME:
            yield name


def _is_nearly(name: str, wanted: str) -> bool:
    if name == wanted:
        return False
    bare, asked = (one.strip("_").lower() for one in (name, wanted))
    return bare == asked or difflib.SequenceMatcher(None, bare, asked).ratio() >= ALIKE
