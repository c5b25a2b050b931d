"""Code as tokens in which names, comments, annotations and formatting make no difference.

Nothing is parsed: code that Python would refuse has tokens, too, and no text takes longer than its
length. Names that the cell itself binds are all one token; what it calls of a library stays.
"""

import builtins
import keyword
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

MOST_TOKENS = 20_000  # of one cell; the rest of a longer one is not compared
LONGEST = 1_000  # characters of a name, and of a word
OWN_NAME, TEXT = "name", "text"  # what stands for any name of the student's, any string

TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*+)
    |(?P<string>(?:[rRbBfFuUtT]{1,2}(?=["']))?(?:
        \"{3}(?:[^"\\]++|\\.|"(?!""))*+(?:\"{3}|\Z)
        |'{3}(?:[^'\\]++|\\.|'(?!''))*+(?:'{3}|\Z)
        |"(?:[^"\\\n]++|\\.)*+"?
        |'(?:[^'\\\n]++|\\.)*+'?
    ))
    |(?P<number>(?:0[xXoObB][\da-fA-F_]++|(?:\d[\d_]*+\.?[\d_]*+|\.\d[\d_]*+)(?:[eE][+-]?\d++)?+)[jJ]?)
    |(?P<name>\w++)
    |(?P<newline>\n)
    |(?P<operator>\*\*=?|//=?|>>=?|<<=?|[-+*/%&|^@=!<>:]=|->|\.\.\.|[^\s\w\\])
    """,
    re.VERBOSE | re.DOTALL,
)
OPEN, CLOSE = {"(", "[", "{"}, {")", "]", "}"}
OPENING_WORDS = set(
    "if elif else while for with try except finally def class async match case".split()
)


class Token(NamedTuple):
    """One token as it is written, and the line on which it begins (from 0)."""

    kind: str  # "name", "number", "string", "operator"
    text: str
    line: int


@dataclass
class Code:
    """One cell: what is compared of it, and the lines on which that stands."""

    words: list[str]
    lines: list[int]
    whole: bool = True  # not only its beginning
    names: set[str] = field(default_factory=set)  # bound here, of the student's choice
    comments: set[str] = field(default_factory=set)
    strings: set[str] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)


def read_code(source: str, given: Collection[str] = ()) -> Code:
    """Return the tokens of a cell. `given`: names of the statement, which nobody chose."""
    comments: set[str] = set()
    found = list(_statements(source, comments))
    whole = sum(map(len, found)) < MOST_TOKENS
    statements = [list(_without_annotations(statement)) for statement in found]
    bound = {name for statement in statements for name in _bound(statement)}
    own = bound - set(given)
    code = Code([], [], whole, names=own, comments=comments)
    for statement in statements:
        texts = ["", *(token.text for token in statement), ""]
        for token, before, following in zip(statement, texts, texts[2:], strict=False):
            # what an argument is called may have been chosen by the student, too
            argument = before in ("(", ",") and following == "="
            code.words.append(OWN_NAME if argument else _normal(token, own))
            code.lines.append(token.line)
            if token.kind == "string":
                code.strings.add(_content(token.text))
            elif token.kind == "number":
                code.numbers.add(_number(token.text))
    return code


def _statements(source: str, comments: set[str]) -> Iterator[list[Token]]:
    """Yield the tokens of each logical line; a string alone, such as a docstring, is a comment."""
    statement: list[Token] = []
    line, depth, count = 0, 0, 0
    for match in TOKEN.finditer(source):
        kind, text = str(match.lastgroup), match.group()
        if kind == "comment":
            comments.add(" ".join(text.strip("# ").split()))
        elif (kind == "newline" or text == ";") and depth <= 0:
            yield from _unless_alone(statement, comments)
            statement, depth = [], 0
        elif kind != "newline":
            depth += (text in OPEN) - (text in CLOSE)
            short = text[:LONGEST] if kind == "name" else text
            statement.append(Token(kind, short, line))
            count += 1
        line += text.count("\n")
        if count == MOST_TOKENS:
            break
    yield from _unless_alone(statement, comments)


def _unless_alone(statement: list[Token], comments: set[str]) -> Iterator[list[Token]]:
    if len(statement) == 1 and statement[0].kind == "string":
        comments.update(" ".join(line.split()) for line in _content(statement[0].text).splitlines())
    elif statement:
        yield statement


def _bound(statement: list[Token]) -> Iterator[str]:
    """The names that a statement binds: assigned, defined, imported, looped over, parameters."""
    texts = [token.text for token in statement]
    depth, last = 0, _last_assignment(texts)
    after = ""  # the word that binds what follows it
    for index, token in enumerate(statement):
        text, following = token.text, texts[index + 1] if index + 1 < len(texts) else ""
        depth += (text in OPEN) - (text in CLOSE)
        if text in ("def", "class", "for", "as", "import", "lambda"):
            after = text
        elif text in ("in", ":") and (after != "def" or depth == 0):
            after = ""
        elif token.kind == "name" and not keyword.iskeyword(text):
            before = texts[index - 1] if index else ""
            if (
                (after == "def" and before in ("def", "(", ",", "*", "**") and depth <= 1)
                or (after == "lambda" and before in ("lambda", ",", "*", "**"))
                or (after in ("for", "import") and before != ".")
                or before in ("class", "as")
                or following == ":="
                or (index < last and depth == 0 and following in ("=", ","))
                or len(statement) == 1  # of a class, `width: int`
            ):
                yield text


def _last_assignment(texts: list[str]) -> int:
    """The place of the last `=` outside of brackets; -1 where there is none."""
    depth, found = 0, -1
    for index, text in enumerate(texts):
        depth += (text in OPEN) - (text in CLOSE)
        if text == "=" and depth == 0:
            found = index
    return found


def _without_annotations(statement: list[Token]) -> Iterator[Token]:
    """The statement without types of parameters, results and variables, and without last commas."""
    definition = any(token.text == "def" for token in statement[:2])
    annotated = statement[0].text not in OPENING_WORDS
    depth, skipping = 0, -1  # the depth at which an annotation began
    for token, following in zip(statement, [*statement[1:], None], strict=True):
        text = token.text
        if (
            skipping >= 0
            and depth == skipping
            and text in (("=", ",", ")") if depth else ("=", ":"))
        ):
            skipping = -1
        depth += (text in OPEN) - (text in CLOSE)
        annotated = annotated and text not in ("=", "lambda")
        if skipping >= 0:
            continue
        if definition and ((text == ":" and depth == 1) or (text == "->" and depth == 0)):
            skipping = depth
        elif annotated and text == ":" and depth == 0:
            skipping, annotated = 0, False
        elif not (text == "," and following is not None and following.text in CLOSE):
            yield token


def _normal(token: Token, own: set[str]) -> str:
    if token.kind == "name":
        return OWN_NAME if token.text in own else token.text
    if token.kind == "string":
        return TEXT
    return _number(token.text) if token.kind == "number" else token.text


def _number(text: str) -> str:
    """A number in one way of writing it: `1.`, `1.0` and `1` are one."""
    try:
        return f"{float(text.replace('_', '')):g}"
    except (ValueError, OverflowError):
        return text.lower()[:40]


def _content(text: str) -> str:
    """What is in a string, without prefix and quotes."""
    return text.lstrip("rRbBfFuUtT").strip("\"'")[:200]


def is_plain(name: str) -> bool:
    """Whether a name says nothing about who wrote it."""
    return len(name) < 2 or hasattr(builtins, name) or name.startswith("__")
