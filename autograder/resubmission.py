"""Several submissions of one student: which mistakes were there before, and are gone."""

from dataclasses import replace

from autograder.verdict import Earlier, ExerciseResult, Recognised, Verdict


def compared(verdict: Verdict, before: Verdict | None) -> Verdict:
    """Return the verdict with what earlier submissions had: gone where an exercise is answered.

    What cannot be told yet (nothing was graded, or the exercise has no answer) is carried along.
    """
    if before is None:
        return verdict
    known = _known(before, same=before.stamp["submission"] == verdict.stamp["submission"])
    exercises = [_without(result, known) for result in verdict.exercises]
    told = {(result.id, m.id) for result in exercises for m in (*result.mistakes, *result.gone)}
    earlier = [one for one in known if (one.exercise, one.id) not in told]
    return replace(verdict, exercises=exercises, earlier=earlier)


def _known(before: Verdict, same: bool) -> list[Earlier]:
    """Mistakes of the submissions before; of the one before only if this is another one."""
    known = {(one.exercise, one.id): one for one in before.earlier}
    for result in before.exercises:
        for mistake in (*result.gone, *([] if same else result.mistakes)):
            known[result.id, mistake.id] = Earlier(result.id, mistake.id, mistake.sentence)
    return list(known.values())


def _without(result: ExerciseResult, known: list[Earlier]) -> ExerciseResult:
    """The result, with those mistakes that it no longer has."""
    if result.state != "answered":
        return result
    there = {mistake.id for mistake in result.mistakes}
    mine = [one for one in known if one.exercise == result.id and one.id not in there]
    return replace(result, gone=[Recognised(one.id, one.sentence) for one in mine])
