"""Write a marker's page: one HTML file, with a script of ours, in which answers are marked offline.

Answers and schemes are cleaned HTML, made here; the script makes no HTML of a text. Of what the page
holds, the browser runs that script alone: the page's Content-Security-Policy has its hash.
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
    """An exercise on the page: its scheme as items, the examples, and the answers to mark."""

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
    wanted: Iterable[WrittenAnswer],
    track: Track = iter,
) -> Path:
    """Write the page on which `marker` marks the answers in `wanted`; return its path.

    `groups`: all answers of the class, grouped by equal ones. `track`: a function that returns an
    iterator over its argument, and may show progress. The file's name has a digest of what there is
    to mark, so that no page takes the place of another one, whose marks are in a browser.
    """
    found = schemes(assignment)
    pictures = Pictures(assignment.source.parent)
    questions = [
        _question(exercise, found.get(exercise, NO_SCHEME), answers, pictures)
        for exercise, answers in sections_of(assignment, groups, wanted, track)
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
    """Return an exercise as the page shows it."""
    most = answers[0].students[0].cell.max_points
    split = split_scheme(scheme.scheme, most)
    show = partial(render, budget=Budget(pictures))
    return ExerciseOnPage(
        exercise,
        most,
        split,
        MarkingHelp(
            scheme.kind,
            show(scheme.kind, split.text) if split.text else Markup(),
            show(scheme.kind, scheme.answer) if scheme.answer else Markup(),
        ),
        [show("markdown", one.text) for one in split.items],
        [(one.points, show("markdown", one.text)) for one in scheme.examples],
        answers,
    )


def _data(
    assignment: Assignment, marker: str, questions: Sequence[ExerciseOnPage]
) -> dict[str, Any]:
    """Return what the script has to know, with `page`, a digest of all of it."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "assignment": assignment.id,
        "marker": marker,
        "questions": [
            {
                "exercise": one.exercise,
                "title": title(one.exercise),
                "max": one.max_points,
                "oneOf": one.scheme.one_of,
                "items": [{"text": item.text, "points": item.points} for item in one.scheme.items],
            }
            for one in questions
        ],
        "groups": [
            group
            for number, one in enumerate(questions)
            for group in [
                *({"question": number, "points": points} for points, _ in one.examples),
                *(
                    {
                        "question": number,
                        "answers": [
                            {"student": each.student, "answer": each.version}
                            for each in shown.students
                        ],
                    }
                    for shown in one.answers
                ),
            ]
        ],
    }
    return data | {"page": files.digest_of(data)}
