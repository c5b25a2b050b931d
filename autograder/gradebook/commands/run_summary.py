"""Print the end of a run of `grade`: the table of the class, and lines on single students."""

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
    """Return the newest summary of each student, from any run, sorted by student."""
    summaries = [*run.unchanged, *run.written, *map(verdicts.summary_of, run.failed.values())]
    by_student = {summary.student: summary for summary in summaries}
    return sorted(by_student.values(), key=lambda summary: summary.student)


def show_class(
    console: Terminal, run: ClassRun, summaries: list[verdicts.Summary], late: LateStudents
) -> None:
    """Print the table of the class, and lines on single students and identical submissions."""
    table_verdicts = _in_table(run, summaries)
    console.print(
        class_table(run.settings.assignment, table_verdicts, console, late.lateness, late.unsaid)
    )
    if len(table_verdicts) < len(summaries):
        students = plural(len(summaries) - len(table_verdicts), "student is", "students are")
        say_group(console, [f"{students} in grades.csv, and not in this table."])
    for lines in (reason_lines, repair_lines, note_lines, identical_lines):
        say_group(console, lines(summaries))


def _in_table(run: ClassRun, summaries: list[verdicts.Summary]) -> list[Verdict]:
    """Return the counted verdicts for the table. For large classes, only some new verdicts."""
    students = [summary.student for summary in summaries]
    if len(students) > MOST_ROWS:
        unchanged = {summary.student for summary in run.unchanged}
        students = [student for student in students if student not in unchanged][:MOST_ROWS]
    newest = (run.failed.get(student) or run.results.verdict(student) for student in students)
    results = run.results.results
    counted = verdicts.read_counted(results, run.settings.assignment.id)
    return [
        verdicts.read_counted_verdict(results, verdict, counted) for verdict in newest if verdict
    ]


def last_lines(run: ClassRun, table: Path, declined: bool, reason: str) -> Iterator[str]:
    """Yield the sentences that end the output: the number of verdicts by state, their folder, and
    whether they are practice.

    `table`: path of grades.csv. `declined`: whether the user declined to write proposed verdicts.
    `reason`: the reason for the missing sandbox, "" if there is a sandbox or the user switched it
    off.
    """
    if declined:
        count = len(run.proposed)
        yield f"{count} verdicts that were made again are not written: all is as it was."
    states_by_student = {summary.student: summary.state for summary in run.written}
    states_by_student |= {student: verdict.state for student, verdict in run.failed.items()}
    states = Counter(states_by_student.values())
    unreadable, not_graded = states["unreadable"], states["not_graded"]
    words = [f"{states['graded']} graded"]
    words += [f"{unreadable} unreadable"] if unreadable else []
    words += [
        f"{len({summary.student for summary in run.unchanged} - states_by_student.keys())} as they were"
    ]
    words += (
        [f"{not_graded} not graded, for the reasons above: run again for them"]
        if not_graded
        else []
    )
    yield f"{', '.join(words)}. Verdicts and table: {table.parent}/"
    if run.failed:
        yield "Of those that were graded before, the verdicts stay."
    if run.settings.sandbox == limits.PRACTICE:
        because = f" ({reason})" if reason else ""
        yield f"No walls{because}: these verdicts are practice, and no gradebook takes them."


def say_group(console: Terminal, sentences: Iterable[str]) -> None:
    """Print each sentence as a paragraph, after an empty line on a terminal."""
    group = list(sentences)
    if group and console.is_terminal:
        console.print()
    console.print_paragraphs(group)
