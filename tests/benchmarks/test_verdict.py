"""The benchmarks run, and what they call the bare limit is the whole exam. No figure is asserted."""

import pytest

from autograder.engine.assignment import ROOT
from benchmarks.bare import examine_directly
from benchmarks.verdict import main


def test_the_bare_limit_asks_everything_and_the_solution_passes(assignment):
    checks = examine_directly(assignment, assignment.solved_cells(), seed=3)
    assert {check.exercise for check in checks} == {e.id for e in assignment.exercises}
    assert all(check.passed for check in checks)


def test_the_bare_limit_catches_what_the_real_exam_catches(assignment, solved):
    cells = assignment.solved_cells() | {"attention": solved["attention"].replace("sqrt", "exp")}
    lost = [check for check in examine_directly(assignment, cells, seed=3) if not check.passed]
    assert {check.exercise for check in lost} == {"attention"}


def test_the_table_has_every_row(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    main(["--rounds", "1", "--endurance", "10"])
    said = capsys.readouterr().out
    for row in ("behind all walls", "fork, walls, end", "bare limit", "fresh process", "private"):
        assert row in said


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--rounds", "0"], "at least 1 round"),
        (["--endurance", "5"], "10 submissions in a row"),
        (["--rounds", "x"], "invalid int value"),
    ],
)
def test_wrong_usage_is_told(wrong, said, capsys):
    with pytest.raises(SystemExit) as leaving:
        main(wrong)
    assert leaving.value.code == 2 and said in capsys.readouterr().err
