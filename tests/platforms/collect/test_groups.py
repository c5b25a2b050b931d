"""`collect` with groups: the newest submission of any member is the group's."""

from downloads import BOOK, ID, METADATA, on_disk, ours, receipts, standing, zipped
from downloads import entry as at

from autograder._commands.exit_status import UNMATCHED
from autograder.classroom.roster import read_roster

ROSTER = (
    "student,name,platform,number,group\nada,Ada Softmax,moodle,11,Group 1\n"
    "ben,Ben Mask,moodle,12,Group 1\ncleo,Cleo Head,moodle,13,\n"
)


def download(**hours: int) -> bytes:
    """Moodle's zip: people, and the hour at which they handed in."""
    numbers = {"Ada Softmax": 11, "Ben Mask": 12, "Cleo Head": 13, "Group 1-Ben Mask": 12}
    return zipped(
        [
            (
                at(f"{name}_{number}_assignsubmission_file/{BOOK}", (2026, 11, 20, hour, 0, 0)),
                ours(f"{name} {hour}"),
            )
            for name, number in numbers.items()
            if (hour := hours.get(name.replace(" ", "_").replace("-", "_")))
        ]
    )


def test_the_newest_of_any_member_is_the_groups_and_the_table_says_who_sent_it(
    collect, into, roster
):
    words = roster(ROSTER)
    status, said = collect(download(Ada_Softmax=9, Ben_Mask=10, Cleo_Head=8), words=words)
    assert (
        status == 0 and "older, kept aside; sent by ada" in said and "placed; sent by ben" in said
    )
    assert standing(into) == {"group-1": ours("Ben Mask 10"), "cleo": ours("Cleo Head 8")}
    sent = {(one["student"], one["sender"]) for one in receipts(into)}
    assert sent == {("cleo", ""), ("group-1", "ada"), ("group-1", "ben")}
    people = read_roster(into, ID)
    assert [*people] == ["ada", "ben", "cleo"] and people["ada"].number == "11"
    before = on_disk(into)
    assert (
        "3 unchanged" in collect(download(Ada_Softmax=9, Ben_Mask=10, Cleo_Head=8), words=words)[1]
    )
    assert on_disk(into) == before
    assert "older, kept aside; sent by ada" in collect(download(Ada_Softmax=8), words=words)[1]
    assert standing(into)["group-1"] == ours("Ben Mask 10")


def test_a_sheet_that_is_done_alone_is_noticed_and_collected_anew(collect, into, roster, copied):
    words = [*roster(ROSTER), "--course", str(copied.course.root)]
    handed_in = download(Ada_Softmax=9, Ben_Mask=10, Cleo_Head=8)
    said = collect(handed_in, words=words)[1]
    assert "Several members of group-1 have submitted" in said and f"`*,,{ID}`" in said
    assert "Several members" not in collect(download(Ada_Softmax=11), words=words)[1]
    (copied.course.root / "groups.csv").write_text(f"student,group,assignment\n*,,{ID}\n")
    (into / "group-1" / "notes.txt").write_text("of staff")
    status, said = collect(handed_in, words=words)
    assert status == 0 and "Taken out of" in said and "group-1" in said
    assert standing(into) == {
        "ada": ours("Ada Softmax 11"), "ben": ours("Ben Mask 10"), "cleo": ours("Cleo Head 8"),
    }  # fmt: skip
    assert [path.name for path in (into / "group-1").iterdir()] == ["notes.txt"]
    again = collect(handed_in, words=words)[1]
    assert "Taken out of" not in again and "Several members" not in again


def test_of_members_who_were_alone_before_the_earlier_is_kept_aside(collect, roster):
    handed_in = download(Ada_Softmax=9, Ben_Mask=10)
    collect(handed_in, words=roster(ROSTER.replace("Group 1", "")))
    assert "older, kept aside; sent by ada" in collect(handed_in, words=roster(ROSTER))[1]


def test_a_notebook_that_somebody_put_into_a_groups_folder_stays(collect, into, roster, copied):
    words = [*roster(ROSTER), "--course", str(copied.course.root)]
    collect(download(Ada_Softmax=9), words=words)
    (into / "group-1" / ID / BOOK).write_bytes(ours("by hand"))
    (copied.course.root / "groups.csv").write_text(f"student,group,assignment\n*,,{ID}\n")
    assert "Taken out of" not in collect(download(Ada_Softmax=9), words=words)[1]
    assert standing(into)["group-1"] == ours("by hand")


def test_moodles_name_of_a_group_before_a_members_is_read(collect, into, roster):
    status, said = collect(download(Group_1_Ben_Mask=9), words=roster(ROSTER))
    assert status == 0 and "sent by ben" in said and [*standing(into)] == ["group-1"]


def test_a_team_whose_sender_is_not_named_is_the_group(collect, into, roster):
    status, said = collect({f"Group 1/{BOOK}": ours()}, words=roster(ROSTER))
    assert status == 0 and [*standing(into)] == ["group-1"] and "sent by" not in said
    assert [*read_roster(into, ID)] == ["ada", "ben"]
    assert not receipts(into)[0]["sender"]


def test_nobody_becomes_a_group_by_a_name(collect, into, roster):
    words = roster(ROSTER)
    assert collect(download(Ada_Softmax=9), words=words)[0] == 0
    before = standing(into)
    called_so = zipped({f"Group 1_99_assignsubmission_file/{BOOK}": ours("mine")})
    status, said = collect(called_so, words=words)
    assert status == UNMATCHED and "is not in" in said and standing(into) == before
    names = METADATA.replace("0042", "group-1")
    same_id = {
        "x/submission_metadata.yml": names.encode(),
        f"x/submission_456/{BOOK}": ours("mine"),
    }
    status, said = collect(same_id)
    assert status == UNMATCHED and "is not in `course.csv`" in said
    assert standing(into)["group-1"] == before["group-1"]


def test_a_group_can_be_filled_in_by_hand(collect, into, roster, tmp_path):
    words = roster(ROSTER)
    collect({f"{BOOK}": ours("whose"), f"ada/{BOOK}": ours("old")}, words=words)
    table = into.parent / f"unmatched-{ID}.csv"
    filled = tmp_path / "filled.csv"
    filled.write_text(table.read_text().rstrip() + "group-1\n")
    status, said = collect(words=["--resolve", filled])
    assert status == 0, said
    assert "group-1" in said


def test_who_changes_groups_later_is_told_and_stays(collect, into, roster):
    collect(download(Ada_Softmax=9), words=roster(ROSTER))
    words = roster(ROSTER.replace("12,Group 1", "12,Group 2"))
    status, said = collect(download(Ben_Mask=10), words=words)
    assert status == 0 and "ben is in group-2, but was collected with group-1" in said
    assert standing(into) == {"group-1": ours("Ben Mask 10")}


def test_a_class_without_groups_leaves_nothing_of_them(collect, into, roster):
    words = roster(ROSTER.replace("Group 1", ""))
    collect(download(Ada_Softmax=9, Ben_Mask=10), words=words)
    assert {*standing(into)} == {"ada", "ben"}
    assert not any(one["sender"] for one in receipts(into))
