"""How the points of a class lie."""

from autograder.desk.report.points import Quarters, bins, quarters


def test_the_bins_hold_everybody_once():
    for points, most in (([0.0, 24.0, 23.75, 12.0], 24.0), ([0.1, 0.3], 0.3), ([250.0], 250.0)):
        found = bins(points, most)
        assert sum(one.students for one in found) == len(points)
        assert found[0].low == 0 and found[-1].high >= most and len(found) <= 25
    assert bins([], 0.0) == []


def test_the_quarters_lie_between_the_points():
    assert quarters([4.0, 1.0, 2.0, 3.0, 5.0]) == Quarters(2, 3, 4)
    assert quarters([7.0]) == Quarters(7, 7, 7)
    assert quarters([]) is None
