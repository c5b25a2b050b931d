"""`collect` with groups: the newest submission of any member is the group's."""

from downloads import BOOK, ID, ours, standing, zipped
from downloads import entry as at

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


def test_a_notebook_that_somebody_put_into_a_groups_folder_stays(collect, into, roster, copied):
    words = [*roster(ROSTER), "--course", str(copied.course.root)]
    collect(download(Ada_Softmax=9), words=words)
    (into / "group-1" / ID / BOOK).write_bytes(ours("by hand"))
    (copied.course.root / "groups.csv").write_text(f"student,group,assignment\n*,,{ID}\n")
    assert "Taken out of" not in collect(download(Ada_Softmax=9), words=words)[1]
    assert standing(into)["group-1"] == ours("by hand")
