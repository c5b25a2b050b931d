"""The pictures of a written answer: what its text refers to is there, and nothing else is.

A text names its pictures `attachment:NAME`, or holds them (`data:image/png;base64,...`), as some
programs paste them. What cannot be kept leaves a sentence in its place: a program that finds a name
without a picture shows no page at all.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import unquote

from autograder.engine.pictures import NoPicture, Picture, Pictures

MAX_TEXT = 30_000  # characters of a written answer; what comes after them is not shown
CUT = "\n\n[cut here: this cell has too much text]\n"
MAX_TOLD = 5  # lost pictures that are named
DATA = re.compile(r"data:(image/[\w.+-]{1,40});base64,([A-Za-z0-9+/=]++)")
PLAIN_NAME = re.compile(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


def _in_any_writing(prefix: str) -> str:
    """A pattern of this text, also where its letters are written as HTML or with a backslash."""
    return "".join(
        rf"(?:\\?{re.escape(one)}|&#0*{ord(one)};?|&#[xX]0*(?i:{ord(one):x});?"
        + (r"|&colon;?)" if one == ":" else ")")
        for one in prefix
    )


PREFIX = re.compile(_in_any_writing("attachment:"))
ROUND = r"([^\s()]{0,300}(?:\([^\s()]{0,300}\)[^\s()]{0,300}){0,9})(?=[ \t\n\r\f\v)])"
BLANKS = r"([^()\n]{0,300}(?:\([^()\n]{0,300}\)[^()\n]{0,300}){0,9})(?=\))"  # with which Markdown does not take it for an image
NAMES = {  # what follows the prefix, by what stands before it
    "(": (re.compile(ROUND), re.compile(BLANKS)),
    "<": (re.compile(r"([^<>\n]{0,300})(?=>)"),),
    '"': (re.compile(r'([^"\n]{0,300})(?=")'),),
    "'": (re.compile(r"([^'\n]{0,300})(?=')"),),
}
BARE = (re.compile(r"(\S{0,300})(?=[ \t\n\r\f\v]|\Z)"),)
# references that are none, or to nothing: as an image, and anywhere
MARKDOWN_IMAGE = re.compile(
    rf"!\[[^\]\n]{{0,500}}\]\([ \t]{{0,9}}<?{PREFIX.pattern}([^)\n]{{0,300}})\)"
)
HTML_IMAGE = re.compile(
    rf"<img\b[^<>]{{0,300}}?{PREFIX.pattern}([^\"'\s<>]{{0,300}})[^<>]{{0,300}}>"
)
ANYWHERE = re.compile(PREFIX.pattern + r"([^\s()<>\"']{0,300})")
TITLE = re.compile(r"\s+(?:\"[^\"]*\"|'[^']*')\s*$")


@dataclass
class Answer:
    """A text, and the pictures that it names."""

    text: str
    pictures: dict[str, Picture] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)  # why, by name
    cut: bool = False

    @property
    def losses(self) -> list[str]:
        """What was lost, in the rest of a sentence that begins with the cell."""
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
    pictures: Pictures,
    figures: Collection[str] = (),
) -> Answer:
    """Return the text with the pictures that it names, each written anew. Raises nothing.

    `figures` are `data:` addresses of the assignment's own, which stay as they are.
    """
    return _Reader(attachments, pictures, figures).read(text)


class _Reader:
    """Reads one text, and what it names."""

    def __init__(
        self,
        attachments: Mapping[str, Mapping[str, str]],
        pictures: Pictures,
        figures: Collection[str],
    ):
        self.files = {_as_meant(name): (name, forms) for name, forms in attachments.items()}
        self.pictures = pictures
        self.figures = figures
        self.found: dict[str, str] = {}  # what a file is called now; the empty string: it is lost
        self.answer = Answer("")

    def read(self, text: str) -> Answer:
        text = DATA.sub(self._name_data, text)
        if len(text) > MAX_TEXT:
            text, self.answer.cut = text[:MAX_TEXT] + CUT, True
        self.answer.text = self._referring(text)
        return self.answer

    def _name_data(self, found: re.Match) -> str:
        if found[0] in self.figures:
            return found[0]
        name = f"pasted-{len(self.files) + 1}"
        self.files[name] = name, {found[1]: found[2]}
        return f"attachment:{name}"

    def _referring(self, text: str) -> str:
        """The text, in which every `attachment:` is followed by the name of a picture."""
        parts, end = [], 0
        for prefix in PREFIX.finditer(text):
            patterns = NAMES.get(text[max(0, prefix.start() - 1) : prefix.start()], BARE)
            for name in filter(None, (one.match(text, prefix.end()) for one in patterns)):
                if prefix.start() >= end and (kept := self._kept(name[1])):
                    parts += [self._without(text[end : prefix.start()]), f"attachment:{kept}"]
                    end = name.end()
        return "".join([*parts, self._without(text[end:])])

    def _without(self, text: str) -> str:
        """A text that refers to nothing, with a sentence where it did."""
        text = MARKDOWN_IMAGE.sub(
            lambda found: self._sentence(TITLE.sub("", found[1]).rstrip("> ")), text
        )
        text = HTML_IMAGE.sub(lambda found: self._sentence(found[1]), text)
        return ANYWHERE.sub(self._no_reference, text)

    def _sentence(self, name: str) -> str:
        shown = _as_shown(name)
        return f"*[the picture `{shown}` could not be kept: {self._lose(name)}]*"

    def _no_reference(self, found: re.Match) -> str:
        if found[1]:
            self._lose(found[1])
        return f"attachment :{found[1]}"

    def _lose(self, name: str) -> str:
        """Remember that a picture is lost; return why."""
        return self.answer.lost.setdefault(_as_shown(name), "it is not in the notebook")

    def _kept(self, name: str) -> str:
        """What a picture is called that the text calls so; empty if it cannot be kept."""
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
        plain = name if PLAIN_NAME.fullmatch(name) else f"picture-{len(self.found) + 1}"
        while plain in self.answer.pictures:
            plain += "-"
        self.answer.pictures[plain] = picture
        return plain


def _as_meant(name: str) -> str:
    """A file's name, without what texts write instead of odd letters."""
    return unquote(unescape(re.sub(r"\\([^\w\s])", r"\1", name))).strip()


def _as_shown(name: str) -> str:
    """A file's name as a sentence has it."""
    return re.sub(r"[^\w .-]", "_", _as_meant(name)).strip()[:60] or "without a name"
