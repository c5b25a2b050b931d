"""The page of a tutor: answers beside their scheme, in one file that opens without a network."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from autograder.blocks.html import load_templates
from autograder.engine.course.assignment import Assignment
from autograder.engine.verdict.verdict import points_text
from autograder.files.writing import replacing
from autograder.gradebook.pages.marking import MarkingHelp, rendered_schemes
from autograder.gradebook.pages.pictures import Pictures
from autograder.gradebook.pages.render import Budget, render
from autograder.staff.marking.answers import WrittenAnswer
from autograder.staff.marking.sheets import state_of

TEMPLATES = load_templates("autograder.staff.marking")

Track = Callable[[Sequence], Iterable]  # passes on what it gets, and shows how far it is


@dataclass(frozen=True)
class ShownAnswer:
    """Equal answers, shown once."""

    students: list[WrittenAnswer]  # whose they are
    states: list[str]
    elsewhere: list[str]  # others who wrote the same, and what they got
    body: Markup


@dataclass(frozen=True)
class Section:
    """One exercise of the page."""

    exercise: str
    points: str
    scheme: MarkingHelp
    answers: list[ShownAnswer]

    @property
    def count(self) -> int:
        return sum(len(one.students) for one in self.answers)


def write_page(
    path: Path,
    title: str,
    assignment: Assignment,
    groups: Sequence[Sequence[WrittenAnswer]],
    wanted: set[str],
    blind: bool,
    track: Track = iter,
) -> None:
    """Write the answers whose grade is `wanted`, equal ones as one. Raises `OSError`.

    A `blind` page is for a second mark: it says nothing of first marks, and does not lead to them.
    """
    schemes = rendered_schemes(assignment)
    pictures = Pictures(assignment.release.parent, assignment.figures)
    chosen = [group for group in groups if any(one.mark.cell.grade_id in wanted for one in group)]
    sections: dict[str, Section] = {}
    for group in track(chosen):
        first = group[0]
        section = sections.setdefault(
            first.exercise,
            Section(
                first.exercise,
                points_text(first.mark.cell.max_points),
                schemes.get(first.exercise, MarkingHelp()),
                [],
            ),
        )
        section.answers.append(_shown(group, wanted, blind, Budget(pictures)))
    order = {cell.id: number for number, cell in enumerate(assignment.cells)}
    page = TEMPLATES.get_template("tutor.html.jinja").render(
        title=title,
        assignment=assignment.id,
        sections=sorted(sections.values(), key=lambda one: order.get(one.exercise, len(order))),
        blind=blind,
    )
    with replacing(path) as file:
        file.write(page)


def _shown(
    group: Sequence[WrittenAnswer], wanted: set[str], blind: bool, budget: Budget
) -> ShownAnswer:
    here = [one for one in group if one.mark.cell.grade_id in wanted]
    others = [] if blind else [one for one in group if one.mark.cell.grade_id not in wanted]
    return ShownAnswer(
        students=here,
        states=["" if blind else _state(one) for one in here],
        elsewhere=[f"{one.student} ({_state(one)})" for one in others],
        body=render(here[0].kind, here[0].text, budget, here[0].attachments),
    )


def _state(answer: WrittenAnswer) -> str:
    points, most = answer.mark.cell.by_hand, points_text(answer.mark.cell.max_points)
    given = "" if points is None else f": {points_text(points)} of {most} points"
    return state_of(answer) + given
