"""The zip for Canvas's "Upload Submissions": a file of feedback beside each submission.

Canvas finds whose a file is by its name alone, which has to be the one of the download: without the
word LATE, the first two parts that are numbers are the user and the upload, and the upload must be one
of the newest attempt (in graded anonymously: `anon`, the user's code, the upload). It then shows the
file as a comment, under the name that the student gave the upload. So the feedback on a notebook is a
notebook, and the feedback on a zip is a zip: a page of HTML would be offered as `sheet-3.ipynb`, and
not open.

https://github.com/instructure/canvas-lms/blob/master/app/models/abstract_assignment.rb
(`infer_comment_context_from_filename`, `generate_comments_from_files`)
"""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from autograder.patterns import Pattern
from autograder.platforms.as_received import ReceivedFile
from autograder.platforms.feedback import feedback_page
from autograder.platforms.feedback_text import notebook
from autograder.platforms.grades import Grade
from autograder.platforms.zip_file import FIRST_DAY
from autograder.wording import name_some

ZIP, NOTEBOOK = ".zip", ".ipynb"
NUMBER = Pattern(r"[0-9]+")
USER = Pattern(r"[0-9]+|anon_[A-Za-z0-9]+")


def feedback_files(
    grades: Sequence[Grade], received: dict[str, ReceivedFile], course: Path
) -> tuple[dict[str, bytes], list[str]]:
    """Return the files by the names that Canvas knows, and a sentence on whom it does not know."""
    files, unknown = {}, []
    for grade in grades:
        if grade.verdict.state == "not_graded":
            continue
        name = _name(received.get(grade.student))
        if name:
            files[name] = _content(name, grade, course)
        else:
            unknown.append(grade.student)
    if not unknown:
        return files, []
    return files, [
        f"No feedback for Canvas of {name_some(unknown)}: no upload of theirs was collected from "
        "Canvas. `collect` its download, and name that folder with --submitted."
    ]


def _name(file: ReceivedFile | None) -> str:
    """The name under which Canvas takes feedback on this upload, or nothing."""
    if file is None or file.upload is None or not USER.fullmatch(file.number):
        return ""
    suffix = Path(file.name).suffix.lower()
    if suffix not in (ZIP, NOTEBOOK):
        return ""
    if read_name(file.name) == (file.number.removeprefix("anon_"), file.upload):
        return file.name
    user = file.number if file.number.startswith("anon_") else f"student_{file.number}"
    return f"{user}_{file.upload}_feedback{suffix}"


def read_name(name: str) -> tuple[str, int] | None:
    """Return the user and the upload that Canvas reads in a file's name, None where it reads none."""
    parts = [part for part in name.split("_") if part != "LATE"]
    if not parts or parts[-1].startswith("link") or name.startswith("._"):
        return None
    if parts[0] == "anon":
        found = parts[1:3]
    else:
        found = [part for part in parts if NUMBER.fullmatch(part)][:2]
    if len(found) < 2 or not NUMBER.fullmatch(found[1]):
        return None
    return found[0], int(found[1][:18])


def _content(name: str, grade: Grade, course: Path) -> bytes:
    if not name.lower().endswith(ZIP):
        return notebook(grade)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        member = zipfile.ZipInfo("feedback.html", FIRST_DAY)
        archive.writestr(member, feedback_page(course, grade), zipfile.ZIP_DEFLATED)
    return packed.getvalue()
