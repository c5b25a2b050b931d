"""Who is in which group, for each assignment, and which verdict counts for whom."""

import pytest
from recorded import plant_members, plant_roster

from autograder import Verdict
from autograder.classroom.groups import CourseGroups, Groups
from autograder.classroom.roster import Person
from autograder.engine.files import TableError
from autograder.engine.verdicts import Stamp

ROWS = "student,group,assignment\n"


def verdict(student: str, points: float, state: str = "graded") -> Verdict:
    stamp = Stamp(submission="x", grader="x", torch="2", python="3", seed=1, sandbox="namespaces")
    return Verdict(student, "sheet-1", state, points, 9.0, [], [], 0.1, stamp)


@pytest.fixture
def course(tmp_path):
    """A course with this table and roster; `sheet-1` was collected if `kept` has lines."""

    def make(text: str = "", kept: str = "", roster: str = "") -> CourseGroups:
        submitted = tmp_path / "submitted"
        (tmp_path / "groups.csv").unlink(missing_ok=True)
        (tmp_path / "records.db").unlink(missing_ok=True)
        if text:
            (tmp_path / "groups.csv").write_text(ROWS + text, encoding="utf-8")
        if kept:
            members = [line.split(",") for line in kept.splitlines()]
            plant_members(submitted, "sheet-1", {student: group for student, group, _ in members})
            (submitted / "g1" / "sheet-1").mkdir(parents=True, exist_ok=True)
        if roster:
            rows = [line.split(",") for line in roster.splitlines()[1:]]
            people = [Person(student) for student, _ in rows]
            plant_roster(submitted, "sheet-1", people, [group for _, group in rows])
        return CourseGroups(tmp_path, submitted)

    return make


def test_a_group_leads_to_its_members_and_back_and_anybody_else_stands_alone(course):
    groups = course("ada,Group 1,\nben,Group 1,\ncleo,,\n").of("sheet-1")
    assert groups and groups.members("group-1") == groups.mates("ben") == ["ada", "ben"]
    assert groups.of("ada") == groups.called("Group 1") == groups.called("group-1") == "group-1"
    assert (groups.of("cleo"), groups.members("cleo"), groups.called("Group 2")) == (
        "",
        ["cleo"],
        "",
    )
    assert not groups.notes


def test_without_a_table_nobody_is_in_a_group_and_nothing_is_written(course, tmp_path):
    without = course()
    assert not without and not without.of("sheet-1") and [*tmp_path.iterdir()] == []
    assert not course(roster="student,group\nada,\n").of("sheet-1")


def test_a_star_says_that_an_assignment_is_done_alone(course, tmp_path):
    kept = "ada,g1,sheet-1\nben,g1,sheet-1\n"
    table = course("*,,sheet-1\nada,g2,sheet-1\ncleo,g2,\n", kept, "student,group\nada,g1\n")
    assert table.of("sheet-1").by_id == {"g2": ["ada"]} and not table.of("sheet-1").notes
    assert table.of("sheet-2").by_id == {"g2": ["cleo"], "g1": ["ada"]}
    assert not course("*,,sheet-1\n", kept).of("sheet-1")
    for line in ("*,g1,sheet-1\n", "*,,\n"):
        with pytest.raises(TableError, match=r"`\*` goes with an assignment, and with no group"):
            course(line).of("sheet-1")


def test_a_line_with_the_assignment_counts_before_one_for_all(course):
    table = course("ada,g1,\nben,g1,\nada,g2,sheet-2\nben,,sheet-2\n")
    assert table.of("sheet-1").by_id == {"g1": ["ada", "ben"]}
    assert table.of("sheet-2").by_id == {"g2": ["ada"]}


def test_who_leaves_or_joins_later_changes_nothing_of_what_was_collected_and_it_is_said(course):
    kept = "ada,g1,sheet-1\nben,g1,sheet-1\n"
    table = course(kept=kept, roster="student,group\nada,g1\nben,g2\ncleo,g1\ndan,\n")
    assert table.of("sheet-1").by_id == {"g1": ["ada", "ben"]}
    left, joined = table.of("sheet-1").notes
    assert "ben is in g2, but was collected with g1 for sheet-1" in left
    assert "cleo is in g1, but was collected without it" in joined
    assert table.of("sheet-2").by_id == {"g1": ["ada", "cleo"], "g2": ["ben"]}
    said = course("cleo,g1,sheet-1\nben,,sheet-1\n", kept).of("sheet-1")
    assert said.by_id == {"g1": ["cleo", "ada"]} and not said.notes
    (alone,) = course(kept=kept, roster="student,group\nben,\ncleo,g2\n").of("sheet-1").notes
    assert "ben is in no group, but was collected with g1" in alone


def test_a_group_that_has_not_handed_in_may_still_change(course, tmp_path):
    table = course("ada,g2,\nben,g2,\n", kept="ada,g9,sheet-1\n")
    assert table.of("sheet-1").by_id == {"g2": ["ada", "ben"]} and not table.of("sheet-1").notes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ada,ben,\nben,g1,\n", "line 2: `ben` is a group and a student: give the group another"),
        ("ada,Ben,\nben,,\n", "line 2: `Ben` is a group and a student"),
        ("ada,g1,\nben,G1,\n", "line 3: the groups `G1` and `g1` would share the id"),
        ("ada,Größe,\nben,Grosse!,\ncleo,GROSSE,\n", "would share the id"),
        ("../x,g1,\n", "line 2: `../x` cannot be a student's id"),
        ("ada,☃,\n", "line 2: `☃` cannot be a group's id"),
    ],
)
def test_an_id_that_two_would_have_is_refused(course, text, words):
    with pytest.raises(TableError) as refused:
        course(text).of("sheet-1")
    assert words in str(refused.value) and "groups.csv" in str(refused.value)


def test_the_better_of_several_verdicts_counts_and_nobody_is_passed_over_in_silence():
    by_student = {"ada": ["g1"], "ben": ["g1", "g2"], "cleo": ["g2"], "dan": ["g3"]}
    groups = Groups(by_student, {"g1": "g1", "g2": "g2", "g3": "g3"})
    verdicts = [
        verdict("ada", 5.0),
        verdict("dan", 2.0),
        verdict("eva", 1.0),
        verdict("g1", 3.0),
        verdict("g2", 4.0),
        verdict("g2x", 9.0, "unreadable"),
    ]
    best, said = groups.share(verdicts)
    counts = {student: (one.student, one.points) for student, one in best.items()}
    assert counts == {
        "ada": ("ada", 5.0),
        "ben": ("g2", 4.0),
        "cleo": ("g2", 4.0),
        "dan": ("dan", 2.0),
        "eva": ("eva", 1.0),
        "g2x": ("g2x", 9.0),
    }
    assert said == [
        "ada is in g1 and handed in alone and with g1: the better result is alone, and counts for ada.",
        "ben is in g1 and handed in with g1 and with g2: the better result is with g2, and counts for ben.",
        "dan is in g3 and handed in alone: this counts for dan only. Collect it with the groups if it "
        "is the group's.",
        "In no group, and handed in alone: eva, g2x.",
    ]
    assert (
        groups.share([verdict("ada", 9.0, "unreadable"), verdict("g1", 0.0)])[0]["ada"].points == 0
    )


def test_without_groups_each_verdict_is_its_students():
    verdicts = [verdict("zoe", 1.0), verdict("ada", 2.0)]
    assert Groups().share(verdicts) == ({"zoe": verdicts[0], "ada": verdicts[1]}, [])
