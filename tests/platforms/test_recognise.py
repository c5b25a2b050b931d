"""Each platform's download is told by its names."""

import pytest
from downloads import BOOK, ID, MOODLE, ours, standing, timestamp

from autograder.engine.verdict import STUDENT


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
