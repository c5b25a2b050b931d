"""Write a marker's page: an HTML file with our script, for marking answers offline.

Answers and schemes are HTML that was rendered and cleaned here. The script never turns text into
HTML. The Content-Security-Policy has the script's hash, so the browser runs no other script.
"""

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from autograder.classroom.blocks.verdict_blocks import title
from autograder.desk.marking.answers import WrittenAnswer
from autograder.desk.marking.marks_file import FORMAT, LONGEST_COMMENT
from autograder.desk.marking.page import TEMPLATES, ShownAnswer, Track, sections_of
from autograder.desk.marking.scheme_items import ItemScheme, split_scheme
from autograder.engine import Assignment, Pattern, files, points_text, texts
from autograder.gradebook.pages.marking import MarkingHelp
from autograder.gradebook.pages.pictures import Pictures
from autograder.gradebook.pages.render import Budget, render
from autograder.gradebook.pages.schemes import Scheme, schemes

NO_SCHEME = Scheme("markdown", "", "")
ODD = Pattern(f"[^{texts.WORD}-]+")  # in a marker's name, for the name of a file


@dataclass(frozen=True)
class ExerciseOnPage:
    """An exercise on the page: the items of its scheme, examples, and the answers to mark."""

    exercise: str
    max_points: float
    scheme: ItemScheme
    help: MarkingHelp  # without the items
    items: list[Markup]
    examples: list[tuple[float, Markup]]  # with the course's points
    answers: list[ShownAnswer] = field(default_factory=list)


def write_marking_page(
    folder: Path,
    assignment: Assignment,
    marker: str,
    groups: Sequence[Sequence[WrittenAnswer]],
    answers: Iterable[WrittenAnswer],
    track: Track = iter,
) -> Path:
    """Write the page on which `marker` marks these answers. Return its path.

    `groups`: all answers of the class in groups of equal answers. `track`: returns an iterator over
    its argument, and may show progress. The file's name has a digest of the answers to mark. So a
    page never replaces another page with marks that may still be in a browser.
    """
    schemes_by_exercise = schemes(assignment)
    pictures = Pictures(assignment.source.parent)
    questions = [
        _question(exercise, schemes_by_exercise.get(exercise, NO_SCHEME), shown_answers, pictures)
        for exercise, shown_answers in sections_of(assignment, groups, answers, track)
    ]
    data = _data(assignment, marker, questions)
    script = TEMPLATES.get_template("marking_page.js.jinja").render()
    page = TEMPLATES.get_template("marking_page.html.jinja").render(
        assignment=assignment.id,
        marker=marker,
        questions=questions,
        data=htmlsafe_json_dumps(data),
        script=Markup(script),
        script_hash=b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        longest_comment=LONGEST_COMMENT,
        points=points_text,
        title=title,
    )
    path = folder / f"page-{ODD.sub('-', marker)}-{data['page'][:8]}.html"
    with files.replacing(path) as file:
        file.write(page)
    return path


def _question(
    exercise: str, scheme: Scheme, answers: list[ShownAnswer], pictures: Pictures
) -> ExerciseOnPage:
    max_points = answers[0].students[0].cell.max_points
    split = split_scheme(scheme.scheme, max_points)
    show = partial(render, budget=Budget(pictures))
    return ExerciseOnPage(
        exercise,
        max_points,
        split,
        MarkingHelp(
            scheme.kind,
            show(scheme.kind, split.text) if split.text else Markup(),
            show(scheme.kind, scheme.answer) if scheme.answer else Markup(),
        ),
        [show("markdown", item.text) for item in split.items],
        [(example.points, show("markdown", example.text)) for example in scheme.examples],
        answers,
    )


def _data(
    assignment: Assignment, marker: str, questions: Sequence[ExerciseOnPage]
) -> dict[str, Any]:
    """Return the data for the script. Its key `page` is a digest of all other data."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "assignment": assignment.id,
        "marker": marker,
        "questions": [
            {
                "exercise": question.exercise,
                "title": title(question.exercise),
                "max": question.max_points,
                "oneOf": question.scheme.one_of,
                "items": [
                    {"text": item.text, "points": item.points} for item in question.scheme.items
                ],
            }
            for question in questions
        ],
        "groups": [
            group
            for number, question in enumerate(questions)
            for group in [
                *({"question": number, "points": points} for points, _ in question.examples),
                *(
                    {
                        "question": number,
                        "answers": [
                            {"student": answer.student, "answer": answer.version}
                            for answer in shown_answer.students
                        ],
                    }
                    for shown_answer in question.answers
                ),
            ]
        ],
    }
    return data | {"page": files.digest_of(data)}
