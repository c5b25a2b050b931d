"""Split an answer into words, and choose the fingerprints that find passages shared by two answers.

Code is split without parsing. So invalid code has tokens, too, and the time is linear in the
length. All names of the student's own become the same word. Comments and strings are left out.
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

MOST_WORDS = 20_000  # compared of an answer
LONGEST = 1_000  # characters of a word
OWN_NAME = "name"  # stands for any name that the student chose
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
    """The words of an answer, and the line of each, counted from 0."""

    texts: list[str]
    lines: list[int]


class Token(NamedTuple):
    """A token of code, and its line, counted from 0."""

    kind: str  # "name", "number", "operator"
    text: str
    line: int


class Grain(NamedTuple):
    """The size of fingerprints: words in a k-gram, and k-grams in a window."""

    gram: int
    window: int


def words_of_code(source: str, given: Collection[str] = ()) -> Words:
    """Split code into at most MOST_WORDS tokens, and replace the student's own names by the same
    word.

    Other names are Python's, those in `given` (from the assignment), and attributes that the code
    neither defines nor assigns, such as a library's. Type annotations of functions are left out.
    """
    tokens = list(islice(_tokens(source), MOST_WORDS))
    own_names = _assigned(tokens).union(DEFINED.findall(source)) - LANGUAGE - set(given)
    words, last = Words([], []), ""
    for kind, text, line in tokens:
        word = _number(text) if kind == "number" else text[:LONGEST]
        is_kept = last == "." or text in given or text in LANGUAGE
        if kind == "name" and (text in own_names or not is_kept):
            word = OWN_NAME
        words.texts.append(word)
        words.lines.append(line)
        last = text
    return words


def _tokens(source: str) -> Iterator[Token]:
    """Yield the tokens of code, without comments, strings, and type annotations of functions."""
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
    """Return the names that the code assigns: those before the first `=` or `:` of a line, except
    in lines that continue an open bracket.
    """
    assigned: set[str] = set()
    targets: list[str] = []
    is_open, depth, last = True, 0, -1
    for kind, text, line in tokens:
        if line != last and depth == 0:
            targets, is_open = [], True
        last = line
        depth = 0 if text == "def" else max(0, depth + (text in OPENING) - (text in CLOSING))
        if is_open and text in ("=", ":") and depth == 0:
            assigned.update(targets)
            is_open = False
        elif kind == "name":
            targets.append(text)
        elif text not in (".", ",") and depth == 0:
            is_open = False
    return assigned


def words_of_text(text: str) -> Words:
    """Split text for people into at most MOST_WORDS words in lower case."""
    words = Words([], [])
    small, line, end = text.lower(), 0, 0
    for match in texts.WORDS.finditer(small):
        line += small.count("\n", end, match.start())
        end = match.end()
        words.texts.append(match[0][:LONGEST])
        words.lines.append(line)
        if len(words.texts) == MOST_WORDS:
            break
    return words


def _number(text: str) -> str:
    """Return a number in a common notation, the same for `1.`, `1.0` and `1`. Numbers that `float`
    cannot read, such as `0x1F`, are returned in lower case.
    """
    try:
        return f"{float(text.replace('_', '')):g}"
    except (ValueError, OverflowError):
        return text.lower()[:40]


def grams(words: Sequence[str], length: int) -> list[str]:
    """Return the k-grams, sequences of `length` words joined by spaces. Fewer words than `length`
    give a single k-gram.
    """
    count = max(1, len(words) - length + 1) if words else 0
    return [" ".join(words[start : start + length]) for start in range(count)]


def fingerprints(words: Sequence[str], grain: Grain) -> set[str]:
    """Return the k-grams that winnowing selects: of each window the k-gram with the smallest hash,
    the rightmost if several have it.

    Shared passages of at least w + k - 1 words are found, for windows of w k-grams. S. Schleimer,
    D. S. Wilkerson, A. Aiken, "Winnowing: local algorithms for document fingerprinting", SIGMOD
    2003, section 3.
    """
    all_grams = grams(words, grain.gram)
    # a checksum instead of `hash`, which differs between runs
    hashes = [zlib.crc32(gram.encode(errors="replace")) for gram in all_grams]
    window: deque[int] = deque()  # places, hashes rising: the first is the window's smallest
    selected = set()
    for place, value in enumerate(hashes):
        while window and hashes[window[-1]] >= value:
            window.pop()
        window.append(place)
        if window[0] <= place - grain.window:
            window.popleft()
        if place >= grain.window - 1 or place == len(hashes) - 1:
            selected.add(all_grams[window[0]])
    return selected
