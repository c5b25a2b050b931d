"""`look-alikes` on the command line: one class that is compared with and without verdicts."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from planted_copies import all_at_once
from submissions import verdicts
from typed_commands import typed
from writers import sheets, verdict

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.engine.verdict.verdict import write_verdict

GRUMPF = "\n".join(f"grumpf_{letter} = '{letter} is for grumpf'" for letter in "abcd")


@pytest.fixture(scope="module")
def compared(assignment, tmp_path_factory) -> SimpleNamespace:
    """Twelve students who wrote alone, a disguised copy, a clone, one who wrote nothing, one who would
    run something, two who share odd things, and submissions that cannot be read. Not to be changed.
    """
    top = tmp_path_factory.mktemp("class")
    ran = top / "ran"
    attack = f"import pathlib\npathlib.Path({str(ran)!r}).touch()\nraise SystemExit(7)"
    them = {f"s{n:02}": cells for n, cells in enumerate([*sheets(assignment).values()][:12])}
    them["copied"] = {name: all_at_once(cell) for name, cell in them["s03"].items()}
    them["clone"], them["empty"] = them["s05"], {}
    them["eve"] = {"attention": attack, "encoder": f"import antigravity\n{attack}"}
    for name, relu in (("mallory", "relu"), ("oscar", "gelu")):
        them[name] = {"feed_forward": f"{GRUMPF}\nmine = F.{relu}"}
    for name, cells in them.items():
        folder = top / "submitted" / name / assignment.id
        notebook = write_submission(assignment, folder, SampleSubmission(cells, ""))
    secret = notebook.rename(top / "secret.ipynb")
    for name, target in (
        ("oscar", None),
        ("link", secret),
        ("broken", None),
        ("a b\x1b[31m", None),
    ):
        path = top / "submitted" / name / assignment.id / secret.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if target:
            path.symlink_to(target)
        else:
            path.write_bytes(secret.read_bytes() if name == "oscar" else b"{")
    words = ["look-alikes", top / "submitted", "--results", top / "results"]
    first = typed(*words)
    folder = top / "results" / assignment.id
    return SimpleNamespace(
        top=top,
        ran=ran,
        folder=folder,
        words=words,
        first=first,
        kept=json.loads((folder / ".look-alikes.json").read_text()),
        page=(folder / "look-alikes.html").read_text(),
    )


def test_pairs_and_identical_submissions_are_said_and_written(compared):
    status, said = compared.first
    assert status == 0
    assert "17 submissions were compared; empty: empty; not to be read: broken, link" in said
    assert "2 submissions are identical: clone, s05." in said
    assert "pairs are more alike than honest pairs are. That proves nothing" in said
    assert "  copied and s03: all together " in said
    assert "Rare mistakes are not compared: no verdicts are in" in said
    kept = compared.kept
    assert kept["identical"] == [["clone", "s05"]] and kept["pages"] == "look-alikes.html"
    pair = next(one for one in kept["pairs"] if one["students"] == ["copied", "s03"])
    assert pair["share"] > 0.5 > pair["by_chance"]
    others = [one["students"] for one in kept["pairs"] if one is not pair]
    assert others in ([], [["mallory", "oscar"]]), "nobody who wrote alone"
    assert f"-> {compared.folder / 'look-alikes.html'}" in said
    assert "copied and s03" in compared.page
    assert sorted(os.listdir(compared.folder)) == [".look-alikes.json", "look-alikes.html"]


def test_no_code_of_students_is_run_and_no_name_acts_on_a_terminal(compared):
    _, said = compared.first
    assert not compared.ran.exists()
    assert "cannot be a student's id" in said and "\x1b" not in said


def test_rare_mistakes_of_verdicts_are_told_and_pages_go_where_they_are_wanted(
    compared, assignment, tmp_path
):
    for name in ("mallory", "oscar"):
        path = tmp_path / "results" / assignment.id / f"{name}.json"
        write_verdict(path, verdict(name, "feed_forward", 1.0, "a_rare_one"))
    words = ["--assignment", assignment.id, "--out", tmp_path / "pages"]
    words += ["--results", tmp_path / "results"]
    status, said = typed(*compared.words, *words)
    assert status == 0 and "no verdicts" not in said
    assert "mallory and oscar: 10 odd things in common" in said
    kept = json.loads((tmp_path / "results" / assignment.id / ".look-alikes.json").read_text())
    signs = {tuple(one["students"]): one["signs"] for one in kept["pairs"]}["mallory", "oscar"]
    sign = "Both make the mistake `a_rare_one` in `feed_forward`; nobody else in the class does."
    assert sign in signs
    assert any(one.startswith("Both use the names `grumpf_a`, `grumpf_b`") for one in signs)
    assert (tmp_path / "pages" / assignment.id / "look-alikes.html").is_file()
    assert kept["pages"] is None and len(verdicts(tmp_path, assignment.id)) == 2


def test_a_class_of_one_is_alike_with_nobody_and_is_compared_again(small, tmp_path):
    write_submission(small, tmp_path / "submitted" / "ada" / small.id, SampleSubmission({}, ""))
    words = [tmp_path / "submitted", "--results", tmp_path / "results"]
    page = Path(tmp_path, "results", small.id, "look-alikes.html")
    for _ in range(2):
        status, said = typed("look-alikes", *words, "--course", small.course.root)
        assert status == 0 and "No pair is more alike" in said and page.is_file()
