"""What one person, or one team, handed in, as a platform's download has it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from autograder.intake.member import Member, shown
from autograder.intake.roster import Person


@dataclass(frozen=True)
class File:
    """A member that was handed in: what the student called it, and what the platform adds."""

    member: Member
    name: str
    upload: int | None = None  # counts up with each file that a platform receives
    written: datetime | None = None  # a time in the member's own name


@dataclass(frozen=True)
class HandedIn:
    """`person.student` is the id that the platform suggests, "" where it suggests none."""

    person: Person
    label: str  # how the download calls it
    files: tuple[File, ...]
    submitted_at: datetime | None = None  # as the platform says it
    time_from: str = ""  # who says so
    late: bool | None = None  # where the platform says that, and no time
    timeless: bool = False  # the files' times are not those of handing in
    team: str = ""  # of whom the download does not name everybody


@dataclass(frozen=True)
class Found:
    """All that a platform's download has, and a sentence for each thing that is nobody's."""

    handed_in: list[HandedIn]
    nobodys: list[str]


def matters(member: Member) -> bool:
    """Whether a file can be, or hold, a notebook."""
    return member.has(".ipynb") or member.has(".zip")


def nobodys(members: Iterable[Member]) -> list[str]:
    return [
        f"`{shown(member.path)}` is nobody's: its name says no student."
        for member in members
        if matters(member)
    ]
