"""Read a folder, or a zip, that has one folder for each student, of any name.

ada-softmax/sheet-3.ipynb
Ada Softmax/work/sheet-3.ipynb
"""

from collections.abc import Collection

from autograder.engine.verdict.verdict import STUDENT
from autograder.people.new_ids import slug
from autograder.people.roster import Person
from autograder.platforms.platform import ANY, Contents, HandedIn, Item, Layout, Platform

PLATFORM = "folder"


def _recognises(items: list[Item], around: str, assignment_id: str) -> bool:
    """Whether each folder among `items` can be a student's: there are several, or a single one that
    holds at most one folder with a notebook in it. `around` and `assignment_id` are not used.
    """
    folders = [item for item in items if item.is_folder]
    inner = [one for folder in folders for one in folder.below if one.is_folder]
    holding = [one for one in inner if any(file.may_hold_notebook for file in one.files)]
    return len(folders) > 1 or (len(folders) == 1 and len(holding) < 2)


def _sort_by_student(items: list[Item], assignment_id: str, known: Collection[str]) -> Contents:
    return Contents([HandedIn(_person(item.name), item.name, tuple(item.files)) for item in items])


def _person(folder: str) -> Person:
    good = bool(STUDENT.fullmatch(folder))
    name, email = ("", folder) if "@" in folder else ("" if good else folder, "")
    return Person(folder if good else slug(folder), name, email, PLATFORM)


RECORD = Platform(
    PLATFORM,
    (Layout(ANY, _sort_by_student, _recognises, certainty=0),),
    manual=(
        "anywhere else",
        "a folder for each student, by id",
        "[late.csv](late.md), or `--file-times`",
    ),
)
