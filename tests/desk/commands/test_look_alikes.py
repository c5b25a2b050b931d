"""`look-alikes` on the command line: one class that is compared with and without verdicts."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from planted_copies import all_at_once
from submissions import edit
from typed_commands import typed
from writers import sheets

from autograder.authoring.sample_class import SampleSubmission, write_submission

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def compared(assignment, tmp_path_factory) -> SimpleNamespace:
    """Twelve students who wrote alone, a disguised copy, a clone, one who wrote nothing, one who would
    run something, and submissions that cannot be read. Not to be changed.
    """
    top = tmp_path_factory.mktemp("class")
    ran = top / "ran"
    attack = f"import pathlib\npathlib.Path({str(ran)!r}).touch()\nraise SystemExit(7)"
    them = {f"s{n:02}": cells for n, cells in enumerate([*sheets(assignment).values()][:12])}
    them["copied"] = {name: all_at_once(cell) for name, cell in them["s03"].items()}
    them["clone"], them["empty"] = them["s05"], {}
    them["eve"] = {"attention": attack, "encoder": f"import antigravity\n{attack}"}
    them["oscar"] = {"feed_forward": "mine = F.gelu"}
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
    assert "16 submissions were compared; empty: empty; not to be read: broken, link" in said
    assert "2 submissions are identical: clone, s05." in said
    assert "1 pair is more alike than honest pairs are. That proves nothing" in said
    assert "  copied and s03: all together " in said
    kept = compared.kept
    assert kept["identical"] == [["clone", "s05"]] and kept["pages"] == "look-alikes.html"
    (pair,) = kept["pairs"]  # and nobody who wrote alone
    assert pair["students"] == ["copied", "s03"] and pair["share"] > 0.5 > pair["by_chance"]
    assert f"-> {compared.folder / 'look-alikes.html'}" in said
    assert "copied and s03" in compared.page
    assert sorted(os.listdir(compared.folder)) == [".look-alikes.json", "look-alikes.html"]


def test_no_code_of_students_is_run_and_no_name_acts_on_a_terminal(compared):
    _, said = compared.first
    assert not compared.ran.exists()
    assert "cannot be a student's id" in said and "\x1b" not in said


def hidden_in_own_cells(cells: dict[str, str], hide) -> list[dict]:
    """Cells of a student's own, at the end of a notebook, with these solutions."""
    made = [hide(source) for source in cells.values()]
    return [
        {"cell_type": kind, "metadata": {}, "source": source}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for kind, source in made
    ]


def indented(source: str) -> str:
    return "\n".join(f"    {line}" for line in source.splitlines())


def renamed_class(source: str) -> str:
    return source.replace("class ", "class My", 1)


HIDDEN = {
    "by globals": lambda source: (
        "code",
        f"{renamed_class(source)}\nglobals().update(mine=1)",
    ),
    "in a function": lambda source: ("code", f"def make():\n{indented(source)}\nmake()"),
    "in a cell that is not Python": lambda source: ("code", f"{source}\nx = = 1"),
    "in a text that is run": lambda source: (
        "code",
        "exec('''" + source.replace('"""', "") + "''')",
    ),
    "in Markdown": lambda source: ("markdown", f"```python\n{source}\n```"),
}


def test_solutions_in_own_cells_are_compared_however_they_are_hidden(assignment, tmp_path):
    """The solution cells of those who copied are as they were released."""
    them = {f"s{n:02}": cells for n, cells in enumerate(sheets(assignment).values())}
    for number, hide in enumerate(HIDDEN.values()):
        them[f"h{number}"] = hidden_in_own_cells(them[f"s{number:02}"], hide)
    for name, cells in them.items():
        folder = tmp_path / "submitted" / name / assignment.id
        written = cells if isinstance(cells, dict) else {}
        notebook = write_submission(assignment, folder, SampleSubmission(written, ""))
        if not written:
            edit(
                notebook, lambda content, own=cells: content.update(cells=[*content["cells"], *own])
            )
    status, _ = typed("look-alikes", tmp_path / "submitted", "--results", tmp_path / "results")
    kept = json.loads((tmp_path / "results" / assignment.id / ".look-alikes.json").read_text())
    assert status == 0
    assert {tuple(pair["students"]) for pair in kept["pairs"]} == {
        (f"h{number}", f"s{number:02}") for number in range(len(HIDDEN))
    }


def test_pages_go_where_they_are_wanted(compared, assignment, tmp_path):
    words = ["--assignment", assignment.id, "--out", tmp_path / "pages"]
    status, said = typed(*compared.words[:2], *words, "--results", tmp_path / "results")
    kept = json.loads((tmp_path / "results" / assignment.id / ".look-alikes.json").read_text())
    assert status == 0 and kept == compared.kept | {"pages": None}
    page = tmp_path / "pages" / assignment.id / "look-alikes.html"
    assert page.is_file() and f"-> {page}" in said


def test_a_class_of_one_is_alike_with_nobody_and_is_compared_again(small, tmp_path):
    write_submission(small, tmp_path / "submitted" / "ada" / small.id, SampleSubmission({}, ""))
    words = [tmp_path / "submitted", "--results", tmp_path / "results"]
    page = Path(tmp_path, "results", small.id, "look-alikes.html")
    for _ in range(2):
        status, said = typed("look-alikes", *words, "--course", small.course.root)
        assert status == 0 and "before two students have answered" in said and page.is_file()
