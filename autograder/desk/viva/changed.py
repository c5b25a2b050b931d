"""Questions on a line of the student's code that is changed or left out: what goes wrong then?

A change is one that the catalogue of known mistakes makes in the solution, where the student's code
is the same; or a statement is left out. Each is graded, behind the walls, as the submission is.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from typing import NamedTuple

from autograder.desk.viva.question import (
    VivaQuestion,
    answer,
    own_lines,
    parsed,
    shown,
    without_comments,
)
from autograder.engine import Assignment, Graded, Pattern, Submission, files, grading, notebooks
from autograder.mistakes.entries import read_operators
from autograder.mistakes.mistake import OPERATORS, Mistake, merge, mistakes

KIND = "a line that is changed or left out"
ASKED = "What goes wrong if the marked code is {}, and how would one notice?"
MOST_FAILED = 2  # checks, of a change that is worth a question
MOST_TRIED = 12  # changes of one student's code, each of which takes a verdict
SEEDS = 1, 2  # of the hidden inputs: what fails with one of them has to fail with the other
LEFT_OUT = ast.Assign | ast.AugAssign | ast.Expr | ast.If
WORD = Pattern(r"\w+")


class CodeChange(NamedTuple):
    """A change of one place in a student's cell: `source` is the whole cell with the change,
    `lines` are the numbers of the changed lines in the student's cell (from 1), `text` is what
    takes their place ("" if they are left out), `mistake` the id of the known mistake that it
    makes, "" for none.
    """

    exercise: str
    source: str  # of the whole cell, with the change
    lines: range  # of the student's cell, from 1
    text: str = ""  # what stands there instead, "" if it is left out
    mistake: str = ""  # the id of the known mistake that it makes


class Effect(NamedTuple):
    """What is wrong in a verdict: `failed`, the checks that fail, by exercise and id, each with the
    kind of its failure and a sentence; `mistakes`, the sentence on each known mistake that is
    named, by id.
    """

    failed: dict[tuple[str, str], tuple[str, str]]  # by exercise and id, the kind and a sentence
    mistakes: dict[str, str]  # by id


def changed_lines(
    grader: grading.Grader, submission: Submission, base: Graded
) -> Iterator[VivaQuestion]:
    """Yield questions on changes of one place in the student's code that are known mistakes, and
    make one or two checks fail which pass without the change. They fail by a wrong answer, and the
    same ones with each of two seeds of the hidden inputs.

    At most MOST_TRIED changes are tried, each by grading the changed submission. `base`: the
    unchanged submission, graded.
    """
    cells = {cell.id: cell.source for cell in submission.cells}
    answered = {run.exercise for run in base.runs if run.passed}
    found = [one for id in answered for one in changes(grader.assignment, id, cells[id])]
    found.sort(key=lambda one: files.digest_of(submission.student, one.exercise, one.source))
    for change in by_turns(found)[:MOST_TRIED]:
        made = replace(submission, cells=[_with_change(one, change) for one in submission.cells])
        effects = (_effect(replace(grader, seed=seed).grade_submission(made)) for seed in SEEDS)
        if said := answer_of(change, _effect(base), effects):
            lines = shown(cells[change.exercise], change.lines)
            old = "".join(line.text.strip() for line in lines if line.marked)
            code = f"- {old}\n+ {without_comments(change.text)}" if change.text else ""
            sentence = ASKED.format("changed in this way" if change.text else "left out")
            yield VivaQuestion(KIND, change.exercise, sentence, lines, said, code)


def _with_change(cell: notebooks.Cell, change: CodeChange) -> notebooks.Cell:
    return replace(cell, source=change.source) if cell.id == change.exercise else cell


def changes(assignment: Assignment, exercise: str, source: str) -> Iterator[CodeChange]:
    """Yield each change of one place in a cell: known mistakes of this exercise that can be made in
    the student's code, and statements that can be left out. Only lines inside functions are
    changed, and none that the release has; nothing is yielded if the cell is no Python.

    Lines that name a class or function of another exercise are left out: a stand-in takes its
    place, and its complaint about a wrong argument is not the part's. `exercise`: its id; `source`:
    of the student's cell.
    """
    shared, _ = read_operators(OPERATORS.read_text(encoding="utf-8"))
    made = [
        _as_in_catalogue(assignment.solutions[exercise], source, one)
        for one in mistakes(assignment)
        if one.exercise == exercise and one.id not in shared and parsed(source).body
    ]
    own = own_lines(source, next(one.source for one in assignment.cells if one.id == exercise))
    solutions = {id: parsed(text).body for id, text in assignment.solutions.items()}
    others = [node for id, body in solutions.items() if id != exercise for node in body]
    parts = {node.name for node in others if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    lines = ["", *source.split("\n")]
    own = {number for number in own if not parts & set(WORD.findall(lines[number]))}
    found = (*made, *_left_out(exercise, source))
    yield from (one for one in found if one and own.issuperset(one.lines))


def _left_out(exercise: str, source: str) -> Iterator[CodeChange]:
    """Yield, for each statement that stands in lines of its own, the change that leaves it out:
    `pass` takes its place. Such statements are assignments, expressions, and an `if` without
    `else`.
    """
    lines = source.split("\n")
    for node in ast.walk(parsed(source)):
        if isinstance(node, LEFT_OUT) and not (isinstance(node, ast.If) and node.orelse):
            first, last = node.lineno, node.end_lineno or node.lineno
            before, after = lines[first - 1][: node.col_offset], lines[last - 1]
            after = after.encode()[node.end_col_offset :].decode(errors="replace").strip()
            if not before.strip() and (not after or after.startswith("#")):
                made = [*lines[: first - 1], f"{before}pass", *lines[last:]]
                yield CodeChange(exercise, "\n".join(made), range(first, last + 1))


def _as_in_catalogue(solution: str, source: str, mistake: Mistake) -> CodeChange | None:
    """Return the change that makes this known mistake in `source`, the student's cell, as it is
    made in `solution`, the solution's cell. None if the student's code is another one at that
    place, or if more than one line would change.
    """
    made = merge(solution, source, mistake.cells[0])
    if made is None or not parsed(made).body:
        return None
    old, new = source.split("\n"), made.split("\n")
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    places = [one for one in steps if one[0] != "equal"]
    if len(places) != 1 or places[0][2] - places[0][1] != 1 or places[0][4] - places[0][3] > 1:
        return None
    _, start, end, first, last = places[0]
    text = "".join(new[first:last]).strip()
    return CodeChange(mistake.exercise, made, range(start + 1, end + 1), text, mistake.id)


def by_turns(found: list[CodeChange]) -> list[CodeChange]:
    """Return the changes in such an order that the exercises take turns; of changes that result in
    the same source, only the last is kept.
    """
    different = list({one.source: one for one in found}.values())
    of_each = {
        one.exercise: [two for two in different if two.exercise == one.exercise] for one in found
    }
    return sorted(different, key=lambda one: of_each[one.exercise].index(one))


def _effect(graded: Graded) -> Effect:
    failed = {
        (run.exercise, run.id): (run.kind, f"`{run.exercise}`: {run.result().sentence}")
        for run in graded.runs
        if not run.passed
    }
    named = (one for result in graded.verdict.exercises for one in result.mistakes)
    return Effect(failed, {one.id: one.sentence for one in named})


def answer_of(change: CodeChange, base: Effect, effects: Iterator[Effect]) -> list[str]:
    """Return the answer to "what goes wrong, and how would one notice?": a sentence on each known
    mistake that the change makes, and one on the checks that fail because of it. [] if the change
    gives no good question: no check fails or too many do, one fails otherwise than by a wrong
    answer, no mistake is named, or not the one that was made, or other checks fail with another
    seed.

    `base`: what is wrong without the change; `effects`: what is wrong with it, one for each seed,
    taken only as far as needed.
    """
    found: list[dict] = []
    for effect in effects:
        new = {id: one for id, one in effect.failed.items() if id not in base.failed}
        if not 1 <= len(new) <= MOST_FAILED or any(kind != "wrong" for kind, _ in new.values()):
            return []
        why = {id: one for id, one in effect.mistakes.items() if id not in base.mistakes}
        if (found and new.keys() != found[0].keys()) or not why:
            return []
        if change.mistake not in ("", *why):
            return []
        found.append(new)
    mistakes = [one for id, one in why.items() if change.mistake in ("", id)]
    return answer(mistakes, (sentence for _, sentence in new.values()))
