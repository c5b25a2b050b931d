"""Take the walls down one by one, each in a copy of the project, and see which test notices.

    python -m tests.walls.take_down [WORD ...] [--jobs 2]        (make walls WALL="WORD ...")

WORD: only walls with it in their name. Exit status 1 where a wall goes unnoticed, or an edit does not
do what it should.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tests.walls.in_a_copy import environment, run_pytest
from tests.walls.table import WALLS
from tests.walls.wall import CannotEdit, Wall

CHECKOUT = Path(__file__).parents[2]
TEST_SECONDS = 120  # a test that hangs without its wall notices, too
FAILED = re.compile(r"^(?:FAILED|ERROR) tests/(\S+?::\S.*?)(?: - (.*))?$", re.MULTILINE)
BROKEN = (
    re.compile(  # what a test says of an edit that breaks the code, instead of taking a wall down
        r"SyntaxError|NameError|ImportError|ModuleNotFoundError|UnboundLocalError|IndentationError"
        r"|the warm parent is gone"
    )
)
SKIPPED = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info")
COPIED = """
    autograder tests source release pyproject.toml nbgrader_config.py Makefile
    environment.yml README.md
""".split()


@dataclass(frozen=True)
class Result:
    """What became of one wall: the first test that failed without it, or what is wrong."""

    wall: Wall
    noticed_by: str
    problem: str
    seconds: float


def copy_project(folder: Path, checkout: Path = CHECKOUT) -> Path:
    """Copy what the tests need into a new folder."""
    project = folder / "project"
    project.mkdir()
    for name in COPIED:
        if (checkout / name).is_dir():
            shutil.copytree(checkout / name, project / name, ignore=SKIPPED, symlinks=True)
        elif (checkout / name).exists():
            shutil.copy(checkout / name, project / name)
    return project


def run_tests(project: Path, tests: Iterable[str], *options: str) -> tuple[int, str]:
    """Run tests of a copy; return pytest's exit status and what it said."""
    words = ["-q", "-rfE", "--no-header", "--tb=no", f"--timeout={TEST_SECONDS}", *options]
    return run_pytest(project, [*words, *(f"tests/{test}" for test in tests)])


def try_wall(wall: Wall, checkout: Path = CHECKOUT) -> Result:
    """Take a wall down in a copy, and run the tests that have to notice."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wall-") as folder:
        project = copy_project(Path(folder), checkout)
        try:
            wall.take_down(project)
        except CannotEdit as error:
            return Result(wall, "", str(error), 0.0)
        status, said = run_tests(project, wall.tests, "-n0", "-x")
    noticed_by, problem = judge(status, said)
    return Result(wall, noticed_by, problem, time.monotonic() - begin)


def judge(status: int, said: str) -> tuple[str, str]:
    """Return the test that noticed, and what is wrong if none did or none could."""
    if status == 0:
        return "", "unnoticed"
    failed = FAILED.search(said)
    if status != 1 or failed is None:
        return "", f"pytest ended with {status}: {' '.join(said.split()[-40:])}"
    test, reason = failed[1], failed[2] or ""
    if BROKEN.search(reason):
        return "", f"the edit breaks the code: {reason}"
    return test, ""


def problem_of_the_copy(walls: Iterable[Wall]) -> str:
    """Say what keeps these tests from passing with every wall in its place; nothing if they do."""
    tests = sorted({test for wall in walls for test in wall.tests})
    whole = [test for test in tests if "::" not in test or test.split("::")[0] not in tests]
    with tempfile.TemporaryDirectory(prefix="walls-") as folder:
        project = copy_project(Path(folder))
        ask = [sys.executable, "-c", "import autograder; print(autograder.__file__)"]
        where = subprocess.check_output(ask, cwd="/", env=environment(project), text=True)
        if not Path(where).is_relative_to(project):
            return f"another project than the copy is imported: {where}"
        if not tests:
            return ""
        status, said = run_tests(project, whole, "-n2")
    return "" if status == 0 else said


def try_walls(walls: list[Wall], jobs: int) -> Iterator[Result]:
    """Yield the results in the order of the walls."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(try_wall, walls)


def table(results: Iterable[Result]) -> Table:
    """The table that a person looks at."""
    made = Table("wall", "without it this test fails", "seconds")
    for result in results:
        noticed, problem = Text(result.noticed_by), Text(result.problem, style="bold red")
        made.add_row(Text(result.wall.name), noticed or problem, f"{result.seconds:.0f}")
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    walls = [w for w in WALLS if not chosen.words or any(word in w.name for word in chosen.words)]
    console = Console()
    if problem := problem_of_the_copy(walls):
        console.print(problem, markup=False)
        console.print("These tests fail with every wall in its place: mend that first.")
        return 1
    results = []
    for result in try_walls(walls, chosen.jobs):
        results.append(result)
        console.print(
            f"{len(results)} of {len(walls)}", result.wall.name, result.problem, markup=False
        )
    console.print(table(results))
    missing = [result for result in results if not result.noticed_by]
    console.print(f"{len(results) - len(missing)} of {len(results)} walls were missed by a test.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
