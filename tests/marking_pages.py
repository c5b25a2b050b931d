"""Marking pages for tests: a class of 60 whose answers are 12 groups, and a browser that shows them."""

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from written_answers import WRITTEN, Book

from autograder.desk.marking.answers import groups, read_answers
from autograder.desk.marking.marking_page import write_marking_page
from autograder.desk.marking.marks_file import FORMAT

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

REGION = "### BEGIN SOLUTION\n{}\n### END SOLUTION"
SOLUTION = """The root keeps the scale.

**Marking scheme** (2 points)

| points | for |
|---|---|
| 0.5 | the root |
| 1.5 | the scale |

Any notation is fine.

**Example answer** (1.5 points)

Only the scale.

**Example answer** (0 points)

Nothing."""
GROUPS, STUDENTS = 12, 60
SAVED = {  # by a page; `marks` is a list by answer
    "format": FORMAT,
    "assignment": "small-sheet",
    "marker": "Kim",
    "saved_at": "2026-11-27T10:00:00.000Z",
    "scheme": [{"exercise": WRITTEN, "text": "t", "points": 1}],
    "marks": [],
}
MARKING = Path("results/small-sheet/marking")


def rows(table: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with table.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter, strict=True))


def enter_class(book: Book) -> None:
    """Enter the answers of 60 students, five of each kind."""
    book.enter(**{f"s{i:02}": f"Answer of kind {i % GROUPS:02}." for i in range(STUDENTS)})


def make_page(book: Book, folder: Path, marker: str = "Kim") -> Path:
    """Write the page of whoever marks all."""
    id = book.assignment.id
    answers, _ = read_answers(book.url, book.assignment.course, id, "http://localhost")
    return write_marking_page(folder, book.assignment, marker, groups(answers), answers)


def data_of(page: Path) -> dict:
    """What the page's script knows."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.S)[1])


def save_marks(page: Path, file: Path, points: float, **changed) -> Path:
    """Write what the page would save if each answer got these points."""
    data = data_of(page)
    mark = {"exercise": WRITTEN, "points": points, "comment": "", "items": []}
    marks = [one | mark | changed for group in data["groups"] for one in group["answers"]]
    head = {"format": FORMAT, "assignment": data["assignment"], "marker": data["marker"]}
    saved = {"saved_at": "2026-11-27T10:00:00Z", "scheme": [], "marks": marks}
    file.write_text(json.dumps(head | saved))
    return file


def opened(context: "BrowserContext", path: Path) -> "Page":
    """A page in the browser, with `trouble`, a list of what no page of ours does."""
    page = context.new_page()
    page.trouble = []
    page.on("pageerror", lambda error: page.trouble.append(str(error)))
    page.on("request", lambda request: _look(page, request.url))
    page.expose_binding("canary", lambda *_: page.trouble.append("a script ran"))
    page.goto(path.as_uri())
    return page


def _look(page, url: str) -> None:
    if not url.startswith(("file:", "data:", "blob:")):
        page.trouble.append(url)
