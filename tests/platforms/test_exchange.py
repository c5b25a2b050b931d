"""nbgrader's own layouts: whose files they are, for which assignment, and from when."""

from downloads import BOOK, ID, others, ours, receipts, standing, timestamp


def test_of_the_exchange_only_this_assignment_is_taken_and_the_newest_counts(collect, into):
    early, late = "2026-11-20 15:00:00.5 UTC", "2026-11-20 16:00:00.5 UTC"
    status, _ = collect(
        {
            f"inbound/ada+{ID}+{late}+x/{BOOK}": ours("late"),
            f"inbound/ada+{ID}+{early}+y/{BOOK}": ours("early"),
            f"inbound/ada+another-sheet+{late}+z/another-sheet.ipynb": others(),
        }
    )
    assert status == 0 and standing(into) == {"ada": ours("late")}
    assert [one["submitted_at"] for one in receipts(into)] == [
        "2026-11-20 15:00:00 UTC",
        "2026-11-20 16:00:00 UTC",
    ]


def test_nbgraders_own_timestamp_counts_in_the_folder_of_submissions(collect, into):
    top = f"submitted/ada/{ID}"
    stamp = b"2026-11-19 08:00:00.5 UTC"
    assert collect({f"{top}/{BOOK}": ours(), f"{top}/timestamp.txt": stamp})[0] == 0
    assert timestamp(into, "ada") == "2026-11-19 08:00:00 UTC"


def test_a_folder_of_another_assignment_is_left_aside(collect, into):
    files = {f"submitted/ada/{ID}/{BOOK}": ours(), "submitted/ben/other/other.ipynb": others()}
    status, said = collect(files)
    assert status == 0 and "1 student:" in said and standing(into) == {"ada": ours()}


def test_a_name_that_is_no_id_is_kept_as_the_students_name(collect, into):
    time = "2026-11-20 15:00:00 UTC"
    assert collect({f"inbound/Ada Softmax+{ID}+{time}/{BOOK}": ours()})[0] == 0
    assert standing(into) == {"ada-softmax": ours()}
