"""A group's verdict in the gradebook: entered for each member, with marks and lateness of the group."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from nbgrader.api import Gradebook
from typed_commands import refused, typed

from autograder.gradebook.inquiries import Decision, Inquiry, record_inquiry
from tests.gradebook.verdict_class import VerdictClass, times

pytestmark = pytest.mark.database
GROUPS = "student,group", "ada,g1", "ben,g1", "cleo,g2", "dan,g2"
POINTS = {"g1": 1.0, "g2": 2.0, "cleo": 3.0, "eva": 0.5}
NOTHING, EVERYBODY = (None, None, ""), ["ada", "ben", "cleo", "dan", "eva"]


@pytest.fixture
def submitted(empty_book, monkeypatch) -> VerdictClass:
    """Two groups, one late, a member who submitted alone as well, and one student."""
    monkeypatch.chdir(empty_book.assignment.course.root)
    submitted = VerdictClass(empty_book)
    submitted.write("groups.csv", *GROUPS)
    for owner, points in POINTS.items():
        day = 12 if owner == "g1" else 9
        submitted.submit(owner, f"2026-01-{day:02} 18:00", points)
    return submitted


@pytest.fixture
def grouped(submitted) -> VerdictClass:
    """They are entered."""
    submitted.enter()
    return submitted


def given(grouped: VerdictClass, *students: str) -> list[tuple]:
    return [grouped.book.given(student) for student in students]


def test_each_member_has_the_groups_points_and_time_and_the_group_too(submitted):
    grouped, printed = submitted, submitted.enter()
    own = {"cleo": 3.0, "eva": 0.5}  # cleo's has more points than her group's
    shared = dict.fromkeys(["ada", "ben", "g1"], 1.0) | dict.fromkeys(["dan", "g2"], 2.0)
    assert grouped.points() == own | shared
    assert grouped.submitted()["ada"] == grouped.submitted()["ben"] == times("2026-01-12 18:00")
    assert "cleo is in g2 and handed in alone and with g2" in printed
    assert "In no group, and handed in alone: eva." in printed
    assert sorted(one.name for one in Path("autograded").iterdir()) == [*EVERYBODY, "g1", "g2"]
    with Gradebook(grouped.book.url) as rows:
        group = rows.find_student("g1")
        assert f"{group.first_name} {group.last_name}" == "(group) g1"
    assert "0 verdicts entered, 7 as they were" in grouped.enter(), "nothing is entered twice"


def test_the_latest_extension_of_a_member_is_the_groups_and_late_days_are_each_ones(grouped):
    grouped.configure("percent_per_day = 10", "late_days = 1")
    grouped.due("2026-01-09 18:00")
    with Gradebook(grouped.book.url) as rows:
        rows.add_assignment("earlier", duedate=times("2026-01-01"))
        rows.add_submission("earlier", "ben").timestamp = times("2026-01-01 12:00")
        rows.db.commit()
    grouped.enter()
    assert grouped.penalties() == {"ada": 1.8, "ben": 2.7}, "ben's late day was used before"
    line = "ada,{id},2026-01-11 18:00Z"
    grouped.write("extensions.csv", "student,assignment,until", line)
    grouped.enter()
    assert grouped.penalties() == {"ben": 0.9}, "both are a day late"
    Path("extensions.csv").unlink()
    with Gradebook(grouped.book.url) as rows:
        rows.find_submission(grouped.id, "ben").extension = timedelta(days=3)
        rows.db.commit()
    grouped.enter()
    assert grouped.penalties() == {}


def test_a_line_on_a_group_is_one_on_each_member(grouped):
    first, second = "2026-01-01 10:00", "2026-01-02 10:00"
    lines = f"g1,{{id}},{first}Z", f"ben,{{id}},{second}Z"
    grouped.write("late.csv", "student,assignment,submitted", *lines)
    assert "nobody has handed in as" not in grouped.enter()
    submitted = grouped.submitted()
    assert (submitted["ada"], submitted["ben"]) == (times(first), times(second))
    assert submitted["dan"] == times("2026-01-09 18:00")


def test_a_mark_for_one_member_is_given_to_the_others_and_a_later_one_replaces_it(grouped):
    book = grouped.book
    book.mark("ben", 1.5, comment="Why?", extra=0.5)
    grouped.enter()
    assert given(grouped, "ada", "ben", "g1") == [(1.5, 0.5, "Why?")] * 3 and not book.waits("ada")
    assert given(grouped, "cleo", "dan", "eva") == [NOTHING] * 3
    book.mark("g1", 1.0, comment="Better.")
    grouped.enter()
    assert given(grouped, "ada", "ben") == [(1.0, None, "Better.")] * 2
    book.mark("dan", 0.5)
    grouped.enter()
    assert given(grouped, "g2") == [(0.5, None, "")]
    assert given(grouped, "cleo") == [NOTHING], "the same answer, but handed in alone"


@pytest.mark.parametrize(
    ("marks", "sentence"),
    [
        ([(1.0, ""), (2.0, "")], "g1, explain: its members have different marks (ada 1, ben 2)"),
        (
            [(1.0, "Why?"), (1.0, "How?")],
            "its members have different comments (ada 'Why?', ben 'How?')",
        ),
    ],
)
def test_marks_and_comments_that_differ_stay_and_are_named(grouped, marks, sentence):
    for student, (points, comment) in zip(("ada", "ben"), marks, strict=True):
        grouped.book.mark(student, points, comment=comment)
    assert grouped.enter().count(sentence) == 1
    assert [(one[0], one[2]) for one in given(grouped, "ada", "ben")] == marks


def test_a_mark_stays_with_its_answer_while_another_one_is_shown(grouped):
    """The group submits two texts by turns; ben's row shows the one that staff choose for him."""
    book, owners = grouped.book, ["g1", "ada", "ben"]

    def submit(text: str, when: str) -> None:
        grouped.submit("g1", when, 1.0, code=f"# {when}", explain=text)
        grouped.enter()

    def show_to_ben(when: str) -> None:
        line = f"ben,{{id}},{when}Z"
        grouped.write("counts.csv", "student,assignment,counts", line)
        grouped.enter()

    submit("One.", "2026-01-12 19:00")
    book.mark("g1", 1.0)
    grouped.enter()
    submit("Two.", "2026-01-12 20:00")
    book.mark("g1", 0.5)
    grouped.enter()
    show_to_ben("2026-01-12 19:00")
    assert given(grouped, *owners) == [(0.5, None, "")] * 2 + [(1.0, None, "")]
    book.mark("g1", 1.75)  # corrected where ben shows the first text
    book.mark("ben", 2.0)  # and the first one at ben alone
    grouped.enter()
    show_to_ben("2026-01-12 20:00")
    assert given(grouped, *owners) == [(1.75, None, "")] * 3
    Path("counts.csv").unlink()
    submit("One.", "2026-01-12 21:00")
    assert given(grouped, *owners) == [(2.0, None, "")] * 3


def test_an_answer_that_is_another_gets_no_mark(grouped):
    grouped.submit("g2", "2026-01-09 19:00", 2.0, explain="Theirs.")
    grouped.submit("cleo", "2026-01-09 19:00", 3.0, explain="Mine.")
    grouped.enter()
    grouped.book.mark("cleo", 1.0)
    grouped.enter()
    assert given(grouped, "dan", "g2") == [NOTHING] * 2 and grouped.book.waits("dan")


def test_tables_pages_and_lists_have_members_and_groups_where_they_belong(submitted):
    grouped = submitted
    grouped.submit("g1", "2026-01-12 18:00", 1.0, explain="The root.")
    grouped.submit("g2", "2026-01-09 18:00", 2.0, explain="Theirs.")
    grouped.submit("cleo", "2026-01-09 18:00", 3.0, explain="Own.")
    grouped.enter()
    assert typed("marking", "list")[0] == 0
    table = Path("results", grouped.id, "marking", "all.csv").read_text().splitlines()[1:]
    listed = [line.partition(",")[0] for line in table]
    assert listed == ["cleo", "g1", "g2"], "cleo has another answer than the group"
    grouped.book.mark("ben", 1.0)
    grouped.enter()
    assert typed("export", "results", "--format", "csv", "--out", "grades.csv")[0] == 0
    rows = [line.split(",") for line in Path("grades.csv").read_text().splitlines()]
    totals = ["2.0", "2.0", "3.0", "2.0", "0.5"]
    assert [(row[0], row[6]) for row in rows[1:]] == [*zip(EVERYBODY, totals, strict=True)]
    for student, points in (("ada", 2), ("cleo", 3)):
        assert f"{grouped.id}: {points} of" in typed("show", student)[1]
    status, printed = typed("report", "results", "--out", "report.html", "--names")
    assert status == 0 and "4 verdicts" in printed
    half = re.search(r"half of (\d+) students have", Path("report.html").read_text())
    assert half and half[1] == "3", "no group, and nobody who waits for a mark"
    assert typed("feedback")[0] == 0
    assert sorted(one.name for one in Path("feedback").iterdir()) == EVERYBODY


def test_an_answer_about_shared_points_is_told_to_each_member_and_the_words_to_the_one(grouped):
    id, exercise = grouped.id, grouped.assignment.exercises[0].id
    when, results = datetime(2026, 12, 1, tzinfo=UTC), Path("results")
    asked = Inquiry("ada", exercise, "My weights!", when)
    record_inquiry(results, id, asked)
    assert typed("feedback")[0] == 0
    pages = {who: Path("feedback", who, id, f"{id}.html") for who in ("ada", "ben", "dan")}
    assert "My weights!" in pages["ada"].read_text()
    assert "has asked" not in pages["ben"].read_text(), "it is not answered yet"
    decision = Decision("kim", when, 1.0, 1.0, 2.0, "All is said.")
    record_inquiry(results, id, replace(asked, decision=decision))
    assert "2 pages missing or older than grades" in " ".join(typed("status", id)[1].split())
    typed("feedback")
    ben = pages["ben"].read_text()
    assert "Another member of your group has asked" in ben and "All is said." in ben
    assert "My weights!" not in ben and "All is said." not in pages["dan"].read_text()
    assert all("by another member" in typed("show", who)[1] for who in ("ben", "g1"))


def test_status_counts_people_and_knows_what_the_group_has(grouped):
    printed = " ".join(typed("status", grouped.id)[1].split())
    for row in (
        "5 handed in",
        "4 placed, a group once",
        "0 not in the gradebook",
        "5 not exported",
    ):
        assert row in printed, printed


def test_an_id_of_two_is_refused_before_anything_is_entered(grouped):
    grouped.write("groups.csv", "student,group", "ada,ben", "ben,g1")
    grouped.submit("eva", points=4.0)
    assert "`ben` is a group and a student" in refused("enter", "results")
    assert grouped.points()["eva"] == 0.5


def test_without_a_table_of_groups_there_is_none_in_the_gradebook(submitted):
    Path("groups.csv").unlink()
    submitted.enter()
    assert submitted.points() == POINTS
