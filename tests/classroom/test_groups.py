"""Who is in which group, as `groups.toml` says, and which verdict counts for whom."""

import tomllib
from pathlib import Path

import pytest
from exports import verdict
from recorded import plant_members, plant_roster

from autograder.classroom.groups import CourseGroups, Groups
from autograder.classroom.roster import Person
from autograder.engine import files

CASES = tomllib.loads(Path(__file__).with_name("groups.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("law", CASES)
def test_who_is_in_which_group(tmp_path, law):
    case = CASES[law]
    if "table" in case:
        text = "student,group,assignment\n" + case["table"]
        (tmp_path / "groups.csv").write_text(text, encoding="utf-8")
    submitted = tmp_path / "submitted"
    if "collected" in case:
        plant_members(submitted, "sheet-1", case["collected"])
        if case.get("submitted", True):
            (submitted / "g1" / "sheet-1").mkdir(parents=True)
    if "roster" in case:
        people = map(Person, case["roster"])
        plant_roster(submitted, "sheet-1", people, [*case["roster"].values()])
    before = sorted(tmp_path.rglob("*"))
    groups = CourseGroups(tmp_path, submitted)
    if "refused" in case:
        with pytest.raises(files.TableError) as refused:
            groups.of("sheet-1")
        assert case["refused"] in str(refused.value)
        return
    assert {id: groups.of(id).by_id for id in case["groups"]} == case["groups"]
    notes, expected = groups.of("sheet-1").notes, case.get("notes", [])
    assert len(notes) == len(expected)
    assert all(words in note for words, note in zip(expected, notes, strict=True))
    assert bool(groups.of("sheet-1")) == bool(case["groups"]["sheet-1"])
    assert sorted(tmp_path.rglob("*")) == before, "nothing is written"


def test_a_group_is_found_by_its_name_its_id_and_its_members():
    groups = Groups({"ada": ["group-1"], "ben": ["group-1"]}, {"group-1": "Group 1"})
    assert groups.members("group-1") == groups.mates("ben") == ["ada", "ben"]
    assert groups.of("ada") == groups.called("Group 1") == groups.called("group-1") == "group-1"
    assert (groups.of("cleo"), groups.members("cleo")) == ("", ["cleo"])
    assert groups.called("Group 2") == ""


def test_the_better_of_several_verdicts_counts_and_nobody_is_passed_over_in_silence():
    by_student = {"ada": ["g1"], "ben": ["g1", "g2"], "cleo": ["g2"], "dan": ["g3"], "fay": ["g4"]}
    groups = Groups(by_student, {id: id for id in ("g1", "g2", "g3", "g4")})
    points = {"ada": 5.0, "dan": 2.0, "eva": 1.0, "g1": 3.0, "g2": 4.0, "g4": 0.0}
    verdicts = [verdict(student, 0.0, "unreadable") for student in ("g2x", "fay")]
    verdicts += [verdict(student, given) for student, given in points.items()]
    best, notes = groups.share(verdicts)
    assert {student: counted.student for student, counted in best.items()} == {
        "ada": "ada", "ben": "g2", "cleo": "g2", "dan": "dan", "eva": "eva", "fay": "g4",
        "g2x": "g2x",
    }  # fmt: skip
    assert notes == [
        "ada is in g1 and handed in alone and with g1: the better result is alone, and counts for ada.",
        "ben is in g1 and handed in with g1 and with g2: the better result is with g2, and counts for ben.",
        "dan is in g3 and handed in alone: this counts for dan only. Collect it with the groups if it "
        "is the group's.",
        "fay is in g4 and handed in alone and with g4: the better result is with g4, and counts for fay.",
        "In no group, and handed in alone: eva, g2x.",
    ]


def test_without_groups_each_verdict_is_its_students():
    verdicts = [verdict("zoe", 1.0), verdict("ada", 2.0)]
    assert Groups().share(verdicts) == ({"zoe": verdicts[0], "ada": verdicts[1]}, [])
