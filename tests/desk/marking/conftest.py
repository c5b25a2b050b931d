"""A course with two markers, in whose gradebook some answers are equal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from inquired import MARKERS, configure
from marking_pages import SAVED, rows
from typed_commands import typed
from written_answers import WRITTEN, Book


@pytest.fixture
def book(empty_book, monkeypatch) -> Book:
    """ada, ben and cleo say the same, dan something else, eva nothing; the course is this folder."""
    monkeypatch.chdir(empty_book.assignment.course.root)
    configure(f"\n{MARKERS}")
    empty_book.enter(
        ada="The root\nkeeps the scale.",
        ben="The root   keeps\r\nthe scale. ",
        cleo="The root keeps the scale.",
        dan="The root keeps the Scale.",
        eva=None,
    )
    return empty_book


@pytest.fixture
def mark_on_page(book) -> Callable[..., tuple[int, str]]:
    """Enter what a marker's page would save that many minutes after noon: points by student."""

    def run(marker: str, comment: str = "", minutes: int = 0, version: str = "", **points):
        typed("marking", "list", "--second", "100%", "--out", "answers")
        answers = rows(Path("answers", book.assignment.id, "second.csv"))
        versions = {row["student"]: row["answer"] for row in answers}
        marks = [
            {
                "student": student,
                "exercise": WRITTEN,
                "answer": version or versions.get(student, "v0"),
                "points": given,
                "comment": comment,
                "items": [],
            }
            for student, given in points.items()
        ]
        saved = SAVED | {"marker": marker, "marks": marks}
        saved["saved_at"] = f"2026-11-27T12:{minutes:02}:00Z"
        Path("marks.json").write_text(json.dumps(saved))
        return typed("marking", "enter", "marks.json")

    return run
