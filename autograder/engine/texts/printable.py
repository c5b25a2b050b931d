"""Make text from students and platforms safe to show in a terminal, a log or a spreadsheet.

A terminal obeys control characters. Characters that change the direction of writing, or that are
invisible, mislead a reader. A spreadsheet runs a cell that begins like a formula. So such
characters are replaced by escapes, for example \\x1b, and such cells get an apostrophe in front.
"""

import io
import logging
import os
import re
import sys
import unicodedata
from typing import IO, Any

LONGEST_NAME = 160  # characters in the name of a file, a folder or a person
LONGEST_LINE = 4_000  # characters; a sentence may contain many names
MOST_MARKS = 3  # accents on one letter; more of them cover the lines around it
MARKS = ("Mn", "Me")
DRAWS_NOTHING = re.compile(  # although `str.isprintable` accepts them
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U0001d159\U000e0100-\U000e01ef]"
)

_SKIPPED = "\\s\\x00-\\x1f\\x7f\\u00ad\\u200b-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\ufeff"
_TRIGGERS = "=+\\-@\\u2212\\uff1d\\uff0b\\uff0d\\uff20\\ufe66\\ufe62\\ufe63\\ufe6b\\u207a\\u207b"
_BEGINS = f"[{_SKIPPED}'\"]*[{_TRIGGERS}]"
_CONTROL = r"'*[\t\r\n\x00]"
_BORDER = r"(?:\A|(?<=[;\t\r\n]))"
_FORMULA = re.compile(f"{_BORDER}(?={_BEGINS})|\\A(?={_CONTROL})")
_ESCAPED_FORMULA = re.compile(f"{_BORDER}'(?={_BEGINS})|\\A'(?={_CONTROL})")


def printable(text: str, longest: int = LONGEST_NAME) -> str:
    """Return the text as a printable line, shortened in the middle to `longest` characters."""
    visible = _visible(_cut(text, longest))
    return _cut(visible, longest)


def printable_lines(text: str) -> str:
    """Return a text of several lines with each line made printable and shortened by `printable`."""
    return "\n".join(printable(line, LONGEST_LINE) for line in text.split("\n"))


def valid_unicode(name: str) -> str:
    """Return a file name as valid Unicode, with escapes such as \\xeb for bytes outside UTF-8."""
    try:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode("utf-8")


def without_halves(text: str) -> str:
    """Return the text with a question mark for each lone surrogate, which UTF-8 cannot encode."""
    return text.encode(errors="replace").decode()


def first_line(error: Exception, max_characters: int) -> str:
    """Return the first line of an exception's message, cut to `max_characters`.

    For an exception without a message, return the name of its class.
    """
    return without_halves((str(error).splitlines() or [type(error).__name__])[0][:max_characters])


def escape_formulas(text: str) -> str:
    """Return the text with an apostrophe wherever a spreadsheet could begin to read a formula.

    A spreadsheet recognises a formula by its first character, and OWASP advises an apostrophe
    before it. The apostrophe is also put after a semicolon, a tab or a line end, because a
    spreadsheet may begin a new cell there.
    """
    return _FORMULA.sub("'", text)


def text_cell(text: str) -> str:
    """Return a text as a table cell for people: a printable line, with formulas escaped."""
    return escape_formulas(printable(" ".join(text.split("\n")), LONGEST_LINE))


def safe_cell(value: str | float | bool | None) -> str | float:
    """Return a value as a table cell.

    Text becomes a printable line with formulas escaped, a number stays unchanged, a bool becomes
    "yes" or "no", and None becomes "".
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return text_cell(value) if isinstance(value, str) else value


def unescape_formulas(text: str) -> str:
    """Return the text without the apostrophes that `escape_formulas` added."""
    return _ESCAPED_FORMULA.sub("", text)


class PrintableLog(logging.Filter):
    """A logging filter that makes each message and traceback printable, and drops no record.

    `nbgrader_config.py` uses it, too.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = printable_lines(_message(record)), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        record.exc_text = record.exc_text and printable_lines(record.exc_text)
        return True


class PrintableStream:
    """A wrapper around a text stream that makes all text printable before writing it."""

    def __init__(self, stream: IO[str]):
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(printable_lines(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def guard_streams() -> None:
    """Wrap stdout and stderr so that everything this process prints is printable.

    This includes output of libraries, logs and tracebacks. A character that the terminal's encoding
    lacks is written as an escape and raises no error.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
            setattr(sys, name, PrintableStream(stream))


def _message(record: logging.LogRecord) -> str:
    # a record whose arguments do not fit its format must not raise
    try:
        return record.getMessage()
    except Exception:
        return f"{record.msg!r} {record.args!r}"


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    end = longest // 3
    return f"{text[: longest - end - 3]} … {text[-end:]}"


def _visible(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    parts, marks = [], 0
    for character in valid_unicode(text):
        marks = marks + 1 if unicodedata.category(character) in MARKS else 0
        if marks <= MOST_MARKS:
            parts.append(_shown(character))
        elif marks == MOST_MARKS + 1:
            parts.append("…")
    return "".join(parts)


def _shown(character: str) -> str:
    if character == "\t" or unicodedata.category(character) == "Zs":
        return " "
    if character.isprintable() and not DRAWS_NOTHING.match(character):
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
