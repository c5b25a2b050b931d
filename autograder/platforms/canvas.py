"""Canvas: read its download ("Download Submissions").

All files of the download are in one folder, and their names have the numbers of user and upload
(`canvas_names.py`). The times in the zip are those of the download, not of submission. The order of
uploads is known by their numbers, which increase, and lateness by the word LATE.

Where groups submit and are graded together, a file name has the group's name and the number of some
member. Only the names of the course's groups tell it from a person's.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from autograder.people.new_ids import slug
from autograder.people.roster import Person
from autograder.platforms.canvas_gradebook import FORMAT, NEW_HEADER, PLATFORM
from autograder.platforms.canvas_names import UploadName, as_canvas_writes, read_upload_name
from autograder.platforms.download import File, Left
from autograder.platforms.platform import Contents, HandedIn, Item, Known, Layout, Platform
from autograder.platforms.sample import InventedClass, Member, Sample
from autograder.text.patterns import Pattern
from autograder.text.printable import printable

WRITTEN = Pattern(r"(?s)(.*_)?(\d+|anon_[A-Za-z0-9]+)_(\d+_.+|text\.html|link\.html)")
TEST_STUDENT = "Student, Test"  # with whom a teacher tries the course
Owner = tuple[str, str]  # a group, as Canvas writes its name, and ""; or "" and a user


def _sort_by_student(items: list[Item], assignment_id: str, known: Known) -> Contents:
    """Return one submission for each user, anonymous code or group with files among `items`.
    `assignment_id` is not used.

    Files whose user or group is in doubt are listed as without a student. Those of the test student
    are left aside, with a note.
    """
    contents = Contents([])
    groups = _groups(known)
    by_owner: dict[Owner, list[tuple[UploadName, File]]] = defaultdict(list)
    for item in items:
        group, name = _read(item.name, groups)
        if name is None:
            _leave(contents, item.files[0], "Canvas writes no such name")
        elif name.owner == as_canvas_writes(TEST_STUDENT):
            contents.notes.append(f"`{printable(item.name)}` is of Canvas's test student.")
        else:
            by_owner[group, "" if group else name.user].append((name, item.files[0]))
    for (group, user), uploads in by_owner.items():
        certain, names = [], [name for name, _ in uploads]
        for name, file in uploads:
            if doubt := _doubt(name, group, names, known):
                _leave(contents, file, doubt)
            else:
                certain.append((name, file))
        if certain:
            contents.handed_in.append(_handed_in(groups.get(group, ""), user, certain))
    return contents


def _groups(known: Known) -> dict[str, str]:
    """Return the names of the course's groups, by the name that Canvas writes, the longest first."""
    groups: dict[str, str] = {}
    for group in dict.fromkeys(known.groups):
        written = as_canvas_writes(group)
        groups[written] = f"{groups[written]} or {group}" if written in groups else group
    return dict(sorted(groups.items(), key=lambda pair: -len(pair[0])))


def _read(written: str, groups: dict[str, str]) -> tuple[str, UploadName | None]:
    """Return the first of the `groups` with whose name a file name begins ("" if none), and the
    name's parts.
    """
    read = ((group, read_upload_name(written, group)) for group in (*groups, ""))
    return next((pair for pair in read if pair[1]), ("", None))


def _doubt(name: UploadName, group: str, others: list[UploadName], known: Known) -> str:
    """Return why it is in doubt whose a file is, "" if it is not. `others`: the names of all files
    of this user or group.

    Canvas writes one entry for a group. In `x_12_34_56_a.ipynb` the user is 12, or 34 if somebody is
    called `x_12`: so where 34 is a user of the course, or 12 has another name elsewhere.
    """
    if group and len({other.user for other in others}) > 1:
        return "its group has several entries, and Canvas writes one"
    names = {other.owner for other in others if not other.next_number} - {name.owner}
    if name.next_number and (names or name.next_number in known.numbers):
        return f"its user may be {name.user} or {name.next_number}"
    return ""


def _leave(contents: Contents, file: File, why: str) -> None:
    sentence = f"`{printable(file.name)}` is nobody's: {why}."
    contents.without_student.append(Left(file.path, sentence, file))


def _handed_in(group: str, user: str, uploads: list[tuple[UploadName, File]]) -> HandedIn:
    owner = group or uploads[0][0].owner
    number = () if group else (user,)
    student = slug(owner, *number) if slug(owner) else slug(PLATFORM, user or owner)
    files = tuple(
        replace(file, student_name=name.file, upload=int(name.upload[:18]))
        for name, file in uploads
        if name.file
    )
    return HandedIn(
        person=Person(student, "" if group else owner, platform=PLATFORM, number=user),
        label="_".join(filter(None, (owner, user))),
        files=files,
        time_from="Canvas's zip tells none",
        late=any(name.late for name, _ in uploads),
        timeless=True,
        team=group,
    )


def _sample(invented: InventedClass) -> Iterator[Member]:
    by_time = sorted(invented.people, key=lambda student: student.handed_in)
    uploads = {student.number: 88_000_000 + 13 * place for place, student in enumerate(by_time)}
    for student, text in zip(invented.people, invented.notebooks, strict=True):
        name = as_canvas_writes(f"{student.last}, {student.first}")
        late = "_LATE" if student.late else ""
        file = f"{invented.assignment}{'-1' if student.again else ''}.ipynb"
        written = f"{name}{late}_{student.number}_{uploads[student.number]}_{file}"
        yield Member(written, text, invented.downloaded)


def _sample_gradebook(invented: InventedClass) -> list[list[object]]:
    """Return the rows of the gradebook that Canvas would export for an invented class."""
    title = invented.assignment.replace("-", " ").title()
    rows: list[list[object]] = [
        [*NEW_HEADER, f"{title} (98765)"],
        ["    Points Possible", "", "", "", "", invented.points],
    ]
    everybody = [*invented.people, *invented.absent]
    for student in sorted(everybody, key=lambda student: (student.last, student.first)):
        name = f"{student.last}, {student.first}"
        rows.append(
            [name, student.number, f"S{student.number:08d}", student.login, "Practical", ""]
        )
    return [*rows, [TEST_STUDENT, 9_999_999, "", "0123456789abcdef", "Practical", ""]]


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
    number_lasts=lambda number: not number.startswith("anon_"),
)
