"""Gradescope, both ways: its export, each results.json, and autograder.zip."""

import io
import json
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from datetime import UTC
from pathlib import Path

import pytest
from downloads import BOOK, COURSE, DATA, METADATA, ours, read_download, samples, unzipped
from exports import ADA, BEN, CLEO, ID, UNSCALED, enter, export_collected, made
from gradescope_format import metadata, read_results
from recorded import plant_received

from autograder._commands.main import main
from autograder.classroom.newest_files import ReceivedFile
from autograder.platforms.export import ExportRequest, export_grades
from autograder.platforms.platform import HandedIn
from autograder.platforms.registry import PLATFORMS

pytestmark = pytest.mark.slow

TOP = "assignment_123_export"
SAMPLE = (DATA / "gradescope-submission_metadata.yml").read_bytes()


def read_export(
    folder: Path, records: bytes, numbers: Iterable[int]
) -> tuple[list[HandedIn], list[str]]:
    """Read an export with these records and a notebook in each submission's folder; return the
    submissions, and the sentences on those of nobody.
    """
    files = {f"{TOP}/submission_{number}/{BOOK}": ours(number) for number in numbers}
    _, contents = read_download(folder, {f"{TOP}/submission_metadata.yml": records} | files)
    return contents.handed_in, [left.sentence for left in contents.without_student]


def test_each_submitter_of_the_sample_is_read(tmp_path):
    rows = samples("gradescope-expected.tsv")
    named = [row for row in rows if row["person"] != "nobody"]
    handed_in, nobodys = read_export(tmp_path, SAMPLE, {int(row["submission"]) for row in rows})
    read = [
        (one.submission, one.person.name, one.person.number, one.person.email)
        for one in sorted(handed_in, key=lambda one: one.submission)
    ]
    assert read == sorted(
        (row["submission"], row["person"], row["sid"], row["email"]) for row in named
    )
    for one in handed_in:
        row = next(row for row in named if row["person"] == one.person.name)
        when = one.submitted_at.astimezone(UTC)
        assert f"{when:%Y-%m-%d %H:%M:%S}" == row["handed in (UTC)"]
        assert one.person.student == (row["sid"] or row["email"])
        assert [file.parts[1] for file in one.files] == [f"submission_{row['submission']}"]
    assert len(nobodys) == 1 and "`submission_300000005` is nobody's" in nobodys[0]
    assert PLATFORMS["gradescope"].number_lasts("00041001")


@pytest.mark.parametrize(
    ("sid", "email", "student", "number"),
    [
        ("'0042'", "ada@uni.example", "0042", "0042"),
        ("0042", "ada@uni.example", "0042", "0042"),
        ("42.0", "ada@uni.example", "42.0", "42.0"),
        ("0x1F", "ada@uni.example", "0x1F", "0x1F"),
        ("1e3", "ada@uni.example", "1e3", "1e3"),
        ("''", "ada@uni.example", "ada@uni.example", ""),
        ("", "Ada.Softmax@UNI.example", "ada.softmax@uni.example", ""),
        ("'   '", "ada@uni.example", "ada@uni.example", ""),
        ("'a b'", "ada@uni.example", "ada@uni.example", "a b"),
        ("'4711/12'", "ada@uni.example", "ada@uni.example", "4711/12"),
        ("'=1+1'", "", "", "=1+1"),
        ("['1', '2']", "ada@uni.example", "ada@uni.example", ""),
        ("", "ada+lab@uni.example", "", ""),
        ("", "'a@b'", "a@b", ""),
        ("", f"{'a' * 60}@uni.example", "", ""),
        ("", "''", "", ""),
    ],
)
def test_who_a_submitter_is(tmp_path, sid, email, student, number):
    """The student number as it is written, else the whole address; the submission's never."""
    records = f"submission_7:\n  :submitters:\n  - :name: A\n    :sid: {sid}\n    :email: {email}\n"
    (handed_in,), _ = read_export(tmp_path, records.encode(), [7])
    assert (handed_in.person.student, handed_in.person.number) == (student, number)
    assert handed_in.submission == "7"


def test_older_attempts_below_history_are_nobodys_submissions(tmp_path):
    records = METADATA + (
        "submission_459:\n  :submitters:\n  - :email: dan@uni.example\n  :history:\n"
        "  - :id: submission_400\n    :submitters:\n    - :email: eve@uni.example\n"
    )
    handed_in, nobodys = read_export(tmp_path, records.encode(), (459, 400))
    assert "dan@uni.example" in [one.person.email for one in handed_in]
    assert "eve@uni.example" not in [one.person.email for one in handed_in]
    assert any("`submission_400` is nobody's" in sentence for sentence in nobodys)


def export_to_gradescope(submissions: dict[str, str]) -> str:
    """Export the class whose results are in this folder, after these submissions were received by
    student; return the sentences.
    """
    received = {
        student: ReceivedFile("", f"{TOP}/submission_{number}/{BOOK}", submission=number)
        for student, number in submissions.items()
    }
    plant_received(Path("submitted"), ID, "gradescope", received)
    request = ExportRequest(Path("results"), "gradescope", ID)
    return "\n".join(export_grades(request).sentences)


def graded() -> dict[str, dict]:
    """The results by submission in the exported zip."""
    return json.loads(unzipped(made("autograder.zip"))["graded.json"])["submissions"]


def test_gradescope_reads_each_results_json(export):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={BEN: 3.0}, penalty={BEN: 1.0})
    export_to_gradescope({ADA: "555", BEN: "556"})
    ben = graded()["556"]
    assert ben["score"] == 9.5 and sum(test["max_score"] for test in ben["tests"]) == 14
    assert "late: 1 point less" in ben["output"]
    failed = next(test for test in ben["tests"] if test.get("status") == "failed")
    assert failed["name"] == "second part: values" and failed["output_format"] == "text"
    assert failed["output"] == f"By which number?\n{UNSCALED.sentence}"
    assert {test["visibility"] for test in ben["tests"]} == {"after_published"}
    assert [read_results(json.dumps(one).encode()).score for one in graded().values()] == [
        10.0,
        9.5,
    ]


class Gradescope:
    """The folder /autograder as Gradescope lays it out, and a run in it."""

    def __init__(self, folder: Path, content: bytes):
        self.top = folder
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist():
                path = folder / "source" / entry.filename
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(entry))
                path.chmod(entry.external_attr >> 16)
        self.names = {path.name for path in (folder / "source").iterdir()}
        run = folder / "run_autograder"
        run.write_bytes((folder / "source" / "run_autograder").read_bytes())
        run.chmod((folder / "source" / "run_autograder").stat().st_mode)
        (folder / "results").mkdir()
        (folder / "submission").mkdir()

    def run(self, number: int, submission: dict[str, str] | None = None) -> str:
        """Run it as Gradescope does, without any package but Python's own; return what staff read."""
        (self.top / "submission_metadata.json").write_bytes(metadata(number))
        for name, text in (submission or {}).items():
            (self.top / "submission" / name).write_text(text)
        words = [sys.executable, "-S", str(self.top / "run_autograder")]
        done = subprocess.run(words, cwd=self.top, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def grade(self, number: int, submission: dict[str, str] | None = None):
        """Run it; return the results."""
        self.run(number, submission)
        return read_results((self.top / "results" / "results.json").read_bytes())

    @property
    def has_score(self) -> bool:
        """Gradescope takes none from a run that leaves no file."""
        return any((self.top / "results").iterdir())


def test_each_submission_gets_its_result_by_gradescopes_number(export, tmp_path):
    export_to_gradescope({ADA: "457", BEN: "456"})
    gradescope = Gradescope(tmp_path / "autograder", made("autograder.zip"))
    assert gradescope.names == {"setup.sh", "run_autograder", "graded.json"}
    results = gradescope.grade(456)
    assert results.score == 7.5 and "By which number?" in str(results.tests)
    assert gradescope.grade(457).score == 10.0
    assert gradescope.top.joinpath("run_autograder").stat().st_mode & stat.S_IXUSR


def test_what_is_not_graded_gets_no_score_and_staff_read_so(export, tmp_path):
    export_to_gradescope({ADA: "457"})
    gradescope = Gradescope(tmp_path / "autograder", made("autograder.zip"))
    said = gradescope.run(999)
    assert "not graded yet" in said and "999" in said and not gradescope.has_score


def test_nothing_of_a_student_is_run_or_read(export, tmp_path):
    export_to_gradescope({ADA: "457"})
    gradescope = Gradescope(tmp_path / "autograder", made("autograder.zip"))
    ran = tmp_path / "ran"
    code = f"open({str(ran)!r}, 'w').close()"
    names = ("json.py", "pathlib.py", "sitecustomize.py", "usercustomize.py", "graded.json")
    assert gradescope.grade(457, dict.fromkeys(names, code)).score == 10.0
    assert not ran.exists()


def test_the_zip_says_nothing_of_people_and_holds_no_grader(export):
    export_to_gradescope({ADA: "457", BEN: "456"})
    files = unzipped(made("autograder.zip"))
    assert graded().keys() == {"456", "457"}
    for word in (ADA, BEN, "Softmax", "uni.example", "def test_", "import torch"):
        assert word not in b"".join(files.values()).decode()


def test_a_team_whose_points_differ_gets_the_highest_and_is_named(export):
    said = export_to_gradescope({ADA: "456", BEN: "456"})
    assert graded()["456"]["score"] == 10.0
    assert f"Submission 456 is of {ADA}, {BEN}, whose points differ" in said


def test_before_anything_is_graded_there_is_one_too(into, tmp_path, capfd):
    """Gradescope asks for an autograder when the assignment is made."""
    folder = export_collected(into, "gradescope", {}, "--assignment", "small-sheet")
    content = (folder / "autograder.zip").read_bytes()
    assert "0 submissions are in autograder.zip" in capfd.readouterr().out
    assert "not graded yet" in Gradescope(tmp_path / "a", content).run(1)
    assert main(["export", str(tmp_path / "no"), "--format", "gradescope"]) == 2
    unknown = ["--assignment", "no-sheet", "--course", str(COURSE)]
    assert main(["export", str(tmp_path / "no"), "--format", "gradescope", *unknown]) == 2


def test_what_cannot_be_read_gets_no_score_and_staff_read_why(export, tmp_path):
    export_to_gradescope({ADA: "555", BEN: "556", CLEO: "557"})
    assert graded().keys() == {"555", "556"}
    gradescope = Gradescope(tmp_path / "autograder", made("autograder.zip"))
    assert "its JSON is damaged" in gradescope.run(557) and not gradescope.has_score


def test_whose_submission_is_not_known_is_named(export):
    assert f"Not in autograder.zip: {BEN}" in export_to_gradescope({ADA: "555", BEN: "../up"})
