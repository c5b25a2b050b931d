"""Whose each file of a download is, by the names that platforms write and by a roster: a table."""

import tomllib

import pytest
from downloads import BOOK, DATA, ID, Collect, ours, standing

from autograder.engine import verdicts

pytestmark = [pytest.mark.usefixtures("read_without_fork"), pytest.mark.slow]

TABLE = (DATA / "whose.toml").read_text(encoding="utf-8")
CASES = tomllib.loads(TABLE.replace("BOOK", BOOK).replace("ID", ID))
for case in CASES["of_everybody"]:
    case["roster"] = CASES["everybody"]


def collect_files(collect: Collect, files: list[str], words: list[str]) -> tuple[int, str]:
    """Collect notebooks, each with its place in the list as its mark, and other files."""
    marked = {name: ours(n) if "ipynb" in name else b"?" for n, name in enumerate(files)}
    status, said = collect(marked, words=words)
    return status, " ".join(said.split())


@pytest.mark.parametrize("case", CASES["recognised"], ids=lambda case: case["files"][0])
def test_each_layout_is_recognised_by_its_names(collect, into, case):
    status, said = collect_files(collect, case["files"], [])
    assert status == 0, said
    student = case["student"]
    assert standing(into)[student] == ours(0)
    assert verdicts.STUDENT.fullmatch(student) and f"{student} " in said


OTHERS = [
    pytest.param(case, id=f"{table}: {case['law']}")
    for table in ("layouts", "ids", "rosters", "of_everybody")
    for case in CASES[table]
]


@pytest.mark.parametrize("case", OTHERS)
def test_whose_each_file_is(collect, into, roster, case):
    words = case.get("words", []) + (roster(case["roster"]) if "roster" in case else [])
    status, said = collect_files(collect, case["files"], words)
    assert status == case.get("status", 0), said
    assert standing(into) == {student: ours(mark) for student, mark in case["placed"].items()}
    assert all(sentence in said for sentence in case.get("said", []))
    assert "twice" not in case or said.count(case["twice"]) == 2
