"""Odd names, comments, texts, wrong numbers and rare mistakes that two have in common."""

import pytest
from writers import verdict, writer

from autograder.staff.look_alikes.answers import Reader
from autograder.staff.look_alikes.odd import LEAST, OddThings

SIZE = 14  # of the class: enough to tell what is usual


@pytest.fixture
def odd(small):
    """What two students share who have these cells; all others write something of their own."""

    def of(one: str, two: str, third: str = "", verdicts=(), independent=()):
        cells = [one, two, third] + [f"mine_{n} = {n}.{n}{n}" for n in range(SIZE - 3)]
        writers = [writer(f"s{n:02}", {"softmax": cell}) for n, cell in enumerate(cells)]
        by_student = {verdict.student: verdict for verdict in verdicts}
        return OddThings(writers, independent, by_student, Reader(small))

    return of


def shared(things, pair=(0, 1)):
    return {(one.kind, one.what, one.holders) for one in things.of_pair(pair)}


def test_names_comments_and_texts_that_nobody_else_has(odd):
    found = odd(
        "kk = load('strange words')  # becuase of this",
        "q = kk = 2\nz = 'strange words'\n# becuase of this",
    )
    assert shared(found) == {
        ("name", "kk", 2),
        ("comment", "becuase of this", 2),
        ("string", "strange words", 2),
    }


def test_what_three_have_is_odd_and_what_four_have_is_not(small):
    def of(holders: int):
        cells = ["kk = 1"] * holders + [f"mine_{n} = 1" for n in range(SIZE - holders)]
        writers = [writer(f"s{n:02}", {"softmax": cell}) for n, cell in enumerate(cells)]
        return shared(OddThings(writers, (), {}, Reader(small)))

    assert of(3) == {("name", "kk", 3)} and not of(4)


def test_what_independent_solutions_have_is_not_odd(odd):
    assert not shared(odd("total = 1", "total = 2", independent=[{"softmax": "total = 3"}]))


def test_what_the_release_names_is_not_odd(odd, small):
    released = next(cell for cell in small.cells if cell.id == "softmax").source
    assert "def softmax" in released
    assert not shared(odd("softmax = 1", "softmax = 2"))


def test_numbers_are_odd_where_both_lost_points_and_nobody_was_right_with_them(odd):
    one, two = "a = [3.217, 44.5]", "b = (3.217, 44.5)"
    assert not shared(odd(one, two))
    wrong = [verdict(student, "softmax", 1.0) for student in ("s00", "s01")]
    assert shared(odd(one, two, verdicts=wrong)) == {("number", "3.217", 2), ("number", "44.5", 2)}
    right = [*wrong, verdict("s02", "softmax", 2.0)]
    assert shared(odd(one, two, "c = 44.5", right)) == {("number", "3.217", 2)}
    assert not shared(odd(one, two, verdicts=right[1:]))


def test_rare_mistakes_are_shared(odd):
    verdicts = [verdict(f"s{n:02}", "softmax", 1.0, "common") for n in range(2, SIZE)]
    verdicts += [verdict(student, "softmax", 1.0, "rare", "common") for student in ("s00", "s01")]
    assert shared(odd("x = 1", "y = 1", verdicts=verdicts)) == {("mistake", "rare", 2)}


def test_a_few_odd_things_say_nothing_and_many_stand_out(odd):
    names = [f"thing{letter}" for letter in "abcdefghij"]
    few, many = (" = ".join([*names[:count], "1"]) for count in (LEAST - 1, LEAST))
    assert not odd(few, few + "\nelse_1 = 2").standing_out()
    assert odd(many, many + "\nelse_1 = 2").standing_out() == {(0, 1)}
