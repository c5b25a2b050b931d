"""Say in a sentence each what a kill matrix shows to be wrong, and compute precision and recall of
naming mistakes.

A check names a mistake if it fails and diagnosis finds that mistake as the cause.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.table import Table

from autograder.authoring.row import MatrixRow
from autograder.engine import Graded, examiner, verdicts

RECALL = {"in a variant": 0.92, "composed": 0.95}  # in code that is no edit of the solution
CAUGHT, NAMED = "x", "N"
Results = list[tuple[MatrixRow, Graded]]


def faults(row: MatrixRow, graded: Graded) -> list[str]:
    """Return a sentence for each way in which the graded submission of a row differs from what the
    row must get: a state other than graded, points lost or kept in a wrong exercise, a check that
    passes but must fail, or a mistake that is not named or wrongly named.
    """
    verdict, runs = graded.verdict, graded.runs
    if verdict.state != "graded":
        return [f"{row.place}: {verdict.state}: {verdict.reason}"]
    failed = [run for run in runs if not run.passed]
    if failed and row.is_right:
        others = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        check = verdicts.check_sentence(failed[0].id)
        return [f"{row.place} fails `{check}`{others}: {failed[0].message}"]
    lost = {result.id for result in verdict.exercises if result.points < result.max_points}
    found = [f"points lost in {name}" for name in sorted(lost - row.exercises)]
    found += [f"no points lost in {name}" for name in sorted(row.exercises - lost)]
    alone = row.kind == "mistake"
    for mistake in row.mistakes if row.kind not in RECALL else ():
        own = [run for run in runs if run.exercise == mistake.exercise]
        wanted = {f"test_{name}" for name in mistake.caught_by}
        passed = {run.name for run in own} - {run.name for run in own if not run.passed}
        if alone:
            found += [
                f"{mistake.id} passes {name.removeprefix('test_')}"
                for name in sorted(wanted & passed)
            ]
        silent = wanted - {
            run.name for run in own if mistake.id in {one.id for one in run.mistakes}
        }
        if silent and (alone or silent == wanted):
            found.append(
                f"{mistake.id} is not named by {', '.join(map(verdicts.check_sentence, sorted(silent)))}"
            )
    found += [f"{id} is named, too" for _, id in sorted(_named(graded) - row.made)]
    return [f"{row.place}: {fault}" for fault in found]


def _named(graded: Graded) -> set[tuple[str, str]]:
    """Return the mistakes that diagnosis found in a submission, as pairs of exercise and mistake
    id.
    """
    return {(run.exercise, mistake.id) for run in graded.runs for mistake in run.mistakes}


def marks(row: MatrixRow, graded: Graded) -> dict[tuple[str, str], str]:
    """Return which checks failed, by exercise and check id: CAUGHT, or NAMED if diagnosis also
    named one of the row's mistakes.
    """
    ids = {id for _, id in row.made}
    return {
        (run.exercise, run.id): NAMED if ids & {one.id for one in run.mistakes} else CAUGHT
        for run in graded.runs
        if not run.passed
    }


def checks_of(results: Results, exercise: str = "") -> list[examiner.CheckRun]:
    """Return the checks of one exercise ("" for all) as they ran for the first graded row; they are
    the same checks for every row. Return [] if no row was graded.
    """
    runs = next((graded.runs for _, graded in results if graded.runs), [])
    return [run for run in runs if exercise in ("", run.exercise)]


@dataclass
class Naming:
    """For one kind of submission (`MatrixRow.kind`), counts of mistakes: made, named, and named
    though not made.
    """

    kind: str
    submissions: int = 0
    made: int = 0  # that the catalogue has
    named: int = 0  # of those that were made
    false: int = 0

    @property
    def precision(self) -> float:
        """The share of the named mistakes that were made."""
        names = self.named + self.false
        return self.named / names if names else 1.0

    @property
    def recall(self) -> float:
        """The share of the mistakes made that were named; only those in the catalogue count."""
        return self.named / self.made if self.made else 1.0


def naming(results: Iterable[tuple[MatrixRow, Graded]]) -> list[Naming]:
    """Return the counts for each kind of submission, in the order in which the kinds first occur in
    `results`.
    """
    counted: dict[str, Naming] = {}
    for row, graded in results:
        one, named = counted.setdefault(row.kind, Naming(row.kind)), _named(graded)
        one.submissions += 1
        one.made += len(row.made)
        one.named += len(row.made & named)
        one.false += len(named - row.made)
    return list(counted.values())


def naming_table(counted: list[Naming]) -> Table:
    """Return the table of precision and recall for the terminal, a row for each kind of submission."""
    columns = "submissions", "how many", "mistakes", "named", "false names", "precision", "recall"
    table = Table(*columns, title="names of mistakes", title_justify="left", box=None)
    for one in counted:
        numbers = one.submissions, one.made, one.named, one.false
        table.add_row(one.kind, *map(str, numbers), f"{one.precision:.3f}", f"{one.recall:.3f}")
    return table


def too_few_names(counted: list[Naming]) -> list[str]:
    """Return a sentence for each kind of submission whose recall is below the limit in RECALL."""
    return [
        f"{one.kind}: {one.named} of {one.made} mistakes are named, fewer than {RECALL[one.kind]:.0%}"
        for one in counted
        if one.recall < RECALL.get(one.kind, 0.0)
    ]
