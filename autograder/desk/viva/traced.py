"""Questions on shapes and laws, whose answers are measured: the calls of `viva.md` are run
behind the walls, in cells behind the student's, and what these print is read as data.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from autograder.desk.viva.calls import Calls
from autograder.desk.viva.question import VivaQuestion, own_lines, parsed, shown
from autograder.engine import Pattern, Submission, files, grading, notebooks, printable

SHAPE, SAME = "a shape", "two calls"
OWN_CELL = "viva "  # begins the ids of the cells that call
MEASURED = Pattern(r"viva (\d{1,6}) (\((?:\d{1,6},|\d{1,6}(?:, \d{1,6}){1,7})?\)|True|False)")
PLACES, LAW = 10_000, 900_000  # of each cell; from here on those of laws
NUMBER = "()"  # the shape of one: `.sum()` says it
RECORDER = """
def viva_note(place, value, notes={}):
    import torch
    if isinstance(value, torch.Tensor):
        notes.setdefault(place, set()).add(str(tuple(value.shape)))
    return notes if place is None else value
"""
CALLED = """import torch
torch.manual_seed(0)
{before}
viva_note(None, None).clear()
viva_base = {call}
for place, seen in viva_note(None, None).items():
    if len(seen) == 1:
        print("viva", place, *seen)
"""
ASKED = "print('viva', {place}, torch.allclose({call}, viva_base, atol=1e-4))\n"


class Expression(NamedTuple):
    """An expression of a student's code whose shape is recorded: its source `text`, the number of
    its `line`, whether a question may be about it (`askable`), and how many calls and binary
    operations are in it (`steps`).
    """

    text: str
    line: int
    askable: bool
    steps: int


def traced(
    grader: grading.Grader, submission: Submission, calls: Mapping[str, Calls]
) -> Iterator[VivaQuestion]:
    """Run the student's code behind the walls, once, with the calls that `viva.md` gives for its
    exercises; yield at most two questions on each exercise: one on the shape of an expression, one
    on a law.

    `calls`: by exercise, as `read_calls` returns them.
    """
    released = {cell.id: cell.source for cell in grader.assignment.cells}
    cells, recorders = list[notebooks.Cell](), dict[str, Recorder]()
    for cell in submission.cells:
        cells.append(cell)
        if cell.id in calls:
            with suppress(RecursionError):
                first = PLACES * len(recorders)
                recorder = Recorder(cell.source, released[cell.id], first)
                cells[-1:] = replace(cell, source=recorder.made), _calling(cell.id, calls[cell.id])
                recorders[cell.id] = recorder
    outputs = grader.grade_submission(replace(submission, cells=cells)).outputs
    for id in sorted(recorders, key=lambda id: files.digest_of(submission.student, id)):
        measured = read_measured(outputs.get(OWN_CELL + id, []))
        yield from _on_a_shape(id, calls[id], recorders[id], measured, submission.student)
        yield from _on_a_law(id, calls[id], recorders[id].source, measured)


class Recorder:
    """Rewrites the code of a cell so that it records the shapes of expressions in its functions (but
    not in `__init__`) as they run; `made` is the rewritten code, `expressions` are those that it
    records.

    Questions may be about what a line computes, not about what a function takes and returns,
    because the statement says that.
    """

    def __init__(self, source: str, released: str, first: int):
        """`source`: the student's cell; `released`: the same cell in the release, whose lines no
        question is about; `first`: the number of the first recorded expression, so that no two
        cells use the same numbers.
        """
        self.source, self.first, self.own = source, first, own_lines(source, released)
        self.expressions: list[Expression] = []
        tree = parsed(source)
        functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
        inside = (ast.walk(one) for one in functions if one.name != "__init__")
        for node in {id(one): one for some in inside for one in some}.values():
            if isinstance(node, ast.FunctionDef):
                names = [ast.Name(one.arg, ast.Load()) for one in node.args.args]
                noted = [self._note(one, node.lineno, False) for one in names]
                node.body[:0] = [ast.Expr(one) for one in noted]
            elif isinstance(node, ast.Assign | ast.Return) and node.value:
                node.value = self._recorded(node.value, isinstance(node, ast.Assign))
        made = ast.unparse(ast.fix_missing_locations(tree))
        self.made = f"{RECORDER}\n{made}" if tree.body else source

    def _recorded(self, node: ast.expr, askable: bool) -> ast.expr:
        """Return the expression rewritten so that it records itself and the calls and binary
        operations that it is built from; what stands in the arguments of a call is not recorded.

        `askable`: whether a question may be about the expression. If so, it is recorded only if it
        is itself a call or a binary operation; else it always is.
        """
        text = ast.get_source_segment(self.source, node) or ""
        steps = sum(isinstance(one, ast.Call | ast.BinOp) for one in ast.walk(node))
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.Call | ast.BinOp | ast.Attribute):
                setattr(node, name, self._recorded(value, True))
        if askable and not isinstance(node, ast.Call | ast.BinOp):
            return node
        is_own = node.lineno in self.own and node.lineno == node.end_lineno
        return self._note(node, node.lineno, askable and is_own, text, steps)

    def _note(
        self, node: ast.expr, line: int, askable: bool, text: str = "", steps: int = 0
    ) -> ast.Call:
        self.expressions.append(Expression(printable(text, 100), line, askable, steps))
        place = ast.Constant(self.first + len(self.expressions) - 1)
        return ast.Call(ast.Name("viva_note", ast.Load()), [place, node], [])


def _calling(exercise: str, calls: Calls) -> notebooks.Cell:
    asked = [call for law in calls.laws for call in law[:2]]
    laws = (ASKED.format(place=LAW + n, call=call) for n, call in enumerate(asked))
    source = CALLED.format(before=calls.before, call=calls.call)
    return notebooks.Cell(OWN_CELL + exercise, "code", source + "".join(laws))


def read_measured(outputs: list[dict]) -> dict[int, str]:
    """Return what was recorded, as text (a shape, True or False), by the number of the expression or
    of the law's call. `outputs`: of the cell that made the calls, as nbformat's
    dicts.

    A line in another form is ignored, because students' code can print, too; so is a number that
    two lines name.
    """
    lines = [line for one in outputs for line in one.get("text", "").split("\n")]
    found = [(int(one[1]), one[2]) for one in map(MEASURED.fullmatch, lines) if one]
    once = Counter(place for place, _ in found)
    return {place: value for place, value in found if once[place] == 1}


def _on_a_shape(
    id: str, calls: Calls, recorder: Recorder, measured: dict[int, str], student: str
) -> Iterator[VivaQuestion]:
    """Yield at most one question on the shape of an expression, but on none that an argument, a
    result or a line of the release has, too: one of several steps if there is any; of these, the one
    that a hash chooses for this student.

    `id`: the exercise's; `measured`: as `read_measured` returns it.
    """
    places = enumerate(recorder.expressions, recorder.first)
    values = {one: measured[n] for n, one in places if n in measured}
    given = {NUMBER, *(value for one, value in values.items() if not one.askable)}
    asked = [one for one, value in values.items() if one.askable and value not in given]
    for one in sorted(asked, key=lambda one: (one.steps < 2, files.digest_of(student, one.text)))[
        :1
    ]:
        sentence = f"In the marked line, which shape has `{one.text}` in this call?"
        lines = shown(recorder.source, {one.line})
        yield VivaQuestion(SHAPE, id, sentence, lines, [f"`{values[one]}`"], calls.code)


def _on_a_law(
    id: str, calls: Calls, source: str, measured: dict[int, str]
) -> Iterator[VivaQuestion]:
    """Yield at most one question: on the first law of `calls` that this student's code keeps.

    `id`: the exercise's; `source`: of the student's cell; `measured`: as `read_measured` returns
    it.
    """
    for number, (same, other, why) in enumerate(calls.laws):
        place = LAW + 2 * number
        if (measured.get(place), measured.get(place + 1)) == ("True", "False"):
            both = sorted((same, other), key=lambda one: files.digest_of(source, one))
            code = f"{calls.code}\n\na: {both[0]}\nb: {both[1]}"
            sentence = "Which of `a` and `b` answers the same as the call above them, and why?"
            answer = [f"`{'ab'[both.index(same)]}`. {why}"]
            yield VivaQuestion(SAME, id, sentence, shown(source), answer, code)
            return
