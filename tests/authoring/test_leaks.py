"""`release` gives students nothing of a solution: what it removes, what it refuses, and what it lets pass."""

import base64
import gzip
import io
import json
import lzma
import re
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from submissions import edit
from typed_commands import typed

from autograder import Assignment

pytestmark = pytest.mark.slow  # nbgrader

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
IN_BASE64 = base64.b64encode(PICTURE).decode()
SOFTMAX = (
    "weights = torch.exp(scores - scores.amax(-1, keepdim=True))\n"
    "return weights / weights.sum(-1, keepdim=True)"
)
FORMULA = r"$$\mathrm{RMSNorm}(x) = \frac{x}{\sqrt{\frac1n \sum_i x_i^2 + \epsilon}} \odot \gamma$$"
IMPORT = "from torch.nn.utils.parametrizations import weight_norm"
SENTENCE = "The root keeps the scale of the output independent of the number of features."
Cells = dict[str, dict]
Change = Callable[[Cells, Path], None]


def answer(text: str, **attachments: bytes) -> Change:
    """The written solution says this, and has these pictures."""

    def change(cells: Cells, folder: Path) -> None:
        cells["explain"]["source"] = text
        cells["explain"]["attachments"] = _attached(attachments)

    return change


def statement(text: str, **attachments: bytes) -> Change:
    """The statement of the written exercise says this, too, and has these pictures."""

    def change(cells: Cells, folder: Path) -> None:
        cells["explain_goal"]["source"] = text
        if attachments:
            cells["explain_goal"]["attachments"] = _attached(attachments)

    return change


def code(name: str, text: str) -> Change:
    """The code cell of this name has this text."""
    return lambda cells, folder: cells[name].update(source=text)


def metadata(name: str, **values: object) -> Change:
    """The cell of this name has these metadata, too."""
    return lambda cells, folder: cells[name]["metadata"].update(values)


def file(name: str, content: bytes | str) -> Change:
    """This file lies beside the notebook in the source."""

    def change(cells: Cells, folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    return change


def zipped(cells: Cells, folder: Path) -> None:
    with zipfile.ZipFile(folder / "data.zip", "w") as archive:
        archive.writestr("parts/softmax.py", SOFTMAX)


def in_a_tar_archive(cells: Cells, folder: Path) -> None:
    member = tarfile.TarInfo("parts/softmax.py")
    member.size = len(SOFTMAX)
    with tarfile.open(folder / "data.tar.gz", "w:gz") as archive:
        archive.addfile(member, io.BytesIO(SOFTMAX.encode()))


def saved_by_an_editor(cells: Cells, folder: Path) -> None:
    (notebook,) = folder.glob("*.ipynb")
    shutil.copy(notebook, folder / f"{notebook.name}~")


def second_notebook(cells: Cells, folder: Path) -> None:
    (notebook,) = folder.glob("*.ipynb")
    shutil.copy(notebook, folder / "old.ipynb")


def copied_grader(cells: Cells, folder: Path) -> None:
    shutil.copy(folder.parents[1] / "graders" / "small_sheet" / "test_softmax.py", folder / "t.py")


def copied_mistakes(cells: Cells, folder: Path) -> None:
    (mistakes, *_) = (folder.parents[1] / "graders" / "small_sheet" / "mistakes").glob("*.md")
    (folder / "notes.md").write_bytes(mistakes.read_bytes().replace(b"\n", b"\r\n"))


def task_with_scheme(cells: Cells, folder: Path) -> None:
    role = {"grade": True, "locked": False, "solution": False, "task": True, "points": 2}
    cells["explain_goal"] |= {
        "metadata": {"nbgrader": {"grade_id": "draw", "schema_version": 3} | role, "notes": "hard"},
        "source": "Draw it.\n### BEGIN MARK SCHEME\n![](attachment:a.png)\n### END MARK SCHEME",
        "attachments": _attached({"a.png": PICTURE}),
    }


def _attached(pictures: dict[str, bytes]) -> dict:
    return {
        name: {"image/png": base64.b64encode(picture).decode()}
        for name, picture in pictures.items()
    }


def released(assignment: Assignment, *changes: Change) -> tuple[int, str, bytes]:
    """Change the source and type `release`; return the status, what is printed, and all bytes of
    the released folder.
    """

    def change(content: dict) -> None:
        for cell in content["cells"]:
            cell["source"] = "".join(cell["source"])
        cells = {cell["id"]: cell for cell in content["cells"]}
        for one_change in changes:
            one_change(cells, assignment.source.parent)

    edit(assignment.source, change)
    status, printed = typed("release", assignment.id, "--course", assignment.course.root)
    files = (path for path in assignment.release.parent.rglob("*") if path.is_file())
    return status, printed, b"\n".join(path.read_bytes() for path in files)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param([answer("So.\n![](attachment:a.png)", **{"a.png": PICTURE})], id="answer"),
        pytest.param(
            [answer("So.\n**Marking scheme**\n![](attachment:a%20b.png)", **{"a b.png": PICTURE})],
            id="our marking scheme",
        ),
        pytest.param([task_with_scheme], id="nbgrader's marking scheme"),
        pytest.param([answer("Nobody shows it.", **{"a.png": PICTURE})], id="shown nowhere"),
        pytest.param(
            [answer(f"So.\n![](data:image/png;base64,{IN_BASE64})")], id="in the text of the answer"
        ),
        pytest.param(
            [statement("Why?\n<!-- ![](attachment:a.png) -->", **{"a.png": PICTURE})],
            id="in a comment",
        ),
    ],
)
def test_a_picture_of_a_solution_is_removed(copied, changes):
    status, printed, release = released(copied, *changes)
    assert status == 0, printed
    assert PICTURE not in release and IN_BASE64.encode() not in release
    cells = json.loads(copied.release.read_text())["cells"]
    assert not any("attachments" in cell or "notes" in cell["metadata"] for cell in cells)


def test_a_picture_that_the_statement_shows_stays(copied):
    status, printed, release = released(
        copied,
        answer("So.\n![](attachment:mine.png)", **{"mine.png": PICTURE}),
        statement("Why?\n![](attachment:theirs.png)", **{"theirs.png": PICTURE}),
    )
    assert status == 0, printed
    assert release.count(IN_BASE64.encode()) == 1 and b"mine.png" not in release


def test_metadata_tags_and_outputs_of_a_solution_are_removed(copied):
    def run(cells: Cells, folder: Path) -> None:
        output = {"output_type": "stream", "name": "stdout", "text": "secret 1"}
        cells["softmax"] |= {"outputs": [output], "execution_count": 7}

    tags = ["secret 2", "skip-grading"]
    status, printed, release = released(
        copied, run, metadata("softmax", tags=tags, remarks={"hint": "secret 3"})
    )
    assert status == 0, printed
    assert b"secret" not in release
    cells = {cell["id"]: cell for cell in json.loads(copied.release.read_text())["cells"]}
    assert cells["softmax"]["metadata"]["tags"] == ["skip-grading"]


def test_saved_widgets_are_removed(copied):
    edit(copied.source, lambda content: content["metadata"].update(widgets={"state": "secret"}))
    status, printed, release = released(copied)
    assert status == 0 and b"secret" not in release, printed


REFUSED = {
    "code in another cell": (
        [code("demo", f"def mine(scores):\n    {SOFTMAX}")],
        r"the cell `demo` contains a part of the solution of `softmax` \(`weights = torch.exp",
    ),
    "code in a Python comment": ([code("demo", f"# {SOFTMAX}\nprint(1)")], "the cell `demo`"),
    "an expression under another name": (
        [code("demo", "y = torch.exp(scores - scores.amax(-1, keepdim=True))")],
        "the cell `demo`",
    ),
    "a short value": (
        [code("demo", "prediction = {'sum': 'same', 2: [0.5, 0.5]}")],
        "the cell `demo` contains a part of the solution of `prediction`",
    ),
    "a hidden test": (
        [
            code(
                "check_softmax",
                "### BEGIN HIDDEN TESTS\nassert softmax(torch.ones(3))[0] < 0.34\n### END HIDDEN TESTS",
            ),
            code("demo", "assert softmax(torch.ones(3))[0] < 0.34"),
        ],
        "the cell `demo` contains a part of the solution of `check_softmax`",
    ),
    "a sentence in the statement": (
        [answer(f"{SENTENCE} And more."), statement(f"> {SENTENCE}")],
        "the cell `explain_goal` contains a part of the solution of `explain`",
    ),
    "words in an HTML comment": (
        [statement("Why?\n<!-- one point for the root -->")],
        "the cell `explain_goal`, in a comment, contains a part of the solution of `explain`",
    ),
    "a remark for staff in an HTML comment": (
        [statement("Why?\n<!-- For markers: accept all -->")],
        "the cell `explain_goal` has a comment with `markers`",
    ),
    "an example answer": ([statement("**Example answer** (1 point)\n\nSo.")], "`explain_goal`"),
    "a model answer": ([statement("#### Model answer\n\nSo.")], "`explain_goal`"),
    "metadata of another cell": (
        [metadata("demo", remarks="weights.sum(-1, keepdim=True)", old=SOFTMAX)],
        "the metadata of the cell `demo` contains a part of the solution of `softmax`",
    ),
    "a tag": ([metadata("demo", tags=["solution"])], "the cell `demo` has the tag `solution`"),
    "a file with the code": (
        [file("helpers.py", SOFTMAX)],
        "the file `helpers.py` contains a part",
    ),
    "a zip archive with the code": ([zipped], "`parts/softmax.py` in the file `data.zip`"),
    "a tar archive with the code": (
        [in_a_tar_archive],
        "`parts/softmax.py` in the file `data.tar.gz` contains a part",
    ),
    "a short answer, folded": (
        [statement("Why?\n<details>One point for the root, one for the scale.</details>")],
        "the cell `explain_goal` contains a part of the solution of `explain`",
    ),
    "an editor's copy": ([saved_by_an_editor], "ipynb~` contains a solution"),
    "a file of that name": (
        [file("model_answers.txt", "x")],
        "`model_answers.txt` is called `answers`",
    ),
    "a hidden grader": ([copied_grader], "the file `t.py` is `test_softmax.py` from the graders"),
    "hidden mistakes, with other ends of lines": ([copied_mistakes], "the file `notes.md` is `"),
    "packed by gzip": ([file("data.gz", gzip.compress(SOFTMAX.encode()))], "the file `data.gz`"),
    "packed by xz": ([file("data.xz", lzma.compress(SOFTMAX.encode()))], "the file `data.xz`"),
    "a page with the code in colours": (
        [file("page.html", "".join(f"<i>{escape(word)}</i> " for word in SOFTMAX.split()))],
        "the file `page.html` contains a part",
    ),
    "formatted anew": (
        [file("other.py", SOFTMAX.replace("(", "(\n    ").replace(")", ",\n)"))],
        "the file `other.py` contains a part",
    ),
    "another notebook": ([second_notebook], "old.ipynb would be released, too"),
    "a picture beside the notebook": (
        [answer("So.\n![](figures/a.png)"), file("figures/a.png", PICTURE)],
        "the file `figures/a.png` belongs to a solution",
    ),
    "a figure beside the notebook": (
        [answer("So.\n![](figures/a.svg)"), file("figures/a.svg", "<svg>the root</svg>")],
        "the file `figures/a.svg` belongs to a solution",
    ),
    "an attached picture beside the notebook": (
        [
            answer("So.\n![](attachment:a.png)", **{"a.png": PICTURE}),
            file("b.png", PICTURE),
        ],
        "the file `b.png` is a picture of the solution of `explain`",
    ),
    "an attached picture in metadata": (
        [
            answer("So.\n![](attachment:a.png)", **{"a.png": PICTURE}),
            metadata("demo", thumbnail=IN_BASE64),
        ],
        "the metadata of the cell `demo` contains a picture of the solution of `explain`",
    ),
    "marks in another cell": (
        [code("demo", "### BEGIN SOLUTION\nx = 1\n### END SOLUTION")],
        "the cell `demo` has `BEGIN SOLUTION` and is not a solution cell",
    ),
    "a mark without its end": (
        [code("prediction", "### BEGIN SOLUTION\nprediction = 1")],
        "the cell `prediction` has 1 `BEGIN SOLUTION` and 0 `END SOLUTION`",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_release_that_gives_a_solution_away_is_refused_in_a_sentence(copied, name):
    before = copied.release.read_bytes()
    changes, sentence = REFUSED[name]
    status, printed, _ = released(copied, *changes)
    assert status == 1 and copied.release.read_bytes() == before
    lines = [line for line in printed.splitlines() if re.search(sentence, line)]
    assert len(lines) == 1, printed
    assert re.search(r"delete|clear|move it|take it|make it|mark the|mark it|pair", lines[0])


def test_metadata_of_the_notebook_that_give_a_solution_away_are_refused(copied):
    edit(copied.source, lambda content: content["metadata"].update(remarks=SOFTMAX))
    status, printed, _ = released(copied)
    assert status == 1 and "the metadata of the notebook contains a part of" in printed


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(
            [answer(f"{FORMULA}\n\nIt divides."), statement(f"Why?\n\n{FORMULA}")], id="formula"
        ),
        pytest.param(
            [
                code(
                    "softmax",
                    f"def softmax(scores):\n    ### BEGIN SOLUTION\n    {IMPORT}\n    return scores\n"
                    "    ### END SOLUTION",
                ),
                code("imports", f"import torch\n{IMPORT}"),
                code("demo", "def same(x):\n    return x\nsame(scores)"),
            ],
            id="imports",
        ),
        pytest.param([statement("Why?\n<!-- write your answer here -->")], id="place to write"),
        pytest.param(
            [statement("Why? See ![](figures/a.png)."), file("figures/a.png", PICTURE)], id="figure"
        ),
        pytest.param(
            [file("data.csv", "x,y\n1,2\n"), metadata("demo", tags=["hide-input"])], id="data"
        ),
    ],
)
def test_what_the_statement_shares_with_a_solution_is_released(copied, changes):
    status, printed, _ = released(copied, *changes)
    assert status == 0, printed


def test_a_leak_in_a_release_that_was_made_elsewhere_is_found(copied):
    def run(content: dict) -> None:
        (cell,) = (cell for cell in content["cells"] if cell["id"] == "demo")
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": SOFTMAX}]

    edit(copied.release, run)
    status, printed = typed("release", "--check", copied.id, "--course", copied.course.root)
    assert status == 1 and "the cell `demo` has outputs: clear them." in printed
