"""Format numbers for people to read in a class report: points and percentages."""

from autograder.engine import points_text


def points(number: float) -> str:
    """Return points as text, rounded to two decimals; a whole number has none."""
    return points_text(round(number, 2))


def points_lost(number: float) -> str:
    """Return points as text with their unit: `1 point`, `2.5 points`."""
    said = points(number)
    return f"{said} point{'' if said == '1' else 's'}"


def percent(share: float | None) -> str:
    """Return a share (0 to 1) in whole percent: `42%`; `not known` for None. Only a share of 1 is
    `100%`, and only one of 0 is `0%`.
    """
    if share is None:
        return "not known"
    whole = round(100 * share)
    if whole == 100 and share < 1:
        return "over 99%"
    return "under 1%" if whole == 0 and share > 0 else f"{whole}%"
