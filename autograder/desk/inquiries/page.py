"""The page for deciding inquiries: the page for marking, with the student's question and the
verdicts.
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
    """The inquiries about an assignment that a marker decides, and the page that shows them."""

    assignment: Assignment
    results: Path  # the folder of all results
    markers: Sequence[str]
    who: str = ""  # the marker who decides; "" for all inquiries

    def write(self, url: str, formgrader: str, track: Track = iter) -> Iterator[str]:
        """Write the page with the marker's open inquiries, unless the assignment has no inquiries.
        Yield sentences on these, on answers to inquiries about the marker's marks, and on the page.

        `url`: the gradebook's database. `formgrader`: its web address. `track`: returns an iterator
        over its argument, and may show progress. Raises `AutograderError` if the gradebook cannot
        be read, `OSError` if a file cannot be read or written.
        """
        id, marker, course = self.assignment.id, self.who, self.assignment.course
        zone = course_zone(course)
        if not (inquiries := read_inquiries(self.results, id)):
            yield f"{id}: no inquiries. `inquiries add` records one."
            return
        groups = groups_of(folders_of(course), id)
        markers = read_markers(self.results, id, groups)
        marked = {name: markers.get(inquiry.about, ()) for name, inquiry in inquiries.items()}
        decided_by = {name: decider(id, name, self.markers, marked) for name in inquiries}
        waiting = [name for name, inquiry in inquiries.items() if not inquiry.answer]
        mine = [name for name in waiting if not marker or decided_by[name] == marker]
        answers = self._asked(url, formgrader, [inquiries[name] for name in mine], groups)
        current = {answer.name for answer in answers if answer.address}
        decided = [
            f"{', '.join(name)}: {inquiry.answer.sentence(zone)}"
            for name, inquiry in inquiries.items()
            if inquiry.answer and has_marked(marker, name, marked)
        ]
        path = self._write(answers, track, inquiries, decided=decided, marked=marked, zone=zone)
        count = plural(len(inquiries), "inquiry", "inquiries")
        yield f"{id}: {count}, {len(waiting)} open{f'; {marker} decides {len(mine)}' if marker else ''}."
        for name in mine:
            decided_by_text = decided_by[name] or "nobody: add a name to c.Marking.markers"
            note = ", not in the gradebook"
            if name in [answer.name for answer in answers]:
                note = "" if name in current else ", about an answer that has been replaced since"
            received = texts.time_text(inquiries[name].received, zone)
            yield f"  {', '.join(name)}, received on {received}, for {decided_by_text}{note}"
        yield from (f"  Answered, of what {marker} marked: {sentence}" for sentence in decided)
        yield f"-> {path}"

    def _asked(
        self, url: str, formgrader: str, inquiries: Sequence[Inquiry], groups: Groups
    ) -> list[WrittenAnswer]:
        """Return the answers of these inquiries, under the names of the inquiries. A replaced
        answer has no address in formgrader. Raises the errors of `write`.
        """
        id, course = self.assignment.id, self.assignment.course
        with open_session(url, TRY_AGAIN) as session:
            answers = AnswerMarks(session, id)
        rows = {
            inquiry.name: row
            for inquiry in inquiries
            for row in find_answer(inquiry, answers, groups)[:1]
        }
        names = {(row.student, name[1]) for name, row in rows.items()}
        read = read_answers(url, course, id, formgrader, names) if names else None
        current = {answer.name: answer for answer in (read[0] if read else ())}
        asked_answers = []
        for (student, exercise), row in rows.items():
            if answer := current.get((row.student, exercise)):
                text = row.recorded.text if row.recorded else ""
                if not row.is_shown:
                    answer = replace(answer, text=text, attachments={}, address="")
                comment = row.given.comment
                asked_answers.append(
                    replace(answer, student=student, cell=row.cell, comment=comment)
                )
        return asked_answers

    def _write(
        self,
        answers: list[WrittenAnswer],
        track: Track,
        inquiries: Mapping[Name, Inquiry],
        **values: Any,
    ) -> Path:
        """Write the page with these answers. Return its path. `values`: further values for
        the template.
        """
        name = f"decide-{ODD.sub('-', self.who) or 'all'}.html"
        path = self.results / self.assignment.id / "inquiries" / name
        write_page(
            path,
            f"inquiries for {self.who}" if self.who else "inquiries",
            self.assignment,
            [[answer] for answer in answers],  # equal answers have separate inquiries
            answers,
            blind=False,
            track=track,
            template=TEMPLATES.get_template("inquiries.html.jinja"),
            said={
                answer.name: _said(self.results, self.assignment.id, inquiries[answer.name].about)
                for answer in answers
            },
            inquiries=inquiries,
            who=self.who,
            **values,
        )
        return path


def verdicts_of(results: Path, assignment_id: str, student: str) -> list[Verdict]:
    """Return the student's verdicts on the assignment: first the verdict that counts, then the
    others, the oldest first. `results`: the folder of all results.
    """
    newest = verdicts.read_verdict(results / assignment_id / f"{student}.json")
    if newest is None:
        return []
    all_verdicts = [*verdicts.read_history(results, assignment_id, student), newest]
    counts = verdicts.counted_verdict(
        newest, all_verdicts, verdicts.read_counted(results, assignment_id)
    )
    return [counts, *(verdict for verdict in all_verdicts if verdict is not counts)]


def _said(results: Path, assignment_id: str, name: Name) -> list[ExerciseBlocks]:
    """Return the different results of an exercise in a student's verdicts, as staff sees them, in
    the order of `verdicts_of`. `name`: student or group, and exercise.
    """
    results_shown: list[ExerciseBlocks] = []
    for verdict in verdicts_of(results, assignment_id, name[0]):
        blocks = verdict_blocks(verdict, "staff").get(name[1])
        results_shown += [blocks] if blocks and blocks not in results_shown else []
    return results_shown
