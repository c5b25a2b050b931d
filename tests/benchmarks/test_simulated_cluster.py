"""The simulation of a cluster runs, in a short form. No figure is asserted."""

import re

import pytest

from tests.benchmarks import simulated_cluster
from tests.benchmarks.simulated_cluster import main
from tests.benchmarks.simulated_verdicts import TIMES_THE_MEAN, verdict_seconds


def test_verdicts_take_as_long_as_is_asked_for_on_average():
    students = [f"s{number}" for number in range(5_000)]
    seconds = [verdict_seconds(student, mean=2.0) for student in students]
    assert sum(seconds) / len(seconds) == pytest.approx(2.0, rel=0.05)
    assert 2.0 * TIMES_THE_MEAN[0] <= min(seconds) and max(seconds) <= 2.0 * TIMES_THE_MEAN[-1]
    assert seconds[7] == verdict_seconds("s7", mean=2.0) != seconds[8]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_short_simulation_tells_costs_and_growth(assignment, capsys, monkeypatch):
    monkeypatch.setattr(simulated_cluster, "IDLE_SECONDS", 0.3)
    words = ["--assignment", assignment.id, "--workers", "20", "--submissions", "200"]
    main([*words, "--seconds", "0.2"])
    said = capsys.readouterr().out
    assert "processor milliseconds" in said and "20 workers, part by part" in said
    _, growth = said.split("part by part")
    done = [int(line.split("│")[1]) for line in growth.splitlines() if re.match(r"│ +\d", line)]
    assert done == [*range(20, 201, 20)]
