"""What a pair has in common, in sentences for staff."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from autograder.staff.look_alikes.compare import AlikePair, Comparison
from autograder.staff.look_alikes.odd import Odd
from autograder.text.printable import printable

LONGEST = 60  # characters of what is quoted
MOST_QUOTED = 6
SAID = {
    "name": "Both use the {noun} {what}",
    "comment": "Both have the {noun} {what}",
    "string": "Both have the {noun} {what}",
    "number": "Both lost points in `{exercise}` with the {noun} {what}",
    "mistake": "Both make the {noun} {what} in `{exercise}`",
}
NOUNS = {"string": "text"}


def percent(share: float) -> str:
    """Return a share as people read it; only what is whole is 100 %."""
    return f"{min(99, round(100 * share)) if share < 0.9999 else 100} %"


def signs(pair: AlikePair, comparison: Comparison) -> list[str]:
    """Return a sentence on each thing for which staff should look at the pair."""
    share, chance = percent(pair.together.share), percent(pair.together.by_chance)
    whole = f"All together {share} is the same; honest pairs reach {chance}."
    return [whole, *_exercises(pair), *_odd(pair.odd), *_identical(pair, comparison)]


def _exercises(pair: AlikePair) -> Iterator[str]:
    for one in pair.exercises:
        if not one.stands_out:
            continue
        reached = f"honest pairs reach {percent(one.by_chance)}"
        if one.id in pair.identical:
            yield f"`{one.id}` is the same to the character, comments and spaces included; {reached}."
        elif one.id in pair.same:
            yield f"`{one.id}` is the same but for names, comments and formatting; {reached}."
        else:
            yield f"`{one.id}` is alike by {percent(one.share)}; {reached}."


def _odd(things: list[Odd]) -> Iterator[str]:
    """A sentence on each kind of things; what nobody else has comes first."""
    groups: dict[tuple[bool, int, str], list[Odd]] = defaultdict(list)
    for one in things:
        groups[one.holders > 2, list(SAID).index(one.kind), one.exercise].append(one)
    for (others, _, exercise), found in sorted(groups.items()):
        kind = found[0].kind
        noun = NOUNS.get(kind, kind) + "s" * (len(found) > 1)
        said = SAID[kind].format(noun=noun, what=_quoted(found), exercise=exercise)
        yield f"{said}; {'hardly anybody' if others else 'nobody'} else in the class does."


def _quoted(things: Iterable[Odd]) -> str:
    quotes = [f"`{printable(one.what, LONGEST).replace('`', chr(39))}`" for one in things]
    more = len(quotes) - MOST_QUOTED
    if more > 0:
        return f"{', '.join(quotes[:MOST_QUOTED])} and {more} more"
    return " and ".join([", ".join(quotes[:-1])] * (len(quotes) > 1) + quotes[-1:])


def _identical(pair: AlikePair, comparison: Comparison) -> Iterator[str]:
    """Whose submission is identical to one of the pair: only one of them is compared."""
    for student in pair.students:
        for same in comparison.identical:
            if student in same:
                others = ", ".join(f"`{one}`" for one in same if one != student)
                yield f"The submission of `{student}` is identical to that of {others}."
