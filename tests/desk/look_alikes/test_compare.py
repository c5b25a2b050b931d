"""A class compared: copies are found in all disguises, and nobody else is told.

The figures are those of the repository's own independent solutions: twenty whole sheets, each in a
style of its own.
"""

import random
import time
from collections.abc import Iterable
from functools import cache
from itertools import product

import numpy as np
import pytest
from planted_copies import all_at_once, commented, half, reformatted, renamed, reordered
from sampling import every
from writers import sheets, writer

from autograder import find_assignment
from autograder.authoring.variants import variants
from autograder.desk.look_alikes.answers import Reader, Writer
from autograder.desk.look_alikes.compare import Comparison, compare
from autograder.desk.look_alikes.shares import LEAST, TOGETHER, UNKNOWN, by_chance
from autograder.desk.look_alikes.tokens import MOST_WORDS
from autograder.engine import Submission
from autograder.engine.notebooks.reader import SubmittedCell
from autograder.engine.notebooks.submission import repair

pytestmark = pytest.mark.slow


@cache
def reader_of(assignment) -> Reader:
    return Reader(assignment)


def of(assignment, students: dict) -> list[Writer]:
    return [writer(reader_of(assignment), name, cells) for name, cells in students.items()]


def in_order(assignment) -> list[str]:
    return [cell.id for cell in assignment.cells]


def compared(assignment, students: dict) -> Comparison:
    return compare(of(assignment, students), in_order(assignment))


def told(found: Comparison) -> set[frozenset[str]]:
    return {frozenset(one.pair.students) for one in found.found}


def with_a_copy(assignment, name: str, disguise, exercises=None) -> dict[str, dict[str, str]]:
    """The class of sheets, in which one more student copied one of them. The rest of what this student
    wrote is of an author who is not in the class.
    """
    them = sheets(assignment)
    names = list(them)
    own = them.pop(names[(names.index(name) + 7) % len(names)])
    copied = {
        exercise: disguise(cell, own[exercise])
        for exercise, cell in them[name].items()
        if exercises is None or exercise in exercises
    }
    return them | {"copied": own | copied}


def found_and_others(assignment, disguise, exercises=None) -> tuple[int, int, int]:
    """Of how many copies there were how many were told, and how many other pairs."""
    names = list(sheets(assignment))[::2]
    found = others = 0
    for name in names:
        students = with_a_copy(assignment, name, disguise, exercises)
        pairs = told(compared(assignment, students))
        found += {name, "copied"} in pairs
        others += len(pairs - {frozenset((name, "copied"))})
    return len(names), found, others


def test_no_pair_of_independent_sheets_is_told(assignment):
    found = compared(assignment, sheets(assignment))
    assert found.compared == len(sheets(assignment)) and not found.found and not found.identical


def test_no_pair_of_independent_solutions_of_one_exercise_is_told(course):
    other = find_assignment("layer-norm", course)
    students = {one.path: one.cells for one in variants(other)}
    assert len(students) > 60 and not compared(other, students).found


PADDING = ["\n" * 150_000, "#" * 150_000 + "\n", " \n" * 70_000]


@pytest.mark.parametrize("padding", PADDING, ids=["lines", "a comment", "blanks"])
def test_a_copy_does_not_hide_behind_what_is_nothing(assignment, padding):
    them = sheets(assignment)
    copy = {name: padding + cell for name, cell in them["java"].items()}
    found = compared(assignment, them | {"copy": copy})
    assert told(found) == {frozenset(("java", "copy"))} and found.cut == []


@pytest.mark.long
def test_who_wrote_so_much_that_only_its_beginning_is_compared_is_told(assignment):
    them = sheets(assignment)
    junk = "".join(f"x{number} = {number}\n" for number in range(MOST_WORDS // 3 + 1))
    copy = {name: junk + cell for name, cell in them["java"].items()}
    assert compared(assignment, them | {"copy": copy}).cut == ["copy"]


@pytest.mark.parametrize(
    "disguise",
    every(5, [all_at_once, commented, reformatted, renamed, reordered]),
    ids=lambda one: one.__name__,
)
def test_a_copied_sheet_is_found_in_every_disguise(assignment, disguise):
    copies, found, others = found_and_others(assignment, disguise)
    assert found == copies == 10 and others <= 1


def in_own_cells(assignment, student: str, cells: Iterable[str]) -> Writer:
    """A student whose solution cells are as they were released, with these cells behind all of them."""
    released = [SubmittedCell(one.kind, one.source, one.id, one.id) for one in assignment.cells]
    own = [SubmittedCell("code", cell, None, None) for cell in cells]
    submission = repair(assignment, released + own)
    return reader_of(assignment).written(Submission(submission.cells, student))


@pytest.mark.parametrize("together", [False, True], ids=["a cell each", "all in one cell"])
@pytest.mark.parametrize(
    "disguise", every(3, [all_at_once, commented, renamed]), ids=lambda one: one.__name__
)
def test_a_copied_sheet_in_own_cells_is_found(disguise, together, assignment):
    them = sheets(assignment)
    for name in ("java", "nano_gpt", "einops_everywhere"):
        copies = [disguise(cell) for cell in them[name].values()]
        writers = of(assignment, them)
        cells = ["\n\n".join(copies)] if together else copies
        writers.append(in_own_cells(assignment, "copied", cells))
        found = compare(writers, in_order(assignment))
        assert {name, "copied"} in told(found) and len(found.found) <= 2 and not found.empty


def test_what_is_handed_in_in_own_cells_by_itself_is_not_told(assignment):
    them = sheets(assignment)
    writers = [in_own_cells(assignment, name, cells.values()) for name, cells in them.items()]
    found = compare(writers, in_order(assignment))
    assert found.compared == len(sheets(assignment)) and not found.found and not found.empty


def test_half_of_a_sheet_is_found_mostly(assignment):
    copies, found, others = found_and_others(assignment, half)
    assert found >= 0.6 * copies and others <= 2


def test_in_a_small_class_half_of_a_sheet_is_mostly_found_by_what_independent_solutions_share(
    assignment,
):
    them = dict(list(sheets(assignment).items())[:6])
    others = [one.cells for one in variants(assignment) if len(one.cells) == 1]
    independent = Reader(assignment, others).independent
    ids = in_order(assignment)
    assert not compare(of(assignment, them), ids, independent).found
    hits = 0
    for own, name in product(list(sheets(assignment).values())[12:16:3], list(them)[:3]):
        copied = {id: half(cell, own[id]) for id, cell in them[name].items()}
        found = told(compare(of(assignment, them | {"copied": copied}), ids, independent))
        assert found <= {frozenset((name, "copied"))}
        hits += len(found)
    assert hits >= 5  # of six


@pytest.mark.parametrize("exercise", ["attention", "encoder_layer", "encoder"])
def test_one_copied_cell_is_found(assignment, exercise):
    copies, found, others = found_and_others(assignment, all_at_once, [exercise])
    assert found >= 0.9 * copies and others <= 1


def test_a_short_exercise_is_alike_by_necessity(assignment):
    """Two of the twenty sheets have the same three lines: that says nothing about anybody, and a copy
    is listed in the one class alone in which one of these two is not.
    """
    found = compared(assignment, sheets(assignment))
    assert found.chances["feed_forward"] == 1 > found.chances["attention"]
    _, found_too, _ = found_and_others(assignment, renamed, ["feed_forward"])
    assert found_too <= 1


def test_a_class_that_follows_one_book_is_not_accused(assignment):
    """All write the solution of the book, and each changes some lines of it."""
    dice = random.Random(5)
    pool = [cell for one in variants(assignment) for cell in one.cells.values()]
    lines = [line for cell in pool for line in cell.splitlines()]

    def changed(cell: str) -> str:
        own = cell.splitlines()
        for place in dice.sample(range(len(own)), len(own) // 4):
            own[place] = dice.choice(lines)
        return "\n".join(own)

    students = {
        f"s{number:02}": {name: changed(cell) for name, cell in assignment.solutions.items()}
        for number in range(30)
    }
    found = compared(assignment, students)
    assert len(found.found) <= 1
    students["copied"] = {name: renamed_text(cell) for name, cell in students["s07"].items()}
    pairs = told(compared(assignment, students))
    assert {"s07", "copied"} in pairs and len(pairs) <= 2


def renamed_text(cell: str) -> str:
    """Another name for a variable, in code that cannot be parsed."""
    return cell.replace("scores", "result").replace("query", "q").replace("mask_future", "causal")


def test_a_pair_is_named_by_what_stands_out_most(assignment):
    """All exercises together, and where only one was copied, that one."""
    for exercises, where in ((None, TOGETHER), (["encoder_layer"], "encoder_layer")):
        students = with_a_copy(assignment, "nano_gpt", renamed, exercises)
        (one,) = compared(assignment, students).found
        assert one.most == where and one.pair.share > one.pair.by_chance


@pytest.mark.parametrize("count", range(4))
def test_a_class_of_nobody_or_few_is_compared(assignment, count):
    them = dict(list(sheets(assignment).items())[:count])
    assert not compared(assignment, them).found


def test_texts_of_two_are_found_and_what_most_copy_from_the_statement_is_not(small):
    dice = random.Random(2)
    vocabulary = [f"word{number}" for number in range(60)]
    texts = {f"s{n:02}": " ".join(dice.choices(vocabulary, k=50)) for n in range(15)}
    texts["copied"] = f"So: {texts['s04']}"
    statement = "as the statement says the layer is applied to each position alone and then"
    reader = reader_of(small)
    writers = [
        writer(reader, name, {}, {"explain": f"{statement} {text}"}) for name, text in texts.items()
    ]
    (one,) = compare(writers, in_order(small)).found
    assert set(one.pair.students) == {"s04", "copied"}
    assert one.pair.share > 0.8 > one.pair.by_chance
    assert [exercise.id for exercise in one.pair.exercises] == ["explain"]


def test_of_many_pairs_the_most_alike_are_told_and_how_many_more_there_are(assignment, monkeypatch):
    them = sheets(assignment)
    names = list(them)
    honest = {name: cells for name, cells in them.items() if name != names[0]}
    copies = {f"c{n}": {k: f"{v}\n# {n}" for k, v in them[names[0]].items()} for n in range(9)}
    found = compared(assignment, honest | copies)
    assert len(found.found) == 9 * 8 / 2 and not found.left_out
    excess = [one.excess for one in found.found]
    assert excess == sorted(excess, reverse=True)
    monkeypatch.setattr("autograder.desk.look_alikes.compare.MOST_PAIRS", 5)
    fewer = compared(assignment, honest | copies)
    assert fewer.found == found.found[:5] and fewer.left_out == 31


NONE = np.zeros((0, 0))


def shares(size: int, level: float, copied: int = 0) -> np.ndarray:
    """Pairs that share around `level`, and some that copied."""
    dice = np.random.default_rng(4)
    found = np.triu(dice.normal(level, 0.02, (size, size)), 1)
    for one in range(0, 2 * copied, 2):
        found[one, one + 1] = 1.0
    return found + found.T


def test_copies_of_a_third_of_the_class_hardly_raise_the_level():
    honest, copied = (by_chance(shares(30, 0.3, count), NONE) for count in (0, 5))
    assert 0.3 < honest < 0.4 and abs(honest - copied) < 0.05


def test_where_too_few_are_there_to_tell_only_the_nearly_same_is_told():
    assert by_chance(shares(5, 0.3), NONE) == UNKNOWN == by_chance(NONE, NONE)
    assert LEAST < by_chance(shares(5, 0.3), shares(10, 0.2)) < 0.3


def test_a_class_that_has_nothing_in_common_has_a_level_all_the_same():
    assert by_chance(np.zeros((20, 20)), NONE) == LEAST


@pytest.mark.slow
@pytest.mark.long
def test_a_class_of_300_is_compared_in_seconds(assignment):
    dice = random.Random(3)
    own = list(sheets(assignment).values())
    students = {}
    for number in range(300):
        cells = {}
        for name in assignment.solutions:
            lines = dice.choice(own)[name].splitlines()
            others = dice.choice(own)[name].splitlines()
            for place in dice.sample(range(len(lines)), len(lines) // 3):
                lines[place] = dice.choice(others)
            cells[name] = "\n".join(lines)
        students[f"s{number}"] = cells
    writers = of(assignment, students)
    start = time.process_time()
    found = compare(writers, in_order(assignment))
    assert found.compared == 300 and time.process_time() - start < 10
