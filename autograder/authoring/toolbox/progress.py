"""Show the map of the exercises, coloured by the results of their visible checks."""

import base64
import html
from typing import NamedTuple
from xml.etree import ElementTree

from IPython.display import display

from autograder.authoring.toolbox.answers import place_saved
from autograder.authoring.toolbox.begin import Begun, ask_for_set_up
from autograder.authoring.toolbox.exercises import EXERCISES, RESULTS, ExerciseHeading, worth
from autograder.authoring.toolbox.pictures import picture_html
from autograder.authoring.toolbox.saved_notebook import NoNotebook, find_saved, read_saved
from autograder.authoring.toolbox.student import names

SVG = "http://www.w3.org/2000/svg"
FILLS = {"done": "#c9efd5", "filled": "#d5e4f7", "failing": "#ffdfa6", "open": "#e9ecef"}
EDGES = {"done": "#1d7f43", "filled": "#34689f", "failing": "#a86a00", "open": "#7a8899"}


class Progress(NamedTuple):
    """How far an exercise is."""

    state: str  # "done", "filled", "open" or "failing"
    mark: str  # a sign for the state
    words: str  # a few words for the list


def progress() -> None:
    """Show the map and the list of all exercises.

    An exercise is green if its check passes, blue if it is filled in, amber if its check fails,
    grey if it is open or was not run.
    """
    if not EXERCISES:
        ask_for_set_up()
        return
    title = _sum_of_points()
    rows = [(exercise, progress_of(id)) for id, exercise in EXERCISES.items()]
    lines = [
        f"{status.mark} {exercise.number:>3}  {exercise.title}: {status.words} ({worth(exercise)})"
        for exercise, status in rows
    ]
    ungraded = [f"Exercise {heading}: no points." for heading in Begun.released.ungraded]
    summary = "; ".join(f"exercise {exercise.number}: {status.words}" for exercise, status in rows)
    page = [
        f"<p><b>{title}</b></p>",
        _map_picture(f"Map of the exercises. {summary}."),
        _list_of(rows),
    ]
    page += [f"<p>{html.escape(line)}</p>" for line in ungraded]
    text = "\n".join([title, *lines, *ungraded])
    display({"text/plain": text, "text/html": "".join(page)}, raw=True)


def progress_of(id: str) -> Progress:
    """Return how far the exercise `id` is, by the last run of its visible check.

    For an exercise that a person marks, the saved file counts.
    """
    if EXERCISES[id].by_hand:
        return _written(id)
    result = RESULTS.get(id)
    if result is None:
        return Progress("open", "○", "check not run yet")
    if result.state == "done" and EXERCISES[id].form_only:
        return Progress("filled", "●", "filled in; grading says whether it is right")
    if result.state == "done":
        return Progress("done", "✓", "all steps of the check pass")
    if result.state == "failing":
        return Progress("failing", "!", f"next: {result.question or result.message}")
    if result.state == "unchecked":
        return Progress("open", "○", "not checked: a package lacks what the check uses")
    return Progress("open", "○", "still open")


def _written(id: str) -> Progress:
    """Return how far an exercise is that a person marks: whether the saved file has an answer."""
    released = Begun.released
    try:
        notebook = place_saved(read_saved(find_saved(names(), EXERCISES)), released)
    except NoNotebook:
        return Progress("open", "✎", "a person reads it")
    if notebook.answers.get(id):
        return Progress("filled", "✎", "written, and a person reads it")
    return Progress("open", "○", "not written in the saved file; a person reads it")


def coloured(svg: str) -> str:
    """Return the map (`svg`) with the state of each exercise.

    Of the parts with `data-exercise`, a text is replaced by the exercise's sign, points and
    minutes. Any other shape gets the colour of the state.
    """
    ElementTree.register_namespace("", SVG)
    figure = ElementTree.fromstring(svg)
    for part in figure.iter():
        id = part.get("data-exercise")
        if id not in EXERCISES:
            continue
        status = progress_of(id)
        if part.tag == f"{{{SVG}}}text":
            part.text = f"{status.mark} {worth(EXERCISES[id])}"
        else:
            dashes = "; stroke-dasharray: 5 4" if EXERCISES[id].by_hand else ""
            part.set("style", f"fill: {FILLS[status.state]}; stroke: {EDGES[status.state]}{dashes}")
    return ElementTree.tostring(figure, encoding="unicode")


def _sum_of_points() -> str:
    """Return a sentence with the points of passing checks."""
    exercises = EXERCISES.values()
    passing = sum(
        exercise.points for id, exercise in EXERCISES.items() if progress_of(id).state == "done"
    )
    checked = sum(
        exercise.points for exercise in exercises if not exercise.by_hand and not exercise.form_only
    )
    form_only = sum(exercise.points for exercise in exercises if exercise.form_only)
    by_hand = sum(exercise.points for exercise in exercises if exercise.by_hand)
    later = f"; grading alone tells about {form_only} more" if form_only else ""
    by_hand_remark = f"; a person reads the answers for {by_hand} more" if by_hand else ""
    return (
        f"Your checks pass in exercises worth {passing} of {checked} points{later}{by_hand_remark}."
    )


def _map_picture(alt: str) -> str:
    """Return the map as HTML, "" if the assignment has none."""
    if not Begun.released.overview:
        return ""
    svg = base64.b64encode(coloured(Begun.released.overview).encode()).decode()
    source = f"data:image/svg+xml;base64,{svg}"
    style = "max-width: 100%; min-width: 36em"  # on a phone it scrolls instead of shrinking
    return picture_html(source, alt, style)


def _list_of(rows: list[tuple[ExerciseHeading, Progress]]) -> str:
    """Return an HTML table with a row for each exercise."""

    def line(cells: tuple[str, ...], tag: str) -> str:
        style = ' style="text-align: left"'
        return "<tr>" + "".join(f"<{tag}{style}>{html.escape(cell)}</{tag}>" for cell in cells)

    head = line(("", "exercise", "", "worth"), "th")
    body = (
        line(
            (status.mark, f"{exercise.number} · {exercise.title}", status.words, worth(exercise)),
            "td",
        )
        for exercise, status in rows
    )
    return f"<table>{head}{''.join(body)}</table>"
