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
    """The options on walls, as `sandbox_level` takes them."""

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
    where = find_course(course)
    folder, known = assignments_in(results, assignment)
    graded = {id: [path.stem for path in verdicts.verdict_files(folder / id)] for id in known}
    groups = CourseGroups(where.root, where.root / "submitted")
    chosen = {id: _of(student, there, groups.of(id)) for id, there in graded.items()}
    for id, there in chosen.items():
        if section is not None:
            people = read_people(roster) if roster else read_roster(groups.submitted, id).values()
            there = _in_section(section, there, groups.of(id), [*people])
        chosen[id] = there if sample is None else drawn(id, there, sample)
    if not (total := sum(map(len, chosen.values()))):
        return refuse(NOBODY if student is None else UNKNOWN.format(printable(student)))
    level, _ = sandbox_level(Sandbox(sandbox, unprotected), where, total)
    statuses = [OK]
    for id, there in chosen.items():
        settings = RunSettings(find_assignment(id, where), level)
        pages = _pages(folder, settings, there, groups.of(id))
        for said, status in with_progress(pages, id, len(there)):
            terminal.say(f"{id}: {said}")
            statuses.append(status if student or status == NOT_GRADED else OK)
    return worst(statuses)


def _in_section(section: str, ids: list[str], groups: Groups, people: list[Person]) -> list[str]:
    """Return the students, and the groups with a member, who are in this section."""
    return [
        id
        for id in ids
        if section.strip() in {section_of(member, people) for member in groups.members(id)}
    ]


def _of(student: str | None, graded: list[str], groups: Groups) -> list[str]:
    """Return those of the `graded` ids, of students and groups, under which the student has handed
    in, alone or as a member; all if `student` is None.
    """
    return [one for one in graded if student in (None, one, *groups.members(one))]


def drawn(id: str, students: list[str], percent: float) -> list[str]:
    """Return `percent` of the students, rounded up to a whole student, sorted. They are drawn by a
    hash of the assignment's `id` and each student, so that the choice does not change.
    """
    ordered = sorted(students, key=lambda one: files.digest_of("viva", id, one))
    return sorted(ordered[: ceil(len(ordered) * percent / 100)])


def _pages(
    folder: Path, settings: RunSettings, students: list[str], groups: Groups
) -> Iterator[tuple[str, int]]:
    """Write the page with the questions for each student or group; yield a sentence, which names
    the members of a group, and an exit status for
    each, also for one whose page cannot be made. Raise `SandboxError` if there are no walls,
    `GraderError` if a grader, the catalogue or `viva.md` has an error, `OSError` if a page cannot
    be written.

    `folder`: of all results; `groups`: those of the assignment.
    """
    # they import torch
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
            made = ask(grader, results, student)
            members = groups.by_id.get(student, [])
            path = write_page(folder, made, members)
            whose = f"{student}, of {name_some(members)}" if members else student
            yield f"{whose}: {plural(len(made.questions), 'question')} -> {path}", OK
        except GraderError:
            raise
        except AutograderError as error:
            yield str(error), error.status
