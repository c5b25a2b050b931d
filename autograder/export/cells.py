"""Cells of a CSV that no spreadsheet runs as a formula, whatever a student wrote into them.

A spreadsheet takes a text for a formula by its first character. An apostrophe before it, as OWASP
advises, makes it a text again; also after a semicolon, a tab or the end of a line, where a
spreadsheet of another country begins a new cell.
"""

import re

_SKIPPED = "\\s\\x00-\\x1f\\x7f\\u00ad\\u200b-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\ufeff"
_TRIGGERS = "=+\\-@\\u2212\\uff1d\\uff0b\\uff0d\\uff20\\ufe66\\ufe62\\ufe63\\ufe6b\\u207a\\u207b"
_BEGINS = f"[{_SKIPPED}']*[{_TRIGGERS}]"
_CONTROL = r"'*[\t\r\n\x00]"
_BORDER = r"(?:\A|(?<=[;\t\r\n]))"
_DANGER = re.compile(f"{_BORDER}(?={_BEGINS})|\\A(?={_CONTROL})")
_NEUTRAL = re.compile(f"{_BORDER}'(?={_BEGINS})|\\A'(?={_CONTROL})")


def neutral(text: str) -> str:
    """The text with an apostrophe wherever a formula could begin."""
    return _DANGER.sub("'", text)


def plain(text: str) -> str:
    """The text that `neutral` was given."""
    return _NEUTRAL.sub("", text)


def safe(value: str | float | bool | None) -> str | float:
    """A cell: text neutralised, numbers as numbers, nothing as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return neutral(value) if isinstance(value, str) else value
