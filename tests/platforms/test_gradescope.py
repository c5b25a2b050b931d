"""Gradescope, both ways: its export, each results.json, and autograder.zip."""

import io
import json
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

from downloads import BOOK, COURSE, METADATA, ours, standing, timestamp, unzipped
from downloads import ID as DOWNLOADED
from exports import ADA, BEN, CLEO, ID, UNSCALED, enroll, enter, export_collected, made
from gradescope_format import metadata, read_results

from autograder.cli.main import main
from autograder.people.roster import Person, read_roster


def test_gradescope_names_everybody_who_handed_in_together(collect, into):
    top = "assignment_123_export"
    files = {f"{top}/submission_{n}/{BOOK}": ours(n) for n in (456, 457, 458)}
    status, said = collect({f"{top}/submission_metadata.yml": METADATA.encode()} | files)
    assert status == 3 and "`submission_458` is nobody's" in said
    assert standing(into) == {
        "0042": ours(456),
        "submission_456": ours(456),
        "submission_457": ours(457),
    }
    assert timestamp(into, "0042") == "2026-11-20 14:00:00 UTC"
    people = read_roster(into, DOWNLOADED)
    assert people["0042"] == Person("0042", "Ada Softmax", "ada@uni.example", "gradescope", "456")


def test_the_part_before_the_at_is_an_id_where_only_one_has_it(collect, into):
    metadata = METADATA.replace("ben@other.example", "cleo@uni.example")
    files = {f"e/submission_{n}/{BOOK}": ours(n) for n in (456, 457)}
    collect({"e/submission_metadata.yml": metadata.encode()} | files)
    assert set(standing(into)) == {"0042", "ben", "cleo"}


def test_gradescope_reads_each_results_json(export):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={BEN: 3.0}, penalty={BEN: 1.0})
    enroll("gradescope", {ADA: "555", BEN: "556"})
    assert export("gradescope")[0] == 0
    ben = json.loads(unzipped(made("autograder.zip"))["graded.json"])["submissions"]["556"]
    assert ben["score"] == 9.5 and sum(test["max_score"] for test in ben["tests"]) == 14
    assert "late: 1 point less" in ben["output"]
    failed = next(test for test in ben["tests"] if test.get("status") == "failed")
    assert failed["name"] == "second part: values" and failed["output_format"] == "text"
    assert failed["output"] == f"By which number?\n{UNSCALED.sentence}"
    assert {test["visibility"] for test in ben["tests"]} == {"after_published"}


TOP = "assignment_123_export"


def collect_export(collect) -> None:
    """Two submissions: 456 of Ada and Ben together, 457 of Cleo."""
    files = {f"{TOP}/submission_{n}/{BOOK}": ours(n) for n in (456, 457)}
    collect({f"{TOP}/submission_metadata.yml": METADATA.encode()} | files)


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


def test_each_submission_gets_its_result_by_gradescopes_number(collect, into, tmp_path):
    collect_export(collect)
    points = {"0042": 7.5, "submission_456": 7.5, "submission_457": 10.0}
    folder = export_collected(into, "gradescope", points)
    gradescope = Gradescope(tmp_path / "autograder", (folder / "autograder.zip").read_bytes())
    assert gradescope.names == {"setup.sh", "run_autograder", "graded.json"}
    results = gradescope.grade(456)
    assert results.score == 7.5 and "By which number?" in str(results.tests)
    assert gradescope.grade(457).score == 10.0
    assert gradescope.top.joinpath("run_autograder").stat().st_mode & stat.S_IXUSR


def test_what_is_not_graded_gets_no_score_and_staff_read_so(collect, into, tmp_path):
    collect_export(collect)
    folder = export_collected(into, "gradescope", {"submission_457": 10.0})
    gradescope = Gradescope(tmp_path / "autograder", (folder / "autograder.zip").read_bytes())
    said = gradescope.run(999)
    assert "not graded yet" in said and "999" in said and not gradescope.has_score


def test_nothing_of_a_student_is_run_or_read(collect, into, tmp_path):
    collect_export(collect)
    folder = export_collected(into, "gradescope", {"submission_457": 10.0})
    gradescope = Gradescope(tmp_path / "autograder", (folder / "autograder.zip").read_bytes())
    ran = tmp_path / "ran"
    code = f"open({str(ran)!r}, 'w').close()"
    names = ("json.py", "pathlib.py", "sitecustomize.py", "usercustomize.py", "graded.json")
    assert gradescope.grade(457, dict.fromkeys(names, code)).score == 10.0
    assert not ran.exists()


def test_the_zip_says_nothing_of_people_and_holds_no_grader(collect, into):
    collect_export(collect)
    folder = export_collected(into, "gradescope", {"0042": 7.5, "submission_457": 10.0})
    files = unzipped((folder / "autograder.zip").read_bytes())
    content, graded = b"".join(files.values()).decode(), json.loads(files["graded.json"])
    assert graded["submissions"].keys() == {"456", "457"}
    for word in ("Ada", "Softmax", "Cleo", "uni.example", "0042", "def test_", "import torch"):
        assert word not in content


def test_a_team_whose_points_differ_gets_the_highest_and_is_named(collect, into, capfd):
    collect_export(collect)
    folder = export_collected(into, "gradescope", {"0042": 7.5, "submission_456": 9.0})
    graded = json.loads(unzipped((folder / "autograder.zip").read_bytes())["graded.json"])
    assert graded["submissions"]["456"]["score"] == 9.0
    assert (
        "Submission 456 is of 0042, submission_456, whose points differ" in capfd.readouterr().out
    )


def test_before_anything_is_graded_there_is_one_too(into, tmp_path, capfd):
    """Gradescope asks for an autograder when the assignment is made."""
    folder = export_collected(into, "gradescope", {}, "--assignment", "small-sheet")
    content = (folder / "autograder.zip").read_bytes()
    assert "0 submissions are in autograder.zip" in capfd.readouterr().out
    assert "not graded yet" in Gradescope(tmp_path / "a", content).run(1)
    assert main(["export", str(tmp_path / "no"), "--format", "gradescope"]) == 2
    unknown = ["--assignment", "no-sheet", "--course", str(COURSE)]
    assert main(["export", str(tmp_path / "no"), "--format", "gradescope", *unknown]) == 2


def test_the_folder_of_one_assignment_is_no_course_before_grading(export):
    words = ["--format", "gradescope", "--assignment", ID]
    enroll("gradescope", {ADA: "555"})
    assert main(["export", f"results/{ID}", *words]) == 0
    graded = json.loads(unzipped(made("autograder.zip"))["graded.json"])
    assert graded["submissions"].keys() == {"555"}


def test_each_results_json_is_as_gradescope_documents_it(export):
    enroll("gradescope", {ADA: "555", BEN: "556"})
    assert export("gradescope")[0] == 0
    graded = json.loads(unzipped(made("autograder.zip"))["graded.json"])["submissions"]
    assert [read_results(json.dumps(one).encode()).score for one in graded.values()] == [10.0, 7.5]


def test_what_cannot_be_read_gets_no_score_and_staff_read_why(export, tmp_path):
    enroll("gradescope", {ADA: "555", BEN: "556", CLEO: "557"})
    export("gradescope")
    content = made("autograder.zip")
    assert json.loads(unzipped(content)["graded.json"])["submissions"].keys() == {"555", "556"}
    gradescope = Gradescope(tmp_path / "autograder", content)
    assert "its JSON is damaged" in gradescope.run(557) and not gradescope.has_score


def test_who_has_no_number_at_gradescope_is_named(export):
    enroll("gradescope", {ADA: "555", BEN: "../up"})
    assert f"Not in autograder.zip: {BEN}" in export("gradescope")[1]
