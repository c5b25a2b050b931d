"""Ids that nobody shares, and rosters that are read as they were written."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.engine.verdict.verdict import STUDENT
from autograder.people.matching import NotPlaced, find_person, section_of
from autograder.people.new_ids import assign_ids, slug
from autograder.people.roster import Person, read_roster, roster_path, write_roster


@given(st.text(max_size=300), st.from_regex(r"[0-9]{1,12}", fullmatch=True))
def test_a_slug_is_an_id_whatever_the_name(text, number):
    assert STUDENT.fullmatch(slug(text, number))
    assert slug(text) == "" or STUDENT.fullmatch(slug(text))


@given(
    st.lists(
        st.builds(
            Person,
            student=st.sampled_from(["ada", "Ada", "ben", "a" * 64]),
            name=st.sampled_from(["", "Ada", "Ben"]),
            platform=st.sampled_from(["moodle", "gradescope"]),
            number=st.sampled_from(["", "1", "2"]),
            email=st.sampled_from(["", "a@x", "b@x"]),
        ),
        max_size=8,
    )
)
def test_no_two_people_share_an_id_in_any_case_of_letters(people):
    ids, left = assign_ids(people, {})
    assert ids.keys() | set(left) == set(people) and not ids.keys() & set(left)
    numbers = {}
    for person, student in ids.items():
        assert STUDENT.fullmatch(student)
        assert numbers.setdefault(student.casefold(), student) == student
        if person.platform == "moodle" and person.number:
            rivals = {p.number for p, s in ids.items() if s == student and p.platform == "moodle"}
            assert rivals - {""} == {person.number}


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
    submitted = tmp_path_factory.mktemp("submitted")
    path = roster_path(submitted, "sheet")
    write_roster(path, people)
    assert list(read_roster(submitted, "sheet").values()) == sorted(
        people, key=lambda one: one.student
    )
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
    downloaded = Person("softmax-ada", "Softmax, Ada", "ada@x", "moodle", "7")
    found = find_person(downloaded, rows, "roster.csv")
    assert found == Person("ada", "Softmax, Ada", "ada@x", "moodle", "7", "Mon 10")


ROWS = [
    Person("s1", "Ada Softmax", "ada@x", "", "11"),
    Person("s2", "Ben Mask", "ben@x", "moodle", "12"),
    Person("s3", "Zoë Müller"),
    Person("s4", "Zoe Muller"),
    Person("s5", "", "", "", "15"),
    Person("x17", "Cleo Head"),
]


@pytest.mark.parametrize(
    ("person", "student"),
    [
        (Person("", "Ada Maria Softmax", "", "canvas", "11"), "s1"),
        (Person("", "softmaxada", "", "canvas", "11"), "s1"),
        (Person("", "Addie", "ADA@x", "moodle", "11"), "s1"),  # an address outweighs a name
        (Person("", "Zoë Müller"), "s3"),
        (Person("", "Zoe Mueller", "", "ilias", "15"), "s5"),
        (Person("x17", "", "", "folder"), "x17"),
        (Person("", "A. Softmax", "", "canvas", "11"), "s1"),
        (Person("", "Ada", "", "canvas", "11"), "s1"),
        (Person("", "softmaxadamaria", "", "canvas", "11"), "s1"),
        (
            Person("", "Cleo Head", "", "gradescope", "11"),
            "x17",
        ),  # of a submission, not of a person
    ],
)
def test_a_roster_finds_whom_all_that_is_known_fits(person, student):
    assert find_person(person, ROWS, "roster.csv").student == student


@pytest.mark.parametrize(
    ("person", "said"),
    [
        (
            Person("", "Ben Mask", "", "moodle", "11"),
            "the number and name of several in .*: s1, s2",
        ),
        (
            Person("", "Ada Softmax", "ben@x", "gradescope"),
            "the e-mail and name of several in .*: s1, s2",
        ),
        (Person("", "Mallory", "", "moodle", "11"), "number of s1 .* name there is `Ada Softmax`"),
        (Person("", "Ada Mask", "", "moodle", "11"), "number of s1 .* name there is `Ada Softmax`"),
        (
            Person("s1", "Mallory", "s1@evil", "gradescope"),
            "the id of s1 .* there is `Ada Softmax`",
        ),
        (Person("", "A", "", "moodle", "11"), "number of s1 .* name there is `Ada Softmax`"),
        (Person("", "Max", "", "moodle", "11"), "number of s1 .* name there is `Ada Softmax`"),
        (
            Person("s1", "Ada Softmax", "s1@evil", "gradescope"),
            "the id and name of s1 .* e-mail there is `ada@x`",
        ),
        (Person("s1", "", "", "ilias", "12"), "is not in"),
        (Person("", "zoe müller"), "name of several in .*s3, s4"),
        (Person("", "", "\u017fda@x", "gradescope"), "is not in"),
    ],
)
def test_what_is_known_of_somebody_has_to_agree(person, said):
    rows = [row for row in ROWS if row.student != "s1"] if said == "is not in" else ROWS
    with pytest.raises(NotPlaced, match=said):
        find_person(person, rows, "roster.csv")
