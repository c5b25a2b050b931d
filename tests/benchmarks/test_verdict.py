"""The benchmarks run, and what they call the bare limit asks every check. No figure is asserted."""

import pytest

from autograder.authoring.without_walls import examine_without_walls
from autograder.engine.examiner import PRECISIONS
from tests.benchmarks.verdict import main

pytestmark = pytest.mark.walls


@pytest.mark.parametrize("name", ["assignment", "small"])
@pytest.mark.parametrize("precisions", [PRECISIONS, (False,)], ids=["both", "float32"])
def test_the_bare_limit_asks_everything_and_the_solution_passes(request, name, precisions):
    assignment = request.getfixturevalue(name)
    cells = assignment.solved_cells()
    runs = examine_without_walls(assignment, cells, seed=3, precisions=precisions)
    assert {run.exercise for run in runs} == {e.id for e in assignment.exercises}
    assert all(run.passed for run in runs)


def test_the_bare_limit_catches_what_the_real_exam_catches(assignment, solved):
    cells = assignment.solved_cells() | {"attention": solved["attention"].replace("sqrt", "exp")}
    lost = [run for run in examine_without_walls(assignment, cells, seed=3) if not run.passed]
    assert {run.exercise for run in lost} == {"attention"}


def test_only_the_exercises_that_are_asked_for_are_examined(assignment):
    cells, wanted = assignment.solved_cells(), assignment.exercises[1:2]
    runs = examine_without_walls(assignment, cells, seed=3, exercises=wanted)
    assert {run.exercise for run in runs} == {wanted[0].id}


@pytest.mark.long
def test_the_table_has_every_row(assignment, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # it works from anywhere
    main(["--assignment", assignment.id, "--rounds", "1", "--endurance", "10"])
    said = capsys.readouterr().out
    for row in ("behind all walls", "fork, walls, end", "bare limit", "fresh process", "private"):
        assert row in said


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--rounds", "0"], "at least 1 round"),
        (["--endurance", "5"], "10 submissions in a row"),
        (["--rounds", "x"], "invalid int value"),
        (["--assignment", "decoder"], "There is no assignment `decoder`"),
    ],
)
def test_wrong_usage_is_told(wrong, said, capsys):
    with pytest.raises(SystemExit) as leaving:
        main(wrong)
    assert leaving.value.code == 2 and said in capsys.readouterr().err


def test_where_there_are_several_one_has_to_be_named(monkeypatch, capsys):
    monkeypatch.setattr(
        "tests.benchmarks.arguments.assignments", lambda course: ["decoder", "encoder"]
    )
    with pytest.raises(SystemExit) as leaving:
        main([])
    assert leaving.value.code == 2
    assert "say which by --assignment. There is: decoder, encoder." in capsys.readouterr().err
