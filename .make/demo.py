"""Play a week with an invented class in demo/.

    python .make/demo.py [--students N] [--release ASSIGNMENT] [--grade OPTIONS] ASSIGNMENT ...

It prints a line for each step, a table of the class, and where to look. demo/log.txt has the commands
and their output.
"""

import argparse
import csv
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

DEMO = Path("demo")
LOG = DEMO / "log.txt"
LAST_LINES = 20  # of the log, if a command fails


class Demo:
    """The steps of the demo, for these assignments."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.assignments: list[str] = options.assignments
        self.log = ""
        self.steps = 0

    def play(self) -> None:
        """Run all steps. Raises `SystemExit` with the status of a command that fails."""
        self.step("Release, made by nbgrader", ["release", *self.options.release])
        shutil.rmtree(DEMO, ignore_errors=True)
        self.run("course", "new", DEMO)
        downloads = {name: DEMO / "moodle" / f"{name}.zip" for name in self.assignments}
        students = self.options.students
        invented = ["--as", "moodle", "--students", students, *self.in_course]
        self.step(
            f"A download of Moodle with {students} invented students",
            *(
                ["sample-class", download, "--assignment", name, *invented]
                for name, download in downloads.items()
            ),
        )
        into = ["--into", DEMO / "submitted", *self.in_course]
        self.step("Collect it", *(["collect", path, *into] for path in downloads.values()))
        results, grading = DEMO / "results", shlex.split(self.options.grade)
        self.step(
            f"Grade {students * len(self.assignments)} submissions",
            ["grade", DEMO / "submitted", "--results", results, *self.in_course, *grading],
        )
        self.step(
            "Report on the class",
            ["report", results, "--out", DEMO / "report.html", *self.in_course],
        )
        maker = "" if is_practice() else ", made by nbgrader"
        self.step(f"Feedback pages{maker}", ["feedback", *self.in_course])
        self.step("Files for Moodle", *map(self.export, self.assignments), may_fail=is_practice())

    @property
    def in_course(self) -> list[object]:
        return ["--course", DEMO]

    def export(self, assignment: str) -> list[object]:
        """Return the words of the command that writes one assignment's grades for Moodle."""
        worksheet = DEMO / "moodle" / f"{assignment}-grading-worksheet.csv"
        words = ["export", DEMO / "results", "--format", "moodle", "--assignment", assignment]
        words += ["--submitted", DEMO / "submitted", "--sheet", worksheet]
        return [*words, *self.in_course]

    def step(self, title: str, *commands: Sequence[object], may_fail: bool = False) -> None:
        """Print the step's title, run its commands, and print how long they took."""
        self.steps += 1
        print(f"{self.steps}. {title} ...", end=" ", flush=True)
        begin = time.monotonic()
        for words in commands:
            self.run(*words, may_fail=may_fail)
        print(f"{time.monotonic() - begin:.0f} s", flush=True)

    def run(self, *words: object, may_fail: bool = False) -> None:
        """Run a command of the autograder, and add its output to the log."""
        command = [sys.executable, "-m", "autograder", *map(str, words)]
        finished = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
        )
        self.log += f"$ autograder {shlex.join(command[3:])}\n{finished.stdout}\n"
        if DEMO.is_dir():
            LOG.write_text(self.log, encoding="utf-8")
        if finished.returncode and not may_fail:
            print("failed", *finished.stdout.splitlines()[-LAST_LINES:], sep="\n")
            raise SystemExit(finished.returncode)


def is_practice() -> bool:
    """Whether the class was graded without a sandbox, for practice only."""
    verdicts = DEMO.glob("results/*/*.json")
    return any(
        '"sandbox": "practice"' in verdict.read_text(encoding="utf-8") for verdict in verdicts
    )


def table(assignments: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table with a row for each assignment."""
    yield f"{'assignment':16}{'graded':>8}{'unreadable':>12}{'median points':>15}{'of':>6}"
    for assignment in assignments:
        with (DEMO / "results" / assignment / "grades.csv").open(encoding="utf-8") as file:
            rows = [*csv.DictReader(file)]
        points = [float(row["points"]) for row in rows if row["state"] == "graded"]
        unreadable = sum(row["state"] == "unreadable" for row in rows)
        middle = f"{median(points):g}" if points else "-"
        of = f"{float(rows[0]['max_points']):g}" if rows else "-"
        yield f"{assignment:16}{len(points):8}{unreadable:12}{middle:>15}{of:>6}"


def places(assignment: str) -> Iterator[tuple[object, str]]:
    """Yield up to six paths or commands, each with what it shows."""
    results = DEMO / "results" / assignment
    pages = sorted(DEMO.glob(f"feedback/*/{assignment}/{assignment}.html"))
    yield DEMO / "report.html", "the class: points, checks, mistakes"
    if pages:
        yield pages[0], "a student's feedback"
    yield results / "grades.csv", "points of each exercise"
    if not is_practice():
        yield results / "export", "the files to upload to Moodle"
    yield LOG, "the commands and their output"
    if not is_practice():
        yield "cd demo && PATH=../.venv/bin:$PATH jupyter lab", "formgrader (menu: Nbgrader)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignments", nargs="+")
    parser.add_argument("--students", type=int, default=12)
    parser.add_argument(
        "--release", nargs="*", default=[], help="assignments to release; none: all"
    )
    parser.add_argument("--grade", default="", help="more options of `grade`")
    options = parser.parse_args()
    if DEMO.exists() and not (DEMO / "nbgrader_config.py").is_file():
        print("make: demo/ exists and is not a demo. Move it away first.", file=sys.stderr)
        return 1
    Demo(options).play()
    print("", *table(options.assignments), sep="\n")
    if is_practice():
        print(f"\nNo sandbox works on this host, so this was practice. {LOG} says why.")
    print("\nWhere to look:")
    for path, content in places(options.assignments[0]):
        print(f"  {path}\n      {content}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
