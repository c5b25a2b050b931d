"""Find leaks in a release: parts of the source's solutions, anywhere in the released folder.

nbgrader clears the text of a solution. The author may have left the same text in another cell, in a
comment, in metadata or in a file beside the notebook. So the release is searched for the content of
each solution, marking scheme and hidden test.
"""

import base64
import binascii
import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.engine import Assignment, courses

REGIONS = ("SOLUTION", "MARK SCHEME", "HIDDEN TESTS")  # nbgrader's
WORDS = (*(f"begin {region}".lower() for region in REGIONS), "marking scheme", "example answer")
TITLE = re.compile(r"(?im)^(?:#+|\*\*) *(?:model|sample) (?:solution|answer)s?\b")
FOR_STAFF = re.compile(
    r"(?i)(?<![a-z])(?:(?<!your )(?:solutions?|answers?)(?! (?:here|below|goes))"
    r"|mark(?:ing|ers?)|staff|tutors?|instructors?|graders?|hidden[ _-]?tests?)(?![a-z])"
)
DATA = re.compile(r"data:image/[\w.+-]+;base64,([A-Za-z0-9+/=]+)")
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)|<img\b[^>]*>")
LINK = re.compile(r"\]\(<?([^)\s>]+)|\b(?:src|href)=[\"']([^\"']+)")
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
FORMULA = re.compile(r"\$\$?[^$]+\$\$?")
HEADER = re.compile(r"(?:import|from|def|class|async def) |@|else:|try:|super\(\)\.__init__\(\)")
REMARK = re.compile(r"(?<=\S)\s+#.*$")
# The text before an expression.
EXPRESSION = re.compile(r"^\s*(?:return|[\w., ]+?(?:: [^=]+)? [-+*/@]?=) +(?=\S)")
SENTENCE = re.compile(r"(?<=[.!?:]) +")
BULLET = re.compile(r"^(?:[#>]+|-+ |\s)+")  # of a quotation, a comment or a list
NO_MATTER = re.compile(r"[\s*_`'\"\\,()]+")  # a copy may have more or fewer of these characters
# Minimal lengths of a copy in characters. Two texts do not share as many by accident.
MUCH_CODE, MUCH_PROSE = 40, 60
WHOLE = 12  # a copy of a whole solution
HIDDEN = 10  # in metadata and comments, which students do not see and where no text belongs
WHOLE_HIDDEN = 8
FEW_WORDS = 3
SHOWN = 60  # characters of a line in a message
MAX_BYTES = 16 << 20  # of a file that is searched for text
MAX_MEMBERS = 1_000  # of an archive
SHORTEST = 16  # bytes of a picture or of a grader that is compared


class Place:
    """A text of the release that is searched for secrets.

    `is_hidden`: students do not see it on a page, like comments and metadata.
    """

    def __init__(self, text: str, is_hidden: bool = False):
        self.text = text.replace("\\n", "\n")  # JSON writes line ends as \n
        self.is_hidden = is_hidden

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text as they are compared."""
        return tuple(_comparable(self.text.splitlines()))

    @cached_property
    def flat(self) -> str:
        """All lines, joined."""
        return "".join(self.lines)

    @cached_property
    def without_blanks(self) -> str:
        """The text without blanks and line ends, to search for base64."""
        return "".join(self.text.split())

    def gives_a_word(self) -> bool:
        """Whether the text has a word that marks solutions."""
        text = self.text.lower()
        return any(word in text for word in WORDS)


class Secret(NamedTuple):
    """The part of a source cell that the release removes."""

    cell: str
    is_code: bool
    lines: tuple[str, ...]  # normalised, to be compared
    text: str  # as the author wrote it

    def copied_in(self, place: Place) -> str:
        """Return the first line of the longest copied part of the secret, or ""."""
        minimum = HIDDEN if place.is_hidden else MUCH_CODE if self.is_code else MUCH_PROSE
        first, size = self._longest_part(place)
        full_size = len(self.flat)
        copied_size = sum(len(line) for line in self.lines if line in place.lines)
        if size >= minimum or copied_size >= max(minimum, full_size / 2):
            return first
        for line in self.text.splitlines() if self.is_code else ():
            if HEADER.match(line.strip()):
                continue
            expression = "".join(_comparable([EXPRESSION.sub("", line)]))
            if len(expression) >= minimum and expression in place.flat:
                return expression
        if size < full_size or size < (WHOLE_HIDDEN if place.is_hidden else WHOLE):
            return ""
        return first if place.is_hidden or copied_size == full_size else ""

    @property
    def flat(self) -> str:
        """All lines, joined."""
        return "".join(self.lines)

    def _longest_part(self, place: Place) -> tuple[str, int]:
        """Return the first line and the length of the longest run of the secret's lines here."""
        first, size = "", 0
        for start, line in enumerate(self.lines):
            end = start
            while end < len(self.lines) and "".join(self.lines[start : end + 1]) in place.flat:
                end += 1
            length = sum(map(len, self.lines[start:end]))
            if length > size:
                first, size = line, length
        return first, size

    def as_written(self, line: str) -> str:
        """Return the author's line that is compared as `line`, shortened."""
        lines = (
            written_line.strip()
            for written_line in self.text.splitlines()
            if line in "".join(_comparable([written_line]))
        )
        shown_line = REMARK.sub("", next(lines, line))
        return shown_line if len(shown_line) <= SHOWN else shown_line[:SHOWN].rstrip() + " ..."


class Search:
    """Searches a released folder for content of the source's solutions."""

    def __init__(self, folder: Path, assignment: Assignment):
        """Read both notebooks. `folder`: the released folder."""
        self.folder, self.assignment = folder, assignment
        self.name = assignment.release.name
        source = nbformat.read(assignment.source, as_version=4)
        self.release = nbformat.read(folder / self.name, as_version=4)
        self.secrets = [secret for cell in source.cells if (secret := secret_of(cell))]
        self.pictures = _pictures_of_solutions(source)
        for cell in self.release.cells:  # the assignment's text also shows them
            visible = courses.COMMENT.sub("", cell.source)
            for picture in _pictures(visible, cell.get("attachments", {})):
                self.pictures.pop(picture, None)

    def leaks(self) -> Iterator[str]:
        """Yield a sentence for each leak."""
        for cell in self.release.cells:
            yield from self._in_cell(cell)
        metadata = Place("\n".join(_texts(self.release.metadata)), is_hidden=True)
        yield from self._in_place(f"{self.name}: the metadata of the notebook", metadata)
        yield from self._in_files()

    def _in_cell(self, cell: NotebookNode) -> Iterator[str]:
        """Yield a sentence for each leak in a released cell."""
        location = f"{self.name}: the cell `{cell_id(cell)}`"
        is_text = cell.cell_type == "markdown"
        visible = Place(TAG.sub("\n", cell.source) if is_text else cell.source)
        if visible.gives_a_word() or courses.MARK in cell.source or TITLE.search(cell.source):
            yield f"{location} gives its solution away: mark it as a solution for nbgrader, or delete it."
        else:
            yield from self._copies(location, visible)
        if cell.get("outputs") or cell.get("execution_count"):
            yield f"{location} has outputs: clear them."
        comments = [match[0] for match in courses.COMMENT.finditer(cell.source)] if is_text else []
        if words := FOR_STAFF.search("\n".join(comments)):
            yield f"{location} has a comment with `{words[0]}`, which students find in the file: delete it."
        else:
            yield from self._in_comments(f"{location}, in a comment,", comments)
        for tag in cell.metadata.get("tags", []):
            if FOR_STAFF.search(str(tag)):
                yield (
                    f"{location} has the tag `{tag}`, and students would get it: mark the cell as a "
                    "solution for nbgrader, delete it, or remove the tag."
                )
        metadata = {key: value for key, value in cell.metadata.items() if key != "nbgrader"}
        hidden_parts = [metadata, [*cell.get("attachments", {})], cell.get("outputs", [])]
        yield from self._in_place(
            f"{self.name}: the metadata of the cell `{cell_id(cell)}`",
            Place("\n".join(_texts(hidden_parts)), True),
        )

    def _in_comments(self, location: str, comments: Sequence[str]) -> Iterator[str]:
        """Yield a sentence for each part of a solution in the comments of a cell, even a few words."""
        sentences = [*self._in_place(location, Place("\n".join(comments), is_hidden=True))]
        lines = [line.strip("<!-> ") for comment in comments for line in comment.splitlines()]
        for secret in self.secrets if not sentences else ():
            for line in lines:
                if len(line.split()) >= FEW_WORDS and "".join(_comparable([line])) in secret.flat:
                    sentences.append(self._copy(location, secret, line))
        yield from sentences

    def _in_place(self, location: str, place: Place) -> Iterator[str]:
        """Yield a sentence for each part of a solution in a text outside of cells' sources."""
        if place.gives_a_word():
            yield f"{location} contains a solution or a marking scheme: take it out of source/."
            return
        yield from self._copies(location, place)
        for picture, cell in self.pictures.items():
            if base64.b64encode(picture).decode() in place.without_blanks:
                yield f"{location} contains a picture of the solution of `{cell}`: delete it there."

    def _copies(self, location: str, place: Place) -> Iterator[str]:
        for secret in self.secrets:
            if line := secret.copied_in(place):
                yield self._copy(location, secret, secret.as_written(line))

    @staticmethod
    def _copy(location: str, secret: Secret, line: str) -> str:
        return (
            f"{location} contains a part of the solution of `{secret.cell}` (`{line}`): delete it "
            "there, or if students may see it, put it outside of the solution's marks."
        )

    def _in_files(self) -> Iterator[str]:
        """Yield a sentence for each leak in the files beside the notebook."""
        graders = (file for file in sorted(self.assignment.graders.rglob("*")) if file.is_file())
        hidden = {content: file for file in graders if len(content := _content(file)) >= SHORTEST}
        solutions = "\n".join(secret.text for secret in self.secrets)
        linked = {Path(match[1] or match[2]).name for match in LINK.finditer(solutions)}
        public = "\n".join([*(cell.source for cell in self.release.cells), *self._scripts()])
        for file in sorted(self.folder.rglob("*")):
            if not file.is_file() or file.name == self.name:
                continue
            name = file.relative_to(self.folder).as_posix()
            for member, content in _contents(file):
                location = f"`{member}` in the file `{name}`" if member else f"the file `{name}`"
                if (grader := hidden.get(_with_plain_ends(content))) is not None:
                    yield f"{location} is `{grader.name}` from the graders: move it out of source/."
                elif cell := self.pictures.get(content):
                    yield (
                        f"{location} is a picture of the solution of `{cell}`: move it out of source/, "
                        "and paste it into the cell."
                    )
                elif file.name in linked and file.name not in public:
                    yield (
                        f"{location} belongs to a solution, the only text that refers to it: move it out "
                        "of source/, and paste pictures into the cell."
                    )
                elif words := FOR_STAFF.search(member or name):
                    yield (
                        f"{location} is called `{words[0]}`, and students would get it: move it out of "
                        "source/, or rename it."
                    )
                elif len(content) <= MAX_BYTES:
                    text = _decoded(content)
                    messages = [*self._in_place(location, Place(text))]
                    if "</" in text and not messages:
                        messages.extend(self._in_place(location, Place(_without_markup(text))))
                    yield from messages

    def _scripts(self) -> Iterator[str]:
        for file in sorted(self.folder.rglob("*.py")):
            yield _decoded(file.read_bytes())


def leaks(folder: Path, assignment: Assignment) -> list[str]:
    """Return a sentence for each part of a solution in the released folder.

    It names the part, its location, and the remedy.
    """
    return [*Search(folder, assignment).leaks()]


def secret_of(cell: NotebookNode) -> Secret | None:
    """Return the part of a source cell that the release removes, or None."""
    text, is_code = _secret_text(cell), cell.cell_type == "code"
    if not text.strip():
        return None
    if is_code:
        lines = [line for line in text.splitlines() if not HEADER.match(line.strip())]
    else:
        prose = PICTURE.sub("", DATA.sub("", text)).splitlines()
        lines = [part for line in prose if line[:1] != "#" for part in SENTENCE.split(line)]
        lines = [part for part in lines if "".join(_comparable([FORMULA.sub("", part)]))]
    return Secret(cell_id(cell), is_code, tuple(_comparable(lines)), text)


def _secret_text(cell: NotebookNode) -> str:
    """Return the text of a source cell that the release lacks."""
    lines, is_inside, has_marks = [], False, False
    for line in cell.source.splitlines():
        if any(f"BEGIN {region}" in line for region in REGIONS):
            is_inside, has_marks = True, has_marks or "BEGIN SOLUTION" in line
        elif any(f"END {region}" in line for region in REGIONS):
            is_inside = False
        elif is_inside:
            lines.append(line)
    is_solution = cell.metadata.get("nbgrader", {}).get("solution", False)
    return cell.source if is_solution and not has_marks else "\n".join(lines)


def _pictures_of_solutions(source: NotebookNode) -> dict[bytes, str]:
    """Return the ids of cells with a picture in their solution, by the picture's content."""
    pictures: dict[bytes, str] = {}
    for cell in source.cells:
        if text := _secret_text(cell):
            attachments = cell.get("attachments", {})
            shown = {name: attachments[name] for name in courses.names_shown(text, attachments)}
            pictures |= dict.fromkeys(_pictures(text, shown), cell_id(cell))
    return pictures


def _pictures(text: str, attachments: Mapping[str, Mapping[str, Any]]) -> Iterator[bytes]:
    encoded = [match[1] for match in DATA.finditer(text)]
    encoded += [str(form) for forms in attachments.values() for form in forms.values()]
    for form in encoded:
        try:
            picture = base64.b64decode(form)
        except (binascii.Error, ValueError):
            picture = form.encode()  # SVG, which is text
        if len(picture) >= SHORTEST:
            yield picture


def _contents(file: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file in a zip or tar archive.

    Any other file is yielded under the name "".
    """
    if zipfile.is_zipfile(file):
        yield "", b""
        # The last two are raised for encrypted members.
        errors = zipfile.BadZipFile, RuntimeError, NotImplementedError
        with suppress(*errors), zipfile.ZipFile(file) as archive:
            for entry in archive.infolist()[:MAX_MEMBERS]:
                if not entry.is_dir() and entry.file_size <= MAX_BYTES:
                    yield entry.filename, archive.read(entry)
    elif tarfile.is_tarfile(file):
        yield "", b""
        with suppress(tarfile.TarError, OSError, EOFError), tarfile.open(file) as tar:
            for member in islice(tar, MAX_MEMBERS):
                if member.size <= MAX_BYTES and (extracted := tar.extractfile(member)):
                    yield member.name, extracted.read()
    else:
        content = file.read_bytes()
        for opener in (gzip.open, bz2.open, lzma.open):
            with suppress(OSError, EOFError, lzma.LZMAError), opener(io.BytesIO(content)) as packed:
                yield "", packed.read(MAX_BYTES)
        yield "", content


def _content(file: Path) -> bytes:
    return _with_plain_ends(file.read_bytes())


def _with_plain_ends(data: bytes) -> bytes:
    """Return the content of a text file with Linux line ends."""
    return data.replace(b"\r\n", b"\n")


def _without_markup(text: str) -> str:
    """Return the visible text of HTML or of Word's XML."""
    return unescape(TAG.sub("", text))


def _texts(value: object) -> Iterator[str]:
    """Yield all texts in a JSON value, names included."""
    if isinstance(value, Mapping):
        for key, nested in value.items():
            yield str(key)
            yield from _texts(nested)
    elif isinstance(value, list):
        for nested in value:
            yield from _texts(nested)
    elif isinstance(value, str):
        yield value


def _decoded(data: bytes) -> str:
    """Return the text of a file, in the encoding that it seems to have."""
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _comparable(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that have a letter or a digit, without remarks, blanks and quotes."""
    for line in lines:
        comparable = NO_MATTER.sub("", BULLET.sub("", REMARK.sub("", line)))
        if any(map(str.isalnum, comparable)):
            yield comparable.lower()


def cell_id(cell: NotebookNode) -> str:
    """Return nbgrader's id of a cell, or else its own id."""
    return cell.metadata.get("nbgrader", {}).get("grade_id") or cell.get("id", "?")
