"""A course in which one student with a rare name is in each kind of places, beside two others."""

import json
import shutil
import sqlite3
import zipfile
from datetime import datetime
from pathlib import Path

from exports import ADA, ID, STAMP, enter, keep, verdict, write_class
from inquired import NOON
from msgspec.structs import replace
from nbgrader.api import Gradebook
from recorded import plant_people, plant_roster, plant_submission
from typed_commands import typed

from autograder.classroom.records import add_records
from autograder.classroom.roster import Person
from autograder.classroom.unmatched import unmatched_path
from autograder.desk.marking.given import GivenMark, add_given
from autograder.desk.report.written_files import with_last_line
from autograder.desk.returns import Return
from autograder.engine.verdicts import write_counted
from autograder.engine.verdicts.history import add_to_history
from autograder.gradebook.inquiries import Decision, Inquiry, record_inquiry
from autograder.gradebook.sync.own_tables import MarkedAnswer, prepare_tables
from autograder.platforms.exports import ExportRecord

ZEB, NAME, MAIL = "zq77", "Zébulon Quokka", "zeb.quokka@uni.example"
NEAR = "zq77.b"  # whose id begins with the other's
WORDS = ["zq77", "quokka", "zébulon", "z\\u00e9bulon", "z&eacute;bulon"]
SUBMITTED = Path("submitted")
PERSON = Person(ZEB, NAME, MAIL, "moodle", "77")
IDLE = Person(
    "idle-9", "Ida Idle", "ida@uni.example"
)  # of the staff's roster, and handed in nothing


def write(path: str, text: str | bytes) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode() if isinstance(text, str) else text)


def plant() -> None:
    """Make this folder such a course."""
    write_class()
    for number, student in enumerate((ZEB, NEAR)):
        had = verdict(student, 7.5 + number, notes=["seen by `look-alikes`"])
        add_to_history(Path("results"), verdict(student, 5.0 + number))
        keep(had)
        write(f"results/{ID}/proposed/{student}.json", "{}")
        write(f"results/{ID}/cells/{student}.00ff.json", "{}")
        write(f"results/{ID}/plans/{student}.txt", "a kind that is new")
        for top in ("submitted", "autograded", "feedback"):
            write(f"{top}/{student}/{ID}/{ID}.html", f"of {student}")
        Path("submitted", student, "empty").mkdir()
    Path("submitted", ZEB, "link").symlink_to(Path.cwd().parent)
    enter({ADA: 10.0, NEAR: 8.5, ZEB: 7.5}, {ZEB: 3.25}, {ZEB: 1.0})
    with Gradebook("sqlite:///gradebook.db") as book:
        book.update_or_create_student(ZEB, first_name="Zébulon", last_name="Quokka", email=MAIL)
        prepare_tables(book.db)
        for student, said in ((ZEB, f"{NAME} asked"), (ADA, "")):
            grade = book.find_submission(ID, student).notebooks[0].grades[0]
            row = MarkedAnswer(
                grade_id=grade.id, digest="0", owner="", text="", number=0, comment=said
            )
            book.db.add(row)
        book.db.commit()
    with sqlite3.connect("gradebook.db") as plain:  # what was deleted earlier stays in free pages
        plain.execute("pragma secure_delete = off")
        plain.execute("create table earlier (text)")
        plain.executemany("insert into earlier values (?)", [(f"{NAME} {ZEB}" * 99,)] * 9)
        plain.commit()
        plain.execute("drop table earlier")
    plain.close()
    shutil.copy("gradebook.db", "gradebook.db.2026-01-01-000000.000000")
    _plant_received()
    _plant_tables()


def _plant_received() -> None:
    ada = Person(ADA, "Ada Softmax", "ada@uni.example", "moodle", "4711")
    when = datetime(2026, 11, 2, 9, 30)
    plant_submission(SUBMITTED, ID, ada, b"{1}", ADA, when=when)
    plant_submission(SUBMITTED, ID, PERSON, b"{1}", ZEB, when=when)
    plant_submission(SUBMITTED, ID, PERSON, b"{2}", ZEB, when=when)
    by_name = Person("", NAME, MAIL, "canvas", "501001")
    plant_submission(SUBMITTED, ID, by_name, b"{3}", reason=f"`of {NAME}` is not in the roster.")
    by_number = Person("", "", "", "moodle", PERSON.number)
    plant_submission(SUBMITTED, ID, by_number, b"{4}")  # neither graded nor unmatched: a draft
    like_zeb = Person("", "Bo Li", "", "moodle", "4712")
    plant_submission(SUBMITTED, ID, like_zeb, b"{5}", reason=f"It may be of {ZEB}.")
    write(str(unmatched_path(SUBMITTED, ID)), f"file,name,student\nx,{NAME},\ny,Bo Li,\n")
    write(f"submitted/.received-imported/{ID}/received.jsonl", json.dumps({"student": ZEB}))
    people = [PERSON, Person(ADA, "Ada Softmax"), Person(NEAR, "Bo Quo")]
    plant_people(SUBMITTED, ID, people)
    plant_roster(SUBMITTED, ID, [*people, IDLE])


def _plant_tables() -> None:
    add_given(Path("results"), ID, GivenMark(ZEB, "explain", "Mia", 3.25, "v", "2026", "for staff"))
    add_given(Path("results"), ID, GivenMark(ADA, "explain", "Mia", 2.0, "v", "2026"))
    marking = f"results/{ID}/marking"
    write(f"{marking}/second.csv", f"student,points\n{ZEB},3\n{ADA},2\n")
    write(f"{marking}/all.csv", f"student,equal_to\n{ADA},{ZEB}\n")
    write(f"{marking}/all.html", f"<p>equal to {ZEB}")
    asked = Inquiry(ZEB, "explain", "why?", NOON)
    begun = Decision("Mia", NOON, 3.25, 4.0, 4.0, "So be it.", STAMP, entered=False)
    given = replace(begun, entered=True)
    other = Inquiry(ADA, "explain", "how?", NOON)
    for decision in (None, begun, given):
        record_inquiry(Path("results"), ID, replace(asked, decision=decision))
    record_inquiry(Path("results"), ID, other)
    record_inquiry(Path("results"), ID, replace(asked, exercise="softmax", decision=begun))
    add_records(Path("results"), ID, [Return(who, who, "h", NOON) for who in (ZEB, ADA)])
    sent = ExportRecord("moodle", NOON, 3, [], sent={ZEB: "z", ADA: "a"})
    add_records(Path("results"), ID, [sent])
    write(f"results/{ID}/export/moodle.csv", "Full name\nAda Softmax\n")
    with zipfile.ZipFile(f"results/{ID}/export/feedback.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("page.html", "Quokka, Z&eacute;bulon")
    write(f"results/{ID}/.look-alikes.json", json.dumps([ZEB, ADA]))
    write(f"results/{ID}/look-alikes.html", f"<td>{ZEB}</td>")
    write_counted(Path("results"), ID, {ZEB: "s", ADA: "t"})
    write(f"results/{ID}/.files", json.dumps({ZEB: ["a"], ADA: ["b"]}))
    write(f"results/{ID}/grades.csv", f"student,points\r\n{ADA},10\r\n{ZEB},7.5\r\n")
    write(f"results/{ID}/.{ZEB}.json.abcdefgh", f'{{"student": "{ZEB}"')
    write("report.html", with_last_line(f"<p>Z&eacute;bulon Quokka: {ADA}"))
    write(
        "extensions.csv",
        f'student,assignment,until,note\r\n{ZEB},{ID},2026-12-01,ill\r\n{ADA},{ID},2026-12-02,"a\r\nb"\r\n',
    )
    write("people.csv", f"student;name\n{ADA};Ada Softmax\n{ZEB};{NAME}\n".encode("cp1252"))
    write("groups.csv", f"student,group,assignment\n{ADA},,alone\n{ZEB},,alone\n")
    write("nbgrader.log", f"graded {ADA}\ngraded {ZEB}\n")


def naming(top: Path = Path()) -> list[str]:
    """The files below a folder that say who the student is, in their names or in any form inside;
    free pages of databases, and members of zips, among them. The other with the near id does not
    count.
    """
    found = []
    for path in sorted(top.rglob("*")):
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        if data.startswith(b"PK"):
            with zipfile.ZipFile(path) as packed:
                data += b"".join(one.encode() + packed.read(one) for one in packed.namelist())
        text = f"{path.relative_to(top)} {data.decode(errors='replace')}".lower().replace(NEAR, "")
        found += [str(path)] * any(word in text for word in WORDS)
    return found


def rows_of(student: str, database: str = "gradebook.db") -> int:
    """How many submissions of a student a gradebook has."""
    with sqlite3.connect(database) as book:
        query = "select count(*) from submitted_assignment where student_id = ?"
        count = book.execute(query, [student]).fetchone()[0]
    book.close()
    return count


def marked_answers() -> int:
    """How many marks of groups the gradebook has."""
    with sqlite3.connect("gradebook.db") as book:
        (count,) = book.execute("select count(*) from autograder_answer_mark").fetchone()
    book.close()
    return count


def student(*words: str) -> tuple[int, str]:
    return typed("student", *words)
