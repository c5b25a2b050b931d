"""Read a folder or a zip with a folder for each student.

ada-softmax/sheet-3.ipynb
Ada Softmax/work/sheet-3.ipynb
"""

from autograder.classroom.new_ids import slug
from autograder.classroom.roster import Person
from autograder.engine import verdicts
from autograder.platforms.platform import ANY, Contents, HandedIn, Item, Known, Layout, Platform

PLATFORM = "folder"


def _recognises(items: list[Item], around: str, assignment_id: str) -> bool:
    """Whether the folders can be students': several, or a single folder with few inner folders."""
    folders = [item for item in items if item.is_folder]
    inner = [item for folder in folders for item in folder.below if item.is_folder]
    holders = [item for item in inner if any(file.may_hold_notebook for file in item.files)]
    return len(folders) > 1 or (len(folders) == 1 and len(holders) < 2)


def _sort_by_student(items: list[Item], assignment_id: str, facts: Known) -> Contents:
    people = (person_called(item.name, PLATFORM) for item in items)
    pairs = zip(people, items, strict=True)
    return Contents([HandedIn(person, item.name, tuple(item.files)) for person, item in pairs])


def person_called(name: str, platform: str) -> Person:
    """Return the person named by a folder or a user of this machine: by id, e-mail or name."""
    if "@" in name:
        return Person(name if verdicts.STUDENT.fullmatch(name) else slug(name), "", name, platform)
    if verdicts.STUDENT.fullmatch(name):
        return Person(name, platform=platform)
    return Person(slug(name), name, platform=platform)


RECORD = Platform(
    PLATFORM,
    (Layout(ANY, _sort_by_student, _recognises, certainty=0),),
    manual=(
        "anywhere else",
        "a folder for each student, by id",
        "[late.csv](late.md), or `--file-times`",
    ),
)
