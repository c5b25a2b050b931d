"""Print what `grade` prints at its end: the table of the class, and lines on single students."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder._commands.terminal import Terminal
from autograder.classroom.run import ClassRun
from autograder.engine import Verdict, limits, plural, verdicts
from autograder.gradebook.commands.class_table import (
    class_table,
    identical_lines,
    note_lines,
    reason_lines,
    repair_lines,
)
from autograder.gradebook.commands.penalties import LateStudents

MOST_ROWS = 500  # of the table of a class; grades.csv has all
WIDTH = 130  # columns of the table of a class, where there is no terminal


def newest_summaries(run: ClassRun) -> list[verdicts.Summary]:
    """Return a summary of the newest verdict of each student, of this run or an earlier one, sorted
    by student.
    """
    found = [*run.unchanged, *run.written, *map(verdicts.summary_of, run.failed.values())]
    newest = {one.student: one for one in found}
    return sorted(newest.values(), key=lambda one: one.student)


def show_class(
    console: Terminal, run: ClassRun, summaries: list[verdicts.Summary], late: LateStudents
) -> None:
    """Print the table of the class; then lines on why students have no points, on repairs, on notes
    for staff, and on identical submissions.

    `summaries`: of all students; `late`: who is late.
    """
    table_verdicts = _in_table(run, summaries)
    console.print(
        class_table(run.settings.assignment, table_verdicts, console, late.lateness, late.unsaid)
    )
    if len(table_verdicts) < len(summaries):
        who = plural(len(summaries) - len(table_verdicts), "student is", "students are")
        say_group(console, [f"{who} in grades.csv, and not in this table."])
    for lines in (reason_lines, repair_lines, note_lines, identical_lines):
        say_group(console, lines(summaries))


def _in_table(run: ClassRun, summaries: list[verdicts.Summary]) -> list[Verdict]:
    """Return the verdicts to show in the table of the class: those that count of all students or, if there are
    more than MOST_ROWS, only the new ones, at most MOST_ROWS of them.
    """
    students = [one.student for one in summaries]
    if len(students) > MOST_ROWS:
        old = {one.student for one in run.unchanged}
        students = [student for student in students if student not in old][:MOST_ROWS]
    found = (run.failed.get(student) or run.results.verdict(student) for student in students)
    results = run.results.results
    counted = verdicts.read_counted(results, run.settings.assignment.id)
    return [
        verdicts.read_counted_verdict(results, verdict, counted) for verdict in found if verdict
    ]


def last_lines(run: ClassRun, table: Path, declined: bool, why: str) -> Iterator[str]:
    """Yield the sentences that end the output: how many verdicts are new or as they were, where
    they are, and whether they are only practice.

    `table`: the path of grades.csv; `declined`: whether the user did not want proposed verdicts to
    be written; `why`: why there is no sandbox, "" if there is one or the user wanted none.
    """
    if declined:
        count = len(run.proposed)
        yield f"{count} verdicts that were made again are not written: all is as it was."
    new = {one.student: one.state for one in run.written}
    new |= {student: one.state for student, one in run.failed.items()}
    states = Counter(new.values())
    unreadable, missing = states["unreadable"], states["not_graded"]
    words = [f"{states['graded']} graded"]
    words += [f"{unreadable} unreadable"] if unreadable else []
    words += [f"{len({one.student for one in run.unchanged} - new.keys())} as they were"]
    words += [f"{missing} not graded, for the reasons above: run again for them"] if missing else []
    yield f"{', '.join(words)}. Verdicts and table: {table.parent}/"
    if run.failed:
        yield "Of those that were graded before, the verdicts stay."
    if run.settings.sandbox == limits.PRACTICE:
        because = f" ({why})" if why else ""
        yield f"No walls{because}: these verdicts are practice, and no gradebook takes them."


def say_group(console: Terminal, sentences: Iterable[str]) -> None:
    """Print each sentence as a paragraph; on a terminal, print an empty line first."""
    group = list(sentences)
    if group and console.is_terminal:
        console.print()
    console.print_paragraphs(group)
