"""Format numbers for people to read in a class report: points and percentages."""

from autograder.engine import points_text


def points(number: float) -> str:
    """Return points as text, rounded to two decimals, without decimals for whole numbers."""
    return points_text(round(number, 2))


def points_lost(number: float) -> str:
    """Return points as text with their unit: `1 point`, `2.5 points`."""
    number_text = points(number)
    return f"{number_text} point{'' if number_text == '1' else 's'}"


def percent(share: float | None) -> str:
    """Return a share (0 to 1) in whole percent: `42%`, or `not known` for None. Shares that only
    round to 0 or 1 are `under 1%` and `over 99%`.
    """
    if share is None:
        return "not known"
    rounded = round(100 * share)
    if rounded == 100 and share < 1:
        return "over 99%"
    return "under 1%" if rounded == 0 and share > 0 else f"{rounded}%"
