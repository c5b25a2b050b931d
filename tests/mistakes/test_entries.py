"""A catalogue is a text: entries, ways, families, bodies, and what another exercise's mistakes do here."""

import pytest

from autograder.engine.courses.holes import read_marked_cell
from autograder.mistakes.entries import Catalogue, read_operators

SOLUTION = read_marked_cell("def f(x):\n    y = x + 1  #@ y; one = 1\n    return y * 2  #@ answer")
NAMES = "BOTH = first second\nALL = BOTH last\nSEVEN = 7\nTWICE = y + $y\n"
HEAD = f"# Prose\n\n{NAMES}\n## wrong  fails: "


def read(text: str, operators: str = "", **others: str) -> Catalogue:
    return Catalogue("f", text, SOLUTION, others, read_operators(operators)[0])


def made(lines: str) -> list[str]:
    """The second line of each cell that these lines of an entry make."""
    catalogue = read(f"{HEAD}BOTH\n> It is wrong.\n{lines}")
    assert not catalogue.errors
    return [cell.split("\n", 1)[1] for cell in catalogue.mistakes[0].cells]


def test_an_entry_has_a_sentence_and_checks():
    (mistake,) = read(
        f"{HEAD}BOTH third\n> It is wrong:\n> it is.\nbeside: f/other\none: 2"
    ).mistakes
    assert (mistake.id, mistake.exercise, mistake.sentence) == ("wrong", "f", "It is wrong: it is.")
    assert mistake.caught_by == ("first", "second", "third")
    assert mistake.beside == ("f/other",) and mistake.line == 8


def test_a_list_of_checks_may_have_others_in_it():
    (mistake,) = read(f"{HEAD}ALL\n> S.\none: 2").mistakes
    assert mistake.caught_by == ("first", "second", "last")


def test_a_way_is_one_of_the_solution_or_else_of_the_first_body_with_its_holes():
    bodies = "".join(f"## body b{n}\nline y:\n    z = {n}  #@ three\n    y = z\n\n" for n in (3, 4))
    entry = "## wrong  fails: a\n> S.\nthree: 5\nthree: 6\n&& answer: z\nb4.three: 7\nanswer: 8\n"
    catalogue = read(bodies + entry)
    assert not catalogue.errors
    lines = [cell.replace("    ", "").split("\n")[1:] for cell in catalogue.mistakes[0].cells]
    assert lines[:2] == [["z = 5", "y = z", "return y * 2"], ["z = 6", "y = z", "return z"]]
    assert lines[2:] == [["z = 7", "y = z", "return y * 2"], ["y = x + 1", "return 8"]]


def test_a_body_may_have_what_is_written_in_another_exercise():
    body = "## body own\nanswer:\n    y\n    if x:\n        $other\n\n"
    entry = "## wrong  fails: a\n> S.\nthree: 5\n"
    answers = {"other": "z = 3  #@ three\nreturn z"}
    catalogue = Catalogue("f", body + entry, SOLUTION, {}, {}, answers)
    assert not catalogue.errors
    assert catalogue.mistakes[0].cells[0].endswith("    if x:\n        z = 5\n        return z")


@pytest.mark.parametrize(
    ("lines", "cells"),
    [
        ("one: 2", ["y = x + 2|return y * 2"]),
        ("one: 2 || 3", ["y = x + 2|return y * 2", "y = x + 3|return y * 2"]),
        ("one: {{2 3}}", ["y = x + 2|return y * 2", "y = x + 3|return y * 2"]),
        ("y: {{x || x - 1}} * 2", ["y = x * 2|return y * 2", "y = x - 1 * 2|return y * 2"]),
        ("one: 2\n&& answer: y", ["y = x + 2|return y"]),
        ("one: 2 || 3\n&& answer: y", ["y = x + 2|return y", "y = x + 3|return y"]),
        ("one: 2\nanswer: y", ["y = x + 2|return y * 2", "y = x + 1|return y"]),
        ("one || answer: $here + 4", ["y = x + 1 + 4|return y * 2", "y = x + 1|return y * 2 + 4"]),
        ("one, answer: $here + 4", ["y = x + 1 + 4|return y * 2 + 4"]),
        (
            "one || one, answer: {{5 6}}",
            [
                "y = x + 5|return y * 2",
                "y = x + 6|return y * 2",
                "y = x + 5|return 5",
                "y = x + 6|return 6",
            ],
        ),
        ("one: $SEVEN", ["y = x + 7|return y * 2"]),
        ("answer: $TWICE", ["y = x + 1|return y + x + 1"]),
        ("line y:\n    y = x\n\n    y = y", ["y = x||y = y|return y * 2"]),
        ("line y:", ["return y * 2"]),
        ("y: x | x", ["y = x | x|return y * 2"]),
    ],
)
def test_ways(lines, cells):
    wanted = [cell.replace("|", "\n").replace(" \n ", " | ") for cell in cells]
    assert [cell.replace("    ", "") for cell in made(lines)] == wanted


def test_a_body_is_another_solution_with_holes_of_its_own():
    body = "## body own\nline y:\n    z = 3  #@ three\n    y = x + z\n\n"
    catalogue = read(f"{body}## wrong  fails: a\n> S.\nown.three: 4\nown.answer: z\none: 2")
    assert not catalogue.errors
    cells = [cell.replace("    ", "").split("\n") for cell in catalogue.mistakes[0].cells]
    assert cells[0] == ["def f(x):", "z = 4", "y = x + z", "return y * 2"]
    assert cells[1][-1] == "return z" and cells[2][1:] == ["y = x + 2", "return y * 2"]


def test_what_goes_wrong_elsewhere_goes_wrong_here():
    other = (
        "C = there\n\n## twice  fails: C\n> Two.\none: 2 || 3\nnot_here: 5\n\n"
        "## left_out  fails: C\n> No.\none: 7\n\n## no_check_here  fails: else\n> No.\none: 8\n\n"
        "## known  fails: C\n> Not this sentence.\none: 9\n"
    )
    here = (
        "H = here\n\n## body own\nanswer: $y\n\n## known  fails: H\n> K.\none: 4\n\n"
        "## as in g, in own\nthere: H\nwithout: left_out twice/1\n"
    )
    catalogue = read(here, g=other)
    assert not catalogue.errors
    known, twice = catalogue.mistakes
    assert known.sentence == "K."
    assert (twice.id, twice.sentence, twice.caught_by) == ("twice", "Two.", ("here",))
    assert twice.cells == ("def f(x):\n    y = x + 3\n    return x + 1",)


OPERATORS = """Prose.

## doubled
> It is doubled.
answer: 2 * ($answer)
three: 4

## loud
> It is loud.
not_there: 1
three: 5
"""


def test_what_an_entry_does_not_say_is_the_operators():
    body = "## body own\nline y:\n    z = 3  #@ three\n    y = x + z\n\n"
    entries = (
        "## doubled loud  fails: a b\n\n## doubled  fails: c\n> Mine.\n\n## loud  fails: d\none: 7"
    )
    doubled, loud, mine, own = read(body + entries, OPERATORS).mistakes
    assert (doubled.sentence, loud.sentence) == ("It is doubled.", "It is loud.")
    assert doubled.caught_by == loud.caught_by == ("a", "b")
    assert "return 2 * (y * 2)" in doubled.cells[0] and "z = 4" in doubled.cells[1]
    assert len(loud.cells) == 1 and "z = 5" in loud.cells[0]
    assert mine.sentence == "Mine." and mine.cells == doubled.cells
    assert own.sentence == "It is loud." and "x + 7" in own.cells[0] and len(own.cells) == 1


def test_an_operator_without_a_sentence_is_told():
    operators, errors = read_operators("## doubled\nanswer: 2")
    assert errors == [(1, "`doubled` has no sentence")] and "doubled" in operators


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (f"{HEAD}a\n> S.\nnot_there: 2", 10, "there is no hole `not_there`"),
        (f"{HEAD}a\n> S.\none || : 2", 10, "there is no hole ``"),
        (f"{HEAD}a\n> S.\none: 2\nno colon here", 11, "`no colon here` is no sentence"),
        (f"{HEAD}a\n> S.\none: 2\n&& one: 3", 10, "the hole `one` is filled twice"),
        (f"{HEAD}a\n> S.\none, one: 2", 10, "the hole `one` is filled twice"),
        (f"{HEAD}a\n> S.\none: {{{{1 2}}", 10, "a family is not closed"),
        (f"{HEAD}a\n> S.\none: 2\n- one", 11, "`- one` is an edit, and names no hole"),
        ("## two words\n> S.\none: 2", 1, "`two words` are several"),
        ("## a-b  fails: c\n> S.\none: 2", 1, "`a-b  fails: c` is no id of a mistake"),
        ("## wrong  fails: a\n> S.", 1, "`wrong` is made in no way"),
        ("## wrong  fails: a\none: 2", 1, "`wrong` has no sentence, and is no operator"),
        ("## late  fails: a", 1, "`late` acts on no hole of this exercise"),
        ("## as in g, in own\na: b", 1, "there is no catalogue of `g`, or no body `own`"),
        ("## body own\nnot_there: 1", 2, "there is no hole `not_there`"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text, line, said):
    ((found, sentence),) = read(text, "## late\n> It is late.\nnot_there: 2").errors
    assert found == line and said in sentence
