"""Read the name that Canvas gives to an uploaded file, and takes back with feedback on it.

    softmaxada_12345_67890_sheet-3.ipynb        person, user, upload, the student's own file name
    softmaxada_LATE_12345_67890_sheet-3.ipynb   after the due date
    team_8_12345_67890_sheet-3.ipynb            of a group, with the number of one member
    LATE_anon_aB3xZ_67890_sheet-3.ipynb         of an anonymous assignment, with the submission's code
    softmaxada_12345_text.html                  a text or a link instead of a file

The name of a person or a group stands first, so a name that is a number is not a user's number.
Behind it the first two parts that are numbers are user and upload. Students' own file names may
hold numbers, too.
"""

import unicodedata
from dataclasses import dataclass

from autograder.text.patterns import WORD, Pattern

NOT_IN_NAME = Pattern(f"[^{WORD}]+")
NUMBER_INSIDE = Pattern(r"_(\d+)_")
WORDS = r"(?P<owner>[^_]*(?:_(?:[^_]*[^_\d][^_]*)?)*?)"  # behind the first part no number
LATE = "(?P<late>_LATE|_late)?"  # years ago it was in lower case
REST = r"_(?:(?P<upload>\d+)_(?P<file>.+)|(?:text|link)\.html)"
NAMED = Pattern(rf"(?s){WORDS}{LATE}_(?P<user>\d+){REST}")
ANONYMOUS = Pattern(rf"(?s)(?P<late>LATE_)?(?P<user>anon_[A-Za-z0-9]+){REST}")
BEGINS_WITH_NUMBER = Pattern(r"\d+_")


@dataclass(frozen=True)
class UploadName:
    """The parts of a file name from Canvas."""

    owner: str  # the name of a person or a group, as Canvas writes it; "" if anonymous
    user: str  # number, or `anon_` and the submission's code
    upload: str  # number; "" for a text or a link
    file: str  # the student's own name of it
    late: bool

    @property
    def next_number(self) -> str:
        """The number that follows the upload's, "" if none does: user and upload may also stand one
        part further.
        """
        return self.upload if BEGINS_WITH_NUMBER.match(self.file) else ""


def as_canvas_writes(name: str) -> str:
    """Return the name of a person or a group as Canvas writes it in file names."""
    plain = NOT_IN_NAME.sub("", unicodedata.normalize("NFC", name).lower())
    return NUMBER_INSIDE.sub(r"\1", plain)


def read_upload_name(written: str, group: str = "") -> UploadName | None:
    """Split a file name from Canvas into its parts; return None if it is not such a name.

    `group`: the name of a group, as Canvas writes it; then the file name must begin with it.
    """
    if group:
        names = NAMED.fullmatch(written.removeprefix(group))
        fits = written.startswith(group) and names and not names["owner"]
    else:
        names = fits = ANONYMOUS.fullmatch(written) or NAMED.fullmatch(written)
    if not fits:
        return None
    parts = names.groupdict("")
    return UploadName(
        **parts | {"owner": group or parts.get("owner", ""), "late": bool(parts["late"])}
    )
