"""What `inquiries list` says and writes of one assignment."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from autograder.cli.marked_by_hand import FORMGRADER
from autograder.cli.progress import with_progress
from autograder.engine.course.assignment import find_assignment
from autograder.engine.course.course import Course
from autograder.gradebook.inquiries import Inquiry, Name, read_inquiries
from autograder.staff.inquiries.cases import cases, decided_on_marks_of
from autograder.staff.inquiries.deciders import deciders, markers_by_answer
from autograder.staff.inquiries.page import write_cases
from autograder.staff.marking.answers import read_answers
from autograder.staff.marking.given import read_given
from autograder.text.times import time_text
from autograder.text.wording import name_some, plural


class InquiryList:
    """The inquiries about one assignment, for one of the course's markers or for all."""

    def __init__(
        self,
        course: Course,
        results: Path,
        assignment_id: str,
        markers: Sequence[str],
        number: int | None,
    ):
        """`results`: the folder of all results; `number`: which of the `markers`, from 1; None for
        all. Raises `OSError`.
        """
        self.course, self.results, self.assignment_id = course, results, assignment_id
        self.markers, self.number = markers, number
        self.inquiries = read_inquiries(results, assignment_id)
        self.marked = markers_by_answer(read_given(results, assignment_id))

    @property
    def who(self) -> str:
        """The name of the marker; "" for all."""
        return self.markers[self.number - 1] if self.number else ""

    @cached_property
    def deciders(self) -> dict[Name, str]:
        return deciders(self.assignment_id, self.inquiries, self.markers, self.marked)

    @cached_property
    def open(self) -> list[Inquiry]:
        """Those that are open and for this marker, the one that came first first."""
        waiting = [one for one in self.inquiries.values() if one.answer is None]
        mine = [one for one in waiting if not self.who or self.deciders[one.name] == self.who]
        return sorted(mine, key=lambda one: (one.received, one.name))

    def write(self, url: str) -> Iterator[str]:
        """Write the page, and yield the sentences to print. `url`: the gradebook's database. Raises
        `CommandError` if that cannot be read; `OSError`.
        """
        assignment = find_assignment(self.assignment_id, self.course)
        names = {one.name for one in self.open}
        read = read_answers(url, self.course, assignment.id, FORMGRADER, names) if names else None
        answers = read[0] if read else []
        found = list(cases(self.results, assignment.id, self.who, self.open, answers, self.marked))
        decided = list(decided_on_marks_of(self.who, self.inquiries.values(), self.marked))
        suffix = f"-{self.number}-of-{len(self.markers)}" if self.number else ""
        path = self.results / assignment.id / "inquiries" / f"decide{suffix or '-all'}.html"
        title = f"inquiries for {self.who}" if self.who else "inquiries"
        write_cases(path, title, assignment, found, decided, _with_progress)
        yield from self._counted()
        yield from (f"  {self._line(one)}" for one in self.open)
        yield from (f"  Answered, about a mark of {self.who}'s: {one}" for one in decided)
        yield from self._without_page(names - {case.inquiry.name for case in found})
        yield f"-> {path}"

    def _counted(self) -> Iterator[str]:
        """Yield how many inquiries there are, and which of them nobody may decide."""
        waiting = [name for name, one in self.inquiries.items() if one.answer is None]
        count = plural(len(self.inquiries), "inquiry", "inquiries")
        mine = f"; {self.who} decides {len(self.open)}" if self.who else ""
        yield f"{self.assignment_id}: {count}, {len(waiting)} open{mine}."
        nobody = [", ".join(name) for name in sorted(waiting) if not self.deciders[name]]
        if nobody and self.markers:
            yield (
                f"All of c.Marking.markers have marked what {plural(len(nobody), 'inquiry is', 'inquiries are')} "
                f"about: add a name there, who decides ({name_some(nobody)})."
            )
        elif nobody:
            yield "Who decides is not said: c.Marking.markers in nbgrader_config.py names nobody."

    def _line(self, one: Inquiry) -> str:
        decider = self.deciders[one.name]
        whose = "" if self.who else f", for {decider or 'nobody yet'}"
        return f"{one.student}, {one.exercise}{whose}, received on {time_text(one.received)}"

    @staticmethod
    def _without_page(names: set[Name]) -> Iterator[str]:
        if names:
            who = name_some([", ".join(name) for name in sorted(names)])
            yield (
                f"Not on the page, because the gradebook or the graded notebook does not have it: {who}."
            )


def _with_progress(groups: Sequence) -> Iterator:
    return with_progress(groups, "pages", len(groups))
