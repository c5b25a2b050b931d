"""What is said about a saved notebook, cell by cell."""

import pytest

from autograder.toolbox.exercises import Exercise, Result
from autograder.toolbox.fresh_run import FreshRun
from autograder.toolbox.readiness import Released, not_as_run, refuse_another, report_on
from autograder.toolbox.saved_notebook import NoNotebook, SavedCell, fingerprint

STUB = "class Layer:\n    raise NotImplementedError"
WRITTEN = "class Layer:\n    size = 3"
TEXT = "Your answer:"
EXERCISES = {
    "explain": Exercise("1", "Explain", 2, 10, by_hand=True),
    "layer": Exercise("2", "Layer", 4, 10, ("Layer",)),
}
RELEASED = Released(
    EXERCISES,
    {
        "explain": fingerprint(TEXT),
        "layer": fingerprint(STUB),
        "check_layer": fingerprint("assert Layer"),
        "given": fingerprint("g = 1"),
    },
)


def code(name, source):
    return SavedCell("code", source, (name,) if name else ())


GIVEN = code("given", "g = 1")
EXPLAINED = SavedCell("markdown", "Because.", ("explain",))
LAYER = code("layer", WRITTEN)
CHECK = code("check_layer", "assert Layer")
WHOLE = [GIVEN, EXPLAINED, LAYER, CHECK]
FINE = FreshRun(["", "", ""], {"layer": Result("done")})


def test_a_whole_notebook_is_fit():
    report = report_on(WHOLE, RELEASED, FINE)
    assert report.fit and report.title == "Fit to be handed in: all 2 exercises are there."
    assert report.lines == [
        "Exercise 1, Explain: written, and a person reads it",
        "Exercise 2, Layer: done",
    ]


def test_what_was_not_run_is_not_called_done():
    assert report_on(WHOLE, RELEASED).states == {"explain": "by_hand", "layer": "written"}


def test_a_check_that_was_changed_or_is_gone_does_not_count():
    changed = [GIVEN, EXPLAINED, LAYER, code("check_layer", "print('fine')")]
    for cells in (changed, WHOLE[:3]):
        assert report_on(cells, RELEASED, FINE).states["layer"] == "written"


def test_a_name_that_only_a_deleted_cell_defined_is_something_to_do():
    result = Result(
        "failing", (), "Which shape?", "NameError: name 'helper' is not defined\nin ..."
    )
    report = report_on(WHOLE, RELEASED, FINE._replace(results={"layer": result}))
    assert not report.fit and "helper" in report.to_do[0] and report.lines[1].endswith("defined")


@pytest.mark.parametrize("empty", [TEXT, TEXT + "  \n", "", " \n"])
def test_an_empty_answer_is_open_and_stops_nothing(empty):
    cells = [GIVEN, EXPLAINED._replace(source=empty), LAYER, CHECK]
    report = report_on(cells, RELEASED, FINE)
    assert report.states["explain"] == "open"
    assert report.title == "Fit to be handed in as it is, with 1 of 2 exercises."


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


def test_a_missing_cell_of_ours_is_noted():
    report = report_on([EXPLAINED, LAYER], RELEASED)
    assert report.fit
    assert report.notes == ["Missing cells, which grading puts back: `check_layer`, `given`."]


def test_a_cell_that_lost_its_name_is_found_by_what_it_says_or_defines():
    cells = [code("", "g = 1"), EXPLAINED, code("x1", WRITTEN), CHECK]
    report = report_on(cells, RELEASED)
    assert report.fit and report.states["layer"] == "written"
    assert [note.split("`")[1] for note in report.notes] == ["layer", "given"]


def test_the_last_of_two_counts_and_one_has_to_go():
    report = report_on([GIVEN, EXPLAINED, LAYER, CHECK, code("layer", STUB)], RELEASED)
    assert report.states["layer"] == "open"
    assert "exercise 2 is there 2 times" in report.to_do[0]


def test_a_cell_that_needs_a_deleted_one_is_to_do():
    cells = [*WHOLE, code("", "\nuse(helper)")]
    error = "NameError: name 'helper' is not defined"
    report = report_on(cells, RELEASED, FreshRun(["", "", "", error], {"layer": Result("done")}))
    assert len(report.to_do) == 1
    assert "your cell `use(helper)` stops: NameError: name 'helper'" in report.to_do[0]


def test_a_run_without_end_is_to_do():
    report = report_on(WHOLE, RELEASED, FreshRun([""], {}, "it takes longer than 120 seconds"))
    assert "longer than 120 seconds; cell 2" in report.to_do[0]


@pytest.mark.parametrize(
    ("ran", "stale"),
    [([], False), ([WRITTEN], False), ([STUB, WRITTEN + "\n"], False), ([WRITTEN, STUB], True)],
)
def test_what_ran_last_is_compared_with_what_is_saved(ran, stale):
    assert bool(list(not_as_run(WHOLE, RELEASED, ["x = 1", *ran]))) == stale


def test_another_assignment_is_refused():
    refuse_another([code("", "class Layer: pass")], RELEASED, "x.ipynb")
    with pytest.raises(NoNotebook, match="x.ipynb` has no cell of this assignment"):
        refuse_another([code("imports", "import torch")], RELEASED, "x.ipynb")
