"""Check that every sentence of an exercise's contract is tested, as `contract.md` says.

The sentences are those of the cell `<exercise>_contract` and of the solution's docstrings.
`contract.md`, beside the graders, maps words of each sentence to checks:

    ## attention
    Return the output alone: output_is_returned_alone       words of a sentence: checks of the grader
    The three dots: "Without an axis for the heads"          the beginning of a step of the visible check
    about ten lines: advice                                  not tested
"""

import ast
import re
from collections.abc import Iterator

from autograder.authoring.parts import Parts
from autograder.authoring.visible_checks import checks_file
from autograder.engine import courses
from autograder.mistakes.blocks import Block, NamedText, read_blocks

CONTRACT, FILE = "_contract", "contract.md"
TITLE, ADVICE = "**Contract.**", "advice"
SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z`*])|\n\s*\n")
STEP = re.compile(r'"([^"]+)"')


def contract_pieces(parts: Parts) -> Iterator[str]:
    """Compare the contract of each exercise (what its statement promises: the cell
    `<exercise>_contract` and the solution's docstrings) with `contract.md`. Yield a message for
    each sentence of a contract that no entry of the file names, and for each entry that names a
    sentence, check or step that does not exist.

    `parts`: the assignment's.
    """
    file = parts.assignment.graders / FILE
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    blocks, errors = read_blocks(text)
    yield from (f"`{FILE}`, line {line}: {error}." for line, error in errors)
    said = {block.title: block for block in blocks[1:]}
    for name, block in said.items():
        if name not in parts.exercises:
            yield f"`{FILE}`, line {block.line}: `{name}` is no exercise."
    for name, exercise in parts.exercises.items():
        yield from _of_exercise(parts, exercise, said.get(name, Block()))


def _of_exercise(parts: Parts, exercise: courses.Exercise, block: Block) -> Iterator[str]:
    """Yield the messages of `contract_pieces` about one exercise; `block`: its entries in
    `contract.md`.
    """
    sentences = sentences_of(parts, exercise.id)
    for sentence in sentences:
        if not any(one.name in sentence for one in block.named):
            yield f"`{exercise.id}`: nothing asks for “{sentence}” (`{FILE}`)."
    for one in block.named:
        where = f"`{FILE}`, line {one.line}"
        if not any(one.name in sentence for sentence in sentences):
            yield f"{where}: “{one.name}” is in no sentence of the contract of `{exercise.id}`."
        for missing in _missing(parts, exercise, one):
            yield f"{where}: `{exercise.id}` has no check and no visible step `{missing}`."


def sentences_of(parts: Parts, name: str) -> list[str]:
    """Return the sentences of the contract of the exercise `name`: of its contract cell and of its
    solution's docstrings; [] if it has no contract cell.
    """
    cells = {cell.id: cell.source for cell in parts.assignment.cells}
    if f"{name}{CONTRACT}" not in cells:
        return []
    texts = [cells[f"{name}{CONTRACT}"].removeprefix(TITLE), *_docstrings(cells[name])]
    found = [sentence for text in texts for sentence in SENTENCE_END.split(text.strip())]
    return [" ".join(sentence.split()) for sentence in found]


def _docstrings(source: str) -> list[str]:
    """Return the docstrings of all classes and functions in Python source."""
    kinds = ast.ClassDef | ast.FunctionDef
    found = [
        ast.get_docstring(one) for one in ast.walk(ast.parse(source)) if isinstance(one, kinds)
    ]
    return [text for text in found if text]


def _missing(parts: Parts, exercise: courses.Exercise, one: NamedText) -> list[str]:
    """Return the checks and visible steps that an entry of `contract.md` (`one`) names and that do
    not exist; `["(nothing)"]` if the entry names none at all.
    """
    file = checks_file(parts.assignment)
    visible = file.read_text(encoding="utf-8") if file.is_file() else ""
    checks = {check.name.removeprefix("test_") for check in parts.checks.get(exercise.id, [])}
    steps, names = STEP.findall(one.text), STEP.sub("", one.text).split()
    missing = [name for name in names if name not in {*checks, ADVICE}]
    return missing + [step for step in steps if f'yield "{step}' not in visible] or (
        [] if one.text else ["(nothing)"]
    )
