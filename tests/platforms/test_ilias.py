"""ILIAS's download: whose files they are, and when they were handed in."""

from downloads import BOOK, ours, standing, timestamp
from exports import export_collected
from importers import Ilias


def test_ilias_may_write_the_time_before_the_name(collect, into):
    collect({f"Team_3/Softmax_Ada_asoftmax_4711/20261120150000_{BOOK}": ours()}, zone="Etc/GMT-2")
    assert timestamp(into, "asoftmax") == "2026-11-20 13:00:00 UTC"


def test_a_time_that_a_student_wrote_before_the_name_is_none(collect, into):
    """Where ILIAS writes it, all files have one."""
    folder = "Sheet 3/Submissions"
    status, said = collect(
        {
            f"{folder}/Softmax_Ada_asoftmax_4711/20261101120000_{BOOK}": ours(1),
            f"{folder}/Mask_Ben_bmask_4712/{BOOK}": ours(2),
        },
        zone="Etc/GMT-2",
    )
    assert status == 0 and "2 students:" in said
    assert not timestamp(into, "asoftmax").startswith("2026-11-01")


def test_feedback_that_lies_beside_submissions_is_no_submission(collect, into):
    top = "Sheet 3/Feedback_files/to_Softmax_Ada_asoftmax_4711/from_Mask_Ben_bmask_5"
    status, said = collect(
        {f"Sheet 3/Submissions/Softmax_Ada_asoftmax_4711/{BOOK}": ours(), f"{top}/{BOOK}": ours(2)}
    )
    assert status == 0 and "1 student:" in said and standing(into) == {"asoftmax": ours()}


def test_ilias_takes_a_page_for_each_person(collect, into, capfd):
    collect(
        {
            f"Sheet 3/Submissions/Softmax_Ada_asoftmax_4711/{BOOK}": ours(1),
            f"Sheet 3/Submissions/Mask_Zoë_zmask_4712/{BOOK}": ours(2),
            f"Sheet 3/Submissions/Team 5/{BOOK}": ours(3),
        }
    )
    points = {"asoftmax": 7.5, "zmask": 10.0, "team-5": 9.0}
    folder = export_collected(into, "ilias", points)
    ilias = Ilias({4711, 4712})
    ilias.take_feedback((folder / "ilias-feedback.zip").read_bytes())
    assert b"7.5 of 10" in ilias.files[4711]["feedback.html"]
    assert b"10 of 10" in ilias.files[4712]["feedback.html"]
    assert "No feedback for ILIAS of team-5" in capfd.readouterr().out
