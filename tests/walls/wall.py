"""A wall as this project means it: a few characters of code that hold something, and who misses them."""

from dataclasses import dataclass
from pathlib import Path


class CannotEdit(Exception):
    """The text of a wall is not in its file exactly once, or the file is no Python without it."""


@dataclass(frozen=True)
class Wall:
    """One wall: where it stands, how it is taken down, and which tests have to notice.

    `file` is below autograder/, `text` stands in it exactly once, `without` is what stands there when
    the wall is down. `tests` are ids or paths below tests/. `also` are further edits of the same
    kind, for a wall that is built in two places.
    """

    name: str
    file: str
    text: str
    without: str
    tests: tuple[str, ...]
    also: tuple[tuple[str, str, str], ...] = ()  # file, text, without

    @property
    def edits(self) -> tuple[tuple[str, str, str], ...]:
        return ((self.file, self.text, self.without), *self.also)

    def take_down(self, project: Path) -> None:
        """Edit a copy of the project. Raises `CannotEdit`."""
        for name, text, without in self.edits:
            file = project / "autograder" / name
            content = file.read_text(encoding="utf-8")
            found = content.count(text)
            if found != 1:
                raise CannotEdit(
                    f"`{self.name}`: {name} has `{text}` {found} times instead of once"
                )
            edited = content.replace(text, without)
            try:
                compile(edited if name.endswith(".py") else "", name, "exec")
            except SyntaxError as error:
                raise CannotEdit(
                    f"`{self.name}`: {name} is no Python without it: {error}"
                ) from error
            file.write_text(edited, encoding="utf-8")
