"""The pictures of a written answer: keep those that its text refers to, and no others.

A text refers to its pictures as `attachment:NAME`, or contains them (`data:image/png;base64,...`),
as some programs paste them. A sentence replaces each picture that cannot be kept, because nbconvert
shows no page at all if a name has no picture.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import unquote

from autograder.engine.notebooks.pictures import NoPicture, Picture, PictureReader
from autograder.engine.texts.patterns import WORD, Pattern, escape

MAX_TEXT = 30_000  # characters of a written answer; what comes after them is not shown
CUT = "\n\n[cut here: this cell has too much text]\n"
MAX_TOLD = 5  # lost pictures that are named
MAX_SHOWN = 60  # characters of a name
DATA = Pattern(r"data:image/[\w.+-]{1,40};base64,[A-Za-z0-9+/=]+")
PLAIN_NAME = Pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
ESCAPED = Pattern(rf"\\([^{WORD}\s])")


def _in_any_writing(prefix: str) -> str:
    """Return the source of a regular expression for the text `prefix`, each letter of which may
    also be an HTML reference or have a backslash before it.
    """
    return "".join(
        rf"(?:\\?{escape(one)}|&#0*{ord(one)};?|&#[xX]0*(?i:{ord(one):x});?"
        + (r"|&colon;?)" if one == ":" else ")")
        for one in prefix
    )


ATTACHMENT = _in_any_writing("attachment:")
PREFIX = Pattern(ATTACHMENT)
LONGEST_REFERENCE = 1_000  # characters that are looked at: no name is longer
ROUND = r"([^\s()]*(?:\([^\s()]*\)[^\s()]*)*)[ \t\n\r\f\v)]"
BLANKS = (
    r"([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)"  # with which Markdown does not take it for an image
)
NAMES = {  # what follows the prefix, by what stands before it
    "(": (Pattern(ROUND), Pattern(BLANKS)),
    "<": (Pattern(r"([^<>\n]*)>"),),
    '"': (Pattern(r'([^"\n]*)"'),),
    "'": (Pattern(r"([^'\n]*)'"),),
}
BARE = (Pattern(r"(\S*)(?:[ \t\n\r\f\v]|\z)"),)
# references that are none, or to nothing: as an image, and anywhere
MARKDOWN_IMAGE = Pattern(rf"!\[[^\]\n]*\]\([ \t]*<?{ATTACHMENT}([^)\n]*)\)")
HTML_IMAGE = Pattern(rf"<img\b[^<>]*?{ATTACHMENT}([^\"'\s<>]*)[^<>]*>")
ANYWHERE = Pattern(ATTACHMENT + r"([^\s()<>\"']*)")
TITLE = Pattern(r"\s+(?:\"[^\"]*\"|'[^']*')\s*$")


@dataclass
class IllustratedText:
    """A text, and the pictures that it refers to, by name. `lost`: why a picture could not be kept,
    by name; `cut`: whether the text was too long and has been cut.
    """

    text: str
    pictures: dict[str, Picture] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)  # why, by name
    cut: bool = False

    @property
    def losses(self) -> list[str]:
        """Clauses that say what could not be kept, each to follow "In the cell `...`,"."""
        told = [f"`{name}` ({why})" for name, why in list(self.lost.items())[:MAX_TOLD]]
        more = len(self.lost) - len(told)
        pictures = ", ".join(told) + (f" and {more} more" if more else "")
        return [
            *([f"only {MAX_TEXT:,} characters of text are shown"] if self.cut else []),
            *([f"pictures could not be kept: {pictures}"] if told else []),
        ]


def read_answer(
    text: str,
    attachments: Mapping[str, Mapping[str, str]],
    pictures: PictureReader,
    figures: Collection[str] = (),
) -> IllustratedText:
    """Return a student's text with the pictures that it refers to, each decoded and encoded again.
    What cannot be kept is listed in the result; nothing is raised.

    `attachments`: the cell's files by name, each in base64 by MIME type; `pictures`: the reader
    that limits their total size; `figures`: `data:` addresses from the assignment itself, which
    stay as they are.
    """
    return _Reader(attachments, pictures, figures).read(text)


class _Reader:
    """Reads one text and its pictures; the arguments are those of `read_answer`."""

    def __init__(
        self,
        attachments: Mapping[str, Mapping[str, str]],
        pictures: PictureReader,
        figures: Collection[str],
    ):
        self.files = {_as_meant(name): (name, forms) for name, forms in attachments.items()}
        self.pictures = pictures
        self.figures = figures
        self.found: dict[str, str] = {}  # what a file is called now; the empty string: it is lost
        self.answer = IllustratedText("")

    def read(self, text: str) -> IllustratedText:
        text = DATA.sub(self._name_data, text)
        if len(text) > MAX_TEXT:
            text, self.answer.cut = text[:MAX_TEXT] + CUT, True
        self.answer.text = self._referring(text)
        return self.answer

    def _name_data(self, found: Any) -> str:
        if found[0] in self.figures:
            return found[0]
        name = f"pasted-{len(self.files) + 1}"
        mime, _, encoded = found[0].removeprefix("data:").partition(";base64,")
        self.files[name] = name, {mime: encoded}
        return f"attachment:{name}"

    def _referring(self, text: str) -> str:
        """Return the text in which every `attachment:` is followed by the name of a picture that
        was kept. References to other pictures are replaced, see `_without`.
        """
        parts, end = [], 0
        for prefix in PREFIX.finditer(text):
            patterns = NAMES.get(text[max(0, prefix.start() - 1) : prefix.start()], BARE)
            behind = text[prefix.end() : prefix.end() + LONGEST_REFERENCE]
            for name in filter(None, (one.match(behind) for one in patterns)):
                if prefix.start() >= end and (kept := self._kept(name[1])):
                    parts += [self._without(text[end : prefix.start()]), f"attachment:{kept}"]
                    end = prefix.end() + name.end(1)
        return "".join([*parts, self._without(text[end:])])

    def _without(self, text: str) -> str:
        """Return `text`, whose references are all to pictures that are lost, without these
        references. A sentence replaces each picture.
        """
        text = MARKDOWN_IMAGE.sub(
            lambda found: self._sentence(TITLE.sub("", found[1]).rstrip("> ")), text
        )
        text = HTML_IMAGE.sub(lambda found: self._sentence(found[1]), text)
        return ANYWHERE.sub(self._no_reference, text)

    def _sentence(self, name: str) -> str:
        shown = _as_shown(name)
        return f"*[the picture `{shown}` could not be kept: {self._lose(name)}]*"

    def _no_reference(self, found: Any) -> str:
        if found[1]:
            self._lose(found[1])
        return f"attachment :{found[1]}"

    def _lose(self, name: str) -> str:
        """Record that the picture `name` is lost; return the reason that is known, or else that it
        is not in the notebook.
        """
        return self.answer.lost.setdefault(_as_shown(name), "it is not in the notebook")

    def _kept(self, name: str) -> str:
        """Return the name under which the picture is kept that the text calls `name`; "" if it
        cannot be kept.
        """
        meant = _as_meant(name)
        if meant not in self.files:
            return ""
        if meant not in self.found:
            self.found[meant] = self._read(*self.files[meant])
        return self.found[meant]

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
    """Return the name of a file as it is in the notebook: with the escapes of Markdown, HTML and
    URLs decoded.
    """
    return unquote(unescape(ESCAPED.sub(r"\1", name))).strip()


def _as_shown(name: str) -> str:
    """Return the name of a file for a sentence: short, with odd characters replaced."""
    meant = _as_meant(name[:LONGEST_REFERENCE])[:MAX_SHOWN]
    shown = "".join(one if one.isalnum() or one in "_ .-" else "_" for one in meant)
    return shown.strip() or "without a name"
