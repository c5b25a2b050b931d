"""The overview figure, whose boxes `progress()` colours: what it says of exercises."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.toolbox.exercises import Exercise, worth

FIGURE = Path("figures", "overview.svg")
BOX = re.compile(r'<(\w+) data-exercise="([^"]*)"[^>]*?(?:/>|>([^<]*)<)')


def overview_of(folder: Path) -> str | None:
    """Return the figure's text; None where an assignment's source folder has none."""
    figure = folder / FIGURE
    return figure.read_text(encoding="utf-8").strip() if figure.is_file() else None


def disagreements(svg: str, exercises: Mapping[str, Exercise]) -> Iterator[str]:
    """Yield where the figure has not a box and a text of each exercise, with points and minutes."""
    drawn = exercises_in(svg)
    for id in sorted(drawn.keys() ^ exercises.keys()):
        yield f"`{id}` is in one of {FIGURE} and the notebook, not in both."
    for id in drawn.keys() & exercises.keys():
        if drawn[id] != {worth(exercises[id])}:
            yield f"{FIGURE} says {sorted(drawn[id])} of `{id}`, not `{worth(exercises[id])}`."


def exercises_in(svg: str) -> dict[str, set[str]]:
    """Return the exercises that have a box or a text in the figure, and what the texts say."""
    said: dict[str, set[str]] = {}
    for tag, exercise, text in BOX.findall(svg):
        said.setdefault(exercise, set()).update({text} if tag == "text" else ())
    return said
