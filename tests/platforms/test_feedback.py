"""The comment and the page that a student reads."""

from exports import BEN, CLEO, UNSCALED, verdict

from autograder.people import Person
from autograder.platforms.feedback import merge_comment, own_page
from autograder.platforms.grades import Grade


def test_a_persons_words_stay_around_our_comment():
    grade = Grade(Person(BEN), verdict(BEN, 7.5))
    once = merge_comment("<p>See me.</p>", grade)
    assert once.startswith("<p>See me.</p>\n") and UNSCALED.sentence in once
    better = Grade(Person(BEN), verdict(BEN, 10.0))
    again = merge_comment(once + "\nMy office is open.", better)
    assert again.startswith("<p>See me.</p>\n") and again.endswith("\nMy office is open.")
    assert UNSCALED.sentence not in again and again.count("total:") == 1


def test_our_page_runs_nothing_of_a_students():
    grade = Grade(
        Person(CLEO, "<script>alert(1)</script>"),
        verdict(CLEO, 0, "unreadable", reason="`<img onerror=x>` is no notebook."),
    )
    assert "<script" not in own_page(grade) and "<img" not in own_page(grade)
