"""`look-alikes` on the command line: what is written, said and refused."""

import json
import os

import pytest
from planted_copies import all_at_once
from writers import sheets, verdict

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.cli.main import main
from autograder.engine.verdict import write_verdict

SAFE = "cannot be a student's id"


@pytest.fixture
def submitted(assignment, tmp_path):
    """Twelve students who wrote alone, a disguised copy, a clone, and one who wrote nothing."""
    them = dict(list(sheets(assignment).items())[:12])
    them = {f"s{number:02}": cells for number, cells in enumerate(them.values())}
    them["copied"] = {name: all_at_once(cell) for name, cell in them["s03"].items()}
    them["clone"], them["empty"] = them["s05"], {}
    place = tmp_path / "submitted"
    for name, cells in them.items():
        write_submission(assignment, place / name / assignment.id, SampleSubmission(cells, ""))
    return place


@pytest.fixture
def run(tmp_path, capfd):
    """Run the command; return its status, and what it said."""

    def run(*words):
        results = ["--results", str(tmp_path / "results")]
        status = main(["look-alikes", *map(str, words), *results])
        said = capfd.readouterr()
        return status, said.out + said.err

    return run


def test_pairs_and_identical_submissions_are_said_and_written(run, submitted, assignment, tmp_path):
    status, said = run(submitted)
    assert status == 0
    assert "14 submissions were compared; empty: empty." in said
    assert "2 submissions are identical: clone, s05." in said
    assert "1 pair is more alike than honest pairs are. That proves nothing" in said
    assert "  copied and s03: all together " in said
    assert "Rare mistakes are not compared: no verdicts are in" in said
    folder = tmp_path / "results" / assignment.id
    kept = json.loads((folder / ".look-alikes.json").read_text())
    assert kept["identical"] == [["clone", "s05"]] and kept["pages"] == "look-alikes.html"
    (pair,) = kept["pairs"]
    assert pair["students"] == ["copied", "s03"] and pair["share"] > 0.5 > pair["by_chance"]
    page = (folder / "look-alikes.html").read_text()
    assert f"-> {folder / 'look-alikes.html'}" in said and "copied and s03" in page
    assert sorted(os.listdir(folder)) == [".look-alikes.json", "look-alikes.html"]
    assert run(submitted)[0] == 0 and (folder / "look-alikes.html").read_text() == page


def test_pages_go_where_they_are_wanted(run, submitted, assignment, tmp_path):
    status, _ = run(submitted, "--assignment", assignment.id, "--out", tmp_path / "pages")
    assert status == 0 and (tmp_path / "pages" / assignment.id / "look-alikes.html").is_file()
    kept = json.loads((tmp_path / "results" / assignment.id / ".look-alikes.json").read_text())
    assert kept["pages"] is None and len(kept["pairs"]) == 1


def test_what_cannot_be_read_or_is_a_link_is_named_and_nothing_of_it_is_opened(
    run, submitted, assignment, tmp_path
):
    broken = submitted / "s01" / assignment.id / f"{assignment.id}.ipynb"
    broken.write_text("{")
    secret = tmp_path / "secret.ipynb"
    secret.write_text((submitted / "s02" / assignment.id / broken.name).read_text())
    (submitted / "link" / assignment.id).mkdir(parents=True)
    (submitted / "link" / assignment.id / broken.name).symlink_to(secret)
    (submitted / "a b\x1b[31m" / assignment.id).mkdir(parents=True)
    status, said = run(submitted)
    assert status == 0 and "not to be read: link, s01" in said
    assert SAFE in said and "\x1b" not in said
    assert "link" not in json.dumps(json.loads(_kept(tmp_path, assignment))["identical"])


def test_odd_things_and_rare_mistakes_of_verdicts_are_told(run, submitted, assignment, tmp_path):
    odd = "\n".join(f"grumpf_{letter} = '{letter} is for grumpf'" for letter in "abcd")
    for name, relu in (("mallory", "relu"), ("oscar", "gelu")):
        cells = {"feed_forward": f"{odd}\nmine = F.{relu}"}
        write_submission(assignment, submitted / name / assignment.id, SampleSubmission(cells, ""))
        path = tmp_path / "results" / assignment.id / f"{name}.json"
        write_verdict(path, verdict(name, "feed_forward", 1.0, "a_rare_one"))
    status, said = run(submitted)
    assert status == 0
    assert "mallory and oscar: 10 odd things in common" in said
    assert "no verdicts" not in said
    pairs = {
        tuple(one["students"]): one for one in json.loads(_kept(tmp_path, assignment))["pairs"]
    }
    signs = pairs["mallory", "oscar"]["signs"]
    assert (
        "Both make the mistake `a_rare_one` in `feed_forward`; nobody else in the class does."
        in signs
    )
    assert any(one.startswith("Both use the names `grumpf_a`, `grumpf_b`") for one in signs)


def test_no_code_of_students_is_run(run, submitted, assignment, tmp_path):
    ran = tmp_path / "ran"
    cell = f"import pathlib\npathlib.Path({str(ran)!r}).touch()\nraise SystemExit(7)"
    cells = {"attention": cell, "encoder": "import antigravity\n" + cell}
    for name in ("mallory", "oscar"):
        write_submission(assignment, submitted / name / assignment.id, SampleSubmission(cells, ""))
    assert run(submitted)[0] == 0 and not ran.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["submitted/s01/{id}/{id}.ipynb"], "is one notebook, and there is nothing to compare it"),
        (["nowhere"], "There is no folder or notebook"),
        (["submitted", "--assignment", "no"], "There is no assignment `no`"),
        (["submitted", "--assignment", "layer-norm"], "No submission of `layer-norm` is in"),
        (["submitted", "--wrong"], "No such option"),
        ([], "Missing argument"),
    ],
)
def test_wrong_usage_is_said_in_one_line(run, submitted, assignment, words, sentence):
    first = [str(submitted.parent / word.format(id=assignment.id)) for word in words[:1]]
    status, said = run(*first, *words[1:])
    assert status == 2 and sentence in said and said.count("\n") == 1


def test_a_class_of_one_is_alike_with_nobody(run, assignment, small, tmp_path):
    write_submission(small, tmp_path / "submitted" / "ada" / small.id, SampleSubmission({}, ""))
    status, said = run(tmp_path / "submitted", "--course", small.course.root)
    assert status == 0 and "No pair is more alike" in said


def _kept(tmp_path, assignment) -> str:
    return (tmp_path / "results" / assignment.id / ".look-alikes.json").read_text()
