"""A notebook that is large because of its outputs, read without them, piece by piece.

What is left out is scanned for its end and never built: of a file of any size, no more is in memory
than one piece and what is kept. What is kept is JSON if the file is; it is checked by whoever reads it.

The outputs of cells, and whatever stands beside the list of cells, are left out, by these names as
they are usually written. A name that is written in another way stays, and with it what it names.
"""

import re
from collections.abc import Iterable

from autograder.engine.json_parts import Damaged

MOST_BRACKETS = 5_000_000  # that are looked at one by one, which takes some seconds
MOST_MEMBERS = 200_000  # cells, names in them and beside them; right notebooks have some 10,000
STRING = rb'"(?:[^"\\]++|\\.)*+"'
PLAIN = rb'[^"\[\]{}]++'
SHALLOW = rb"[\[{](?:%b|%b)*+[\]}]" % (PLAIN, STRING)  # a list or object without others in it,
for _ in range(3):  # then one of such, and so on: most outputs are no deeper
    SHALLOW = rb"[\[{](?:%b|%b|%b)*+[\]}]" % (PLAIN, STRING, SHALLOW)
TO_BRACKET = re.compile(rb"(?:%b|%b|%b)*+([\[\]{}]?)" % (PLAIN, STRING, SHALLOW), re.DOTALL)
IN_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
SPACE = re.compile(rb"[ \t\r\n]*+")
SCALAR = re.compile(rb'[^ \t\r\n,:"\[\]{}]++')
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class TooLong(Exception):
    """What is kept has more bytes than were allowed."""


def without_outputs(pieces: Iterable[bytes], most: int) -> bytes:
    """Return a notebook's JSON without the outputs of its cells, at most so many bytes.

    Raises `Damaged`, `TooLong`, and what `pieces` raises.
    """
    scanner = _Scanner(pieces, most)
    scanner.notebook()
    return bytes(scanner.kept)


class _Scanner:
    """Goes through the pieces once, and keeps a copy of what is to be kept."""

    def __init__(self, pieces: Iterable[bytes], most: int):
        self.pieces = iter(pieces)
        self.most = most
        self.kept = bytearray()
        self.brackets = 0
        self.members = 0
        self.piece = next(self.pieces, b"").removeprefix(BYTE_ORDER_MARK)
        self.at = 0

    def notebook(self) -> None:
        self._container(b"{}", self._beside_cells)
        if self._next():
            raise Damaged(" (something behind its end)")

    def _beside_cells(self) -> None:
        if self._name() != b'"cells"':
            self._value(keep=False)
            self._keep(b"null")
        elif self._next() == b"[":
            self._container(b"[]", self._cell)
        else:
            self._value()

    def _cell(self) -> None:
        if self._next() == b"{":
            self._container(b"{}", self._in_cell)
        else:
            self._value()

    def _in_cell(self) -> None:
        if self._name() == b'"outputs"':
            self._value(keep=False)
            self._keep(b"[]")
        else:
            self._value()

    def _container(self, ends, member) -> None:
        """An object or a list, of which each member is read by `member`."""
        first, last = ends[:1], ends[1:]
        self._take(first)
        if self._next() != last:
            self._member(member)
            while self._next() == b",":
                self._take(b",")
                self._member(member)
        self._take(last)

    def _member(self, read) -> None:
        self.members += 1
        if self.members > MOST_MEMBERS:
            raise Damaged(" (too many small parts)")
        read()

    def _name(self) -> bytes:
        """Keep a member's name and the colon behind it; return the name as it is written."""
        before = len(self.kept)
        if self._next() != b'"':
            raise Damaged("")
        self._string(True)
        name = bytes(self.kept[before:])
        self._take(b":")
        return name

    def _value(self, keep: bool = True) -> None:
        first = self._next()
        if first == b'"':
            self._string(keep)
        elif first in (b"[", b"{"):
            self._to_the_last_bracket(keep)
        else:
            self._scalar(keep)

    def _to_the_last_bracket(self, keep: bool) -> None:
        self._pass(self.at + 1, keep)
        depth = 1
        while depth:
            found = TO_BRACKET.match(self.piece, self.at)
            self._pass(found.end() if found else self.at, keep)
            if found and found[1]:
                depth += 1 if found[1] in b"[{" else -1
                self.brackets += 1
                if self.brackets > MOST_BRACKETS:
                    raise Damaged(" (too many small parts)")
            elif (self.piece[self.at : self.at + 1] or self._more()) == b'"':
                self._string(keep)  # which goes on in the next piece

    def _string(self, keep: bool) -> None:
        self._pass(self.at + 1, keep)
        while True:
            inside = IN_STRING.match(self.piece, self.at)
            self._pass(inside.end() if inside else self.at, keep)
            if self.piece[self.at : self.at + 1] == b'"':
                return self._pass(self.at + 1, keep)
            self._more()  # behind a lone backslash, too

    def _scalar(self, keep: bool) -> None:
        found = SCALAR.match(self.piece, self.at)
        if not found:
            raise Damaged("")
        while found:
            self._pass(found.end(), keep)
            if self.at == len(self.piece) and not self._refill():
                return
            found = SCALAR.match(self.piece, self.at)

    def _next(self) -> bytes:
        """The next byte that is no white space; none at the end."""
        while True:
            found = SPACE.match(self.piece, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.piece):
                return self.piece[self.at : self.at + 1]
            if not self._refill():
                return b""

    def _take(self, byte: bytes) -> None:
        if self._next() != byte:
            raise Damaged("")
        self._pass(self.at + 1, True)

    def _pass(self, end: int, keep: bool) -> None:
        if keep:
            self._keep(memoryview(self.piece)[self.at : end])
        self.at = end

    def _keep(self, part: bytes | memoryview) -> None:
        self.kept += part
        if len(self.kept) > self.most:
            raise TooLong

    def _more(self) -> bytes:
        """The next byte, from the next piece. Raises `Damaged` at the end."""
        if not self._refill():
            raise Damaged(" (it ends too early)")
        return self.piece[self.at : self.at + 1]

    def _refill(self) -> bool:
        """Go on to the next piece, with what is left of this one before it."""
        more = next((piece for piece in self.pieces if piece), b"")
        self.piece, self.at = self.piece[self.at :] + more, 0
        return bool(more)
