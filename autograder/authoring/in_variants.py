"""Read the mistakes that are edits of correct variants.

`mistakes/in_variants.md` has mistakes in code that differs from the solution. They measure
diagnosis. An entry:

    ## attention in keras  named: mask_upside_down       an exercise, a variant that has it
    > The mask keeps its own meaning.                    a remark for the reader
    - mask = 1.0 - attention_mask.float()                code that is in its cell exactly once
    + mask = attention_mask.float()                      its replacement

`named:` lists the mistakes that diagnosis may name: several if the same code can come from either,
none if the catalogue lacks it. An entry may have several edits. The next edit begins after a line
with `+`, or after an empty line.
"""

from collections.abc import Mapping

from autograder.authoring.row import MatrixRow
from autograder.authoring.variants import Variant, variants
from autograder.engine import Assignment, GraderError, Pattern
from autograder.mistakes.blocks import Block, read_blocks
from autograder.mistakes.mistake import IN_VARIANTS, Mistake, catalogue_file, read_mistakes

TITLE = Pattern(r"(?P<exercise>\w+) in (?P<variant>.+?)(?:\s+named:(?P<ids>.*))?")


def mistakes_in_variants(assignment: Assignment) -> list[MatrixRow]:
    """Return the rows of mistakes in variants, or [] if the assignment has no file of them.

    Raises `GraderError` at the first entry that cannot be read.
    """
    file = catalogue_file(assignment, IN_VARIANTS)
    if not file.is_file():
        return []
    (_, *blocks), errors = read_blocks(file.read_text(encoding="utf-8"))
    for line, message in errors:
        raise _error(line, message)
    catalogues, _ = read_mistakes(assignment)
    known_mistakes = {
        (mistake.exercise, mistake.id): mistake
        for exercise_mistakes in catalogues.values()
        for mistake in exercise_mistakes
    }
    variants_by_name = {variant.name: variant for variant in variants(assignment)}
    return [_row(block, variants_by_name, known_mistakes) for block in blocks]


def _row(
    block: Block,
    variants_by_name: Mapping[str, Variant],
    known_mistakes: Mapping[tuple[str, str], Mistake],
) -> MatrixRow:
    """Return the row of an entry. Raises `GraderError` for unknown names or misfit edits.

    `known_mistakes`: the catalogue, by exercise and id.
    """
    line, match = block.line, TITLE.fullmatch(block.title)
    if not match:
        raise _error(line, f"`{block.title}` is no `exercise in variant  named: mistake`")
    if not block.edits:
        raise _error(line, f"`{block.title}` has no edit (a line with `- `, and one with `+ `)")
    exercise, name = match["exercise"], match["variant"]
    if name not in variants_by_name:
        raise _error(line, f"there is no variant `{name}`")
    if exercise not in variants_by_name[name].cells:
        raise _error(line, f"there is no cell in `{name}` of the exercise `{exercise}`")
    ids = [(exercise, id) for id in (match["ids"] or "").split()]
    for missing in [id for id in ids if id not in known_mistakes]:
        raise _error(line, f"there is no mistake `{'/'.join(missing)}`")
    cells = variants_by_name[name].cells | {
        exercise: _edited(variants_by_name[name].cells[exercise], block)
    }
    made_mistakes = tuple(known_mistakes[id] for id in ids)
    title = f"{name} ({line}), {exercise}: {' '.join(mistake.id for mistake in made_mistakes) or 'unnamed'}"
    unnamed = "" if made_mistakes else exercise
    return MatrixRow(
        title, cells, made_mistakes, variants_by_name[name].path, unnamed, "in a variant"
    )


def _edited(cell: str, block: Block) -> str:
    """Return the cell with the edits of an entry.

    Raises `GraderError` unless an edit's old code is exactly once in the cell.
    """
    for edit in block.edits:
        if not edit.old:
            raise _error(edit.line, "an edit has no line with `- `, of what stands in the cell")
        if cell.count(edit.old) != 1:
            raise _error(edit.line, f"`{edit.old_lines[0]}` is not once in the cell")
        cell = cell.replace(edit.old, edit.new)
    return cell


def _error(line: int, message: str) -> GraderError:
    return GraderError(f"`mistakes/{IN_VARIANTS}.md`, line {line}: {message}")
