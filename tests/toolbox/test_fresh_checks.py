"""Do a notebook's checks run in the fresh process, where the cell that imports them is not run?"""

import pytest

from autograder.toolbox.fresh_run import run_fresh

pytestmark = pytest.mark.slow  # a process that imports IPython


def test_the_checks_beside_a_notebook_are_imported_before_its_cells(tmp_path):
    (tmp_path / "toolbox.py").write_text("RESULTS = {}")
    (tmp_path / "some_checks.py").write_text("import toolbox\ntoolbox.RESULTS['a'] = 'failing', ()")
    (tmp_path / "other_checks.py").write_text("import what_is_not_installed")
    run = run_fresh(["x = 1"], tmp_path)
    assert run.errors == [""]
    assert run.results["a"].state == "failing"
