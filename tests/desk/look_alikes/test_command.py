"""`look-alikes` on the command line: one class that is compared with and without verdicts."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from planted_copies import all_at_once
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
        listing=json.loads((folder / ".look-alikes.json").read_text()),
        page=(folder / "look-alikes.html").read_text(),
    )


def test_pairs_and_identical_submissions_are_said_and_written(compared):
    status, printed = compared.first
    assert status == 0
    assert "16 submissions were compared; empty: empty; not to be read: broken, link" in printed
    assert "2 submissions are identical: clone, s05." in printed
    assert "1 pair is more alike than honest pairs are. That proves nothing" in printed
    assert "  copied and s03: all together " in printed
    listing = compared.listing
    assert listing["schema"] == 1 and listing["assignment"] == compared.folder.name
    assert listing["identical"] == [["clone", "s05"]] and listing["pages"] == "look-alikes.html"
    (pair,) = listing["pairs"]  # and nobody who wrote alone
    assert pair["students"] == ["copied", "s03"] and pair["share"] > 0.5 > pair["by_chance"]
    assert {"attention", "encoder"} <= {exercise["id"] for exercise in pair["exercises"]}
    assert f"-> {compared.folder / 'look-alikes.html'}" in printed
    assert "copied and s03" in compared.page
    assert sorted(os.listdir(compared.folder)) == [".look-alikes.json", "look-alikes.html"]


def test_no_code_of_students_is_run_and_no_name_acts_on_a_terminal(compared):
    _, printed = compared.first
    assert not compared.ran.exists()
    assert "cannot be a student's id" in printed and "\x1b" not in printed


HIDDEN = {
    "by globals": "{source}\nglobals().update(Mine=1)",
    "in a function": "def make():\n{indented}\nmake()",
    "in a match": "match 1:\n case 1:\n{indented}",
    "in a cell that is not Python": "{source}\nx = = 1",
    "with a magic": "%%time\n{source}\n!ls",
    "in a text that is run": "exec('''{bare}''')",
    "among others": "x = 1\n{source}\n@decorated\ndef other(a, b):\n    return [a, *b]",
    "in Markdown": "```python\n{source}\n```",
}


def hidden(name: str, source: str) -> dict:
    """A cell of a student's own, which has a solution in this form and by another name."""
    source = source.replace("class ", "class My", 1)
    indented = "\n".join(f"  {line}" for line in source.splitlines())
    text = HIDDEN[name].format(source=source, indented=indented, bare=source.replace('"""', ""))
    if name == "in Markdown":
        return {"cell_type": "markdown", "metadata": {}, "source": text}
    of_code = {"outputs": [], "execution_count": None}
    return {"cell_type": "code", "metadata": {}, "source": text} | of_code


@pytest.mark.parametrize("forms", [[*HIDDEN][:4], [*HIDDEN][4:]], ids=["code", "text"])
def test_solutions_in_own_cells_are_compared_however_they_are_hidden(assignment, tmp_path, forms):
    """Before all other cells or behind them; the solution cells are as they were released."""
    submitted = tmp_path / "submitted"
    written = {f"s{number:02}": cells for number, cells in enumerate(sheets(assignment).values())}
    for student, cells in written.items():
        folder = submitted / student / assignment.id
        write_submission(assignment, folder, SampleSubmission(cells, ""))
    for number, name in enumerate(forms):
        folder = submitted / f"h{number:02}" / assignment.id
        notebook = write_submission(assignment, folder, SampleSubmission({}, ""))
        content = json.loads(notebook.read_text())
        own = [hidden(name, source) for source in written[f"s{number:02}"].values()]
        cells = content["cells"]
        content["cells"] = [*cells, *own] if number % 2 else [*cells[:1], *own, *cells[1:]]
        notebook.write_text(json.dumps(content))
    status, _ = typed("look-alikes", submitted, "--results", tmp_path / "results")
    listing = json.loads((tmp_path / "results" / assignment.id / ".look-alikes.json").read_text())
    assert status == 0
    assert {tuple(pair["students"]) for pair in listing["pairs"]} == {
        (f"h{number:02}", f"s{number:02}") for number in range(len(forms))
    }


def test_pages_go_where_they_are_wanted(compared, assignment, tmp_path):
    words = ["--assignment", assignment.id, "--out", tmp_path / "pages"]
    status, printed = typed(*compared.words[:2], *words, "--results", tmp_path / "results")
    listing = json.loads((tmp_path / "results" / assignment.id / ".look-alikes.json").read_text())
    assert status == 0 and listing == compared.listing | {"pages": None}
    page = tmp_path / "pages" / assignment.id / "look-alikes.html"
    assert page.is_file() and f"-> {page}" in printed


def test_a_class_of_one_is_alike_with_nobody_and_is_compared_again(small, tmp_path):
    write_submission(small, tmp_path / "submitted" / "ada" / small.id, SampleSubmission({}, ""))
    words = [tmp_path / "submitted", "--results", tmp_path / "results"]
    page = Path(tmp_path, "results", small.id, "look-alikes.html")
    for _ in range(2):
        status, printed = typed("look-alikes", *words, "--course", small.course.root)
        assert status == 0 and "before two students have answered" in printed and page.is_file()
