"""The packages and the compiler that a submission used and the sandbox lacks."""

import sys
from collections.abc import Container, Iterator
from dataclasses import replace

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.candidate.lacking import COMPILER, EVERYTHING, LONGEST, MOST
from autograder.engine.examiner.faults import LACKING, Fault
from autograder.engine.examiner.messages import PACKAGES
from autograder.engine.examiner.templates import sayable

NOT_INSTALLED = (
    "Not installed where this is graded: {}. Lines that depend on it were left out. You may import "
    f"what belongs to Python, and {', '.join(f'`{name}`' for name in PACKAGES)}."
)
NO_PART = (
    "Not there where this is graded: {}. Lines that depend on it were left out. How is it spelled in "
    "the documentation?"
)
NOT_COMPILED = (
    f"`{COMPILER}` does nothing where this is graded, because there is no compiler: the code ran "
    "as it is written."
)
NAMED = "`{}`"


class Lacks:
    """The reports of a submission's candidates about missing packages.

    `identifiers`: those in the student's cells. Only these are repeated to the student.
    """

    def __init__(self, identifiers: Container[str]):
        self.own = identifiers
        self.names: dict[str, str] = {}  # undefined names, with the package that each depends on
        self.packages: dict[str, None] = {}  # in the order of their use
        self.compiles = False

    def add(self, report: object) -> None:
        """Add a candidate's pairs (name, package). Raise `ChannelError` if they are invalid."""
        if not isinstance(report, list) or len(report) > MOST:
            raise ChannelError("no report of what is lacking")
        for pair in report:
            match pair:
                case [str(name), str(path)] if max(len(name), len(path)) <= LONGEST:
                    self._add(name, path)
                case _:
                    raise ChannelError("no pair of a name and a package")

    def _add(self, name: str, path: str) -> None:
        if path == COMPILER:
            self.compiles = True
        elif (package := _package(path)) and sayable({"": package}, self.own):
            self.packages[package] = None
            if name:
                self.names[name] = package

    def explain(self, fault: Fault, requested: str) -> Fault:
        """Return `fault`, or a fault with the missing package that caused it.

        `requested`: the class or function in the question, or "".
        """
        if fault.template == "no_package":
            self._add("", fault.words.get("package", ""))
        if fault.kind == "missing" and requested in self.names:
            return _lacking(fault, "", requested, self.names[requested])
        name = fault.words.get("name", "")
        package = self.names.get(name) or self.names.get(EVERYTHING)
        if fault.kind == "raised" and fault.type == "NameError" and name and package:
            return _lacking(fault, fault.type, name, package)
        return fault

    def repairs(self) -> Iterator[str]:
        """Yield a sentence for student and staff on missing packages, parts and the compiler."""
        for sentence, is_part in ((NOT_INSTALLED, False), (NO_PART, True)):
            names = [name for name in self.packages if _is_part(name) == is_part]
            if names:
                yield sentence.format(", ".join(map(NAMED.format, names)))
        if self.compiles:
            yield NOT_COMPILED

    def notes(self) -> Iterator[str]:
        """Yield the notes for staff."""
        if self.compiles:
            yield NOT_COMPILED


def _lacking(fault: Fault, type: str, name: str, package: str) -> Fault:
    words = {"name": name, "package": package}
    return replace(fault, kind=LACKING, type=type, template=None, words=words)


def _package(path: str) -> str:
    """Return the package of a dotted path, or the path if only that part is missing."""
    path = path.lstrip(".")
    return path if _is_part(path) else path.partition(".")[0]


def _is_part(path: str) -> bool:
    top = path.partition(".")[0]
    return top in PACKAGES or top in sys.stdlib_module_names
