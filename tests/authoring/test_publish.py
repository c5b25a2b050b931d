"""The versions are what nbgrader makes of the source, and the release gives nothing away."""

import shutil

import nbformat
import pytest

from autograder import publish
from autograder.engine.assignment import ROOT, SKIP

NAME = "encoder-layer"
SOURCE = ROOT / "source" / NAME / f"{NAME}.ipynb"


@pytest.fixture(scope="module")
def source():
    return nbformat.read(SOURCE, as_version=4).cells


def test_the_release_is_what_the_source_makes_and_leaks_nothing():
    assert list(publish.check(NAME)) == []


def test_a_stale_release_is_noticed(monkeypatch, tmp_path):
    shutil.copytree(ROOT / "release", tmp_path / "release")
    figure = tmp_path / "release" / NAME / "figures" / "attention.svg"
    figure.write_text("<svg/>")
    (tmp_path / "release" / NAME / "notes.txt").write_text("left behind")
    for name in ("source", "nbgrader_config.py"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.setattr(publish, "ROOT", tmp_path)
    complaints = list(publish.check(NAME))
    assert len(complaints) == 2 and "figures/attention.svg" in complaints[0]


def test_solutions_and_outputs_in_a_release_are_noticed(tmp_path):
    notebook = nbformat.read(SOURCE, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.id == "check_attention")
    cell.outputs = [nbformat.v4.new_output("stream", text="x")]
    nbformat.write(notebook, tmp_path / "leaky.ipynb")
    complaints = " ".join(publish.leaks(tmp_path / "leaky.ipynb"))
    assert "`attention` gives its solution away" in complaints
    assert "`explain_layer_norm` gives its solution away" in complaints
    assert "`check_attention` has outputs" in complaints


def test_the_solution_runs_from_top_to_bottom(tmp_path):
    made = publish.make(publish.GenerateSolution, NAME, tmp_path)
    assert list(publish.failures(made / f"{NAME}.ipynb")) == []
    cells = nbformat.read(made / f"{NAME}.ipynb", as_version=4).cells
    checks = [cell for cell in cells if cell.id.startswith("check_")]
    assert len(checks) == 5 and all(cell.outputs == [] for cell in checks), "a check is not silent"
    pictures = [
        o for cell in cells for o in cell.get("outputs", ()) if "image/png" in o.get("data", {})
    ]
    assert len(pictures) >= 8
    answer = next(cell for cell in cells if cell.id == "demo_word").outputs[0].text
    assert answer == "transformer -> remrofsnart\n"


def test_a_failing_solution_is_noticed(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0", id="half")])
    notebook.cells[0].outputs = [
        nbformat.v4.new_output("error", ename="E", evalue="v", traceback=[])
    ]
    nbformat.write(notebook, tmp_path / "n.ipynb")
    complaints = list(publish.failures(tmp_path / "n.ipynb"))
    assert complaints == [
        "n.ipynb: the cell `half` raised E: v",
        "n.ipynb: the cell `half` was not run.",
    ]


def test_a_failed_release_leaves_the_old_one(monkeypatch, capsys):
    monkeypatch.setattr(publish, "leaks", lambda path: ["it leaks"])
    before = {p: p.read_bytes() for p in (ROOT / "release").rglob("*") if p.is_file()}
    assert publish.main(["release", NAME]) == 1
    assert {p: p.read_bytes() for p in (ROOT / "release").rglob("*") if p.is_file()} == before
    assert "it leaks" in capsys.readouterr().err


def test_an_unknown_assignment_is_said_to_be_unknown(capsys):
    assert publish.main(["release", "decoder"]) == 2
    assert "There is no notebook source/decoder/decoder.ipynb." in capsys.readouterr().err


def test_the_source_has_spoken_ids_no_outputs_and_short_cells(source):
    for cell in source:
        ours = cell.metadata.get("nbgrader", {})
        assert ours.get("grade_id", cell.id) == cell.id
        assert not cell.get("outputs") and not cell.get("execution_count")
        assert cell.id.replace("_", "").isalpha(), f"{cell.id} is no spoken id"
        if cell.cell_type == "code" and not ours.get("solution"):
            assert len(cell.source.splitlines()) <= 20, f"{cell.id} is long"


def test_every_figure_is_there_has_words_and_is_used(source):
    figures = {path.name for path in SOURCE.parent.glob("figures/*.svg")}
    prose = "\n".join(cell.source for cell in source if cell.cell_type == "markdown")
    assert figures and all(f"(figures/{name})" in prose for name in figures)
    assert prose.count("](figures/") == len(figures) and "![](" not in prose


def test_demos_are_skipped_when_grading(source):
    skipped = {cell.id for cell in source if SKIP in cell.metadata.get("tags", ())}
    assert {"install", "tests_setup", "demo_training"} <= skipped
    assert not any(cell.metadata.get("nbgrader") for cell in source if cell.id in skipped)
