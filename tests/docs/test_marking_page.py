"""The page on the marking page, followed from its first command to its last."""

import json

import pytest
from typed_commands import blocks, type_in
from written_answers import WRITTEN, Book

from autograder.staff.marking.marks_file import FORMAT
from autograder.staff.marking.scheme_items import split_scheme


@pytest.mark.database
def test_a_marker_comes_from_the_page_to_the_gradebook(empty_book: Book):
    id, folder = empty_book.assignment.id, empty_book.assignment.course.root
    with (folder / "nbgrader_config.py").open("a") as file:
        file.write('\nc.Marking.markers = ["kim", "lee"]\n')
    empty_book.enter(ada="One.", ben="Two.", cleo="Three.", dan="Four.")
    first, make, enter = blocks("marking-page.md")
    assert first.startswith("sheet=")
    assert "2 answers for kim to mark" in type_in(folder, make, f"sheet={id}\n")
    (page,) = (folder / "results" / id / "marking").glob("page-kim-*.html")
    data = json.loads(page.read_text().partition('id="data">')[2].partition("</script>")[0])
    marks = [
        group["answers"][0] | {"exercise": WRITTEN, "points": 1, "comment": "", "items": []}
        for group in data["groups"]
    ]
    saved = {"format": FORMAT, "assignment": id, "marker": "kim", "scheme": [], "marks": marks}
    saved["saved_at"] = "2026-11-27T10:00:00Z"
    (folder / f"marks-{id}-kim.json").write_text(json.dumps(saved))
    said = type_in(folder, enter, f"sheet={id}\n")
    assert "2 marks entered" in said
    assert sum(map(empty_book.waits, ("ada", "ben", "cleo", "dan"))) == 2


def test_the_scheme_on_the_page_has_the_items_that_it_says(course):
    text = (course.root / "autograder" / "docs" / "marking-page.md").read_text()
    scheme = text.partition("```markdown\n")[2].partition("**Example")[0]
    assert [one.points for one in split_scheme(scheme, 2.0).items] == [0.5, 1.5, -0.5]
