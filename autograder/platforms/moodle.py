"""Moodle: read its download ("Download all submissions").

The download has a folder for each participant or team, or all files in one folder:

    Ada Softmax_1810040_assignsubmission_file/sheet-3.ipynb      since 4.1
    Ada Softmax_1810040_assignsubmission_file_/sheet-3.ipynb     before
    Ada Softmax_1810040_assignsubmission_file_sheet-3.ipynb      not in folders
    Participant_1810179_assignsubmission_file/...                names are hidden
    Team 1_90213_assignsubmission_file/...                       a team, by the team's number
    Default group_assignsubmission_file/...                      all students without a team

Moodle replaces the underscores of a name by spaces, so the first match is Moodle's own words. A
name does not tell a team from a person. The times in the zip are those of the stored files, in the
server's zone, which the zip does not name. A draft that was submitted later has the earlier time:
only the grading worksheet has the time of submission.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from autograder.people.new_ids import slug
from autograder.people.roster import Person
from autograder.platforms.download import File
from autograder.platforms.feedback import zip_bytes
from autograder.platforms.moodle_export import FORMAT, HEADER
from autograder.platforms.moodle_worksheet import DEFAULT_GROUP, PLATFORM
from autograder.platforms.platform import Contents, HandedIn, Item, Known, Layout, Platform
from autograder.platforms.sample import InventedClass, InventedStudent, Member, Sample
from autograder.text.patterns import Pattern

PART = Pattern(
    r"(?P<name>[^_]*)(?:_(?P<number>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?"
)
HIDDEN = "Participant", "Teilnehmerin", "Participante"  # for a name, in four languages


def _sort_by_student(items: list[Item], assignment_id: str, known: Known) -> Contents:
    """Return one submission for each participant or team. `items`: the folders or files that Moodle
    named. Texts that were written in Moodle itself are ignored. `assignment_id` and `known` are not
    used.
    """
    files: dict[tuple[str, str], list[File]] = defaultdict(list)
    for item in items:
        submitted = files[item.said["name"], item.said["number"]]
        if item.said["kind"] == "file":
            own_name = "" if item.is_folder else item.said["file"]
            submitted += [replace(file, student_name=own_name) for file in item.files]
    return Contents([_submission(name, number, files[name, number]) for name, number in files])


def _submission(name: str, number: str, files: list[File]) -> HandedIn:
    if not number:
        person = Person(slug(DEFAULT_GROUP), platform=PLATFORM)
        return HandedIn(person, name, tuple(files), team=DEFAULT_GROUP)
    shown = "" if name in HIDDEN else name.strip()
    person = Person(suggested_id(shown, number), shown, platform=PLATFORM, number=number)
    return HandedIn(person, f"{name}_{number}", tuple(files))


def suggested_id(name: str, number: str) -> str:
    """Return an id for a participant; `name` is "" where Moodle hides it."""
    student = slug(name or HIDDEN[0], number)
    # a name without letters that ASCII can say
    return slug(PLATFORM, number) if student == slug("", number) else student


def _sample(invented: InventedClass) -> Iterator[Member]:
    for index, (student, text) in enumerate(zip(invented.people, invented.notebooks, strict=True)):
        folder = f"{student.full_name}_{student.number}_assignsubmission"
        name, data = f"{invented.assignment}.ipynb", text
        if index % 13 == 5:
            name = f"{invented.assignment} (1).ipynb"
        if index % 29 == 7:  # submitted as a zip
            name, data = "my work.zip", zip_bytes({f"my work/{invented.assignment}.ipynb": text})
        yield Member(f"{folder}_file/{name}", data, student.handed_in)
        if index % 19 == 3:
            words = b"<p>An invented student's words.</p>"
            yield Member(f"{folder}_onlinetext/onlinetext.html", words, student.handed_in)


def _sample_worksheet(invented: InventedClass) -> list[list[object]]:
    def row(student: InventedStudent, status: str, time: str) -> list[object]:
        person = f"Participant {student.number}", student.full_name, student.email
        return [*person, f"{status} -  - ", "", f"{invented.points:.2f}", "Yes", time, "-", ""]

    rows = [
        *(row(student, "Submitted for grading", _words(student)) for student in invented.people),
        *(row(student, "No submission", "-") for student in invented.absent),
    ]
    return [[*HEADER], *sorted(rows, key=lambda row: str(row[1]))]


def _words(student: InventedStudent) -> str:
    time = student.handed_in
    return f"{time:%A}, {time.day} {time:%B %Y}, {time.hour % 12 or 12}:{time:%M %p}"


RECORD = Platform(
    PLATFORM,
    (Layout(PART, _sort_by_student, files=True, times_in_zip=True),),
    FORMAT,
    Sample(_sample, {"grading-worksheet": _sample_worksheet}),
    manual=(
        "Moodle",
        "*Download all submissions*, and the grading worksheet",
        "the worksheet (`--worksheet`), in the zone of your profile; the zip has the times of the "
        "stored files, in the server's zone",
    ),
    number_lasts=lambda number: False,
)
