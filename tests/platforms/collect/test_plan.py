"""Whose is what: ids that nobody shares, and a roster that names the course's own."""

import os

import pytest
from downloads import BOOK, ID, METADATA, MOODLE, on_disk, ours, standing, timestamp

from autograder.classroom.roster import read_roster
from autograder.platforms.collect import receive

pytestmark = pytest.mark.usefixtures("read_without_fork")


def test_a_folder_is_read_as_its_zip_would_be_but_for_the_times(collect, into, tmp_path):
    folder = tmp_path / "unpacked" / MOODLE
    folder.mkdir(parents=True)
    (folder / BOOK).write_bytes(ours())
    os.utime(folder / BOOK, (1_800_000_000, 1_800_000_000))
    assert collect(tmp_path / "unpacked")[0] == 0
    assert standing(into) == {"ada-softmax-1234567": ours()}
    assert not (into / "ada-softmax-1234567" / ID / "timestamp.txt").exists()
    assert collect(tmp_path / "unpacked", words=["--file-times"])[0] == 0
    assert timestamp(into, "ada-softmax-1234567") == "2027-01-15 08:00:00 UTC"


def test_two_people_of_one_login_are_told_apart_by_number_and_keep_their_ids(collect, into):
    ada = {f"Softmax_Ada_ada_1/{BOOK}": ours(1)}
    collect(ada)
    for _ in range(2):
        assert collect(ada | {f"Mask_Ada_ada_2/{BOOK}": ours(2)})[0] == 0
        assert standing(into) == {"ada": ours(1), "ada-2": ours(2)}


def test_two_folders_of_one_id_are_both_left_out(collect, into):
    status, said = collect(
        {f"Ada!/{BOOK}": ours(1), f"ada?/{BOOK}": ours(2), f"ben/{BOOK}": ours()}
    )
    assert status == 3 and said.count("would share the id `ada`") == 2
    assert set(standing(into)) == {"ben"}


@pytest.mark.parametrize(
    "names",
    [
        ("Ada Softmax/", "ada-softmax/"),
        ("Ada Softmax/", "Ada\u00a0Softmax/"),
        ("ada/", "ada\u200b/"),
        (f"ada+{ID}+2026-11-20 15:00:00 UTC+x/", f"ada\u200b+{ID}+2026-11-21 15:00:00 UTC+x/"),
        (f"Ada Softmax/{ID}/", f"ada-softmax/{ID}/"),
    ],
)
def test_two_spellings_of_one_id_are_nobodys_and_each_is_told_of_the_other(collect, into, names):
    status, said = collect({f"{name}{BOOK}": ours(n) for n, name in enumerate(names)})
    assert status == 3 and standing(into) == {} and said.count("would share the id") == 2


def test_both_who_would_share_an_id_are_named(collect):
    said = " ".join(collect({f"Ada X/{BOOK}": ours(1), f"ada-x/{BOOK}": ours(2)})[1].split())
    assert "`Ada X` would share the id `ada-x` with `ada-x`;" in said
    assert "`ada-x` would share the id `ada-x` with `Ada X`;" in said


def test_ids_that_differ_in_case_only_are_not_both_placed(collect, into):
    status, said = collect({f"Ada/{BOOK}": ours(1), f"ada/{BOOK}": ours(2)})
    assert status == 3 and "would share the id" in said and standing(into) == {}
    assert collect({f"ada/{BOOK}": ours(1)})[0] == 0
    assert collect({f"ADA/{BOOK}": ours(2)})[0] == 3
    assert standing(into) == {"ada": ours(1)}


def test_two_people_do_not_share_a_folder_that_was_there_before(collect, into):
    (into / "0042" / ID).mkdir(parents=True)
    metadata = METADATA.replace(":name: Cleo Head", ":name: Cleo Head\n    :sid: '0042'")
    files = {f"e/submission_{n}/{BOOK}": ours(n) for n in (456, 457)}
    collect({"e/submission_metadata.yml": metadata.encode()} | files)
    assert standing(into) == {"ben@uni.example": ours(456)}


def test_a_new_surname_is_the_same_participant(collect, into):
    collect({f"Ada Softmax_7_assignsubmission_file/{BOOK}": ours(1)})
    collect({f"Ada Head_7_assignsubmission_file/{BOOK}": ours(2)})
    assert standing(into) == {"ada-softmax-7": ours(2)}


def test_a_name_of_which_no_id_can_be_made_is_listed(collect, into):
    status, said = collect({f"王芳/{BOOK}": ours(), f"ben/{BOOK}": ours()})
    assert status == 3 and "`王芳` has a name of which no id can be made" in said


def test_a_team_is_placed_and_said_to_be_one(collect, into):
    status, said = collect(
        {
            f"Group A_42_assignsubmission_file_/{BOOK}": ours(1),
            f"Default group_assignsubmission_file_/{BOOK}": ours(2),
        }
    )
    assert status == 0 and set(standing(into)) == {"group-a-42", "default-group"}
    assert said.count("whose members the download does not name") == 1


@pytest.mark.parametrize(
    "text",
    [
        "student,number\ns007,1234567\n",
        "student,number,platform\ns007,1234567,moodle\nx,1234567,canvas\n",
        "student;name\ns007;Softmax, Ada\nx;Ben Mask\n",
        "\ufeffstudent,name\ns007,Ada  Softmax\n",
        "name,student,note\nSOFTMAX Ada,s007,why, not\n",
        "student\ts\nada-softmax-1234567\tx\n",
    ],
)
def test_a_roster_gives_the_courses_own_ids(collect, into, roster, text):
    status, said = collect({f"{MOODLE}/{BOOK}": ours()}, words=roster(text))
    assert status == 0, said
    assert set(standing(into)) <= {"s007", "ada-softmax-1234567"} and len(standing(into)) == 1


def test_a_display_name_of_canvas_decides_nothing_and_a_number_does(collect, into, roster):
    words = roster("student,name\ns007,Ada de la Softmax\n")
    assert collect({f"delasoftmaxada_5_6_{BOOK}": ours()}, words=words)[0] == 3
    words = roster("student,name,platform,number\ns007,Ada de la Softmax,canvas,5\n")
    assert collect({f"delasoftmaxada_5_6_{BOOK}": ours()}, words=words)[0] == 0
    assert set(standing(into)) == {"s007"}


def test_a_number_that_is_another_persons_in_the_roster_gives_nobody_a_file(collect, into, roster):
    """As where the column has the university's numbers, which mean others on the platform."""
    words = roster("student,name,number\ns1,Ben Mask,1234567\ns2,Ada Softmax,7\n")
    status, said = collect({f"{MOODLE}/{BOOK}": ours()}, words=words)
    assert status == 3 and standing(into) == {}
    assert "may be of s1, whose name in the roster is `Ben Mask`" in said


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("student,name\na,Ada Softmax\nb,Ada Softmax\n", "may be of a or of b"),
        ("student,name\na,Ben Mask\n", "is not in"),
        ("student,number,platform\na,1234567,canvas\n", "is not in"),
    ],
)
def test_whom_a_roster_does_not_tell_is_not_placed(collect, into, roster, text, reason):
    status, said = collect({f"{MOODLE}/{BOOK}": ours()}, words=roster(text))
    assert status == 3 and reason in said and standing(into) == {}


def test_two_people_whom_a_roster_gives_one_id_are_both_left_out(collect, into, roster):
    files = {f"Ada Softmax_{n}_assignsubmission_file/{BOOK}": ours(n) for n in (1, 2)}
    status, said = collect(files, words=roster("student,name\ns007,Ada Softmax\n"))
    assert status == 3 and said.count("is not in `course.csv`") == 2 and standing(into) == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name\nAda\n", "has no column `student`"),
        ("student\n../../evil\n", "cannot be a student's id"),
        ("student\n.received\n", "cannot be a student's id"),
        ("", "has no column `student`"),
    ],
)
def test_a_roster_that_is_none_is_refused_before_anything_is_written(
    collect, into, roster, text, reason
):
    status, said = collect({f"{MOODLE}/{BOOK}": ours()}, words=roster(text))
    assert status == 2 and reason in said
    assert standing(into) == {}


def test_a_roster_that_is_not_there_is_said_in_one_line(collect, tmp_path):
    status, said = collect({f"ada/{BOOK}": ours()}, words=["--roster", str(tmp_path / "no.csv")])
    assert status == 2 and said.count("\n") == 1 and "There is no file" in said


def test_collecting_merges_into_the_roster(collect, into):
    collect({f"{MOODLE}/{BOOK}": ours()})
    collect({f"Ben Mask_7_assignsubmission_file/{BOOK}": ours()})
    people = read_roster(into, ID)
    assert (
        people["ada-softmax-1234567"].number == "1234567"
        and people["ben-mask-7"].name == "Ben Mask"
    )


def test_collecting_from_where_it_went_changes_nothing_and_forgets_nobody(collect, into):
    collect({f"{MOODLE}/{BOOK}": ours()})
    before = on_disk(into)
    status, said = collect(into)
    assert status == 0 and "1 unchanged" in said and on_disk(into) == before


@pytest.mark.parametrize(
    "error", [RecursionError(), MemoryError(), UnicodeDecodeError("a", b"", 0, 1, "b")]
)
def test_what_one_submission_raises_is_said_of_it_and_the_others_are_placed(
    collect, into, monkeypatch, error
):
    def choose(contents, *more):
        if "ben" in contents[0].file.path:
            raise error
        return really_choose(contents, *more)

    really_choose = receive.choose_notebook
    monkeypatch.setattr(receive, "choose_notebook", choose)
    status, said = collect({f"{name}/{BOOK}": ours() for name in ("ada", "ben", "cleo")})
    assert status == 3 and f"`ben`: {type(error).__name__}" in said
    assert set(standing(into)) == {"ada", "cleo"}
