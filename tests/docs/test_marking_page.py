"""The page on the marking page, followed from its first command to its last."""

import pytest
from marking_pages import save_marks
from typed_commands import TOP, blocks, type_in
from written_answers import Book

from autograder.desk.marking.scheme_items import split_scheme


@pytest.mark.database
@pytest.mark.long
def test_a_marker_comes_from_the_page_to_the_gradebook(empty_book: Book):
    id, folder = empty_book.assignment.id, empty_book.assignment.course.root
    with (folder / "nbgrader_config.py").open("a") as file:
        file.write('\nc.Marking.markers = ["kim", "lee"]\n')
    empty_book.enter(ada="One.", ben="Two.", cleo="Three.", dan="Four.")
    make, enter = blocks("marking-page.md")
    assert "2 answers for kim to mark" in type_in(folder, make, f"sheet={id}\n")
    (page,) = (folder / "results" / id / "marking").glob("page-kim-*.html")
    save_marks(page, folder / f"marks-{id}-kim.json", 1.0)
    assert "2 marks entered" in type_in(folder, enter, f"sheet={id}\n")
    assert sum(map(empty_book.waits, ("ada", "ben", "cleo", "dan"))) == 2


def test_the_scheme_on_the_page_has_the_items_that_it_says():
    text = (TOP / "docs" / "marking-page.md").read_text()
    scheme = text.partition("```markdown\n")[2].partition("**Example")[0]
    assert [one.points for one in split_scheme(scheme, 2.0).items] == [0.5, 1.5, -0.5]
