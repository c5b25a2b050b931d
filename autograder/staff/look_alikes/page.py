"""The page for staff: who handed in the same, and each pair side by side. One file, offline."""

from dataclasses import dataclass
from pathlib import Path

from autograder.blocks.html import load_templates
from autograder.engine.course.assignment import Assignment
from autograder.files.writing import replacing
from autograder.staff.look_alikes.answers import Reader
from autograder.staff.look_alikes.compare import MARGIN, AlikePair, Comparison, ExerciseShare
from autograder.staff.look_alikes.passages import Side, side_by_side
from autograder.staff.look_alikes.signs import percent, signs

NAME = "look-alikes.html"
MOST_SHOWN = 60  # pairs that are shown side by side; a table names all
WITHOUT_ONE = 2  # exercises that are shown of a pair of which none stands out

TEMPLATES = load_templates("autograder.staff.look_alikes")
TEMPLATES.filters["percent"] = percent


@dataclass(frozen=True)
class ShownExercise:
    """One exercise of a pair, both answers."""

    share: ExerciseShare
    sides: tuple[Side, Side]


@dataclass(frozen=True)
class ShownPair:
    """One pair as the page shows it."""

    pair: AlikePair
    signs: list[str]
    exercises: list[ShownExercise]


def write_page(
    path: Path, assignment: Assignment, found: Comparison, reader: Reader, unreadable: list[str]
) -> None:
    """Write the page; it takes the place of an earlier one. Raises `OSError`."""
    shown = [
        ShownPair(pair, signs(pair, found), _exercises(pair, found, reader))
        for pair in found.pairs[:MOST_SHOWN]
    ]
    page = TEMPLATES.get_template("look_alikes.html.jinja").render(
        assignment=assignment.id,
        found=found,
        pairs=shown,
        margin=MARGIN,
        unreadable=unreadable,
    )
    with replacing(path) as file:
        file.write(page)


def _exercises(pair: AlikePair, found: Comparison, reader: Reader) -> list[ShownExercise]:
    """The exercises to look at: those that stand out, else those that are most alike."""
    by_share = sorted(pair.exercises, key=lambda one: -one.share)
    chosen = [one for one in by_share if one.stands_out] or by_share[:WITHOUT_ONE]
    one, other = pair.writers
    return [
        ShownExercise(
            share,
            side_by_side(
                reader, (one.answers[share.id], other.answers[share.id]), found.weights[share.id]
            ),
        )
        for share in chosen
    ]
