"""ILIAS's download: whose files they are, and when they were handed in."""

from downloads import BOOK, ours, standing, timestamp


def test_ilias_may_write_the_time_before_the_name(collect, into):
    collect({f"Team_3/Softmax_Ada_asoftmax_4711/20261120150000_{BOOK}": ours()}, zone="Etc/GMT-2")
    assert timestamp(into, "asoftmax") == "2026-11-20 13:00:00 UTC"


def test_feedback_that_lies_beside_submissions_is_no_submission(collect, into):
    top = "Sheet 3/Feedback_files/to_Softmax_Ada_asoftmax_4711/from_Mask_Ben_bmask_5"
    status, said = collect(
        {f"Sheet 3/Submissions/Softmax_Ada_asoftmax_4711/{BOOK}": ours(), f"{top}/{BOOK}": ours(2)}
    )
    assert status == 0 and "1 student:" in said and standing(into) == {"asoftmax": ours()}
