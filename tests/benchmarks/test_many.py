"""The benchmark of many runs, and says what it measured. No figure is asserted."""

import pytest

from tests.benchmarks.many import main

pytestmark = pytest.mark.database


@pytest.mark.long
def test_both_runs_are_measured(small, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it works from anywhere
    main(["--assignment", "encoder-layer", "--submissions", "4", "--keep", str(tmp_path / "class")])
    said = capsys.readouterr().out
    for words in ("the first run over 4 submissions", "Before the first result", "The second run"):
        assert words in said
    told = (tmp_path / "class" / "said.txt").read_text()
    assert "4 graded, 0 as they were" in told and "0 graded, 4 as they were" in told
