"""Check that every sentence of an exercise's contract is tested, as `contract.md` declares.

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
    """Compare the contract of each exercise with `contract.md`.

    Yield a message for each sentence of a contract without an entry, and for each entry that names
    a sentence, check or step that does not exist.
    """
    file = parts.assignment.graders / FILE
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    blocks, errors = read_blocks(text)
    yield from (f"`{FILE}`, line {line}: {error}." for line, error in errors)
    blocks_by_exercise = {block.title: block for block in blocks[1:]}
    for name, block in blocks_by_exercise.items():
        if name not in parts.exercises:
            yield f"`{FILE}`, line {block.line}: `{name}` is no exercise."
    for name, exercise in parts.exercises.items():
        yield from _of_exercise(parts, exercise, blocks_by_exercise.get(name, Block()))


def _of_exercise(parts: Parts, exercise: courses.Exercise, block: Block) -> Iterator[str]:
    sentences = sentences_of(parts, exercise.id)
    for sentence in sentences:
        if not any(entry.name in sentence for entry in block.named):
            yield f"`{exercise.id}`: nothing asks for “{sentence}” (`{FILE}`)."
    for entry in block.named:
        location = f"`{FILE}`, line {entry.line}"
        if not any(entry.name in sentence for sentence in sentences):
            yield f"{location}: “{entry.name}” is in no sentence of the contract of `{exercise.id}`."
        for missing in _missing(parts, exercise, entry):
            yield f"{location}: `{exercise.id}` has no check and no visible step `{missing}`."


def sentences_of(parts: Parts, name: str) -> list[str]:
    """Return the sentences of an exercise's contract, or [] if it has no contract cell.

    They come from its contract cell and its solution's docstrings.
    """
    cells = {cell.id: cell.source for cell in parts.assignment.cells}
    if f"{name}{CONTRACT}" not in cells:
        return []
    texts = [cells[f"{name}{CONTRACT}"].removeprefix(TITLE), *_docstrings(cells[name])]
    sentences = [sentence for text in texts for sentence in SENTENCE_END.split(text.strip())]
    return [" ".join(sentence.split()) for sentence in sentences]


def _docstrings(source: str) -> list[str]:
    kinds = ast.ClassDef | ast.FunctionDef
    docstrings = [
        ast.get_docstring(node) for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)
    ]
    return [text for text in docstrings if text]


def _missing(parts: Parts, exercise: courses.Exercise, entry: NamedText) -> list[str]:
    """Return the checks and visible steps of an entry that do not exist.

    Return `["(nothing)"]` for an empty entry.
    """
    file = checks_file(parts.assignment)
    visible = file.read_text(encoding="utf-8") if file.is_file() else ""
    checks = {check.name.removeprefix("test_") for check in parts.checks.get(exercise.id, [])}
    steps, names = STEP.findall(entry.text), STEP.sub("", entry.text).split()
    missing = [name for name in names if name not in {*checks, ADVICE}]
    return missing + [step for step in steps if f'yield "{step}' not in visible] or (
        [] if entry.text else ["(nothing)"]
    )
