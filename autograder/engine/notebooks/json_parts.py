"""Parse untrusted JSON part by part: no value is built before its size is known.

A part is a piece of text that is known to be valid JSON. Its values are only built on request, so
unused parts (a notebook's outputs) cost no memory.
"""

import codecs
import json
import re

import msgspec
from msgspec import Raw

from autograder.engine.texts.patterns import Pattern

MAX_NAMES = 1_000  # in an object
MAX_TEXT = 16 * 1024 * 1024  # bytes of JSON for a text or its lines
MAX_QUOTES = 500_000  # in a text: each line has two, and takes memory of its own
MAX_HALVES = 10_000  # lone surrogates, in a file
STEP = 1 << 20  # bytes that are decoded at a time
# surrogate pairs, other escapes, and a lone surrogate (the only group)
ESCAPES = re.compile(
    rb"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[^u]|\\u(?![dD][89a-fA-F]))++"
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
HALF = re.compile(rb"\\u[dD][89a-fA-F]")
# Python's json writes NaN and infinite numbers, which JSON does not have
NO_NUMBER = Pattern(rb'(?s)"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)')
CONFLICT = re.compile(rb"^(?:<{7}|\|{7}|={7}|>{7})(?= |\r?$)", re.MULTILINE)
QUESTION_MARK = rb"\u003f"
TEXT = msgspec.json.Decoder(str | list[str])


class Damaged(Exception):
    """The JSON is invalid or exceeds a limit. The message, in brackets, gives the line or limit."""


class Conflict(Exception):
    """The file has conflict markers of git's. The message is the first marker, with its line."""


class _Name(str):
    """The name of a JSON object's member, a type for which msgspec calls the duplicate check."""


def parse(data: bytes) -> Raw:
    """Return the content of a JSON file as a part.

    The encoding may be UTF-8, UTF-16 or UTF-32, as in JSON's older standard. A lone surrogate,
    which some programs write, becomes a question mark. NaN or an infinite number becomes 0. Raise
    `Damaged` if the JSON is invalid, `Conflict` if it has git's conflict markers,
    `UnicodeDecodeError` if it has another encoding, `RecursionError` if it is nested too deeply.
    """
    encoding = json.detect_encoding(data)
    if not encoding.startswith("utf-8"):
        data = data.decode(encoding, errors="replace").encode(errors="replace")
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), STEP):
        decoder.decode(data[start : start + STEP])
    decoder.decode(b"", final=True)
    data = _with_whole_characters(data.removeprefix(codecs.BOM_UTF8))
    try:
        return msgspec.json.decode(data, type=Raw)
    except msgspec.DecodeError as error:
        if conflict := CONFLICT.search(data):
            line = data.count(b"\n", 0, conflict.start()) + 1
            raise Conflict(f"`{conflict[0].decode()}` in line {line}") from error
        numbers = _with_numbers(data)
        if numbers is not data:
            return parse(numbers)
        byte = re.search(r"byte (\d+)", str(error))
        line = data.count(b"\n", 0, int(byte[1])) + 1 if byte else data.count(b"\n") + 1
        raise Damaged(f" (line {line})") from error


def _with_numbers(data: bytes) -> bytes:
    """Return the JSON with 0 for NaN and infinite numbers, or the same object without them."""
    changed = None
    for match in NO_NUMBER.finditer(data) if b"NaN" in data or b"Infinity" in data else ():
        if match[1]:
            changed = changed or bytearray(data)
            changed[match.start(1) : match.end(1)] = b"0".ljust(len(match[1]))
    return bytes(changed) if changed else data


def _with_whole_characters(data: bytes) -> bytes:
    if not HALF.search(data):  # far faster than a search through all escapes
        return data
    changed, halves = None, 0
    for match in ESCAPES.finditer(data):
        if match[1]:
            changed, halves = changed or bytearray(data), halves + 1
            changed[match.start(1) : match.end(1)] = QUESTION_MARK
        if halves > MAX_HALVES:
            raise Damaged(" (too many halves of characters)")
    return bytes(changed) if changed else data


def is_list(part: Raw) -> bool:
    """Whether the part is a JSON array."""
    return bytes(memoryview(part)[:1]) == b"["


def members(part: Raw | None) -> dict[str, Raw]:
    """Return the members of a JSON object by name, or {} for None or another value.

    Raise `Damaged` if a name occurs twice (parsers differ in their choice), or if there are too
    many names.
    """
    if part is None or bytes(memoryview(part)[:1]) != b"{":
        return {}
    names: set[str] = set()

    def take(kind: type, name: str) -> _Name:
        if name in names or len(names) == MAX_NAMES:
            raise Damaged(" (a name stands twice)" if name in names else " (too many names)")
        names.add(name)
        return _Name(name)

    return msgspec.json.decode(part, type=dict[_Name, Raw], dec_hook=take)


def text(part: Raw | None) -> str | None:
    """Return a JSON string, or a joined array of strings, or None for None or another value.

    Raise `Damaged` if it is too long.
    """
    if part is None:
        return None
    if len(memoryview(part)) > MAX_TEXT or bytes(part).count(b'"') > MAX_QUOTES:
        raise Damaged(" (a text without end)")
    try:
        decoded = TEXT.decode(part)
    except msgspec.ValidationError:
        return None
    return decoded if isinstance(decoded, str) else "".join(decoded)
