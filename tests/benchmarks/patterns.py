"""How long each pattern of the trusted side takes on a long line that repeats its own beginning.

    python -m tests.benchmarks.patterns [--characters 300000] [--worst 20]

The lines are made of a text that the pattern takes: each of its beginnings, repeated, with and without
something else at the end. A pattern that goes back and tries again takes minutes for one of them.
"""

import argparse
import importlib
import itertools
import pkgutil
import re
import sre_constants as of
import time
import warnings
from collections.abc import Iterator
from re import _parser  # type: ignore[attr-defined]

import autograder
from autograder.engine import Pattern

ELSEWHERE = ("autograder.authoring.toolbox", "autograder.engine.candidate", "autograder.graders")
STAFFS = ("autograder.authoring", "autograder._commands")  # whose texts nobody else writes
LONGEST = 12  # characters of a beginning that is repeated
UNLIKE_PYTHONS = {r"\pL": "a", r"\pM": "", r"\pN": "0", r"\z": r"\Z", r"\x{9f}": r"\x9f"}
Known = Pattern | re.Pattern


def patterns() -> list[tuple[str, Known]]:
    """Every pattern that a module of the trusted side has under a name, or in a table."""
    found: dict[str, tuple[str, Known]] = {}
    for module in pkgutil.walk_packages(autograder.__path__, "autograder."):
        if module.name.startswith((*ELSEWHERE, *STAFFS)) or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for one in _patterns_in(value):
                found.setdefault(str(one.pattern), (f"{module.name}.{name}", one))
    return list(found.values())


def lines(pattern: Known, characters: int) -> Iterator[str | bytes]:
    """Long lines of what the pattern begins with."""
    text = sample(pattern)
    for length in range(1, min(len(text), LONGEST) + 1):
        for start in {text[:length], text[-length:], text[:length] + text[-1:]}:
            line = start * (characters // len(start))
            for end in ("", "!", "\n"):
                whole = line + end
                yield whole.encode() if isinstance(pattern.pattern, bytes) else whole


def sample(pattern: Known) -> str:
    """A text that the pattern takes, more or less: each repetition twice, each choice its first."""
    written = pattern.pattern
    written = written.decode("latin-1") if isinstance(written, bytes) else written
    written = re.sub(r"(?<=.)\(\?[ims]+\)", "", written)  # RE2 takes them anywhere
    for ours, theirs in UNLIKE_PYTHONS.items():
        written = written.replace(ours, theirs)
    with warnings.catch_warnings(action="ignore"):
        flags = pattern.flags & ~re.UNICODE if isinstance(pattern, re.Pattern) else 0
        return "".join(_texts(_parser.parse(written, flags))) or "a"


def seconds(pattern: Known, line: str | bytes) -> float:
    """How long the slowest of three ways to ask takes."""
    taken = []
    for ask in (pattern.search, pattern.fullmatch, pattern.match):
        begin = time.perf_counter()
        ask(line)  # type: ignore[operator]
        taken.append(time.perf_counter() - begin)
    return max(taken)


def slowest(pattern: Known, characters: int) -> tuple[float, str | bytes]:
    """How long the slowest line takes, and the line; the first that takes a second is enough."""
    worst: tuple[float, str | bytes] = (0.0, "")
    for line in lines(pattern, characters):
        worst = max(worst, (seconds(pattern, line), line), key=lambda one: one[0])
        if worst[0] > 1:
            break
    return worst


def _patterns_in(value: object) -> Iterator[Known]:
    if isinstance(value, Known):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable(map(_patterns_in, value.values()))
    elif isinstance(value, list | tuple):
        yield from itertools.chain.from_iterable(map(_patterns_in, value))
    elif isinstance(getattr(value, "compiled", None), Known):
        yield value.compiled  # type: ignore[attr-defined]


def _texts(parsed) -> Iterator[str]:
    for kind, value in parsed:
        if kind is of.LITERAL:
            yield chr(value)
        elif kind in (of.NOT_LITERAL, of.ANY):
            yield "x"
        elif kind is of.IN:
            yield _member(value)
        elif kind is of.BRANCH:
            yield from _texts(value[1][0])
        elif kind is of.SUBPATTERN:
            yield from _texts(value[-1])
        elif kind in (of.MAX_REPEAT, of.MIN_REPEAT, of.POSSESSIVE_REPEAT):
            least, most, inner = value
            yield from list(_texts(inner)) * max(least, min(2, most))
        elif kind is of.ATOMIC_GROUP:
            yield from _texts(value)


def _member(members) -> str:
    """A character that a class takes."""
    for kind, value in members:
        if kind is of.LITERAL:
            return chr(value)
        if kind is of.RANGE:
            return chr(value[0])
        if kind is of.CATEGORY:
            return {of.CATEGORY_DIGIT: "0", of.CATEGORY_SPACE: " "}.get(value, "a")
    return "x"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--characters", type=int, default=300_000)
    parser.add_argument("--worst", type=int, default=20)
    given = parser.parse_args()
    worst = [(*slowest(one, given.characters), name) for name, one in patterns()]
    for taken, line, name in sorted(worst, key=lambda one: -one[0])[: given.worst]:
        print(f"{taken * 1000:9.1f} ms  {name}  {line[:LONGEST]!r}")


if __name__ == "__main__":
    main()
