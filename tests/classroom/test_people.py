"""Ids are valid whatever the name, and rosters are read as they were written. Who is who:
`tests/platforms/data/whose.toml`.
"""

from hypothesis import given
from hypothesis import strategies as st
from rosters import write_roster

from autograder.classroom.new_ids import slug
from autograder.classroom.roster import Person, read_people
from autograder.engine.verdicts import STUDENT

ANY_TEXT = st.text(max_size=20) | st.text(st.sampled_from("=+-@'\"; \n"), max_size=5)
TEXTS = dict.fromkeys(("name", "email", "platform", "number", "section"), ANY_TEXT)
PEOPLE = st.builds(Person, student=st.from_regex(STUDENT.pattern, fullmatch=True), **TEXTS)


@given(st.text(max_size=300), st.from_regex(r"[0-9]{1,12}", fullmatch=True))
def test_a_slug_is_an_id_whatever_the_name(text, number):
    assert STUDENT.fullmatch(slug(text, number))
    assert slug(text) == "" or STUDENT.fullmatch(slug(text))


@given(st.lists(PEOPLE, unique_by=lambda person: person.student))
def test_a_roster_survives_any_name(tmp_path_factory, people):
    path = tmp_path_factory.mktemp("rosters") / "roster.csv"
    write_roster(path, people)
    assert read_people(path) == sorted(people, key=lambda person: person.student)
