"""The map shows how the checks ended that really ran, in colours, in signs and in words."""

import base64
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from autograder.authoring.toolbox_file import toolbox_module
from autograder.engine.placing import ANSWER, ReleasedCell, fingerprint

toolbox = toolbox_module()  # as it is released
Begun = toolbox.Begun
EXERCISES = toolbox.EXERCISES
RESULTS = toolbox.RESULTS
ExerciseHeading = toolbox.ExerciseHeading
Result = toolbox.Result
EDGES = toolbox.EDGES
FILLS = toolbox.FILLS
SVG = toolbox.SVG
coloured = toolbox.coloured
progress = toolbox.progress
Released = toolbox.Released

FIGURE = f"""<svg xmlns="{SVG}">
  <rect data-exercise="one" style="fill: red"/><text data-exercise="one">3 points</text>
  <rect data-exercise="written"/><rect id="other" style="fill: red"/><text>of nobody</text>
</svg>"""


@pytest.fixture(autouse=True)
def exercises(monkeypatch):
    for known in (EXERCISES, RESULTS):  # of other tests
        for id in list(known):
            monkeypatch.delitem(known, id)
    monkeypatch.setitem(EXERCISES, "one", ExerciseHeading("1", "Build <it>", 3, 20))
    monkeypatch.setitem(
        EXERCISES, "written", ExerciseHeading("2", "Explain it", 2, 10, by_hand=True)
    )
    text = "Your answer:\n\nYOUR ANSWER HERE"
    written = ReleasedCell("written", "markdown", fingerprint(text), ANSWER, text=text)
    released = Released(EXERCISES, [written], FIGURE, ["3 · Test it"])
    monkeypatch.setattr(Begun, "released", released)
    monkeypatch.setattr(toolbox, "find_saved", lambda *_: Path("none.ipynb"))


@pytest.fixture
def shown(monkeypatch) -> list[dict[str, str]]:
    outputs: list[dict[str, str]] = []
    monkeypatch.setattr(toolbox, "display", lambda data, **_: outputs.append(data))
    return outputs


STATES = {
    "passes": (Result("done", ("Is it built?",)), "done", "✓", "all steps of the check pass"),
    "fails": (Result("failing", (), "Is <it> built?"), "failing", "!", "next: Is <it> built?"),
    "fails before a step": (Result("failing", (), "", "no class"), "failing", "!", "no class"),
    "open": (Result("open"), "open", "○", "still open"),
    "not checked": (Result("unchecked"), "open", "○", "a package lacks what the check uses"),
    "not run": (None, "open", "○", "check not run yet"),
}


@pytest.mark.parametrize(("result", "state", "mark", "words"), STATES.values(), ids=STATES)
def test_a_box_has_the_colour_and_the_sign_of_its_state(monkeypatch, result, state, mark, words):
    if result:
        monkeypatch.setitem(RESULTS, "one", result)
    box, label, *_ = ElementTree.fromstring(coloured(FIGURE))
    assert FILLS[state] in box.get("style", "") and EDGES[state] in box.get("style", "")
    assert label.text == f"{mark} 3 points · 20 min"
    assert words in toolbox.progress_of("one").words


def test_a_written_answer_is_never_green(monkeypatch):
    monkeypatch.setitem(RESULTS, "written", Result("done"))
    assert toolbox.progress_of("written").state == "open"
    assert toolbox.progress_of("written").words == "a person reads it"


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        ("Your answer:\n\nYOUR ANSWER HERE", "open", "not written in the saved file"),
        ("Your answer:\n\n", "open", "not written in the saved file"),
        ("Your answer:\n\nIt scales.", "filled", "written, and a person reads it"),
    ],
)
def test_whether_an_answer_is_written_is_read_from_the_saved_file(
    monkeypatch, tmp_path, text, state, words
):
    path = tmp_path / "sheet.ipynb"
    cell = {"cell_type": "markdown", "id": "written", "metadata": {}, "source": text}
    path.write_text(json.dumps({"cells": [cell]}))
    monkeypatch.setattr(toolbox, "find_saved", lambda *_: path)
    assert toolbox.progress_of("written").state == state
    assert words in toolbox.progress_of("written").words


def test_before_the_set_up_it_says_which_cell_comes_first(monkeypatch, shown):
    for id in list(EXERCISES):
        monkeypatch.delitem(EXERCISES, id)
    progress()
    assert "`set_up`" in shown[0]["text/plain"]


def test_what_only_grading_judges_is_filled_in_and_counts_apart(monkeypatch, shown):
    monkeypatch.setitem(EXERCISES, "one", ExerciseHeading("1", "Choose", 3, 20, form_only=True))
    assert toolbox.progress_of("one").state == "open"
    monkeypatch.setitem(RESULTS, "one", Result("done"))
    progress()
    assert toolbox.progress_of("one").state == "filled"
    said = shown[0]["text/plain"].splitlines()[0]
    assert "worth 0 of 0 points" in said and "grading alone tells about 3 more" in said


def test_points_count_where_a_check_passes(monkeypatch, shown):
    progress()
    monkeypatch.setitem(RESULTS, "one", Result("done"))
    progress()
    before, after = (output["text/plain"].splitlines()[0] for output in shown)
    assert "worth 0 of 3 points" in before and "worth 3 of 3 points" in after
    assert "a person reads the answers for 2 more" in after


def test_the_map_says_the_same_in_colours_in_a_table_and_in_plain_text(monkeypatch, shown):
    monkeypatch.setitem(RESULTS, "one", STATES["fails"][0])
    progress()
    page, text = shown[0]["text/html"], shown[0]["text/plain"]
    image = re.search(r'alt="([^"]*)".*base64,([^"]*)"', page)
    assert image and "exercise 1: next: Is &lt;it&gt; built?" in image[1]
    assert FILLS["failing"] in base64.b64decode(image[2]).decode()
    assert "<td" in page and "Build &lt;it&gt;" in page and "<it>" not in page
    assert "!   1  Build <it>: next: Is <it> built? (3 points · 20 min)" in text
