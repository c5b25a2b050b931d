"""What the gradebook is asked for does not grow with those who are in it already."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from tests.gradebook.verdict_class import VerdictClass

pytestmark = pytest.mark.database
BATCH = 5
LARGE = 50  # students that come between the batches that are compared
STEP = 50  # instructions of SQLite's machine, counted together


class Work:
    """What a database had to do."""

    def __init__(self) -> None:
        self.statements = 0
        self.steps = 0  # of SQLite's machine, in units of STEP

    def step(self) -> int:
        self.steps += 1
        return 0


@contextmanager
def counted() -> Iterator[Work]:
    """Count the work of all connections that are opened within the block."""
    work = Work()

    def connected(connection, _):
        connection.set_progress_handler(work.step, STEP)

    def executed(*_):
        work.statements += 1

    event.listen(Engine, "connect", connected)
    event.listen(Engine, "before_cursor_execute", executed)
    try:
        yield work
    finally:
        event.remove(Engine, "connect", connected)
        event.remove(Engine, "before_cursor_execute", executed)


def test_a_batch_is_no_more_work_in_a_large_class_and_reading_it_is_linear(empty_book, monkeypatch):
    monkeypatch.chdir(empty_book.assignment.course.root)
    large_class = VerdictClass(empty_book)
    large_class.configure("percent_per_day = 10")
    large_class.due("2026-01-10 18:00")

    def submit(first: int, count: int) -> None:
        for number in range(first, first + count):
            large_class.submit(f"s{number:03}", "2026-01-11 12:00")

    writing, reading = [], []
    for first, count in ((0, 1), (100, LARGE), (200, LARGE)):
        submit(first, count)
        large_class.enter()
        submit(first + count, BATCH)
        with counted() as work:
            large_class.enter()
        writing.append(work)
        with counted() as work:
            large_class.enter()
        reading.append(work)
    assert len(large_class.penalties()) == 1 + 2 * LARGE + 3 * BATCH
    small, *larger = writing
    assert all(work.statements <= small.statements * 1.2 for work in larger)
    small, large, twice = reading
    assert 0 < small.statements == large.statements == twice.statements
    assert 0 < twice.steps - large.steps <= 1.2 * (large.steps - small.steps)
