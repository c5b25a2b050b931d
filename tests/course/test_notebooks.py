"""What this course's notebooks say of themselves: points, hours, and as few words as possible."""

import re

import pytest
from courses import OURS

from autograder.authoring.edited import as_edited
from autograder.authoring.exercise_table import exercise_table

WORDS = 40  # of prose in a cell, what is folded away apart
FOLDED = re.compile(r"<details>.*?</details>", re.S)
NO_PROSE = (
    re.compile(  # pictures, the address of a link, equations; lines of headings, tables, cards, and
        # statements that are to be judged
        r"!\[.*?\]\(.*?\)|\]\(.*?\)|\$\$.*?\$\$|^#.*$|^\|.*$|^\*\d+ minutes.*$|^- \*\*.*$",
        re.M,
    )
)
each_of_ours = pytest.mark.parametrize("assignment", OURS, ids=lambda one: one.id)


@each_of_ours
def test_the_head_says_the_sum_of_points_and_the_hours(assignment):
    cells = as_edited(assignment).cells
    exercises = exercise_table(cells).values()
    by_hand = sum(exercise.points for exercise in exercises if exercise.by_hand)
    total = sum(exercise.points for exercise in exercises)
    cards = "\n".join(cell.source for cell in cells)
    minutes = sum(map(int, re.findall(r"^\*(\d+) min", cards, re.M)))
    (head,) = (cell.source for cell in cells if cell.id == "title")
    assert f"**{total} points, about {round(minutes / 60)} hours:**" in head
    assert f"{total - by_hand} points by automatic checks, {by_hand} by a person" in head


@each_of_ours
def test_prose_is_short(assignment):
    for cell in as_edited(assignment).cells:
        if cell.kind == "markdown" and not cell.solution:
            text = NO_PROSE.sub("", FOLDED.sub("", cell.source))
            words = re.sub(r"`[^`]+`", "code", text).split()
            assert len(words) <= WORDS, f"`{cell.id}` has {len(words)} words"
