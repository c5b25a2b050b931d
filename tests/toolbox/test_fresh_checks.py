"""Do a notebook's checks run in the fresh process, where the cell that imports them is not run?"""

import pytest

from autograder.toolbox.fresh_run import run_fresh

pytestmark = pytest.mark.slow  # a process that imports IPython


def test_the_checks_are_imported_before_the_cells_wherever_the_notebook_is(tmp_path):
    beside, elsewhere = tmp_path / "sheet", tmp_path / "downloads"
    beside.mkdir()
    elsewhere.mkdir()
    (beside / "toolbox.py").write_text("RESULTS = {}")
    checks = beside / "some_checks.py"
    checks.write_text("import toolbox\ntoolbox.RESULTS['a'] = 'failing', ()")
    run = run_fresh(["x = 1"], elsewhere, checks)
    assert run.errors == [""]
    assert run.results["a"].state == "failing"
