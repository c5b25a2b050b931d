"""Ids that nobody shares, and rosters that are read as they were written."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosters import write_roster

from autograder.classroom.identify import Directory, UnknownSender, section_of
from autograder.classroom.new_ids import slug
from autograder.classroom.roster import Person, read_people
from autograder.engine.verdicts import STUDENT


@given(st.text(max_size=300), st.from_regex(r"[0-9]{1,12}", fullmatch=True))
def test_a_slug_is_an_id_whatever_the_name(text, number):
    assert STUDENT.fullmatch(slug(text, number))
    assert slug(text) == "" or STUDENT.fullmatch(slug(text))


anything = st.text(max_size=20) | st.text(st.sampled_from("=+-@'\"; \n"), max_size=5)


@given(
    st.lists(
        st.builds(
            Person,
            student=st.from_regex(STUDENT.pattern, fullmatch=True),
            name=anything,
            email=anything,
            platform=anything,
            number=anything,
            section=anything,
        ),
        unique_by=lambda person: person.student,
    )
)
def test_a_roster_survives_any_name(tmp_path_factory, people):
    path = tmp_path_factory.mktemp("rosters") / "roster.csv"
    write_roster(path, people)
    assert read_people(path) == sorted(people, key=lambda one: one.student)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file, strict=True):
            assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for cell in row), row


def test_a_section_is_the_rosters_and_goes_with_the_student():
    rows = [
        Person("ada", "Ada Softmax"),
        Person("ada", "Ada Softmax", section=" Mon 10 "),
        Person("ben", "Ben Mask", section="Tue 14"),
    ]
    assert section_of("ada", rows) == "Mon 10" and section_of("cleo", rows) == ""


ROWS = [
    Person("s1", "Ada Softmax", "ada@x", "canvas", "11"),
    Person("s2", "Ben Mask", "ben@x", "moodle", "12"),
    Person("s3", "Zoë Müller"),
    Person("s4", "Zoe Muller"),
    Person("s5", "", "", "", "15"),
    Person("x17", "Cleo Head"),
]


def find(person: Person, rows: list[Person] = ROWS) -> str:
    """The id of the student who this is, in a course with this roster; "" if nobody is."""
    directory = Directory("`roster.csv`")
    for row in rows:
        directory.add_row(row)
    return directory.find(person, name_decides=person.platform == "moodle")


@pytest.mark.parametrize(
    ("person", "student"),
    [
        (Person("", "softmaxada", "", "canvas", "11"), "s1"),
        (Person("", "Addie", "", "canvas", "11"), "s1"),
        (Person("", "Addie", "ADA@x", "gradescope"), "s1"),
        (Person("", "Cleo Head", "", "moodle", "99"), "x17"),
        (Person("", "Head, Cleo", "", "moodle", "99"), "x17"),
        (Person("", "Zoe Mueller", "", "ilias", "15"), "s5"),
        (Person("x17", "", "", "folder"), "x17"),
        (Person("", "", "", "moodle", "99", login="X17"), "x17"),
        (Person("", "", "", "moodle", "99", id_number="s2"), "s2"),
        (Person("", "Cleo Head", "", "canvas", "99"), ""),  # a display name decides nothing
        (Person("cleo-head", "Cleo Head", "", "folder"), ""),
        (Person("", "", "x17@evil.example", "gradescope"), ""),  # nor what stands before an @
        (Person("X17", "", "", "folder"), ""),
        (Person("", "Ben Mask", "", "ilias", "12"), ""),  # Moodle's number is Moodle's
    ],
)
def test_what_is_equal_as_a_whole_says_who_it_is(person, student):
    assert find(person) == student


@pytest.mark.parametrize(
    ("person", "reason"),
    [
        (Person("", "zoe müller", "", "moodle", "99"), "may be of s3 or of s4"),
        (Person("", "", "ben@x", "canvas", "11"), "may be of s1 or of s2"),
        (Person("", "Mallory", "", "moodle", "15"), ""),
        (
            Person("s1", "Mallory", "s1@evil", "gradescope", id_number="s1"),
            "may be of s1, whose name",
        ),
        (Person("s1", "", "s1@evil", "gradescope", id_number="s1"), "may be of s1, whose address"),
    ],
)
def test_what_is_known_of_somebody_has_to_agree(person, reason):
    if not reason:
        assert find(person) == "s5"
        return
    with pytest.raises(UnknownSender, match=reason):
        find(person)
