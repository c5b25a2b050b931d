"""What the visible checks of the encoder layer and the encoder say about known mistakes, correct
variants, and exercises that are still open.
"""

import re
import shutil
import subprocess
import sys

import nbformat
import pytest
import torch

from autograder import find_course
from autograder.authoring.edited import find_source
from autograder.authoring.rows import all_rows
from autograder.authoring.toolbox_file import toolbox_source
from autograder.authoring.visible_checks import VisibleChecks, checks_file

LAYERS = "encoder_layer", "encoder"
SEEDS = 25, pytest.param(100, marks=pytest.mark.long)
ASKED = {  # of a mistake, in its first way: words of the first question that fails, or of its answer
    "encoder_layer: dropout_never_rests": "twice",
    "encoder_layer: input_is_changed": "in place",
    "encoder_layer: a_sub_layer_is_missing": "asked once",
    "encoder_layer: feed_forward_first": "comes first",
    "encoder_layer: sub_layers_are_not_registered": "print(layer)",
    "encoder_layer: sizes_of_sub_layers": "(4, 8)",
    "encoder_layer: always_causal": "words after it",
    "encoder_layer: pre_norm": "Query, key and value",
    "encoder_layer: feed_forward_sees_x": "gathered",
    "encoder_layer: no_norm": "the mean 0",
    "encoder_layer: no_residual": "what is added",
    "encoder_layer: attention_of_its_own_scales_wrongly": "exercises 2 and 3",
    "encoder_layer: one_shared_norm": "scale and a shift of its own",
    "encoder_layer: gradient_is_cut": "gradient",
    "encoder_layer: mask_mandatory": "left out",
    "encoder_layer: mask_forgotten": "gets none",
    "encoder_layer: mask_of_one_sentence": "its own mask",
    "encoder_layer: mask_only_of_integers": "True and False",
    "encoder_layer: dropout_rate_is_fixed": "dropout 0.0",
    "encoder_layer: dropout_on_the_sum": "something else dropped",
    "encoder_layer: no_dropout": "is anything dropped",
    "encoder_layer: dropout_of_whole_tokens_or_features": "by itself",
    "encoder_layer: dropout_does_not_scale": "scaled",
    "encoder: nothing_is_returned": "`return`",
    "encoder: dropout_never_rests": "twice",
    "encoder: layers_are_not_registered": "print(encoder)",
    "encoder: shared_layers": "weights of its own",
    "encoder: last_layer_never_used": "2 of them act",
    "encoder: arguments_of_the_layers": "(6, 8, 3)",
    "encoder: rate_is_not_handed_on": "rate of dropout",
    "encoder: embedding_not_scaled": "multiplied",
    "encoder: no_positions": "where a token stands",
    "encoder: positions_begin_at_one": "position 0",
    "encoder: sine_and_cosine_swapped": "Which features are sines",
    "encoder: wrong_angle": "slower",
    "encoder: positions_too_short": "max_len",
    "encoder: positions_are_learned": "what else learns",
    "encoder: layers_are_not_chained": "the one before it",
    "encoder: mask_stops_on_the_way": "get none",
    "encoder: no_dropout": "is anything dropped",
    "encoder: dropout_on_one_of_both": "is the sum dropped",
    "encoder: dropout_between_the_layers": "between the layers",
}


@pytest.fixture(scope="module")
def assignment():
    return find_source("encoder-layer", find_course())


@pytest.fixture(scope="module")
def checks(assignment):
    return VisibleChecks(assignment)


@pytest.fixture(scope="module")
def said(assignment, checks):
    """By exercise and row: the result of the check of every way of a mistake."""
    results = {name: {} for name in LAYERS}
    for row in all_rows(assignment, every_way=True):
        if row.kind in ("mistake", "in a variant") and len(row.exercises) == 1:
            (name,) = row.exercises
            if name in LAYERS:
                results[name][row.id] = checks.run(row.cells, name)[name]
    return results


@pytest.fixture(scope="module")
def texts(assignment):
    """The source's cells, as they are edited."""
    return {cell.id: cell.source for cell in nbformat.read(assignment.source, 4).cells}


@pytest.fixture(scope="module")
def stubs(assignment, texts):
    """The solution cells as students get them."""
    begin_to_end = r"( *)### BEGIN SOLUTION.*?### END SOLUTION"
    raising = r"\1raise NotImplementedError"
    return {
        name: re.sub(begin_to_end, raising, texts[name], flags=re.DOTALL)
        for name in assignment.solutions
    }


@pytest.mark.parametrize("name", LAYERS)
def test_every_way_of_a_mistake_is_caught(said, name):
    silent = {row for row, result in said[name].items() if result.state == "done"}
    assert len(said[name]) > 150
    assert silent == set()


@pytest.mark.parametrize("row", ASKED)
def test_the_question_fits_what_is_wrong(said, row):
    result = said[row.partition(":")[0]][row]
    assert ASKED[row].lower() in f"{result.question} {result.message}".lower()


@pytest.mark.parametrize("name", LAYERS)
def test_no_question_stands_for_most_mistakes(said, name):
    questions = {}
    for row, result in said[name].items():
        questions.setdefault(result.question, set()).add(row.partition(" (")[0])
    assert max(map(len, questions.values())) <= 9  # of some seventy


@pytest.mark.parametrize("name", LAYERS)
def test_correct_variants_pass(assignment, checks, name):
    right = [row for row in all_rows(assignment) if row.is_right and name in row.cells]
    results = {row.place: checks.run(row.cells, name)[name] for row in right}
    assert len(results) > 30
    assert {place: result for place, result in results.items() if result.state != "done"} == {}


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("name", LAYERS)
def test_the_solution_passes_whatever_the_random_numbers(checks, name, seeds):
    states = {checks.run({}, name, seed=seed)[name].state for seed in range(seeds)}
    assert states == {"done"}


@pytest.mark.parametrize(
    ("open_ones", "name"),
    [
        (("feed_forward", "attention", "multi_head_attention"), "encoder_layer"),
        (("feed_forward", "attention", "multi_head_attention", "encoder_layer"), "encoder"),
    ],
    ids=["exercise 5", "exercise 7"],
)
def test_it_passes_while_what_it_needs_is_still_open(checks, stubs, open_ones, name):
    cells = {exercise: stubs[exercise] for exercise in open_ones}
    assert checks.run(cells, name)[name].state == "done"


@pytest.mark.parametrize("name", LAYERS)
def test_an_open_exercise_is_open(checks, stubs, name):
    assert checks.run({name: stubs[name]}, name)[name].state == "open"


class TestOfTheLaws:
    """The cells of exercise 6, as a file that pytest runs."""

    @pytest.fixture
    def run(self, texts, checks, tmp_path):
        """Run the tests with these cells, beside the toolbox and the checks; return what pytest prints."""

        def run(cells):
            base = [
                cells.get(id, checks.solutions.get(id, source))
                for id, source in checks.cells.items()
                if not id.startswith("check_")
            ]
            laws = [texts[f"tests_{name}"] for name in ("order", "mask", "training")]
            here = "import toolbox\n\nhere = toolbox.notebook_is(globals())\nhere.__enter__()"
            file = tmp_path / "test_laws.py"
            file.write_text("\n\n".join([here, *base, *laws]).replace("%%ipytest", ""))
            (tmp_path / "toolbox.py").write_text(toolbox_source())
            shutil.copy(checks_file(checks.assignment), tmp_path)
            command = "-m pytest --tb=line -p encoder_layer_checks -p no:cacheprovider".split()
            ran = subprocess.run(
                [sys.executable, *command, file.name],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            return ran.stdout

        return run

    @pytest.mark.long
    def test_hold_for_the_solution(self, run):
        assert " passed" in (printed := run({})) and " failed" not in printed

    @pytest.mark.long
    def test_are_skipped_while_the_layer_is_open(self, run, stubs):
        printed = run({"encoder_layer": stubs["encoder_layer"]})
        (waiting,) = re.findall(r"still open: (\d+) of these tests wait for it", printed)
        assert int(waiting) > 0
        assert f" {waiting} skipped in " in printed  # and none failed or passed

    def test_ask_first_whether_dropout_rests(self, run, assignment):
        cell = assignment.solutions["encoder_layer"].replace("self.dropout(", "F.dropout(")
        printed = run({"encoder_layer": cell})
        assert "Asked twice" in printed
        assert "at which position" not in printed and "attention_mask reach" not in printed

    def test_say_in_a_line_that_ipytest_is_missing(self, texts, checks, monkeypatch, capsys):
        monkeypatch.setitem(sys.modules, "ipytest", None)
        registered = {}
        monkeypatch.setattr(
            "encoder_layer_checks.register_cell_magic",
            lambda of_it: registered.setdefault(of_it.__name__, of_it),
        )
        exec(texts["tests_setup"], {})
        registered["ipytest"]("", "assert False")
        assert capsys.readouterr().out.count("\n") == 1


def test_the_check_compares_with_the_slow_attention_that_the_notebook_shows(texts, checks):
    space = {"__name__": "__main__"}
    exec("\n".join([texts["imports"], texts["slow_attention"]]), space)
    tensors = torch.randn(5), torch.randn(4, 5), torch.randn(4, 3)
    own = sys.modules["encoder_layer_checks"].slow_attention(*tensors)
    assert torch.equal(own, space["slow_attention"](*tensors))
