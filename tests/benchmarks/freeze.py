"""Write what users see into a folder, so that two versions of the code can be compared by `diff -r`.

    PYTHONPATH=.:tests python -m tests.benchmarks.freeze FOLDER [--students N]

Played are `make demo`, the invented semester with N students (13), and a class whose students submit the
attacks of the suite. FOLDER gets what the commands print, the verdicts, what the gradebooks hold, grades.csv,
pages and exports. Times, seeds, hashes, ids and folders are taken out, as they differ from run to run.
To freeze an older version, copy this file into a checkout of it and run it there.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from attacks.attack import ATTACKS, read_attack
from nbgrader.api import Gradebook
from semester.invented import write_material
from semester.played import Semester

from autograder import find_assignment
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.engine.courses import read_course

TOP = Path(__file__).parents[2]
SEED = "--seed", "7"
PROGRESS = re.compile(r"^ *\d+/\d+ .*\n", re.M)  # in the order in which workers finish
PASSING = re.compile(  # a time, with its zone; a duration or rate; a random id; a port
    r"\d{4}-\d\d-\d\d[T _]\d\d[:-]\d\d[:-]?[\d.]*(?: ?[+-]\d\d:?\d\d|Z| [A-Z]{3,4}\b)?"
    r"|\b\d\d:\d\d [A-Z]{3,4}\b"
    r"|\b\d[\d.,]* ?(?:s|ms|seconds?|minutes?|a second|per second|kB|MB|GB|MiB|GiB)\b"
    r"|\b[0-9a-f]{12,64}\b|/tmp/\S*?(?=[/\s'\"])|127\.0\.0\.1:\d+"
)
KINDS = ".json", ".csv", ".html", ".md", ".txt", ".console", ".py"
OWN = "release", "source", "moodle", "submitted", "material"  # what the played course is made of


class FrozenSemester(Semester):
    """A semester whose commands are written down with what they print."""

    console = ""

    def do(self, *words: object, statuses: tuple[int, ...] = (0,)) -> str:
        printed = super().do(*words, statuses=statuses)
        self.console += f"$ {' '.join(map(str, words))}\n{printed}"
        return printed


def play_demo(folder: Path) -> None:
    """Run `make demo` in this checkout, and keep what it printed."""
    done = subprocess.run(
        ["make", "-s", "demo"], cwd=TOP, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, done.stdout
    folder.mkdir()
    (folder / "demo.console").write_text(done.stdout)


def play_semester(folder: Path, students: int) -> None:
    """Play the semester to its end, ask for every table and page, and keep what was printed."""
    write_material(folder / "material", students)
    semester = FrozenSemester(folder / "material", folder / "course")
    semester.begin()
    for sheet, download in semester.downloads():
        semester.collect(sheet, download)
        semester.grade(sheet, *SEED)
        semester.give_back(sheet, download)
    semester.decide()
    results = semester.course / "results"
    for sheet, download in semester.downloads():
        semester.give_back(sheet, download)
        semester.do("report", results, "--assignment", sheet, "--out", folder / f"{sheet}.html")
        semester.do("export", results, "--assignment", sheet, "--format", "csv")
        semester.do("marking", "compare", "--assignment", sheet)
        semester.do("inquiries", "list", "--assignment", sheet)
        semester.do("look-alikes", results, "--assignment", sheet, statuses=(0, 1, 2))
    semester.do("status", statuses=(0, 1))
    for student in sorted({verdict.stem for verdict in results.glob("*/*.json")}):
        semester.do("show", student)
    (folder / "semester.console").write_text(semester.console)


def play_attacks(folder: Path) -> None:
    """Grade a class of which each student submits one attack."""
    course = read_course(TOP)
    for number, name in enumerate(sorted(ATTACKS)):
        attack = read_attack(name)
        assignment = find_assignment(attack.assignment, course)
        source = attack.source.replace("HOST_FILE", "/etc/hostname")
        sample = SampleSubmission(solutions(assignment) | {attack.cell: source}, "")
        write_submission(assignment, folder / "submitted" / f"a{number:03}" / assignment.id, sample)
    words = ["grade", folder / "submitted", "--results", folder / "results", "--no-gradebook"]
    done = subprocess.run(
        [sys.executable, "-m", "autograder", *map(str, words), *SEED, "--course", str(TOP)],
        cwd=TOP,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    (folder / "attacks.console").write_text(f"{done.stdout}exit status {done.returncode}\n")


def without_passing(text: str, played: Path) -> str:
    """Return a text without what differs from run to run."""
    text = text.replace(str(played), "PLAYED").replace(str(TOP), "CHECKOUT")
    return PASSING.sub("*", PROGRESS.sub("", text))


def frozen_verdict(text: str) -> str:
    """Return a verdict without its seconds, stamp and date, one value a line."""
    content = json.loads(text)
    if isinstance(content, dict):
        for field in ("seconds", "stamp", "graded_at"):
            content.pop(field, None)
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)


def gradebook_text(path: Path) -> str:
    """Return what a gradebook holds of each submission: points, penalty, and each cell's points."""
    lines = []
    with Gradebook(f"sqlite:///{path}") as book:
        for assignment in book.assignments:
            for submission in assignment.submissions:
                penalty = submission.late_submission_penalty
                head = f"{assignment.name} {submission.student.id}"
                lines.append(
                    f"{head} {submission.score:.4f} of {submission.max_score:g}, -{penalty}"
                )
                for notebook in submission.notebooks:
                    lines += [
                        f"{head} {grade.cell.name} {grade.auto_score} {grade.manual_score} "
                        f"{grade.extra_credit} {grade.needs_manual_grade}"
                        for grade in notebook.grades
                    ]
                    lines += [
                        f"{head} {comment.name}: {comment.auto_comment!r} {comment.manual_comment!r}"
                        for comment in notebook.comments
                        if comment.comment
                    ]
    return "\n".join(sorted(lines)) + "\n"


def freeze(played: Path, into: Path) -> None:
    """Copy what users see of a played folder, without what differs from run to run."""
    for file in sorted(played.rglob("*")):
        name = file.relative_to(played)
        if set(name.parts[:-1]) & {*OWN} or file.is_symlink() or not file.is_file():
            continue
        if file.name == "gradebook.db":
            text = gradebook_text(file)
        elif file.suffix in KINDS:
            text = file.read_text(encoding="utf-8", errors="replace")
            text = frozen_verdict(text) if file.suffix == ".json" else text
        else:
            continue
        target = into / without_passing(str(name), played)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(without_passing(text, played))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="a new folder for what is frozen")
    parser.add_argument("--students", type=int, default=13, help="of the semester")
    given = parser.parse_args()
    given.folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        played = Path(temporary)
        for name, play in {
            "demo": play_demo,
            "semester": lambda folder: play_semester(folder, given.students),
            "attacks": play_attacks,
        }.items():
            print(f"{name} ...", flush=True)
            play(played / name)
            freeze(played / name, given.folder / name)
    freeze(TOP / "demo", given.folder / "demo" / "course")


if __name__ == "__main__":
    main()
