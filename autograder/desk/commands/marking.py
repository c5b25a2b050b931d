"""`marking`: split answers among tutors, have some marked twice, and compare the marks."""

from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command
from autograder._commands.options import PartOf, in_course, of_gradebook
from autograder.desk.commands.marked_by_hand import (
    FORMGRADER,
    answers_in_gradebook,
    by_student_or_answer,
    formgrader_address,
    give_members_their_groups_marks,
    gradebook_url,
    into_folder,
    marking_folder,
    one_assignment,
    say_compared,
    some_twice,
    track_pages,
)
from autograder.desk.commands.marking_page import enter, page
from autograder.desk.marking.copies import about_copies, give_marks, plan_copies
from autograder.desk.marking.enter_marks import with_pages
from autograder.desk.marking.second_marks import compare_marks, read_second
from autograder.desk.marking.shares import Share, about_share
from autograder.engine import courses, find_assignment, find_course, grading, plural


@click.group("marking", no_args_is_help=False)
def marking() -> None:
    """Say what waits to be marked by hand, split it among tutors, and compare second marks.

    Points are given on a page of `marking page`, or in formgrader. What is written here is for staff: it holds answers, schemes and
    marks.
    """


marking.add_command(page)
marking.add_command(enter)


@marking.command(
    "list",
    short_help="what is open, as tables and pages for tutors",
    cls=Command,
    statuses={OK: "written", FAILED: "the gradebook or a file cannot be used"},
)
@one_assignment
@click.option("--for", "part", type=PartOf(), help="for tutor K of N, such as 2/5 (one for all)")
@by_student_or_answer
@some_twice
@into_folder
@click.option(
    "--formgrader",
    "address",
    metavar="URL",
    help="for the links: the address that your browser shows when formgrader is open (that of this "
    f"JupyterHub, or {FORMGRADER})",
)
@in_course
@of_gradebook
def list_open(
    named: str | None,
    part: tuple[int, int] | None,
    by: str,
    percent: float,
    out: Path | None,
    address: str | None,
    course: Path | None,
    gradebook: str | None,
) -> int:
    """Write what a tutor has to mark: a table with links into formgrader, and a page with the answers
    beside their scheme, equal answers together.

    Shares are even, and most students stay with their tutor when others come or go. With --second, the answers
    that somebody else marks once more get a table and a page of their own, without the first marks:
    the tutor fills in `points` and hands the table to `marking compare`. What was filled in stays
    when this is run again.
    """
    formgrader = formgrader_address(address)
    found_course = find_course(course)
    tutor, tutors = part or (1, 1)
    for assignment, answers, unread in answers_in_gradebook(
        found_course, named, gradebook, formgrader
    ):
        share = Share(assignment, answers, tutor, tutors, by, percent)
        paths, filled_in = share.write(marking_folder(out, assignment, named), track_pages)
        terminal.say(*about_share(share, unread, filled_in), *(f"-> {path}" for path in paths))
    return OK


@marking.command(
    "compare",
    short_help="second marks beside the first ones",
    cls=Command,
    statuses={OK: "compared", FAILED: "some rows hold no mark, or the gradebook cannot be used"},
)
@click.argument(
    "tables",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    nargs=-1,
    metavar="[TABLE]...",
)
@one_assignment
@in_course
@of_gradebook
def compare(
    tables: tuple[Path, ...], named: str | None, course: Path | None, gradebook: str | None
) -> int:
    """Compare the second marks that were entered from marking pages, and those in each TABLE that
    `marking list --second` wrote, with the first ones, which the gradebook has.

    For each exercise: the mean of second minus first, how many pairs are within half a point, and
    from 20 pairs on Cohen's kappa with squared weights and its 95 % interval (1: they agree, 0: as
    if by chance). Then the pairs that are further apart. Nothing is changed.
    """
    found_course = find_course(course)
    rows = [row for path in dict.fromkeys(tables) for row in read_second(path)[1]]
    of_tables = {row["assignment"] for _, row in rows}
    ids = (
        [find_assignment(named, found_course).id]
        if named
        else of_tables | {*courses.assignments(found_course)}
    )
    status, has_marks = OK, False
    for id in sorted(ids):
        id_rows = [numbered for numbered in rows if numbered[1]["assignment"] == id]
        all_rows = with_pages(id_rows, found_course.root / grading.RESULTS, id)
        for _, answers, _ in (
            answers_in_gradebook(found_course, id, gradebook, FORMGRADER) if all_rows else ()
        ):
            compared = compare_marks(id, all_rows, answers)
            say_compared(compared)
            status, has_marks = FAILED if compared.damaged else status, True
    if not has_marks:
        terminal.say(
            "No second marks: --second 10% of `marking page` and `marking list` asks for them."
        )
    return status


@marking.command(
    "copy-marks",
    short_help="give a mark to equal answers that have none",
    cls=Command,
    statuses={OK: "done", FAILED: "the gradebook or a file cannot be used"},
)
@one_assignment
@click.option("--comments", is_flag=True, help="copy comments as well, where there are none")
@click.option("--yes", is_flag=True, help="without being asked")
@in_course
@of_gradebook
def copy_marks(
    named: str | None,
    comments: bool,
    yes: bool,
    course: Path | None,
    gradebook: str | None,
) -> int:
    """Give each open answer the points of an equal one that a person has marked.

    Equal is what differs in blanks and ends of lines at most. A mark that a person gave stays, also
    where the answer has changed since; equal answers with different marks are named, and nothing is
    copied from them.
    """
    found_course = find_course(course)
    url = gradebook_url(found_course, gradebook)
    for assignment, answers, _ in answers_in_gradebook(found_course, named, gradebook, FORMGRADER):
        copies, differing = plan_copies(answers)
        equal_count = plural(len(copies), "open answer equals", "open answers equal")
        terminal.say(f"{assignment.id}: {equal_count} a marked one.", *differing)
        question = f"Copy {plural(len(copies), 'mark')}?"
        if copies and terminal.agreed(about_copies(copies), question, yes):
            terminal.say(f"Copied: {len(give_marks(url, copies, comments))}.")
            give_members_their_groups_marks(found_course, url, assignment.id)
    return OK
