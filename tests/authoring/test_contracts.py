"""Each sentence of a contract has something that asks for it, and what `contract.md` names is there."""

import pytest
from submissions import edit

from autograder.authoring.contracts import contract_pieces
from autograder.authoring.edited import as_edited
from autograder.authoring.parts import read_parts

PROSE = "**Contract.** The rows add up to 1, as in `a.b`. About two lines; no loop.\n\nAny size."
ALL = """## softmax
add up: large_scores_give_numbers
About: advice
Any size: large_scores_give_numbers
Numbers in: large_scores_give_numbers
"""


@pytest.fixture
def pieces(copied):
    """What is said of the small assignment, where `softmax` has a contract, with this `contract.md`."""

    def say(text: str) -> list[str]:
        def add(content: dict) -> None:
            cell = {"id": "softmax_contract", "cell_type": "markdown", "metadata": {}}
            content["cells"].insert(0, cell | {"source": PROSE})
            (solution,) = (cell for cell in content["cells"] if cell["id"] == "softmax")
            lines = "".join(solution["source"]).splitlines()
            header = next(number for number, line in enumerate(lines) if line.startswith("def "))
            lines.insert(header + 1, '    """Numbers in,\n    weights out."""')
            solution["source"] = "\n".join(lines)

        edit(copied.source, add)
        (copied.graders / "contract.md").write_text(f"# Prose\n\n{text}")
        return list(contract_pieces(read_parts(as_edited(copied))))

    return say


def test_sentences_that_nothing_asks_for_are_listed(pieces):
    sentences = "About two lines; no loop.", "Any size.", "Numbers in, weights out."
    assert pieces("## softmax\nadd up: large_scores_give_numbers") == [
        f"`softmax`: nothing asks for “{sentence}” (`contract.md`)." for sentence in sentences
    ]


@pytest.mark.parametrize(
    ("old", "new", "end"),
    [
        ("add up", "add down", "“add down” is in no sentence of the contract of `softmax`."),
        (
            "large_scores_give_numbers",
            "rows_do",
            "`softmax` has no check and no visible step `rows_do`.",
        ),
        ("advice", "", "`softmax` has no check and no visible step `(nothing)`."),
        ("## softmax", "## soft", "`soft` is no exercise."),
    ],
)
def test_what_is_not_there_is_said_with_its_line(pieces, old, new, end):
    said = pieces(ALL.replace(old, new))
    assert any(one.endswith(end) and one.startswith("`contract.md`, line ") for one in said)


def test_of_a_contract_that_is_asked_for_nothing_is_said(pieces):
    assert pieces(ALL) == []
