"""Each sentence of a contract has something that asks for it, and what is said of it is there."""

from collections.abc import Callable

import pytest
from submissions import edit

from autograder.authoring.contracts import contract_pieces, sentences_of
from autograder.authoring.edited import as_edited
from autograder.authoring.parts import Parts, read_parts

PROSE = "**Contract.** The rows add up to 1, as in `a.b`. About two lines; no loop.\n\nAny size."
ALL = """## softmax
add up: large_scores_give_numbers
About: advice
Any size: large_scores_give_numbers
Numbers in: large_scores_give_numbers
"""


@pytest.fixture
def parts(copied) -> Callable[[str], Parts]:
    """The small assignment, where `softmax` has a contract, and with this `contract.md`."""

    def make(said: str) -> Parts:
        def add(content: dict) -> None:
            cell = {"id": "softmax_contract", "cell_type": "markdown", "metadata": {}}
            content["cells"].insert(0, cell | {"source": PROSE})
            (solution,) = (one for one in content["cells"] if one["id"] == "softmax")
            lines = "".join(solution["source"]).splitlines()
            header = next(number for number, line in enumerate(lines) if line.startswith("def "))
            lines.insert(header + 1, '    """Numbers in,\n    weights out."""')
            solution["source"] = "\n".join(lines)

        edit(copied.source, add)
        (copied.graders / "contract.md").write_text(f"# Prose\n\n{said}")
        return read_parts(as_edited(copied))

    return make


def test_sentences_are_those_of_the_cell_and_of_the_docstring(parts):
    found = parts("")
    assert sentences_of(found, "softmax") == [
        "The rows add up to 1, as in `a.b`.",
        "About two lines; no loop.",
        "Any size.",
        "Numbers in, weights out.",
    ]
    assert sentences_of(found, "rms_norm") == []


def test_what_nothing_asks_for_is_listed(parts):
    lines = list(contract_pieces(parts("## softmax\nadd up: large_scores_give_numbers")))
    assert lines == [
        f"`softmax`: nothing asks for “{one}” (`contract.md`)."
        for one in ("About two lines; no loop.", "Any size.", "Numbers in, weights out.")
    ]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("add up", "add down"), "“add down” is in no sentence of the contract of `softmax`."),
        (
            ("large_scores_give_numbers", "rows_do"),
            "`softmax` has no check and no visible step `rows_do`.",
        ),
        (("advice", ""), "`softmax` has no check and no visible step `(nothing)`."),
        (("## softmax", "## soft"), "`soft` is no exercise."),
    ],
)
def test_what_is_not_there_is_said_with_its_line(parts, change, line):
    lines = list(contract_pieces(parts(ALL.replace(*change))))
    assert any(one.endswith(line) and one.startswith("`contract.md`, line ") for one in lines)


def test_of_a_contract_that_is_asked_for_nothing_is_said(parts):
    assert list(contract_pieces(parts(ALL))) == []
