"""Questions on mistakes of an earlier submission that the present submission no longer has."""

from collections.abc import Iterator
from difflib import SequenceMatcher

from autograder.desk.viva.question import VivaQuestion, answer, own_lines, parsed, shown
from autograder.engine import ResultsFolder, Verdict, verdicts

KIND = "a mistake of an earlier submission"
ASKED = "{} this earlier submission, and how could one have noticed?"
MOST_MARKED = 3  # lines; if there are more, finding the wrong line is part of the question


def gone_mistakes(results: ResultsFolder, verdict: Verdict, source: dict) -> Iterator[VivaQuestion]:
    """Yield a question for each exercise that had a single known mistake in an earlier submission
    and has none in that of `verdict`. The latest usable submission is asked about. `source`: the
    code of the present submission, by cell id.
    """
    history = verdicts.read_history(results.results, verdict.assignment, verdict.student)
    for result in verdicts.with_gone_mistakes(verdict, history).exercises:
        questions = (
            _asked(results, earlier, result.id, source[result.id]) for earlier in reversed(history)
        )
        if result.gone and not result.mistakes:
            yield from [question for question in questions if question][:1]


def _asked(
    results: ResultsFolder, earlier: Verdict, exercise: str, present: str
) -> VivaQuestion | None:
    """Return the question on an earlier verdict's mistake in an exercise. None unless it names a
    single mistake, its cells are still stored, both sources are usable Python, and a line of the
    student's own inside a function was replaced or removed. `present`: the present source of the
    cell.
    """
    result = next((result for result in earlier.exercises if result.id == exercise), None)
    answers = results.answers(earlier)
    if result is None or answers is None or len(result.mistakes) != 1:
        return None
    cells = answers.submission.cells
    source = next((cell.source for cell in cells if cell.id == exercise), "")
    released = next(cell.source for cell in results.assignment.cells if cell.id == exercise)
    marked = (
        replaced_lines(source, present) & own_lines(source, released)
        if parsed(present).body
        else set()
    )
    if not marked:
        return None
    if len(marked) > MOST_MARKED:
        marked = set()
    sentence = ASKED.format(
        "What is wrong in the marked code of" if marked else "Which line is wrong in"
    )
    failed = (check.sentence for check in result.checks if not check.passed)
    sentences = answer([result.mistakes[0].sentence], failed)
    return VivaQuestion(KIND, exercise, sentence, shown(source, marked), sentences)


def replaced_lines(old: str, new: str) -> set[int]:
    """Return the numbers, from 1, of the lines of `old` that were removed or replaced in `new`,
    ignoring indentation and blank lines.
    """
    old_lines, new_lines = ([line.strip() for line in text.split("\n")] for text in (old, new))
    steps = SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes()
    changed = [(start, end) for kind, start, end, _, _ in steps if kind in ("replace", "delete")]
    return {n + 1 for start, end in changed for n in range(start, end) if old_lines[n]}
