"""`make check` notices a vague name, a relative clause in place of a noun, and a raised figure of pages."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".make" / "language.py"
PLAIN = 'def read(path):\n    """Return the rows of a table."""\n    rows = path.read()\n    return rows\n'


@pytest.fixture
def check(tmp_path):
    """Run the script on a module and a page; return the exit status and the messages."""

    def run(module: str, page: str) -> tuple[int, str]:
        for folder in ("autograder", "docs"):
            (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / "autograder" / "rows.py").write_text(module)
        for name in ("README.md", "CONTRIBUTING.md", "docs/page.md"):
            (tmp_path / name).write_text(page)
        figures = ("vague names, percent", "docstrings, what, who, whose", "pages, semicolons")
        ceilings = "".join(f'"{figure}" = 0\n' for figure in figures)
        (tmp_path / "pyproject.toml").write_text(f"[tool.language]\n{ceilings}")
        finished = subprocess.run(
            [sys.executable, SCRIPT], cwd=tmp_path, capture_output=True, text=True
        )
        return finished.returncode, finished.stderr

    return run


def test_plain_language_passes(check):
    assert check(PLAIN, "You read it. `a; b` is code.\n") == (0, "")


@pytest.mark.parametrize(
    ("module", "page", "figure"),
    [
        (PLAIN.replace("rows", "found"), "You read it.", "vague names, percent: 50.0"),
        (
            PLAIN.replace("the rows", "what is"),
            "You read it.",
            "docstrings, what, who, whose: 166.7",
        ),
        (PLAIN, "You read it; it ends.", "pages, semicolons: 200.0"),
    ],
)
def test_each_figure_above_its_ceiling_is_named(check, module, page, figure):
    status, messages = check(module, page)
    assert status == 1 and messages.count("\n") == 1
    assert f"{figure}, and at most 0 is allowed" in messages
