"""A folder for each student, under any name, or a zip of such folders.

ada-softmax/sheet-3.ipynb
Ada Softmax/work/sheet-3.ipynb
"""

from collections import defaultdict

from autograder.engine.verdict import STUDENT
from autograder.people import Person, slug
from autograder.platforms.download import Contents, File, HandedIn, without_student

PLATFORM = "folder"


def recognises(file: File, assignment_id: str) -> bool:
    """Whether a file is in a folder at all."""
    return len(file.parts) > 1


def sort_by_student(files: list[File], assignment_id: str) -> Contents:
    """Sort the files by folder; one folder around them all is not a student's."""
    around = _folders_around(files)
    by_folder: dict[str, list[File]] = defaultdict(list)
    others = []
    for file in files:
        below = file.parts[around:]
        if len(below) > 1:
            by_folder[below[0]].append(file)
        else:
            others.append(file)
    handed_in = [HandedIn(_person(name), name, tuple(files)) for name, files in by_folder.items()]
    return Contents(handed_in, without_student(others))


def _folders_around(files: list[File]) -> int:
    """1 if all that may hold notebooks is in at least two folders of one folder, else 0."""
    folders = {file.parts[:-1] for file in files if file.may_hold_notebook}
    tops = {folder[:1] for folder in folders}
    seconds = {folder[:2] for folder in folders if len(folder) > 1}
    return int(len(tops) == 1 and len(seconds) > 1)


def _person(folder: str) -> Person:
    good = bool(STUDENT.fullmatch(folder))
    name, email = ("", folder) if "@" in folder else ("" if good else folder, "")
    return Person(folder if good else slug(folder), name, email, PLATFORM)
