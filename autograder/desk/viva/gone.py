"""Questions on mistakes that an earlier submission had, and this one has not."""

from collections.abc import Iterator
from difflib import SequenceMatcher

from autograder.desk.viva.question import VivaQuestion, answer, own_lines, parsed, shown
from autograder.engine import ResultsFolder, Verdict, verdicts

KIND = "a mistake of an earlier submission"
ASKED = "{} this earlier submission, and how could one have noticed?"
MOST_MARKED = 3  # lines; of more, it is part of the question which one it is


def gone_mistakes(results: ResultsFolder, verdict: Verdict, source: dict) -> Iterator[VivaQuestion]:
    """Yield a question for each exercise in which an earlier submission had one known mistake and
    which the submission of `verdict` answers without any; it is about the latest earlier verdict on
    which `_asked` finds one.

    `source`: the code of the cells, by id, of the submission that `verdict` is on.
    """
    had = verdicts.read_history(results.results, verdict.assignment, verdict.student)
    for result in verdicts.with_gone_mistakes(verdict, had).exercises:
        asked = (_asked(results, one, result.id, source[result.id]) for one in reversed(had))
        if result.gone and not result.mistakes:
            yield from [one for one in asked if one][:1]


def _asked(results: ResultsFolder, had: Verdict, exercise: str, now: str) -> VivaQuestion | None:
    """Return the question on the mistake that the earlier verdict `had` names in an exercise. None
    if it names none or several, if its cells are no longer stored, if one of the two sources is no
    usable Python, or if no line of the student's own in a function was replaced or removed.

    `exercise`: its id; `now`: the source of the exercise's cell in the present submission.
    """
    before = next((one for one in had.exercises if one.id == exercise), None)
    answers = results.answers(had)
    if before is None or answers is None or len(before.mistakes) != 1:
        return None
    cells = answers.submission.cells
    old = next((cell.source for cell in cells if cell.id == exercise), "")
    released = next(one.source for one in results.assignment.cells if one.id == exercise)
    marked = replaced_lines(old, now) & own_lines(old, released) if parsed(now).body else set()
    if not marked:
        return None
    if len(marked) > MOST_MARKED:
        marked = set()
    sentence = ASKED.format(
        "What is wrong in the marked code of" if marked else "Which line is wrong in"
    )
    failed = (one.sentence for one in before.checks if not one.passed)
    said = answer([before.mistakes[0].sentence], failed)
    return VivaQuestion(KIND, exercise, sentence, shown(old, marked), said)


def replaced_lines(old: str, new: str) -> set[int]:
    """Return the numbers, from 1, of the lines of `old` that were removed or replaced in `new`.
    Indentation does not matter, and blank lines are left out.
    """
    before, after = ([line.strip() for line in one.split("\n")] for one in (old, new))
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    changed = [(start, end) for kind, start, end, _, _ in steps if kind in ("replace", "delete")]
    return {n + 1 for start, end in changed for n in range(start, end) if before[n]}
