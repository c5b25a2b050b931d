"""Make untrusted text printable, search it, and format numbers, names and times."""

from autograder.engine.texts.errors import FAILED, NOT_GRADED, USAGE, from_extra
from autograder.engine.texts.patterns import WORD, WORDS, escape
from autograder.engine.texts.printable import (
    LONGEST_LINE,
    PrintableStream,
    escape_formulas,
    first_line,
    guard_streams,
    printable_lines,
    safe_cell,
    text_cell,
    unescape_formulas,
    valid_unicode,
    without_halves,
)
from autograder.engine.texts.times import in_zone, parse_time, time_text, timestamp_text, to_utc
from autograder.engine.texts.wording import sentence_on, sentences_where

__all__ = [
    "FAILED",
    "LONGEST_LINE",
    "NOT_GRADED",
    "USAGE",
    "WORD",
    "WORDS",
    "PrintableStream",
    "escape",
    "escape_formulas",
    "first_line",
    "from_extra",
    "guard_streams",
    "in_zone",
    "parse_time",
    "printable_lines",
    "safe_cell",
    "sentence_on",
    "sentences_where",
    "text_cell",
    "time_text",
    "timestamp_text",
    "to_utc",
    "unescape_formulas",
    "valid_unicode",
    "without_halves",
]
