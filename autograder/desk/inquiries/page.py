"""The page of whoever decides inquiries: the page for marking, with what the student doubts and what
verdicts say.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2

from autograder.classroom.blocks.html import as_html, load_templates
from autograder.classroom.blocks.verdict_blocks import ExerciseBlocks, verdict_blocks
from autograder.classroom.groups import Groups
from autograder.desk.inquiries.asked import find_answer
from autograder.desk.inquiries.deciders import decider, has_marked, read_markers
from autograder.desk.marking.answers import WrittenAnswer, read_answers
from autograder.desk.marking.marking_page import ODD
from autograder.desk.marking.page import CELLS, Track, write_page
from autograder.engine import Assignment, Verdict, plural, texts, verdicts
from autograder.gradebook.inquiries import Inquiry, Name, read_inquiries
from autograder.gradebook.lateness.late_policy import course_zone
from autograder.gradebook.pages.details import groups_of
from autograder.gradebook.sync.database import TRY_AGAIN, folders_of, open_session
from autograder.gradebook.sync.group_marks import AnswerMarks

MARKING = jinja2.PackageLoader("autograder.desk.marking")
TEMPLATES = load_templates("autograder.desk.inquiries", CELLS, MARKING)
TEMPLATES.filters |= {"lines": texts.printable_lines, "table": as_html, "time": texts.time_text}


@dataclass(frozen=True)
class InquiryList:
    """The inquiries about one assignment that one of a course's `markers` decides, and the page
    that shows them.
    """

    assignment: Assignment
    results: Path  # the folder of all results
    markers: Sequence[str]
    who: str = ""  # the marker who decides; "" for all inquiries

    def write(self, url: str, formgrader: str, track: Track = iter) -> Iterator[str]:
        """Write the page with the open inquiries that the marker decides; yield sentences on these,
        on how inquiries about what the marker has marked were answered, and on where the page is.
        Without any inquiry about the assignment, write no page.

        `url`: the gradebook's database; `formgrader`: its web address; `track`: a function that
        returns an iterator over its argument, and may show progress. Raises `AutograderError` if the
        gradebook cannot be read; `OSError` if a file cannot be read or written.
        """
        id, who, course = self.assignment.id, self.who, self.assignment.course
        zone = course_zone(course)
        if not (every := read_inquiries(self.results, id)):
            yield f"{id}: no inquiries. `inquiries add` records one."
            return
        groups = groups_of(folders_of(course), id)
        markers = read_markers(self.results, id, groups)
        marked = {name: markers.get(one.about, ()) for name, one in every.items()}
        decided_by = {name: decider(id, name, self.markers, marked) for name in every}
        waiting = [name for name, one in every.items() if not one.answer]
        mine = [name for name in waiting if not who or decided_by[name] == who]
        answers = self._asked(url, formgrader, [every[name] for name in mine], groups)
        shown = {one.name for one in answers if one.address}
        decided = [
            f"{', '.join(name)}: {one.answer.sentence(zone)}"
            for name, one in every.items()
            if one.answer and has_marked(who, name, marked)
        ]
        path = self._write(answers, track, every, decided=decided, marked=marked, zone=zone)
        count = plural(len(every), "inquiry", "inquiries")
        yield f"{id}: {count}, {len(waiting)} open{f'; {who} decides {len(mine)}' if who else ''}."
        for name in mine:
            by = decided_by[name] or "nobody: add a name to c.Marking.markers"
            lost = ", not in the gradebook"
            if name in [one.name for one in answers]:
                lost = "" if name in shown else ", about an answer that has been replaced since"
            when = texts.time_text(every[name].received, zone)
            yield f"  {', '.join(name)}, received on {when}, for {by}{lost}"
        yield from (f"  Answered, of what {who} marked: {one}" for one in decided)
        yield f"-> {path}"

    def _asked(
        self, url: str, formgrader: str, inquiries: Sequence[Inquiry], groups: Groups
    ) -> list[WrittenAnswer]:
        """Return the answers that these inquiries are about, under the names of the inquiries. An
        answer that has been replaced has no address in formgrader. The arguments, and what is
        raised, are as for `write`.
        """
        id, course = self.assignment.id, self.assignment.course
        with open_session(url, TRY_AGAIN) as session:
            answers = AnswerMarks(session, id)
        rows = {one.name: row for one in inquiries for row in find_answer(one, answers, groups)[:1]}
        wanted = {(row.student, name[1]) for name, row in rows.items()}
        read = read_answers(url, course, id, formgrader, wanted) if wanted else None
        current = {one.name: one for one in (read[0] if read else ())}
        found = []
        for (student, exercise), row in rows.items():
            if answer := current.get((row.student, exercise)):
                text = row.recorded.text if row.recorded else ""
                if not row.is_shown:
                    answer = replace(answer, text=text, attachments={}, address="")
                comment = row.given.comment
                found.append(replace(answer, student=student, cell=row.cell, comment=comment))
        return found

    def _write(
        self,
        answers: list[WrittenAnswer],
        track: Track,
        inquiries: Mapping[Name, Inquiry],
        **values: Any,
    ) -> Path:
        """Write the page with these answers of students; return its path. `values`: further ones
        for its template; `track`: as for `write`.
        """
        name = f"decide-{ODD.sub('-', self.who) or 'all'}.html"
        path = self.results / self.assignment.id / "inquiries" / name
        write_page(
            path,
            f"inquiries for {self.who}" if self.who else "inquiries",
            self.assignment,
            [[one] for one in answers],  # also equal answers are asked about one by one
            answers,
            blind=False,
            track=track,
            template=TEMPLATES.get_template("inquiries.html.jinja"),
            said={
                one.name: _said(self.results, self.assignment.id, inquiries[one.name].about)
                for one in answers
            },
            inquiries=inquiries,
            who=self.who,
            **values,
        )
        return path


def verdicts_of(results: Path, assignment_id: str, student: str) -> list[Verdict]:
    """Return the student's verdicts on the assignment: first the one that counts, then the others,
    the oldest first; [] if there is no verdict. `results`: the folder of all results.
    """
    newest = verdicts.read_verdict(results / assignment_id / f"{student}.json")
    if newest is None:
        return []
    every = [*verdicts.read_history(results, assignment_id, student), newest]
    counts = verdicts.counted_verdict(newest, every, verdicts.read_counted(results, assignment_id))
    return [counts, *(one for one in every if one is not counts)]


def _said(results: Path, assignment_id: str, name: Name) -> list[ExerciseBlocks]:
    """Return what the student's verdicts say of an exercise, for staff, in the order of
    `verdicts_of`; what several verdicts say alike is there once. `name`: student or group, and
    exercise.
    """
    said: list[ExerciseBlocks] = []
    for verdict in verdicts_of(results, assignment_id, name[0]):
        blocks = verdict_blocks(verdict, "staff").get(name[1])
        said += [blocks] if blocks and blocks not in said else []
    return said
