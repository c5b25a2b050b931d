"""Files of records: what is added is read, and damage costs one line."""

import pytest
from msgspec import Struct

from autograder.engine.files import NotRegular, add_record, read_records


class Note(Struct):
    text: str
    number: int = 0


def test_records_come_back_in_their_order_over_two_lines_of_text(tmp_path):
    path = tmp_path / "new" / "notes.jsonl"
    notes = [Note("a\nb", 1), Note("\u2028 ünd", 2)]
    for note in notes:
        add_record(path, note)
    assert list(read_records(path, Note, tmp_path)) == notes


def test_half_a_surrogate_pair_is_written_as_a_question_mark(tmp_path):
    add_record(tmp_path / "notes.jsonl", Note("a\ud800b"))
    assert list(read_records(tmp_path / "notes.jsonl", Note, tmp_path)) == [Note("a?b")]


def test_a_file_that_is_not_there_has_none(tmp_path):
    assert list(read_records(tmp_path / "none.jsonl", Note, tmp_path)) == []


@pytest.mark.parametrize("cut", ['{"text": "ha', "[" * 100_000, '{"text": 3}', "\0", "null"])
def test_a_damaged_line_costs_itself_alone(tmp_path, cut):
    path = tmp_path / "notes.jsonl"
    add_record(path, Note("first"))
    with path.open("a") as file:
        file.write(f"\n{cut}")
    add_record(path, Note("last"))
    assert [note.text for note in read_records(path, Note, tmp_path)] == ["first", "last"]


def test_no_link_is_followed(tmp_path):
    add_record(tmp_path / "elsewhere.jsonl", Note("theirs"))
    course = tmp_path / "course"
    course.mkdir()
    (course / "notes.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    with pytest.raises(NotRegular):
        list(read_records(course / "notes.jsonl", Note, course))
