"""Read the mistakes that are edits of correct variants.

`mistakes/in_variants.md` has mistakes in code that differs from the solution; diagnosis is measured
with them. An entry:

    ## attention in keras  named: mask_upside_down       an exercise, a variant that has it
    > The mask keeps its own meaning.                    a remark for the reader
    - mask = 1.0 - attention_mask.float()                code that is in its cell exactly once
    + mask = attention_mask.float()                      its replacement

`named:` lists the mistakes that diagnosis may name: several where the same code can come from
either, none where the catalogue lacks it. An entry may have several edits: the next one begins
after a line with `+`, or after an empty line.
"""

from collections.abc import Mapping

from autograder.authoring.row import MatrixRow
from autograder.authoring.variants import Variant, variants
from autograder.engine import Assignment, GraderError, Pattern
from autograder.mistakes.blocks import Block, read_blocks
from autograder.mistakes.mistake import IN_VARIANTS, Mistake, catalogue_file, read_mistakes

TITLE = Pattern(r"(?P<exercise>\w+) in (?P<variant>.+?)(?:\s+named:(?P<ids>.*))?")


def mistakes_in_variants(assignment: Assignment) -> list[MatrixRow]:
    """Return the rows of mistakes in variants; [] if the assignment has no file of them. Raises
    `GraderError` at the first entry that cannot be read.
    """
    file = catalogue_file(assignment, IN_VARIANTS)
    if not file.is_file():
        return []
    (_, *blocks), errors = read_blocks(file.read_text(encoding="utf-8"))
    for line, said in errors:
        raise _error(line, said)
    catalogues, _ = read_mistakes(assignment)
    known = {(one.exercise, one.id): one for some in catalogues.values() for one in some}
    right = {variant.name: variant for variant in variants(assignment)}
    return [_row(block, right, known) for block in blocks]


def _row(
    block: Block, right: Mapping[str, Variant], known: Mapping[tuple[str, str], Mistake]
) -> MatrixRow:
    """Return the row of the mistake that an entry (`block`) describes. Raises `GraderError` if it names
    something unknown, or if its edits do not apply.

    `right`: all variants, by name; `known`: the catalogue, by exercise and id.
    """
    line, found = block.line, TITLE.fullmatch(block.title)
    if not found:
        raise _error(line, f"`{block.title}` is no `exercise in variant  named: mistake`")
    if not block.edits:
        raise _error(line, f"`{block.title}` has no edit (a line with `- `, and one with `+ `)")
    exercise, name = found["exercise"], found["variant"]
    if name not in right:
        raise _error(line, f"there is no variant `{name}`")
    if exercise not in right[name].cells:
        raise _error(line, f"there is no cell in `{name}` of the exercise `{exercise}`")
    ids = [(exercise, id) for id in (found["ids"] or "").split()]
    for missing in [id for id in ids if id not in known]:
        raise _error(line, f"there is no mistake `{'/'.join(missing)}`")
    cells = right[name].cells | {exercise: _edited(right[name].cells[exercise], block)}
    made = tuple(known[id] for id in ids)
    title = f"{name} ({line}), {exercise}: {' '.join(one.id for one in made) or 'unnamed'}"
    unnamed = "" if made else exercise
    return MatrixRow(title, cells, made, right[name].path, unnamed, "in a variant")


def _edited(cell: str, block: Block) -> str:
    """Return the cell with the edits of an entry (`block`) applied. Raises `GraderError` if an
    edit's old code is not exactly once in the cell.
    """
    for edit in block.edits:
        if not edit.old:
            raise _error(edit.line, "an edit has no line with `- `, of what stands in the cell")
        if cell.count(edit.old) != 1:
            raise _error(edit.line, f"`{edit.old_lines[0]}` is not once in the cell")
        cell = cell.replace(edit.old, edit.new)
    return cell


def _error(line: int, said: str) -> GraderError:
    """Return the exception for a line of the file of mistakes in variants; `said`: what is wrong."""
    return GraderError(f"`mistakes/{IN_VARIANTS}.md`, line {line}: {said}")
