"""Keep the pictures that the text of a written answer refers to, and no others.

A text refers to its pictures as `attachment:NAME`, or contains them (`data:image/png;base64,...`),
as some programs paste them. A sentence replaces each picture that cannot be kept, because nbconvert
fails on a page with an attachment that is missing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import unquote

from autograder.engine.notebooks.pictures import NoPicture, Picture, PictureReader
from autograder.engine.texts.patterns import WORD, Pattern, escape

MAX_TEXT = 30_000  # characters of a written answer; the rest is not shown
CUT = "\n\n[cut here: this cell has too much text]\n"
MAX_TOLD = 5  # lost pictures that a message names
MAX_SHOWN = 60  # characters of a name
DATA = Pattern(r"data:image/[\w.+-]{1,40};base64,[A-Za-z0-9+/=]+")
PLAIN_NAME = Pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
ESCAPED = Pattern(rf"\\([^{WORD}\s])")


def _in_any_writing(prefix: str) -> str:
    """Return a regular expression for `prefix` with letters escaped as in HTML or Markdown."""
    return "".join(
        rf"(?:\\?{escape(character)}|&#0*{ord(character)};?|&#[xX]0*(?i:{ord(character):x});?"
        + (r"|&colon;?)" if character == ":" else ")")
        for character in prefix
    )


ATTACHMENT = _in_any_writing("attachment:")
PREFIX = Pattern(ATTACHMENT)
LONGEST_REFERENCE = 1_000  # characters after the prefix: no name is longer
ROUND = r"([^\s()]*(?:\([^\s()]*\)[^\s()]*)*)[ \t\n\r\f\v)]"
# Markdown does not read a name with blanks as an image
BLANKS = r"([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)"
NAMES = {  # patterns for the name, by the character before the prefix
    "(": (Pattern(ROUND), Pattern(BLANKS)),
    "<": (Pattern(r"([^<>\n]*)>"),),
    '"': (Pattern(r'([^"\n]*)"'),),
    "'": (Pattern(r"([^'\n]*)'"),),
}
BARE = (Pattern(r"(\S*)(?:[ \t\n\r\f\v]|\z)"),)
# references without a picture: as an image, and anywhere
MARKDOWN_IMAGE = Pattern(rf"!\[[^\]\n]*\]\([ \t]*<?{ATTACHMENT}([^)\n]*)\)")
HTML_IMAGE = Pattern(rf"<img\b[^<>]*?{ATTACHMENT}([^\"'\s<>]*)[^<>]*>")
ANYWHERE = Pattern(ATTACHMENT + r"([^\s()<>\"']*)")
TITLE = Pattern(r"\s+(?:\"[^\"]*\"|'[^']*')\s*$")


@dataclass
class IllustratedText:
    """A text, and the pictures that it refers to, by name."""

    text: str
    pictures: dict[str, Picture] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)  # the reason, by name
    cut: bool = False  # the text was too long

    @property
    def losses(self) -> list[str]:
        """Clauses on losses, each to follow "In the cell `...`,"."""
        clauses = [f"`{name}` ({reason})" for name, reason in list(self.lost.items())[:MAX_TOLD]]
        remaining = len(self.lost) - len(clauses)
        pictures = ", ".join(clauses) + (f" and {remaining} more" if remaining else "")
        return [
            *([f"only {MAX_TEXT:,} characters of text are shown"] if self.cut else []),
            *([f"pictures could not be kept: {pictures}"] if clauses else []),
        ]


def read_answer(
    text: str,
    attachments: Mapping[str, Mapping[str, str]],
    pictures: PictureReader,
    figures: Collection[str] = (),
) -> IllustratedText:
    """Return a student's text with the pictures that it refers to, each decoded and encoded again.

    Losses are listed in the result, and nothing is raised. `attachments`: the cell's files by name,
    each in base64 by MIME type. `pictures`: the reader that limits their total size. `figures`:
    `data:` addresses from the assignment itself, which stay unchanged.
    """
    return _Reader(attachments, pictures, figures).read(text)


class _Reader:
    def __init__(
        self,
        attachments: Mapping[str, Mapping[str, str]],
        pictures: PictureReader,
        figures: Collection[str],
    ):
        self.files = {_as_meant(name): (name, forms) for name, forms in attachments.items()}
        self.pictures = pictures
        self.figures = figures
        self.found: dict[str, str] = {}  # new name of each file; "" if it is lost
        self.answer = IllustratedText("")

    def read(self, text: str) -> IllustratedText:
        text = DATA.sub(self._name_data, text)
        if len(text) > MAX_TEXT:
            text, self.answer.cut = text[:MAX_TEXT] + CUT, True
        self.answer.text = self._referring(text)
        return self.answer

    def _name_data(self, match: Any) -> str:
        if match[0] in self.figures:
            return match[0]
        name = f"pasted-{len(self.files) + 1}"
        mime, _, encoded = match[0].removeprefix("data:").partition(";base64,")
        self.files[name] = name, {mime: encoded}
        return f"attachment:{name}"

    def _referring(self, text: str) -> str:
        """Return the text with references to kept pictures under their new names.

        References to other pictures are replaced, see `_without`.
        """
        parts, end = [], 0
        for prefix in PREFIX.finditer(text):
            patterns = NAMES.get(text[max(0, prefix.start() - 1) : prefix.start()], BARE)
            behind = text[prefix.end() : prefix.end() + LONGEST_REFERENCE]
            for name in filter(None, (pattern.match(behind) for pattern in patterns)):
                if prefix.start() >= end and (file_name := self._kept(name[1])):
                    parts += [self._without(text[end : prefix.start()]), f"attachment:{file_name}"]
                    end = prefix.end() + name.end(1)
        return "".join([*parts, self._without(text[end:])])

    def _without(self, text: str) -> str:
        """Return `text` with a sentence in place of each reference: their pictures are all lost."""
        text = MARKDOWN_IMAGE.sub(
            lambda match: self._sentence(TITLE.sub("", match[1]).rstrip("> ")), text
        )
        text = HTML_IMAGE.sub(lambda match: self._sentence(match[1]), text)
        return ANYWHERE.sub(self._no_reference, text)

    def _sentence(self, name: str) -> str:
        visible = _as_shown(name)
        return f"*[the picture `{visible}` could not be kept: {self._lose(name)}]*"

    def _no_reference(self, match: Any) -> str:
        if match[1]:
            self._lose(match[1])
        return f"attachment :{match[1]}"

    def _lose(self, name: str) -> str:
        return self.answer.lost.setdefault(_as_shown(name), "it is not in the notebook")

    def _kept(self, name: str) -> str:
        """Return the new name of the picture that the text calls `name`, or "" if it is lost."""
        decoded = _as_meant(name)
        if decoded not in self.files:
            return ""
        if decoded not in self.found:
            self.found[decoded] = self._read(*self.files[decoded])
        return self.found[decoded]

    def _read(self, name: str, forms: Mapping[str, str]) -> str:
        try:
            picture = self.pictures.read(forms)
        except NoPicture as error:
            self.answer.lost[_as_shown(name)] = str(error)
            return ""
        is_plain = PLAIN_NAME.fullmatch(name) and ".." not in name
        plain = name if is_plain else f"picture-{len(self.found) + 1}"
        while plain in self.answer.pictures:
            plain += "-"
        self.answer.pictures[plain] = picture
        return plain


def _as_meant(name: str) -> str:
    """Return the name of a file with the escapes of Markdown, HTML and URLs decoded."""
    return unquote(unescape(ESCAPED.sub(r"\1", name))).strip()


def _as_shown(name: str) -> str:
    """Return the name of a file for a sentence: short, with odd characters replaced."""
    decoded = _as_meant(name[:LONGEST_REFERENCE])[:MAX_SHOWN]
    visible = "".join(
        character if character.isalnum() or character in "_ .-" else "_" for character in decoded
    )
    return visible.strip() or "without a name"
