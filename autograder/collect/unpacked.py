"""What had no place and was unpacked by hand: whose it is, and when it was received, stays known."""

from dataclasses import replace

from autograder.collect.times import time_handed_in
from autograder.collect.unplaced import Record, UnplacedStore
from autograder.platforms.download import NOTEBOOK, HandedIn, may_hold_notebook


def as_the_platform_said(
    handed_in: HandedIn, store: UnplacedStore
) -> tuple[HandedIn, str | None, str]:
    """Return it with what the platform said of this student's, that one's key, and a sentence.

    A folder that has a student's id as its name says neither a number nor a time. What of the same
    student had no place says both; its time counts where it still has none and holds an archive.
    """
    person = handed_in.person
    if person.number or handed_in.submitted_at or handed_in.chosen:
        return handed_in, None, ""
    same = [row for row in store.rows(settled=True) if row.record.person.student == person.student]
    if not same:
        return handed_in, None, ""
    known = replace(handed_in, person=same[-1].record.person)
    waiting = {row.key: row for row in same if not row.record.students}
    if len(waiting) != 1:
        return known, None, ""
    ((key, row),) = waiting.items()
    received = store.handed_in(row)
    if not _holds_archive(row.record):
        return known, key, ""
    told = time_handed_in(received, received.files[0])
    if told.when is None:
        return known, key, ""
    timed = replace(known, submitted_at=told.when, time_from=told.time_from)
    sentence = (
        f"`{person.student}` is taken for what is in `{row.file}`, which had no place, with its "
        "time of handing in; where that is wrong, late.csv can say another."
    )
    return timed, key, sentence


def _holds_archive(record: Record) -> bool:
    return any(
        may_hold_notebook(one.kept) and not NOTEBOOK.search(one.kept) for one in record.files
    )
