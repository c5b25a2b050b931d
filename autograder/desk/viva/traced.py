"""Questions on shapes and laws, with measured answers: the calls of `viva.md` run in the sandbox,
in cells behind the student's. Their output is read as data.
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
OWN_CELL = "viva "  # begins the ids of the cells with the calls
MEASURED = Pattern(r"viva (\d{1,6}) (\((?:\d{1,6},|\d{1,6}(?:, \d{1,6}){1,7})?\)|True|False)")
PLACES, LAW = 10_000, 900_000  # numbers of expressions per cell; numbers of laws begin here
NUMBER = "()"  # the shape of a single number, which `.sum()` gives away
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
    """An expression of a student's code with a recorded shape."""

    text: str  # source
    line: int
    askable: bool  # whether a question may be about it
    steps: int  # calls and binary operations in it


def traced(
    grader: grading.Grader, submission: Submission, calls: Mapping[str, Calls]
) -> Iterator[VivaQuestion]:
    """Run the student's code once in the sandbox, with the calls that `viva.md` gives. Yield at
    most two questions on each exercise, on the shape of an expression and on a law. `calls`: by
    exercise.
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
    """Rewrites the code of a cell so that expressions in its functions (but not in `__init__`)
    record their shapes. `made` is the rewritten code, `expressions` are the recorded expressions.

    Questions may be about a line's result, but not about the arguments and results of a function,
    because the exercise states those.
    """

    def __init__(self, source: str, released: str, first: int):
        """`source`: the student's cell. `released`: the cell in the release, whose lines are not
        asked about. `first`: the number of the first expression, different for each cell.
        """
        self.source, self.first, self.own = source, first, own_lines(source, released)
        self.expressions: list[Expression] = []
        tree = parsed(source)
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        function_nodes = (
            ast.walk(function) for function in functions if function.name != "__init__"
        )
        for node in {id(node): node for nodes in function_nodes for node in nodes}.values():
            if isinstance(node, ast.FunctionDef):
                names = [ast.Name(argument.arg, ast.Load()) for argument in node.args.args]
                recorded = [self._note(name, node.lineno, False) for name in names]
                node.body[:0] = [ast.Expr(call) for call in recorded]
            elif isinstance(node, ast.Assign | ast.Return) and node.value:
                node.value = self._recorded(node.value, isinstance(node, ast.Assign))
        code = ast.unparse(ast.fix_missing_locations(tree))
        self.made = f"{RECORDER}\n{code}" if tree.body else source

    def _recorded(self, node: ast.expr, askable: bool) -> ast.expr:
        """Return the expression rewritten so that it records itself, and the calls and binary
        operations that it is built from, outside the arguments of calls.

        `askable`: a question may be about it. Then it is recorded only if it is itself a call or a
        binary operation.
        """
        text = ast.get_source_segment(self.source, node) or ""
        steps = sum(isinstance(part, ast.Call | ast.BinOp) for part in ast.walk(node))
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
    law_calls = [call for law in calls.laws for call in law[:2]]
    laws = (ASKED.format(place=LAW + n, call=call) for n, call in enumerate(law_calls))
    source = CALLED.format(before=calls.before, call=calls.call)
    return notebooks.Cell(OWN_CELL + exercise, "code", source + "".join(laws))


def read_measured(outputs: list[dict]) -> dict[int, str]:
    """Return the recorded texts (a shape, True or False) by number of the expression or law.

    Students' code can print, too. So lines in another form are ignored, and numbers that occur in
    several lines. `outputs`: of the cell with the calls, as nbformat's dicts.
    """
    lines = [line for output in outputs for line in output.get("text", "").split("\n")]
    records = [(int(match[1]), match[2]) for match in map(MEASURED.fullmatch, lines) if match]
    counts = Counter(place for place, _ in records)
    return {place: value for place, value in records if counts[place] == 1}


def _on_a_shape(
    id: str, calls: Calls, recorder: Recorder, measured: dict[int, str], student: str
) -> Iterator[VivaQuestion]:
    """Yield at most one question on the shape of an expression, but not on a shape that an
    argument, a result or a line of the release has, too. Expressions of several steps come first,
    and a hash chooses among them for this student. `measured`: as `read_measured` returns it.
    """
    places = enumerate(recorder.expressions, recorder.first)
    values = {expression: measured[n] for n, expression in places if n in measured}
    known_shapes = {
        NUMBER,
        *(value for expression, value in values.items() if not expression.askable),
    }
    candidates = [
        expression
        for expression, value in values.items()
        if expression.askable and value not in known_shapes
    ]
    for expression in sorted(
        candidates,
        key=lambda expression: (expression.steps < 2, files.digest_of(student, expression.text)),
    )[:1]:
        sentence = f"In the marked line, which shape has `{expression.text}` in this call?"
        lines = shown(recorder.source, {expression.line})
        yield VivaQuestion(SHAPE, id, sentence, lines, [f"`{values[expression]}`"], calls.code)


def _on_a_law(
    id: str, calls: Calls, source: str, measured: dict[int, str]
) -> Iterator[VivaQuestion]:
    """Yield at most one question, on the first law that this student's code keeps. `source`: of the
    student's cell. `measured`: as `read_measured` returns it.
    """
    for number, (same, different, reason) in enumerate(calls.laws):
        place = LAW + 2 * number
        if (measured.get(place), measured.get(place + 1)) == ("True", "False"):
            shuffled = sorted((same, different), key=lambda call: files.digest_of(source, call))
            code = f"{calls.code}\n\na: {shuffled[0]}\nb: {shuffled[1]}"
            sentence = "Which of `a` and `b` answers the same as the call above them, and why?"
            answer = [f"`{'ab'[shuffled.index(same)]}`. {reason}"]
            yield VivaQuestion(SAME, id, sentence, shown(source), answer, code)
            return
