"""Each platform's download is told by its names."""

import shutil
from itertools import product

import pytest
from downloads import BOOK, ID, MOODLE, ours, standing, timestamp
from sampling import every

from autograder.engine.verdicts.verdict import STUDENT

pytestmark = pytest.mark.usefixtures("read_without_fork")


@pytest.mark.parametrize(
    ("names", "student"),
    [
        ([f"{MOODLE}/{BOOK}"], "ada-softmax-1234567"),
        ([f"{MOODLE}_/{BOOK}"], "ada-softmax-1234567"),
        ([f"{MOODLE}_{BOOK}"], "ada-softmax-1234567"),
        ([f"Course-Sheet 3-99/{MOODLE}_/work/{BOOK}"], "ada-softmax-1234567"),
        ([f"Zoë Müller-Ångström_77_assignsubmission_file_/{BOOK}"], "zoe-muller-angstrom-77"),
        ([f"王芳_77_assignsubmission_file_/{BOOK}"], "moodle-77"),
        ([f"Participant_77_assignsubmission_file/{BOOK}"], "participant-77"),
        ([f"softmaxada_12345_67890_{BOOK}"], "softmaxada-12345"),
        ([f"softmaxada_LATE_12345_67890_{ID}-1.ipynb"], "softmaxada-12345"),
        (["submissions/softmaxada_12345_67890_Late (2).ipynb"], "softmaxada-12345"),
        ([f"anon_aB3xZ_67890_{BOOK}"], "canvas-anon-ab3xz"),
        ([f"müllerzoë_12345_67890_{BOOK}"], "mullerzoe-12345"),
        ([f"Sheet 3/Submissions/Softmax_Ada_asoftmax_4711/{BOOK}"], "asoftmax"),
        ([f"Blatt 3/Abgaben/Team 12/Softmax_Ada_asoftmax_4711/{BOOK}"], "asoftmax"),
        ([f"Blatt 3/Abgaben/Team 12/Ada Softmax/{BOOK}"], "team-12"),
        ([f"Course/{ID}/Submissions/Softmax_Ada_asoftmax_4711/{BOOK}"], "asoftmax"),
        ([f"Softmax_Ada_asoftmax_4711/Verspätete Abgabe - {BOOK}"], "asoftmax"),
        ([f"inbound/ada+{ID}+2026-11-20 15:00:00.123456 UTC+a1b2/{BOOK}"], "ada"),
        ([f"ada+{ID}+2026-11-20 15:00:00 UTC/{BOOK}"], "ada"),
        ([f"submitted/ada/{ID}/{BOOK}", f"submitted/ada/{ID}/timestamp.txt"], "ada"),
        ([f"ada/{BOOK}"], "ada"),
        ([f"Ada Softmax/work/{BOOK}"], "ada-softmax"),
        ([f"class/ada/{BOOK}", "class/bob/hw.ipynb"], "ada"),
        ([f"__MACOSX/._ada/{BOOK}", f"ada/{BOOK}", "ada/.ipynb_checkpoints/x.ipynb"], "ada"),
    ],
)
def test_each_layout_is_recognised_by_its_names(collect, into, names, student):
    status, said = collect({name: ours() if name.endswith("b") else b"?" for name in names})
    assert status == 0, said
    assert standing(into)[student] == ours()
    assert STUDENT.fullmatch(student) and f"{student} " in said


LAYOUTS = {
    "moodle": "{}da Softmax_{}_assignsubmission_file_/",
    "ilias": "Sheet 3/Submissions/Softmax_{}da_{}login_{}/",
    "gradescope": "export/submission_{}{}/",
    "inbound": f"inbound/{{}}da{{}}+{ID}+2026-11-20 15:00:00 UTC+x/",
    "submitted": f"submitted/{{}}da{{}}/{ID}/",
    "folder": "class/{}da{}/",
}
BELOW = [  # what a student may call what is in a folder
    f"ada+{ID}+2026-11-30 15:00:00 UTC+x/{BOOK}",
    f"ada_assignsubmission_file/{BOOK}",
    f"Ada Softmax_1_assignsubmission_file_/{BOOK}",
    f"ada_1_2_{BOOK}",
    "submission_metadata.yml",
    f"submission_1/{BOOK}",
    f"Softmax_Ada_1login_1/{BOOK}",
    f"Team 1/Softmax_Ada_1login_1/{BOOK}",
    f"submitted/ada/{ID}/{BOOK}",
    f"Feedback_files/{BOOK}",
]


@pytest.mark.parametrize(
    ("layout", "below"),
    [
        pytest.param(layout, below, marks=[pytest.mark.long] * (n % 3 > 0))
        for n, (layout, below) in enumerate(product(LAYOUTS, BELOW))
    ],
)
def test_names_below_what_the_platform_writes_say_nothing(collect, into, layout, below):
    """The last of three has them: the others are placed as without, and nobody has what is there."""
    tops = [LAYOUTS[layout].format(first, n, n) for n, first in enumerate("abc", start=1)]
    files = {f"{top}{BOOK}": ours(n) for n, top in enumerate(tops)}
    if layout == "gradescope":
        records = "".join(
            f"submission_{first}{n}:\n  :submitters:\n  - :name: N{n}\n    :email: n{n}@x\n"
            for n, first in enumerate("abc", start=1)
        )
        files["export/submission_metadata.yml"] = records.encode()
    collect(files)
    before = standing(into)
    assert len(before) == 3
    shutil.rmtree(into)
    many = [below, *(below.removesuffix(BOOK) + f"{n}-{BOOK}" for n in range(9))]
    collect(files | {f"{tops[-1]}{name}": ours("forged") for name in many})
    after = standing(into)
    others = {one: data for one, data in before.items() if data != ours(2)}
    assert len(others) == 2 and others.items() <= after.items()
    assert after.keys() <= before.keys()


@pytest.mark.parametrize("below", every(3, BELOW))
@pytest.mark.parametrize("own", [True, False])
def test_of_nbgraders_folder_with_one_student_all_is_of_that_one(collect, into, below, own):
    files = {f"submitted/eve/{ID}/{BOOK}": ours(1)} if own else {}
    collect(files | {f"submitted/eve/{below}": ours("forged"), f"submitted/eve/x/{BOOK}": b"x"})
    assert set(standing(into)) <= {"eve"}


def test_a_folder_called_as_ilias_calls_one_is_a_students_elsewhere(collect, into):
    names = ("ada", "ben", "Feedback_files")
    assert collect({f"class/{name}/{BOOK}": ours(name) for name in names})[0] == 0
    assert set(standing(into)) == set(names)


def test_a_download_with_the_names_of_two_platforms_is_of_none(collect, into):
    files = {f"{MOODLE}/{BOOK}": ours(1), f"softmaxada_5_6_{BOOK}": ours(2)}
    status, said = collect(files)
    assert status == 2 and "has names as moodle and canvas write them" in said
    status, said = collect(files, words=["--platform", "moodle"])
    assert status == 3 and f"`softmaxada_5_6_{BOOK}` is nobody's" in said
    assert standing(into) == {"ada-softmax-1234567": ours(1)}


def test_an_export_of_gradescope_without_its_metadata_makes_nobody_a_student(collect, into):
    files = {f"export/submission_{n}/{BOOK}": ours(n) for n in (1, 2)}
    status, said = collect(files)
    assert status == 2 and "has names as gradescope and folder write them" in said
    status, said = collect(files, words=["--platform", "gradescope"])
    assert status == 2 and "There is no submission_metadata.yml beside the submissions" in said
    assert not standing(into)


def test_a_folder_that_the_platform_does_not_write_is_named(collect, into):
    files = {f"{MOODLE}/{BOOK}": ours(1), f"ben/{BOOK}": ours(2)}
    status, said = collect(files)
    assert status == 3 and f"`ben/{BOOK}` is nobody's" in said
    assert standing(into) == {"ada-softmax-1234567": ours(1)}


@pytest.mark.parametrize("group", ["Group 1", "Gruppe 7", "Team_3"])
def test_a_folder_called_like_a_group_makes_no_ilias(collect, into, group):
    files = {f"{group}/{BOOK}": ours(1), f"ada/{BOOK}": ours(2), f"Ben Mask/{BOOK}": ours(3)}
    assert collect(files)[0] == 0
    assert len(standing(into)) == 3 and {"ada", "ben-mask"} < set(standing(into))


def test_one_folder_with_persons_below_a_teams_makes_no_ilias(collect, into):
    persons = {f"Group 1/Softmax_{one}_ada_{n}/{BOOK}": ours(n) for n, one in enumerate(("A", "B"))}
    collect(persons | {f"Group 2/{BOOK}": ours(3)})
    assert set(standing(into)) == {"group-2"}


def test_what_no_platform_names_is_asked_for(collect, into):
    status, said = collect({"notes.txt": b"", BOOK: ours()})
    assert status == 2 and "--platform" in said and said.count("\n") == 1
    assert not into.exists()


def test_a_platform_may_be_said_outright(collect, into):
    names = {f"Softmax_Ada_asoftmax_4711/{BOOK}": ours()}
    assert collect(names, words=["--platform", "folder"])[0] == 0
    assert set(standing(into)) == {"Softmax_Ada_asoftmax_4711"}


def test_a_timestamp_of_the_students_own_is_not_believed(collect, into):
    collect({f"{MOODLE}/{BOOK}": ours(), f"{MOODLE}/timestamp.txt": b"2001-01-01 00:00:00 UTC"})
    assert timestamp(into, "ada-softmax-1234567") == "2026-11-20 15:00:00 UTC"


@pytest.mark.parametrize("own", ["sheet_2026_11_20_final.ipynb", "run_3_4_data.csv"])
def test_a_students_file_name_makes_no_second_platform(collect, into, own):
    """Moodle without folders: what a student called the file is the end of the name."""
    files = {f"Ada Softmax_1_assignsubmission_file_{BOOK}": ours(1)}
    files[f"Eve Mask_2_assignsubmission_file_{BOOK}"] = ours(2)
    files[f"Eve Mask_2_assignsubmission_file_{own}"] = ours(2)
    assert collect(files)[0] == 0
    assert standing(into) == {"ada-softmax-1": ours(1), "eve-mask-2": ours(2)}


def test_of_nbgraders_folder_the_time_beside_the_notebook_counts(collect, into):
    """Not one that a student put deeper, nor does a stray file take away everybody's."""
    said, own = b"2026-11-20 15:00:00 UTC", b"2001-01-01 00:00:00 UTC"
    ada, eve = (f"class/{name}/{ID}" for name in ("ada", "eve"))
    files = {f"{eve}/a/timestamp.txt": own, f"{eve}/{BOOK}": ours(2), f"{eve}/timestamp.txt": said}
    files |= {f"{ada}/{BOOK}": ours(1), f"{ada}/timestamp.txt": said, "class/ada/notes.txt": b""}
    assert collect(files)[0] == 0
    assert {timestamp(into, name) for name in ("ada", "eve")} == {said.decode()}
