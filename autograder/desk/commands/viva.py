"""`viva`: questions on students' own code, for an oral exam, with their answers."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import NamedTuple

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, NOT_GRADED, OK, USAGE, Command, refuse, worst
from autograder._commands.options import PATH, Percent, in_course, of_results, one_in_results
from autograder._commands.progress import with_progress
from autograder.classroom.groups import CourseGroups, Groups
from autograder.classroom.identify import section_of
from autograder.classroom.roster import Person, read_people, read_roster
from autograder.engine import (
    AutograderError,
    GraderError,
    ResultsFolder,
    RunSettings,
    files,
    find_assignment,
    find_course,
    limits,
    name_some,
    plural,
    printable,
    verdicts,
)
from autograder.gradebook.commands.without_walls import sandbox_level, sandbox_options
from autograder.gradebook.grades import assignments_in

NOBODY = "Nobody with a verdict is chosen: look at the roster's column `section`, and at --sample."
UNKNOWN = "No student with the id `{}` has a verdict: `grade` makes one, and `show` knows names."


class Sandbox(NamedTuple):
    """The options on the sandbox, for `sandbox_level`."""

    sandbox: str
    unprotected: bool
    scheduler: str | None = None


@click.command(
    "viva",
    cls=Command,
    statuses={
        OK: "written",
        FAILED: "a page could not be written",
        USAGE: "wrong usage, or nobody is chosen who has a verdict",
        NOT_GRADED: "some code could not be run: run again",
    },
)
@click.argument("student", required=False, metavar="[STUDENT]", help="id, of a group's member too")
@click.option("--section", metavar="NAME", help="all students of this section of the roster")
@click.option("--sample", type=Percent(), help="a share of all, or of the section, such as 10%")
@one_in_results
@of_results
@click.option(
    "--roster",
    type=PATH,
    metavar="CSV",
    help="with a column `section` (what `collect` wrote into the course's submitted/)",
)
@sandbox_options
@in_course
def viva(
    student: str | None,
    section: str | None,
    sample: float | None,
    assignment: str | None,
    results: Path,
    roster: Path | None,
    sandbox: str,
    unprotected: bool,
    course: Path | None,
) -> int:
    """Write three to five questions on a student's own code, with their answers, for a tutor to ask.

    One page a student, RESULTS/<assignment>/viva/<student>.html. The answers are found by running
    the code that was graded, behind the walls. Nothing of it counts.
    """
    if (student is None) == (section is None and sample is None):
        raise click.UsageError("say which students: STUDENT, or --section or --sample")
    limits.refuse_elsewhere(sandbox)
    found_course = find_course(course)
    folder, ids = assignments_in(results, assignment)
    graded = {id: [path.stem for path in verdicts.verdict_files(folder / id)] for id in ids}
    groups = CourseGroups(found_course.root, found_course.root / "submitted")
    chosen = {id: _of(student, students, groups.of(id)) for id, students in graded.items()}
    for id, students in chosen.items():
        if section is not None:
            people = read_people(roster) if roster else read_roster(groups.submitted, id).values()
            students = _in_section(section, students, groups.of(id), [*people])
        chosen[id] = students if sample is None else drawn(id, students, sample)
    if not (total := sum(map(len, chosen.values()))):
        return refuse(NOBODY if student is None else UNKNOWN.format(printable(student)))
    level, _ = sandbox_level(Sandbox(sandbox, unprotected), found_course, total)
    statuses = [OK]
    for id, students in chosen.items():
        settings = RunSettings(find_assignment(id, found_course), level)
        pages = _pages(folder, settings, students, groups.of(id))
        for sentence, status in with_progress(pages, id, len(students)):
            terminal.say(f"{id}: {sentence}")
            statuses.append(status if student or status == NOT_GRADED else OK)
    return worst(statuses)


def _in_section(section: str, ids: list[str], groups: Groups, people: list[Person]) -> list[str]:
    """Return the students of this section, and groups with such a member."""
    return [
        id
        for id in ids
        if section.strip() in {section_of(member, people) for member in groups.members(id)}
    ]


def _of(student: str | None, graded: list[str], groups: Groups) -> list[str]:
    """Return the ids of the student's submissions, alone or with a group. Without `student`, return
    all.
    """
    return [
        submitter
        for submitter in graded
        if student in (None, submitter, *groups.members(submitter))
    ]


def drawn(id: str, students: list[str], percent: float) -> list[str]:
    """Return `percent` of the students, rounded up and sorted. Hashes choose them, so the choice
    does not change.
    """
    ordered = sorted(students, key=lambda student: files.digest_of("viva", id, student))
    return sorted(ordered[: ceil(len(ordered) * percent / 100)])


def _pages(
    folder: Path, settings: RunSettings, students: list[str], groups: Groups
) -> Iterator[tuple[str, int]]:
    """Write the page for each student or group. Yield a sentence with its members and an exit
    status, even if a page cannot be made. Raises `SandboxError` without a sandbox, `GraderError` if
    a grader, the catalogue or `viva.md` has an error, `OSError` if a page cannot be written.

    `folder`: of all results. `groups`: those of the assignment.
    """
    # imported here, because they import torch
    from autograder.desk.viva.ask import ask
    from autograder.desk.viva.page import write_page
    from autograder.engine import grading
    from autograder.mistakes.exercises import diagnose_exercises

    results = ResultsFolder(folder, settings.assignment)
    if not students:
        return
    grader = grading.prepare(settings, explain=diagnose_exercises)
    for student in students:
        try:
            student_viva = ask(grader, results, student)
            members = groups.by_id.get(student, [])
            path = write_page(folder, student_viva, members)
            submitter = f"{student}, of {name_some(members)}" if members else student
            yield f"{submitter}: {plural(len(student_viva.questions), 'question')} -> {path}", OK
        except GraderError:
            raise
        except AutograderError as error:
            yield str(error), error.status
