"""Split an answer into words, and choose the fingerprints by which a passage that two answers share
is found.

Code is split without being parsed. So code that Python would refuse has tokens, too, and the time
is linear in the length. All names that the student chose become the same word; comments and strings
are left out.
"""

import builtins
import keyword
import re
import zlib
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from autograder.engine import Pattern, texts

MOST_WORDS = 20_000  # of one answer; the rest of a longer one is not compared
LONGEST = 1_000  # characters of a word
OWN_NAME = "name"  # stands for any name of the student's choice
OPENING, CLOSING = set("([{"), set(")]}")
LANGUAGE = {*keyword.kwlist, *dir(builtins)}
IMPORTS = Pattern(r"(?m)^\s*(?:from|import)\b.*")
DEFINED = Pattern(rf"\b(?:def|class)\s+([{texts.WORD}]+)")

TOKEN = re.compile(  # atomic: Python 3.11.2 is wrong about possessive groups with a look-ahead
    r"""
    (?P<skipped>\#[^\n]*+|[\n;]|,(?=(?:\s|\#[^\n]*+)*+[)\]}])|(?:[rRbBfFuUtT]{1,2}(?=["']))?(?:
        \"{3}(?>(?:[^"\\]+|\\.|"(?!""))*)(?:\"{3}|\Z)
        |'{3}(?>(?:[^'\\]+|\\.|'(?!''))*)(?:'{3}|\Z)
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
    """The words of an answer that are compared, and the line on which each begins, counted from 0."""

    texts: list[str]
    lines: list[int]


class Token(NamedTuple):
    """One token of code as it is written, and the line on which it begins, counted from 0."""

    kind: str  # "name", "number", "operator"
    text: str
    line: int


class Grain(NamedTuple):
    """How fine fingerprints are: the number of words in a k-gram, and the number of k-grams in a
    window.
    """

    gram: int
    window: int


def words_of_code(source: str, given: Collection[str] = ()) -> Words:
    """Split code into tokens, at most MOST_WORDS, and replace each name that the student chose by
    one and the same word.

    Names kept are Python's, those in `given` (from the assignment), and attributes that the code
    neither defines nor assigns, such as a library's. In the header of a function, type annotations
    are left out.
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
    """Yield the tokens of code, without comments, strings, and type annotations of parameters and
    results.
    """
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
    """Return the names to which the code assigns: those before the first `=` or `:` of a line,
    except in lines that continue an open bracket.
    """
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
    """Split a text for people into words, in lower case; at most MOST_WORDS of them."""
    words = Words([], [])
    small, line, end = text.lower(), 0, 0
    for found in texts.WORDS.finditer(small):
        line += small.count("\n", end, found.start())
        end = found.end()
        words.texts.append(found[0][:LONGEST])
        words.lines.append(line)
        if len(words.texts) == MOST_WORDS:
            break
    return words


def _number(text: str) -> str:
    """Return a number in one common notation: `1.`, `1.0` and `1` become the same. A number that
    `float` cannot read, such as `0x1F`, is returned in lower case.
    """
    try:
        return f"{float(text.replace('_', '')):g}"
    except (ValueError, OverflowError):
        return text.lower()[:40]


def grams(words: Sequence[str], length: int) -> list[str]:
    """Return the k-grams: each sequence of `length` words, joined by spaces. If there are fewer
    words than `length`, return one k-gram of all of them; [] if there are none.
    """
    count = max(1, len(words) - length + 1) if words else 0
    return [" ".join(words[start : start + length]) for start in range(count)]


def fingerprints(words: Sequence[str], grain: Grain) -> set[str]:
    """Return the k-grams that winnowing selects: in each window of k-grams the one with the
    smallest hash, the rightmost if several have it.

    A passage that two texts share is found if it has at least w + k - 1 words, for windows of w
    k-grams. S. Schleimer, D. S. Wilkerson, A. Aiken, "Winnowing: local algorithms for document
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
