"""The benchmarks run, and what they call the bare limit asks every check. No figure is asserted."""

import pytest

from tests.benchmarks.verdict import main

pytestmark = pytest.mark.walls


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
        ([], "one assignment is measured: say which by --assignment"),
    ],
)
def test_wrong_usage_is_told(wrong, said, capsys):
    with pytest.raises(SystemExit) as leaving:
        main(wrong)
    assert leaving.value.code == 2 and said in capsys.readouterr().err
