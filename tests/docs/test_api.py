"""The page about grading from Python: its program runs as it stands there."""

import re
import shutil
import subprocess
import sys

import pytest
from typed_commands import TOP

from autograder.engine.courses import make_course


@pytest.mark.walls
def test_the_program_on_the_page_grades_a_notebook(course, hand_in, tmp_path):
    (program,) = re.findall(r"```python\n(.*?)```", (TOP / "docs/api.md").read_text(), re.S)
    assert program.count("\n") <= 30
    own = make_course(tmp_path / "course", course)
    shutil.copy(hand_in(attention="def attention(): ..."), own.root / "hw.ipynb")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=own.root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "feed_forward: answered, 4 of 4" in done.stdout
    assert (own.root / "ada.json").is_file()
