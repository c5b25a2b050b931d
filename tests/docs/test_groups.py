"""The page on groups, followed."""

from pathlib import Path

import pytest
from downloads import BOOK, ID, ours
from typed_commands import blocks, type_in

ROSTER = "student,group\nada,Group 1\nben,Group 1\ncleo,\n"


@pytest.mark.walls
@pytest.mark.long
def test_a_group_hands_in_and_each_member_has_its_points(copied):
    root = copied.course.root
    (root / "roster.csv").write_text(ROSTER)
    for student in ("ben", "cleo"):
        folder = Path(root, f"{ID}-submissions", student)
        folder.mkdir(parents=True)
        (folder / BOOK).write_bytes(ours(student))
    (block,) = [one for one in blocks("groups.md") if not one.startswith("sheet=")]
    said = type_in(root, block, f"sheet={ID}\n")
    assert "sent by ben" in said and "In no group, and handed in alone: cleo." in said
    assert {one.stem for one in (root / "results" / ID).glob("*.json")} == {"group-1", "cleo"}
    entered = {one.name for one in (root / "autograded").iterdir()}
    assert entered == {"ada", "ben", "cleo", "group-1"}
