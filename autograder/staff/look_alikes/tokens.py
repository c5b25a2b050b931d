"""The words of an answer, and the fingerprints by which passages that two answers share are found.

Nothing is parsed: code that Python would refuse has tokens, too, and no text takes longer than its
length. In code, names of a student's choice are all one word; comments and strings are none.
"""

import builtins
import keyword
import re
import zlib
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from autograder.text.patterns import WORD, WORDS, Pattern

MOST_WORDS = 20_000  # of one answer; the rest of a longer one is not compared
LONGEST = 1_000  # characters of a word
OWN_NAME = "name"  # stands for any name of the student's choice
OPENING, CLOSING = set("([{"), set(")]}")
LANGUAGE = {*keyword.kwlist, *dir(builtins)}
IMPORTS = Pattern(r"(?m)^\s*(?:from|import)\b.*")
DEFINED = Pattern(rf"\b(?:def|class)\s+([{WORD}]+)")

TOKEN = re.compile(
    r"""
    (?P<skipped>\#[^\n]*+|[\n;]|,(?=(?:\s|\#[^\n]*+)*+[)\]}])|(?:[rRbBfFuUtT]{1,2}(?=["']))?(?:
        \"{3}(?:[^"\\]++|\\.|"(?!""))*+(?:\"{3}|\Z)
        |'{3}(?:[^'\\]++|\\.|'(?!''))*+(?:'{3}|\Z)
        |"(?:[^"\\\n]++|\\.)*+"?
        |'(?:[^'\\\n]++|\\.)*+'?
    ))
    |(?P<number>(?:0[xXoObB][\da-fA-F_]++|(?:\d[\d_]*+\.?[\d_]*+|\.\d[\d_]*+)(?:[eE][+-]?\d++)?+)[jJ]?)
    |(?P<name>\w++)
    |(?P<operator>\*\*=?|//=?|>>=?|<<=?|[-+*/%&|^@=!<>:]=|->|\.\.\.|[^\s\w\\])
    """,
    re.VERBOSE | re.DOTALL,
)


class Words(NamedTuple):
    """What is compared of an answer, and the line on which each word begins (from 0)."""

    texts: list[str]
    lines: list[int]


class Token(NamedTuple):
    """One token of code as it is written, and the line on which it begins (from 0)."""

    kind: str  # "name", "number", "operator"
    text: str
    line: int


class Grain(NamedTuple):
    """How fine fingerprints are: words of a k-gram, and k-grams of a window."""

    gram: int
    window: int


def words_of_code(source: str, given: Collection[str] = ()) -> Words:
    """Return the tokens of code, as far as they tell one solution from another.

    A name keeps its text if it is Python's, one of `given` (the statement's), or an attribute that the
    code itself neither defines nor assigns, as what is called of a library is. Of `def`, nothing is
    kept up to its colon: the statement gives names and types.
    """
    tokens = list(islice(_tokens(source), MOST_WORDS))
    own = _assigned(tokens).union(DEFINED.findall(source)) - LANGUAGE - set(given)
    words, last = Words([], []), ""
    for kind, text, line in tokens:
        word = _number(text) if kind == "number" else text[:LONGEST]
        is_kept = last == "." or text in given or text in LANGUAGE
        if kind == "name" and (text in own or not is_kept):
            word = OWN_NAME
        words.texts.append(word)
        words.lines.append(line)
        last = text
    return words


def _tokens(source: str) -> Iterator[Token]:
    """Yield the tokens without comments, strings, and annotations of parameters and results."""
    line, depth = 0, 0
    in_header, annotation = False, -1  # from `def` to its colon; the brackets around an annotation
    for match in TOKEN.finditer(source):
        kind, text = str(match.lastgroup), match.group()
        depth = max(0, depth + (text in OPENING) - (text in CLOSING))
        if text == "def":
            depth, in_header = 0, True
        elif in_header and text == ":" and depth == 0:
            in_header, annotation = False, -1
        elif in_header and text in (":", "->") and annotation < 0:
            annotation = depth
        elif depth < annotation or (depth == annotation > 0 and text in (",", "=")):
            annotation = -1
        if kind != "skipped" and annotation < 0:
            yield Token(kind, text, line)
        line += text.count("\n")


def _assigned(tokens: Iterable[Token]) -> set[str]:
    """The names before the first `=` or `:` of each line that continues no brackets."""
    found: set[str] = set()
    targets: list[str] = []
    is_open, depth, last = True, 0, -1
    for kind, text, line in tokens:
        if line != last and depth == 0:
            targets, is_open = [], True
        last = line
        depth = 0 if text == "def" else max(0, depth + (text in OPENING) - (text in CLOSING))
        if is_open and text in ("=", ":") and depth == 0:
            found.update(targets)
            is_open = False
        elif kind == "name":
            targets.append(text)
        elif text not in (".", ",") and depth == 0:
            is_open = False
    return found


def words_of_text(text: str) -> Words:
    """Return the words of a text for people, in small letters."""
    words = Words([], [])
    small, line, end = text.lower(), 0, 0
    for found in WORDS.finditer(small):
        line += small.count("\n", end, found.start())
        end = found.end()
        words.texts.append(found[0][:LONGEST])
        words.lines.append(line)
        if len(words.texts) == MOST_WORDS:
            break
    return words


def _number(text: str) -> str:
    """A number in one way of writing it: `1.`, `1.0` and `1` are one."""
    try:
        return f"{float(text.replace('_', '')):g}"
    except (ValueError, OverflowError):
        return text.lower()[:40]


def grams(words: Sequence[str], length: int) -> list[str]:
    """Return all k-grams; a shorter text is one."""
    count = max(1, len(words) - length + 1) if words else 0
    return [" ".join(words[start : start + length]) for start in range(count)]


def fingerprints(words: Sequence[str], grain: Grain) -> set[str]:
    """Return the k-grams that winnowing keeps: the one with the smallest hash in each window, the
    rightmost where several have it. A passage of w + k - 1 words that two texts share is found.

    S. Schleimer, D. S. Wilkerson, A. Aiken, "Winnowing: local algorithms for document
    fingerprinting", SIGMOD 2003, section 3.
    """
    every = grams(words, grain.gram)
    # a checksum and not `hash`, which differs from run to run
    hashes = [zlib.crc32(gram.encode(errors="replace")) for gram in every]
    window: deque[int] = deque()  # places, hashes rising: the first is the window's smallest
    kept = set()
    for place, value in enumerate(hashes):
        while window and hashes[window[-1]] >= value:
            window.pop()
        window.append(place)
        if window[0] <= place - grain.window:
            window.popleft()
        if place >= grain.window - 1 or place == len(hashes) - 1:
            kept.add(every[window[0]])
    return kept
