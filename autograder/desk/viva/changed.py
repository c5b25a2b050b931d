"""Questions on a line of the student's code that is changed or left out: what goes wrong then?

A change is a known mistake of the catalogue, made at the same place of the student's code, or a
statement left out. The changed code is graded in the sandbox, like the submission.
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
MOST_FAILED = 2  # checks that fail because of a change that is worth a question
MOST_TRIED = 12  # changes of one student's code, because each is graded
SEEDS = 1, 2  # of the hidden inputs: the same checks have to fail with both
LEFT_OUT = ast.Assign | ast.AugAssign | ast.Expr | ast.If
WORD = Pattern(r"\w+")


class CodeChange(NamedTuple):
    """A change of a place in a student's cell."""

    exercise: str
    source: str  # of the whole cell, with the change
    lines: range  # the changed lines of the student's cell, from 1
    text: str = ""  # the new text of these lines, "" if they are left out
    mistake: str = ""  # id of the known mistake, "" for none


class Effect(NamedTuple):
    """The failed checks and known mistakes of a verdict."""

    failed: dict[tuple[str, str], tuple[str, str]]  # by exercise and id: kind and sentence
    mistakes: dict[str, str]  # sentences by id


def changed_lines(
    grader: grading.Grader, submission: Submission, base: Graded
) -> Iterator[VivaQuestion]:
    """Yield questions on changes of a place in the student's code that make one or two passing
    checks give a wrong answer, the same checks with both seeds of the hidden inputs.

    At most MOST_TRIED changed submissions are graded. `base`: the unchanged submission, graded.
    """
    cells = {cell.id: cell.source for cell in submission.cells}
    answered = {run.exercise for run in base.runs if run.passed}
    possible = [change for id in answered for change in changes(grader.assignment, id, cells[id])]
    possible.sort(
        key=lambda change: files.digest_of(submission.student, change.exercise, change.source)
    )
    for change in by_turns(possible)[:MOST_TRIED]:
        changed = replace(
            submission, cells=[_with_change(cell, change) for cell in submission.cells]
        )
        effects = (_effect(replace(grader, seed=seed).grade_submission(changed)) for seed in SEEDS)
        if sentences := answer_of(change, _effect(base), effects):
            lines = shown(cells[change.exercise], change.lines)
            old_code = "".join(line.text.strip() for line in lines if line.marked)
            code = f"- {old_code}\n+ {without_comments(change.text)}" if change.text else ""
            sentence = ASKED.format("changed in this way" if change.text else "left out")
            yield VivaQuestion(KIND, change.exercise, sentence, lines, sentences, code)


def _with_change(cell: notebooks.Cell, change: CodeChange) -> notebooks.Cell:
    return replace(cell, source=change.source) if cell.id == change.exercise else cell


def changes(assignment: Assignment, exercise: str, source: str) -> Iterator[CodeChange]:
    """Yield each change of a single place in a cell: known mistakes that fit the student's code,
    and statements that can be left out. Only own lines inside functions are changed.

    `exercise`: its id. `source`: of the student's cell. Nothing is yielded if it is not Python.
    """
    shared, _ = read_operators(OPERATORS.read_text(encoding="utf-8"))
    known_mistakes = [
        _as_in_catalogue(assignment.solutions[exercise], source, mistake)
        for mistake in mistakes(assignment)
        if mistake.exercise == exercise and mistake.id not in shared and parsed(source).body
    ]
    own_numbers = own_lines(
        source, next(cell.source for cell in assignment.cells if cell.id == exercise)
    )
    solutions = {id: parsed(text).body for id, text in assignment.solutions.items()}
    other_code = [node for id, body in solutions.items() if id != exercise for node in body]
    parts = {node.name for node in other_code if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    lines = ["", *source.split("\n")]
    # a stand-in takes the place of other exercises' code, and its complaint about a wrong argument
    # says nothing about this exercise
    own_numbers = {number for number in own_numbers if not parts & set(WORD.findall(lines[number]))}
    possible = (*known_mistakes, *_left_out(exercise, source))
    yield from (change for change in possible if change and own_numbers.issuperset(change.lines))


def _left_out(exercise: str, source: str) -> Iterator[CodeChange]:
    """Yield the changes that replace a statement on lines of its own with `pass`."""
    lines = source.split("\n")
    for node in ast.walk(parsed(source)):
        if isinstance(node, LEFT_OUT) and not (isinstance(node, ast.If) and node.orelse):
            first, last = node.lineno, node.end_lineno or node.lineno
            indent, following = lines[first - 1][: node.col_offset], lines[last - 1]
            following = following.encode()[node.end_col_offset :].decode(errors="replace").strip()
            if not indent.strip() and (not following or following.startswith("#")):
                new_lines = [*lines[: first - 1], f"{indent}pass", *lines[last:]]
                yield CodeChange(exercise, "\n".join(new_lines), range(first, last + 1))


def _as_in_catalogue(solution: str, source: str, mistake: Mistake) -> CodeChange | None:
    """Return the change that makes this mistake in the student's cell `source`, as the catalogue
    makes it in `solution`. None if the code differs there or several lines would change.
    """
    changed = merge(solution, source, mistake.cells[0])
    if changed is None or not parsed(changed).body:
        return None
    old_lines, new_lines = source.split("\n"), changed.split("\n")
    steps = SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes()
    places = [step for step in steps if step[0] != "equal"]
    if len(places) != 1 or places[0][2] - places[0][1] != 1 or places[0][4] - places[0][3] > 1:
        return None
    _, start, end, first, last = places[0]
    text = "".join(new_lines[first:last]).strip()
    return CodeChange(mistake.exercise, changed, range(start + 1, end + 1), text, mistake.id)


def by_turns(possible: list[CodeChange]) -> list[CodeChange]:
    """Return the changes in an order in which exercises take turns. Of changes with the same
    source, only the last is kept.
    """
    different = list({change.source: change for change in possible}.values())
    of_each = {
        change.exercise: [
            other_change for other_change in different if other_change.exercise == change.exercise
        ]
        for change in possible
    }
    return sorted(different, key=lambda change: of_each[change.exercise].index(change))


def _effect(graded: Graded) -> Effect:
    failed = {
        (run.exercise, run.id): (run.kind, f"`{run.exercise}`: {run.result().sentence}")
        for run in graded.runs
        if not run.passed
    }
    named_mistakes = (mistake for result in graded.verdict.exercises for mistake in result.mistakes)
    return Effect(failed, {mistake.id: mistake.sentence for mistake in named_mistakes})


def answer_of(change: CodeChange, base: Effect, effects: Iterator[Effect]) -> list[str]:
    """Return the answer: a sentence on each known mistake that the change makes, and a sentence on
    the checks that fail because of it. Return [] if the change does not give a good question.

    `base`: without the change. `effects`: with it, for each seed, taken only as far as needed.
    """
    earlier_failures: list[dict] = []
    for effect in effects:
        new_failures = {
            id: failure for id, failure in effect.failed.items() if id not in base.failed
        }
        if not 1 <= len(new_failures) <= MOST_FAILED or any(
            kind != "wrong" for kind, _ in new_failures.values()
        ):
            return []
        new_mistakes = {
            id: sentence for id, sentence in effect.mistakes.items() if id not in base.mistakes
        }
        if (
            earlier_failures and new_failures.keys() != earlier_failures[0].keys()
        ) or not new_mistakes:
            return []
        if change.mistake not in ("", *new_mistakes):
            return []
        earlier_failures.append(new_failures)
    mistakes = [sentence for id, sentence in new_mistakes.items() if change.mistake in ("", id)]
    return answer(mistakes, (sentence for _, sentence in new_failures.values()))
