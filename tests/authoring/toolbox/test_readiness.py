"""What is said about a saved notebook, cell by cell."""

from pathlib import Path

import pytest

from autograder.authoring.toolbox_file import toolbox_module
from autograder.engine.placing import ANSWER, NOT_RUN, ReleasedCell, fingerprint
from autograder.engine.placing import CHECK as CHECK_ROLE

TOOLBOX = toolbox_module()  # as it is released
place_saved = TOOLBOX.place_saved
ExerciseHeading = TOOLBOX.ExerciseHeading
Result = TOOLBOX.Result
FreshRun = TOOLBOX.FreshRun
only_here = TOOLBOX.only_here
Report = TOOLBOX.Report
other_name = TOOLBOX.other_name
report_on_placed = TOOLBOX.report_on
Released = TOOLBOX.Released
NoNotebook = TOOLBOX.NoNotebook
SavedCell = TOOLBOX.SavedCell

STUB = "class Layer:\n    raise NotImplementedError"
WRITTEN = "class Layer:\n    size = 3"
TEXT = "Your answer (two sentences):\n\nYOUR ANSWER HERE"
EXERCISES = {
    "explain": ExerciseHeading("1", "Explain", 2, 10, by_hand=True),
    "layer": ExerciseHeading("2", "Layer", 4, 10, ("Layer",)),
}
RELEASED = Released(
    EXERCISES,
    [
        ReleasedCell("given", "code", fingerprint("g = 1")),
        ReleasedCell("explain_goal", "markdown", fingerprint("# Explain")),
        ReleasedCell("explain_hints", "markdown", fingerprint("Hints")),
        ReleasedCell("explain", "markdown", fingerprint(TEXT), ANSWER, text=TEXT),
        ReleasedCell("layer_goal", "markdown", fingerprint("# Layer")),
        ReleasedCell("layer", "code", fingerprint(STUB), ANSWER, ("Layer",)),
        ReleasedCell("check_layer", "code", fingerprint("assert Layer"), CHECK_ROLE),
        ReleasedCell("picture", "code", fingerprint("draw()"), NOT_RUN),
    ],
    notebook="sheet.ipynb",
)


def code(name, source):
    return SavedCell("code", source, (name,) if name else ())


GIVEN = code("given", "g = 1")
EXPLAINED = SavedCell("markdown", "Because.", ("explain",))
LAYER = code("layer", WRITTEN)
CHECK = code("check_layer", "assert Layer")
WHOLE = [GIVEN, EXPLAINED, LAYER, CHECK]
FINE = FreshRun(["", "", ""], {"layer": Result("done")})


def report_on(cells, released, run=None) -> Report:
    return report_on_placed(place_saved(cells, released), released, run)


def said_here(cells, released, history, run=FINE, done=()):
    """What is to do because of what ran in the kernel."""
    states = report_on(cells, released, run).states
    notebook = place_saved(cells, released)
    return list(only_here(notebook, released, run, states, history, done))


def test_an_exercise_that_its_check_could_not_check_is_ready_to_be_graded():
    run = FreshRun(["", "", ""], {"layer": Result("unchecked", (), "Is it?", "KeyError: 'x'")})
    report = report_on(WHOLE, RELEASED, run)
    assert report.fit and report.states["layer"] == "unchecked"
    assert report.lines[1].endswith("written, not checked: a package lacks what the check uses")


def test_a_whole_notebook_is_fit():
    report = report_on(WHOLE, RELEASED, FINE)
    assert report.fit and report.title == "Fit to be handed in: all 2 exercises are there."
    assert report.lines == [
        "Exercise 1, Explain: written, and a person reads it",
        "Exercise 2, Layer: done",
    ]


def test_a_check_that_was_changed_or_is_gone_does_not_count():
    changed = [GIVEN, EXPLAINED, LAYER, code("check_layer", "print('fine')")]
    for cells in (changed, WHOLE[:3]):
        assert report_on(cells, RELEASED, FINE).states["layer"] == "written"


@pytest.mark.parametrize(
    "empty",
    [TEXT, TEXT + "  \n", "", " \n", TEXT.replace("YOUR ANSWER HERE", ""), "YOUR ANSWER HERE\n\n"],
)
def test_an_empty_answer_is_open_and_stops_nothing(empty):
    cells = [GIVEN, EXPLAINED._replace(source=empty), LAYER, CHECK]
    report = report_on(cells, RELEASED, FINE)
    assert report.states["explain"] == "open"
    assert report.title == "Fit to be handed in as it is, with 1 of 2 exercises."


@pytest.mark.parametrize("empty", ["", " \n", "# YOUR CODE HERE\n"])
def test_code_that_was_deleted_is_open_and_stops_nothing(empty):
    undefined = Result("failing", (), "Is it built?", "NameError: name 'Layer' is not defined")
    cells = [GIVEN, EXPLAINED, code("layer", empty), CHECK]
    report = report_on(cells, RELEASED, FINE._replace(results={"layer": undefined}))
    assert report.states["layer"] == "open" and report.fit


@pytest.mark.parametrize("answer", ["It is.", TEXT + " Because.", TEXT + "\n![](attachment:a.png)"])
def test_one_line_of_ones_own_is_an_answer(answer):
    cells = [GIVEN, EXPLAINED._replace(source=answer), LAYER, CHECK]
    assert report_on(cells, RELEASED, FINE).states["explain"] == "by_hand"


def test_nothing_answered_is_not_fit():
    cells = [GIVEN, EXPLAINED._replace(source=TEXT), code("layer", STUB), CHECK]
    report = report_on(cells, RELEASED, FreshRun(["", "", ""], {"layer": Result("open")}))
    assert report.to_do == ["No exercise is answered yet."]


@pytest.mark.parametrize(
    ("ended", "state"),
    [
        (
            FreshRun(["", "", ""], {"layer": Result("failing", (), "Is it 3?", "It is 4.")}),
            "failing",
        ),
        (FreshRun(["", "", "AssertionError: Is it 3?"], {}), "failing"),
        (FreshRun(["", "", "NotImplementedError"], {}), "open"),
        (FreshRun(["", "", "NotImplementedError: Is it 3?"], {}), "failing"),
        (FreshRun(["", "", ""], {}), "done"),
    ],
)
def test_a_check_says_how_far_an_exercise_is(ended, state):
    report = report_on(WHOLE, RELEASED, ended)
    assert report.states["layer"] == state and report.fit
    assert ("Is it 3?" in report.text) == (state == "failing")


@pytest.mark.parametrize("lost", [EXPLAINED, LAYER])
def test_a_missing_answer_is_to_do(lost):
    report = report_on([cell for cell in WHOLE if cell != lost], RELEASED)
    assert len(report.to_do) == 1 and f"`{lost.names[0]}`) is missing" in report.to_do[0]
    assert report.title == "Not fit to be handed in yet: 1 thing to do."


def test_a_cell_that_lost_its_name_is_found_by_what_it_says_or_defines():
    cells = [code("", "g = 1"), EXPLAINED, code("x1", WRITTEN), CHECK]
    report = report_on(cells, RELEASED)
    assert report.fit and report.states["layer"] == "written"
    assert [note.split("`")[1] for note in report.notes] == ["layer"]


@pytest.mark.parametrize(
    ("copy", "counts"), [(STUB, "the one with an answer"), (WRITTEN + "0", "the last one")]
)
def test_of_two_cells_with_one_name_the_last_with_an_answer_counts(copy, counts):
    report = report_on([GIVEN, EXPLAINED, LAYER, CHECK, code("layer", copy)], RELEASED)
    assert report.fit and report.states["layer"] == "written"
    assert report.notes == [f"The cell `layer` is there twice: {counts} counts."]


def test_a_cell_that_needs_a_deleted_one_is_to_do():
    cells = [*WHOLE, code("", "\nuse(helper)")]
    error = "NameError: name 'helper' is not defined"
    report = report_on(cells, RELEASED, FreshRun(["", "", "", error], {"layer": Result("done")}))
    assert len(report.to_do) == 1
    assert "your cell `use(helper)` stops: NameError: name 'helper'" in report.to_do[0]


@pytest.mark.parametrize(
    ("ran", "stale"),
    [([], False), ([WRITTEN], False), ([STUB, WRITTEN + "\n"], False), ([WRITTEN, STUB], True)],
)
def test_what_ran_last_is_compared_with_what_is_saved(ran, stale):
    assert bool(said_here(WHOLE, RELEASED, ["x = 1", *ran])) == stale


@pytest.mark.parametrize(
    ("error", "ran", "said"),
    [
        ("", WRITTEN, "passes its check here, and not in a fresh kernel"),
        ("", STUB, "what ran last is not what is saved"),
        ("SyntaxError: invalid syntax", WRITTEN, ""),
        ("SyntaxError: invalid syntax", STUB, ""),
    ],
)
def test_one_cause_is_one_thing_to_do(error, ran, said):
    run = FreshRun(["", error, ""], {"layer": Result("failing", (), "Is it built?", "No.")})
    told = report_on(WHOLE, RELEASED, run).to_do
    told += said_here(WHOLE, RELEASED, [ran], run, ["layer"])
    assert len(told) == 1 and (said or error) in told[0]


def stub(*own):
    """A notebook whose exercise is as released, with cells of one's own behind it."""
    return [GIVEN, EXPLAINED, code("layer", STUB), *own, CHECK]


AS_RUN = FreshRun(["", "", ""], {"layer": Result("done")})


@pytest.mark.parametrize(
    "own",
    [
        WRITTEN,
        "# mine\nclass Layer:\n    size = 4",
        "Layer = dict",
        "Layer: type = dict",
        "Layer = other = dict",
        "x, Layer = 1, dict",
        "def Layer(): ...",
        "async def Layer(): ...",
        "class Layer[T]: pass",
        "from layers import Other as Layer, Norm",
    ],
)
def test_a_class_in_a_cell_of_ones_own_counts_and_its_place_is_named(own):
    cells = stub(code("x1", own))
    report = report_on(cells, RELEASED, AS_RUN)
    assert report.fit and report.states["layer"] == "done"
    assert (
        f"your own cell `{own.splitlines()[0]}` counts; its place is the cell `layer`"
        in report.text
    )
    assert said_here(cells, RELEASED, [STUB, own]) == []


@pytest.mark.parametrize(
    ("other", "where"),
    [
        (code("check_layer", WRITTEN + "\n\nassert Layer"), "the cell of a check, where nothing"),
        (
            SavedCell("code", WRITTEN, ("picture",), True),
            "a cell that grading skips, where nothing",
        ),
    ],
)
def test_a_class_in_a_cell_that_is_not_graded_is_to_be_moved_into_its_own(other, where):
    cells = [GIVEN, EXPLAINED, code("layer", STUB), CHECK]
    cells = [cell for cell in cells if cell.names != other.names] + [other]
    report = report_on(cells, RELEASED, FreshRun([""] * 3, {}))
    (to_do,) = report.to_do
    assert f"`Layer` stands in {where}" in to_do
    assert to_do.endswith("move it into the cell of exercise 2.")
    assert said_here(cells, RELEASED, [STUB, other.source]) == []


@pytest.mark.parametrize(
    "own",
    [
        "Layer == dict",
        "Layer: type",
        "Layers = 3",
        "Layer()",
        "",
        " Layer = 3",
        "print(3, Layer='')",
    ],
)
def test_a_cell_of_ones_own_that_only_names_it_is_no_answer(own):
    report = report_on(stub(code("x1", own)), RELEASED)
    assert report.states["layer"] == "open" and "counts" not in report.text


def test_answers_in_swapped_cells_count():
    norm = ReleasedCell("norm", "code", fingerprint("class Norm: ..."), ANSWER, ("Norm",))
    exercises = EXERCISES | {"norm": ExerciseHeading("3", "Norm", 4, 10, ("Norm",))}
    released = RELEASED._replace(exercises=exercises, cells=[*RELEASED.cells, norm])
    cells = [EXPLAINED, code("layer", "class Norm: pass"), CHECK, code("norm", WRITTEN)]
    report = report_on(cells, released)
    assert report.to_do == [] and {*report.states.values()} == {"by_hand", "written"}
    assert said_here(cells, released, ["class Norm: pass", WRITTEN]) == []


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_written_answer_in_a_cell_of_its_own_counts_beside_the_exercise(place):
    texts = [SavedCell("markdown", text) for text in ("# Explain", "Hints", "# Layer")]
    cells = [texts[0], texts[1], EXPLAINED._replace(source=TEXT), texts[2], LAYER, CHECK]
    cells.insert(place, SavedCell("markdown", "It is so because.", ("x1",)))
    report = report_on(cells, RELEASED)
    if place == 1:  # not beside the cell
        (to_do,) = report.to_do
        assert "`It is so because.` is in a cell of its own, and the cell of exercise 1" in to_do
    else:
        assert report.fit and report.states["explain"] == "by_hand"
        assert report.notes[:1] == ["The text beside the cell `explain` counts as its answer."]


def test_what_was_not_run_or_does_not_pass_is_not_called_fit():
    assert report_on(WHOLE, RELEASED).title == "Written: 2 of 2 exercises. Nothing was run."
    wrong = FINE._replace(results={"layer": Result("failing", (), "Is it 3?", "It is 4.")})
    cells = [GIVEN, EXPLAINED._replace(source=TEXT), LAYER, CHECK]
    title = report_on(cells, RELEASED, wrong).title
    assert title == "It can be handed in, but no check passes yet."


@pytest.mark.parametrize(("name", "to_do"), [("sheet.ipynb", 0), ("sheet (1).ipynb", 1)])
def test_a_file_of_another_name_is_to_be_renamed(name, to_do):
    assert len(list(other_name(Path("folder", name), RELEASED))) == to_do


@pytest.mark.parametrize(
    ("error", "then"),
    [
        ("SyntaxError: expected ':' (12.py, line 3)", "NameError: name 'Layer' is not defined"),
        ("TypeError: no size", "NameError: name 'Layer' is not defined\nin ..."),
    ],
)
def test_what_follows_from_a_cell_that_stops_is_not_told_twice(error, then):
    result = Result("failing", (), "Is it built?", then)
    use = code("x1", "print(Layer)")
    run = FreshRun(["", error, then, ""], {"layer": result})
    report = report_on([GIVEN, EXPLAINED, LAYER, use, CHECK], RELEASED, run)
    assert len(report.to_do) == 1 and "the cell of exercise 2 stops: " in report.to_do[0]
    assert "12.py" not in report.to_do[0]


def test_another_assignment_is_refused():
    place_saved([code("", "class Layer: pass"), CHECK], RELEASED, "x.ipynb")
    with pytest.raises(NoNotebook, match="x.ipynb` has no cell of this assignment"):
        place_saved([code("imports", "import torch")], RELEASED, "x.ipynb")
