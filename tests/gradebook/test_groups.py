"""A group's verdict in the gradebook: entered for each member, with marks and lateness of the group."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from typed_commands import typed
from written_answers import Book

from autograder import ExerciseResult
from autograder.classroom.groups import CourseGroups
from autograder.engine import Graded, ResultsFolder, RunSettings, Submission
from autograder.engine.courses import read_config
from autograder.engine.files import TIMESTAMP
from autograder.engine.grading.graded import empty
from autograder.engine.notebooks import Cell, read_submission
from autograder.gradebook.inquiries import Decision, Inquiry, record_inquiry
from autograder.gradebook.lateness.late import LateRules
from autograder.gradebook.sync.enter import GradebookSync
from autograder.gradebook.sync.group_marks import share_group_marks
from autograder.gradebook.sync.tables import marks_in, read_marks

pytestmark = pytest.mark.database
GROUPS = "student,group\nada,g1\nben,g1\ncleo,g2\ndan,g2\n"
POLICY = "\nc.LatePolicy.percent_per_day = 10\nc.LatePolicy.late_days = 1\n"
MADE = (
    ("g1", 1.0, 22),
    ("g2", 2.0, 19),
    ("cleo", 3.0, 19),
    ("eva", 0.5, 19),
)  # points, day of November


@pytest.fixture
def root(empty_book, monkeypatch) -> Path:
    """A course in this folder: two groups, one member who handed in alone as well, and one student."""
    root, assignment = empty_book.assignment.course.root, empty_book.assignment
    monkeypatch.chdir(root)
    Path("groups.csv").write_text(GROUPS)
    results, settings = ResultsFolder(Path("results"), assignment), RunSettings(assignment, seed=1)
    for id, points, day in MADE:
        submission = read_submission(assignment, id, assignment.release)
        cells = [*submission.cells, Cell("own", "code", id)]
        first, *rest = assignment.exercises
        one = ExerciseResult(first.id, "answered", points, first.points, [], [])
        others = [ExerciseResult(it.id, "answered", 0.0, it.points, [], []) for it in rest]
        verdict = empty(settings, Submission(cells, id), "graded")
        verdict = replace(verdict, exercises=[one, *others], points=points)
        results.put(Graded(verdict, {}, [], Submission(cells, id)), None)
        folder = Path("submitted", id, assignment.id)
        folder.mkdir(parents=True)
        (folder / TIMESTAMP).write_text(f"2026-11-{day} 18:00:00 UTC\n")
        (folder / f"{assignment.id}.ipynb").write_bytes(assignment.release.read_bytes())
    return root


@pytest.fixture
def sync(root, empty_book):
    """Enter all of it; return what entered it."""

    def run(only: str | None = None) -> GradebookSync:
        book = empty_book
        results, top = ResultsFolder(Path("results"), book.assignment), Path("submitted")
        folders = {one.name: one / book.assignment.id for one in sorted(top.iterdir())}
        made = GradebookSync(book.course, results, top, folders, only=only)
        assert made.enter() == []
        return made

    return run


def marks(book: Book, *students: str) -> list:
    with book.course.gradebook() as gradebook:
        found = marks_in(gradebook.db, book.assignment.id)
    return [found[one] for one in students] if students else sorted(found)


def test_each_member_has_the_groups_points_and_time_and_the_group_too(sync, empty_book):
    made = sync()
    assert marks(empty_book) == ["ada", "ben", "cleo", "dan", "eva", "g1", "g2"]
    g1, g2 = marks(empty_book, "g1", "g2")
    assert (g1.automatic, g2.automatic, g1.name) == (1.0, 2.0, "(group) g1")
    assert not {"g1", "g2"} & made.penalties().keys()
    ada, ben, cleo, dan, eva = marks(empty_book, "ada", "ben", "cleo", "dan", "eva")
    assert (ada.automatic, ben.automatic, dan.automatic, eva.automatic) == (1.0, 1.0, 2.0, 0.5)
    assert ada.submitted == ben.submitted == datetime(2026, 11, 22, 18)
    assert cleo.automatic == 3.0, "the student's own, which has more points"
    said = " ".join(made.notes)
    assert "cleo is in g2 and handed in alone and with g2" in said
    assert "In no group, and handed in alone: eva." in said
    assert sorted(one.name for one in Path("autograded").iterdir()) == marks(empty_book)
    assert made.count == 7 and sync().count == 0, "nothing is entered twice"


def test_one_groups_verdict_is_entered_alone(sync, empty_book):
    assert sync("g1").count == 3 and marks(empty_book) == ["ada", "ben", "g1"]


def test_the_latest_extension_of_a_member_is_the_groups_and_late_days_are_each_ones(
    sync, root, empty_book
):
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text() + POLICY)
    empty_book.course.config = read_config(root)
    with empty_book.course.gradebook() as gradebook:
        gradebook.update_or_create_assignment(
            empty_book.assignment.id, duedate=datetime(2026, 11, 19, 18)
        )
        gradebook.update_or_create_assignment("earlier", duedate=datetime(2026, 11, 1))
        gradebook.add_student("ben")
        gradebook.add_submission("earlier", "ben").timestamp = datetime(2026, 11, 1, 12)
        gradebook.db.commit()
    made = sync()
    late = {who: one.lateness for who, one in made.penalties().items()}
    assert (late["ada"].days, late["ada"].late_days_used) == (3, 1)
    assert (late["ben"].days, late["ben"].late_days_used) == (3, 0), "it was used before"
    assert late["ben"].points > late["ada"].points > 0
    Path("extensions.csv").write_text(
        f"student,assignment,until\nada,{empty_book.assignment.id},2026-11-21 18:00Z\n"
    )
    late = {who: one.lateness for who, one in sync().penalties().items()}
    assert (late["ada"].days, late["ben"].days) == (1, 1)
    Path("extensions.csv").unlink()
    with empty_book.course.gradebook() as gradebook:
        row = gradebook.find_submission(empty_book.assignment.id, "ben")
        row.extension = timedelta(days=3)
        gradebook.db.commit()
    late = {who: one.lateness for who, one in sync().penalties().items()}
    assert (late["ada"].days, late["ben"].days, late["dan"].days) == (0, 0, 0)


def test_a_line_on_a_group_is_one_on_each_member(sync, root, empty_book):
    id = empty_book.assignment.id
    Path("late.csv").write_text(
        f"student,assignment,submitted\ng1,{id},2026-11-01 10:00Z\nben,{id},2026-11-02 10:00Z\n"
    )
    made = sync()
    ada, ben = marks(empty_book, "ada", "ben")
    assert (ada.submitted, ben.submitted) == (datetime(2026, 11, 1, 10), datetime(2026, 11, 2, 10))
    assert not any("g1 has handed in nothing" in one for one in made.notes_on_times({}, []))
    rules = LateRules(read_config(root), root)
    assert rules.submitted(("dan", id), None) is None


def given(book: Book, *students: str) -> list[tuple]:
    return [book.given(one) for one in students]


def test_a_mark_for_one_member_is_given_to_the_others_and_a_later_one_replaces_it(sync, empty_book):
    made, book = sync(), empty_book
    groups = made.groups
    book.mark("ben", 1.5, comment="Why?", extra=0.5)
    assert share_group_marks(book.url, book.assignment.id, groups) == []
    assert given(book, "ada", "ben") == [(1.5, 0.5, "Why?")] * 2 and not book.waits("ada")
    assert given(book, "cleo", "dan", "eva") == [(None, None, "")] * 3
    assert given(book, "g1") == given(book, "ada")
    book.mark("g1", 1.0, comment="Better.")
    assert share_group_marks(book.url, book.assignment.id, groups) == []
    assert given(book, "ada", "ben") == [(1.0, None, "Better.")] * 2
    book.mark("dan", 2.0)
    share_group_marks(book.url, book.assignment.id, groups)
    assert given(book, "g2")[0][0] == 2.0
    assert given(book, "cleo")[0][0] is None, "the same answer, but handed in alone"


def test_marks_that_differ_stay_and_are_named(sync, empty_book):
    made, book = sync(), empty_book
    book.mark("ada", 1.0)
    book.mark("ben", 2.0)
    (said,) = share_group_marks(book.url, book.assignment.id, made.groups)
    assert "g1, explain: its members have different marks (ada 1, ben 2)" in said
    assert [one[0] for one in given(book, "ada", "ben")] == [1.0, 2.0]
    assert said in sync().notes


def test_comments_that_differ_are_named_as_comments(sync, empty_book):
    made, book = sync(), empty_book
    book.mark("ada", 1.0, comment="Why?")
    book.mark("ben", 1.0, comment="How?")
    (said,) = share_group_marks(book.url, book.assignment.id, made.groups)
    assert "its members have different comments (ada 'Why?', ben 'How?')" in said


def test_a_corrected_mark_stays_with_its_answer_while_another_one_is_shown(sync, empty_book):
    made, book = sync(), empty_book

    def share() -> None:
        assert share_group_marks(book.url, book.assignment.id, made.groups) == []

    book.owners = {"ada": "g1", "ben": "g1"}
    book.enter(g1="One.", ada="One.", ben="One.")
    book.mark("g1", 1.0)
    share()
    book.enter(g1="Two.", ada="Two.", ben="Two.")
    book.mark("g1", 0.5)
    share()
    book.enter(ben="One.")
    share()
    assert given(book, "g1", "ada", "ben") == [(0.5, None, "")] * 2 + [(1.0, None, "")]
    book.mark("g1", 1.75)  # corrected where ben shows the first text
    book.mark("ben", 2.0)  # and the first one at ben alone
    share()
    book.enter(ben="Two.")
    share()
    assert given(book, "g1", "ada", "ben") == [(1.75, None, "")] * 3
    book.enter(g1="One.", ada="One.", ben="One.")
    share()
    assert given(book, "g1", "ada", "ben") == [(2.0, None, "")] * 3


def test_an_answer_that_is_another_gets_no_mark(sync, empty_book):
    made, book = sync(), empty_book
    book.enter(ada="Mine.", ben="Another.")
    book.mark("ada", 1.0)
    assert share_group_marks(book.url, book.assignment.id, made.groups) == []
    assert given(book, "ben") == [(None, None, "")] and book.waits("ben")


def test_tables_pages_and_lists_have_members_and_groups_where_they_belong(sync, empty_book):
    sync()
    book, id = empty_book, empty_book.assignment.id
    book.owners = {"ada": "g1", "ben": "g1", "dan": "g2"}
    book.enter(ada="The root.", ben="The root.", g1="The root.")
    book.enter(cleo="Own.", dan="Theirs.", g2="Theirs.")
    status, said = typed("marking", "list")
    table = Path("results", id, "marking", "all.csv").read_text().splitlines()[1:]
    listed = [line.partition(",")[0] for line in table]
    assert status == 0 and listed == ["cleo", "g1", "g2"], "cleo has another answer than the group"
    sync()
    book.mark("ben", 1.0)
    status, said = typed("export", "results", "--format", "csv", "--out", "grades.csv")
    rows = [line.split(",") for line in Path("grades.csv").read_text().splitlines()]
    assert status == 0 and [row[0] for row in rows[1:]] == ["ada", "ben", "cleo", "dan", "eva"]
    assert [row[6] for row in rows[1:]] == ["2.0", "2.0", "3.0", "2.0", "0.5"]
    status, said = typed("show", "ada")
    assert status == 0 and "2 of" in said
    assert f"{id}: 3 of" in typed("show", "cleo")[1]
    status, said = typed("report", "results", "--out", "report.html", "--names")
    assert status == 0 and "4 verdicts" in said
    page = Path("report.html").read_text()
    found = re.search(r"half of (\d+) students have", page)
    assert found and found[1] == "5", "the groups are none of them"
    status, said = typed("feedback")
    assert status == 0 and sorted(one.name for one in Path("feedback").iterdir()) == [
        *("ada", "ben", "cleo", "dan", "eva")
    ]


def test_an_answer_about_shared_points_is_told_to_each_member_and_the_words_to_the_one(
    sync, root, empty_book
):
    sync()
    id, exercise = empty_book.assignment.id, empty_book.assignment.exercises[0].id
    when, results = datetime(2026, 12, 1, tzinfo=UTC), Path("results")
    asked = Inquiry("ada", exercise, "My weights!", when)
    record_inquiry(results, id, asked)
    assert typed("feedback")[0] == 0
    pages = {who: Path("feedback", who, id, f"{id}.html") for who in ("ada", "ben", "dan")}
    assert "My weights!" in pages["ada"].read_text()
    assert "has asked" not in pages["ben"].read_text(), "it is not answered yet"
    kept = Decision("kim", when, 1.0, 1.0, 2.0, "All is said.")
    record_inquiry(results, id, replace(asked, decision=kept))
    assert "2 pages missing or older than grades" in " ".join(typed("status", id)[1].split())
    typed("feedback")
    ben = pages["ben"].read_text()
    assert "Another member of your group has asked" in ben and "All is said." in ben
    assert "My weights!" not in ben and "All is said." not in pages["dan"].read_text()
    assert all("by another member" in typed("show", who)[1] for who in ("ben", "g1"))


def test_status_counts_people_and_knows_what_the_group_has(sync, root, empty_book):
    sync()
    said = " ".join(typed("status", empty_book.assignment.id)[1].split())
    for row in (
        "5 handed in",
        "4 placed, a group once",
        "0 not in the gradebook",
        "5 not exported",
    ):
        assert row in said, said


def test_an_id_of_two_is_refused_before_anything_is_entered(sync, root):
    Path("groups.csv").write_text("student,group\nada,ben\nben,g1\n")
    with pytest.raises(Exception, match="`ben` is a group and a student"):
        sync()
    status, said = typed("enter", "results")
    assert status == 2 and said.count("\n") == 1 and "`ben` is a group and a student" in said


def test_without_a_table_of_groups_there_is_none_in_the_gradebook(sync, root, empty_book):
    Path("groups.csv").unlink()
    sync()
    assert marks(empty_book) == ["cleo", "eva", "g1", "g2"]
    assert (
        share_group_marks(
            empty_book.url, empty_book.assignment.id, CourseGroups(root, root).of("a")
        )
        == []
    )
    assert read_marks(empty_book.url, empty_book.assignment.id)["g1"].automatic == 1.0
