"""`Sample`, what makes a platform's download for an invented class, and what it takes and yields."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class InventedStudent:
    """An invented student of a sample class, with what a platform knows about a student, and a time
    of submission.
    """

    first: str
    last: str
    login: str
    number: int
    handed_in: datetime
    late: bool
    again: bool  # not the first time

    @property
    def full_name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def email(self) -> str:
        return f"{self.login}@uni.example"


@dataclass(frozen=True)
class InventedClass:
    """An invented class: `people` handed in one notebook each, those in `absent` handed in nothing."""

    assignment: str
    points: float
    people: list[InventedStudent]
    notebooks: list[bytes]  # of the people
    absent: list[InventedStudent]
    downloaded: datetime


@dataclass(frozen=True)
class Member:
    """A file in the zip of a sample download."""

    name: str
    data: bytes
    changed: datetime
    unix: bool = False  # with seconds in UTC beside the time without a zone


@dataclass(frozen=True)
class Sample:
    """The functions that make a platform's download for an invented class."""

    members: Callable[[InventedClass], Iterator[Member]]
    # by the end of its name: a table that lies beside the zip
    tables: Mapping[str, Callable[[InventedClass], list[list[object]]]] = field(
        default_factory=dict
    )
