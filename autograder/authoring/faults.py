"""Describe the wrong verdicts of a kill matrix, and measure how well mistakes are named.

A check names a mistake if it fails and diagnosis finds that mistake as the cause.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.table import Table

from autograder.authoring.row import MatrixRow
from autograder.engine import Graded, examiner, verdicts

RECALL = {"in a variant": 0.92, "composed": 0.95}  # in code that is not an edit of the solution
CAUGHT, NAMED = "x", "N"
Results = list[tuple[MatrixRow, Graded]]


def faults(row: MatrixRow, graded: Graded) -> list[str]:
    """Return a sentence for each difference between a row's verdict and its expected verdict.

    Differences are a state other than graded, points lost or kept in a wrong exercise, a check that
    passes but must fail, and a mistake that is not named or wrongly named.
    """
    verdict, runs = graded.verdict, graded.runs
    if verdict.state != "graded":
        return [f"{row.place}: {verdict.state}: {verdict.reason}"]
    failed = [run for run in runs if not run.passed]
    if failed and row.is_right:
        remark = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        check = verdicts.check_sentence(failed[0].id)
        return [f"{row.place} fails `{check}`{remark}: {failed[0].message}"]
    lost = {result.id for result in verdict.exercises if result.points < result.max_points}
    complaints = [f"points lost in {name}" for name in sorted(lost - row.exercises)]
    complaints += [f"no points lost in {name}" for name in sorted(row.exercises - lost)]
    alone = row.kind == "mistake"
    for mistake in row.mistakes if row.kind not in RECALL else ():
        exercise_runs = [run for run in runs if run.exercise == mistake.exercise]
        failing = {f"test_{name}" for name in mistake.caught_by}
        passed = {run.name for run in exercise_runs} - {
            run.name for run in exercise_runs if not run.passed
        }
        if alone:
            complaints += [
                f"{mistake.id} passes {name.removeprefix('test_')}"
                for name in sorted(failing & passed)
            ]
        silent = failing - {
            run.name
            for run in exercise_runs
            if mistake.id in {mistake_found.id for mistake_found in run.mistakes}
        }
        if silent and (alone or silent == failing):
            complaints.append(
                f"{mistake.id} is not named by {', '.join(map(verdicts.check_sentence, sorted(silent)))}"
            )
    complaints += [f"{id} is named, too" for _, id in sorted(_named(graded) - row.made)]
    return [f"{row.place}: {fault}" for fault in complaints]


def _named(graded: Graded) -> set[tuple[str, str]]:
    """Return the mistakes that diagnosis found, as pairs of exercise and mistake id."""
    return {(run.exercise, mistake.id) for run in graded.runs for mistake in run.mistakes}


def marks(row: MatrixRow, graded: Graded) -> dict[tuple[str, str], str]:
    """Return the mark of each failed check, by exercise and check id.

    The mark is NAMED if diagnosis found a mistake of the row, else CAUGHT.
    """
    ids = {id for _, id in row.made}
    return {
        (run.exercise, run.id): NAMED if ids & {mistake.id for mistake in run.mistakes} else CAUGHT
        for run in graded.runs
        if not run.passed
    }


def checks_of(results: Results, exercise: str = "") -> list[examiner.CheckRun]:
    """Return the checks of an exercise ("" for all) as they ran for the first graded row.

    They are the same checks for every row. Return [] if no row was graded.
    """
    runs = next((graded.runs for _, graded in results if graded.runs), [])
    return [run for run in runs if exercise in ("", run.exercise)]


@dataclass
class Naming:
    """Counts of mistakes made and named, for a kind of submission (`MatrixRow.kind`)."""

    kind: str
    submissions: int = 0
    made: int = 0  # mistakes in the catalogue
    named: int = 0  # mistakes that were made and named
    false: int = 0  # mistakes that were named but not made

    @property
    def precision(self) -> float:
        """The share of the named mistakes that were made."""
        names = self.named + self.false
        return self.named / names if names else 1.0

    @property
    def recall(self) -> float:
        """The share of the mistakes made that were named. Only those in the catalogue count."""
        return self.named / self.made if self.made else 1.0


def naming(results: Iterable[tuple[MatrixRow, Graded]]) -> list[Naming]:
    """Return the counts for each kind of submission, in the order of first occurrence."""
    counts: dict[str, Naming] = {}
    for row, graded in results:
        count, named_mistakes = counts.setdefault(row.kind, Naming(row.kind)), _named(graded)
        count.submissions += 1
        count.made += len(row.made)
        count.named += len(row.made & named_mistakes)
        count.false += len(named_mistakes - row.made)
    return list(counts.values())


def naming_table(counted: list[Naming]) -> Table:
    """Return the table of precision and recall for the terminal."""
    columns = "submissions", "how many", "mistakes", "named", "false names", "precision", "recall"
    table = Table(*columns, title="names of mistakes", title_justify="left", box=None)
    for count in counted:
        numbers = count.submissions, count.made, count.named, count.false
        table.add_row(
            count.kind, *map(str, numbers), f"{count.precision:.3f}", f"{count.recall:.3f}"
        )
    return table


def too_few_names(counted: list[Naming]) -> list[str]:
    """Return a sentence for each kind of submission with a recall below its limit in RECALL."""
    return [
        f"{count.kind}: {count.named} of {count.made} mistakes are named, fewer than {RECALL[count.kind]:.0%}"
        for count in counted
        if count.recall < RECALL.get(count.kind, 0.0)
    ]
