"""The script that runs notebooks with other versions, as far as it can be asked without a download."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tests.machines.notebooks import count_outputs

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PANEL = {"text/plain": "Exercise 1: all 2 steps pass."}
PICTURE = {"text/html": "<img>", "text/plain": "A picture."}


@pytest.mark.skipif(
    sys.version_info[:2] == (3, 12), reason="it would be found, and packages fetched"
)
def test_a_python_that_is_missing_is_one_sentence(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "tests.machines.notebooks", "colab", "--folder", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"PATH": ""},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1 and not ran.stderr
    assert ran.stdout.endswith("colab: There is no Python 3.12 here: name one with --python.\n")


def test_tracebacks_checks_and_figures_are_counted():
    passes, fails = (
        new_output("display_data", PANEL, metadata={"check": {"state": state}})
        for state in ("done", "failing")
    )
    picture, error = (
        new_output("display_data", PICTURE),
        new_output("error", ename="KeyError", evalue="3"),
    )
    check, draw = "import toolbox\n\ntoolbox.check('one')", "@toolbox.try_it\ndef picture(): ..."
    cells = [
        new_code_cell(source, id=id, outputs=outputs)
        for id, source, outputs in (
            ("check_one", check, [passes]),
            ("check_two", check, [fails]),
            ("one_picture", draw, [picture]),
            ("two_picture", draw, []),
            ("three_picture", draw, [error]),
        )
    ]
    counts = count_outputs(new_notebook(cells=cells))
    assert (counts.tracebacks, counts.checks, counts.figures) == (1, 1, 1)
    assert (counts.checks_wanted, counts.figures_wanted) == (2, 3)
    assert counts.complaints == [
        "`check_two` says: Exercise 1: all 2 steps pass.",
        "`two_picture` shows no figure",
        "`three_picture` raises KeyError: 3",
        "`three_picture` shows no figure",
        "1 of 2 checks pass",
    ]
