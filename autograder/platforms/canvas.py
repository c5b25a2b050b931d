"""Canvas: read its download ("Download submissions").

All files of the download are in one folder, and their names have the user's and the upload's
number:

    softmaxada_12345_67890_sheet-3.ipynb             last name and first name, user, upload
    softmaxada_LATE_12345_67890_sheet-3-1.ipynb      after the due date; handed in again
    anon_aB3xZ_67890_sheet-3.ipynb                   graded without names
    softmaxada_12345_text.html                       a text or a link, and no file

The times in the zip are those of the download, not of submission. The order of uploads is known by
their numbers, which increase, and lateness by the word LATE.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from autograder.people.new_ids import slug
from autograder.people.roster import Person
from autograder.platforms.canvas_gradebook import FORMAT, NEW_HEADER, PLATFORM
from autograder.platforms.download import File, Left
from autograder.platforms.platform import Contents, HandedIn, Item, Layout, Platform
from autograder.platforms.sample import InventedClass, Member, Sample
from autograder.text.patterns import WORD, Pattern
from autograder.text.printable import printable

WRITTEN = Pattern(r"(?s)(.*_)?(\d+|anon_[A-Za-z0-9]+)_(\d+_.+|text\.html|link\.html)")
IN_NAME = Pattern(f"[{WORD}]*")  # Canvas takes all else out of a name
TEXTS = ["text.html"], ["link.html"]


@dataclass(frozen=True)
class _Reading:
    """One way to split a file name from Canvas into its parts. A name may be split in several ways,
    since students' own file names contain numbers, too.
    """

    name: str
    user: str
    upload: str = ""  # of a file
    file: str = ""

    @property
    def late(self) -> bool:
        return self.name.endswith("_LATE")


def _readings(written: str) -> list[_Reading]:
    """Return each possible way to split a file name from Canvas into the person's name, the numbers
    of user and upload, and the student's own file name.
    """
    parts = written.split("_")
    users = [(i, i + 1) for i in range(1, len(parts)) if _is_number(parts[i])]
    if parts[0] == "anon" and len(parts) > 1 and parts[1].isalnum():
        users.insert(0, (0, 2))
    found = []
    for start, end in users:
        name, user, rest = (
            "_".join(part) for part in (parts[:start], parts[start:end], parts[end:])
        )
        upload, _, file = rest.partition("_")
        if not IN_NAME.fullmatch(name):
            break
        if _is_number(upload) and file:
            found.append(_Reading(name, user, upload, file))
        elif parts[end:] in TEXTS:
            found.append(_Reading(name, user))
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _sort_by_student(items: list[Item], assignment_id: str, known: Collection[str]) -> Contents:
    """Return one submission for each Canvas user who has files among `items`. `assignment_id` is
    not used.

    A file whose name can be split in several ways goes to the user whose number is in `known`, the
    numbers of known people. If that does not decide, or if the name cannot be split, the file is
    listed as without a student.
    """
    contents = Contents([])
    by_user: dict[str, list[tuple[_Reading, File]]] = defaultdict(list)
    for item in items:
        readings = _readings(item.name)
        found = [one for one in readings if one.user in known] if len(readings) > 1 else readings
        if len(found) == 1:
            by_user[found[0].user].append((found[0], item.files[0]))
        else:
            users = " or ".join(one.user for one in found or readings) or "nobody"
            sentence = f"`{printable(item.name)}` is nobody's: its user may be {users}."
            contents.without_student.append(Left(item.files[0].path, sentence, item.files[0]))
    contents.handed_in.extend(_handed_in(user, found) for user, found in by_user.items())
    return contents


def _handed_in(user: str, named: list[tuple[_Reading, File]]) -> HandedIn:
    name = named[0][0].name.removesuffix("_LATE")
    student = slug(name, user) if slug(name) else slug("canvas", user)
    files = tuple(
        replace(file, student_name=said.file, upload=int(said.upload[:18]))
        for said, file in named
        if said.file
    )
    return HandedIn(
        person=Person(student, name, platform=PLATFORM, number=user),
        label=f"{name}_{user}" if name else user,
        files=files,
        time_from="Canvas's zip tells none",
        late=any(said.late for said, _ in named),
        timeless=True,
    )


def _sample(invented: InventedClass) -> Iterator[Member]:
    by_time = sorted(invented.people, key=lambda one: one.handed_in)
    uploads = {one.number: 88_000_000 + 13 * place for place, one in enumerate(by_time)}
    for one, text in zip(invented.people, invented.notebooks, strict=True):
        name = "".join(c for c in f"{one.last}{one.first}".lower() if c.isalnum())
        late = "_LATE" if one.late else ""
        file = f"{invented.assignment}{'-1' if one.again else ''}.ipynb"
        written = f"{name}{late}_{one.number}_{uploads[one.number]}_{file}"
        yield Member(written, text, invented.downloaded)


def _sample_gradebook(invented: InventedClass) -> list[list[object]]:
    """Return the rows of the gradebook that Canvas would export for an invented class."""
    title = invented.assignment.replace("-", " ").title()
    rows: list[list[object]] = [
        [*NEW_HEADER, f"{title} (98765)"],
        ["    Points Possible", "", "", "", "", invented.points],
    ]
    everybody = [*invented.people, *invented.absent]
    for one in sorted(everybody, key=lambda one: (one.last, one.first)):
        name = f"{one.last}, {one.first}"
        rows.append([name, one.number, f"S{one.number:08d}", one.login, "Practical", ""])
    return [*rows, ["Student, Test", 9_999_999, "", "0123456789abcdef", "Practical", ""]]


RECORD = Platform(
    PLATFORM,
    (Layout(WRITTEN, _sort_by_student, folders=False, files=True),),
    FORMAT,
    Sample(_sample, {"gradebook": _sample_gradebook}),
    manual=(
        "Canvas",
        "*Download Submissions*",
        "nothing says it: [late.csv](late.md). `--late-template FILE` lists whom Canvas marks `LATE`",
    ),
)
