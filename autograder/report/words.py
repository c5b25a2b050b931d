"""Numbers as people read them in a report: never with more digits than a class can carry."""

from autograder.engine.verdict import points_text
from autograder.report.statistics import Estimate


def points(number: float) -> str:
    """Return points with one digit behind the point, if it is not zero."""
    return points_text(round(number, 1)) if abs(number) < 1e5 else f"{number:.0f}"


def points_lost(number: float) -> str:
    """Return `1 point`, `2.5 points`."""
    said = points(number)
    return f"{said} point{'' if said == '1' else 's'}"


def percent(share: float) -> str:
    """Return a share in whole percent; what is less than all is never 100%, nor more than nothing 0%."""
    whole = round(100 * share)
    if whole == 100 and share < 1:
        return "over 99%"
    return "under 1%" if whole == 0 and share > 0 else f"{whole}%"


def share_text(one: Estimate | None) -> str:
    """Return a share with its interval: `62% (47 to 75)`."""
    if one is None:
        return "not known"
    return f"{percent(one.value)} ({100 * one.low:.0f} to {100 * one.high:.0f})"


def correlation_text(one: Estimate | None) -> str:
    """Return a correlation with its interval: `0.4 (0.1 to 0.6)`."""
    if one is None:
        return "not known"
    return f"{_tenths(one.value)} ({_tenths(one.low)} to {_tenths(one.high)})"


def _tenths(number: float) -> str:
    return f"{round(number, 1) + 0.0:.1f}"
