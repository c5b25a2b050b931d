"""Which mistake it was: named if its answers are the student's, and not named otherwise."""

import itertools
from collections import Counter

import pytest
from sampling import every

from autograder.authoring.without_walls import examine_without_walls
from autograder.mistakes.budget import CpuBudget, OutOfTime
from autograder.mistakes.mistake import merge, mistakes, pairs
from autograder.mistakes.mutants import Mutant, Mutants, mutants_of
from autograder.mistakes.pairs import _pairs
from autograder.mistakes.search import diagnose

pytestmark = pytest.mark.slow


@pytest.fixture
def named(small, asked):
    """The ids of the mistakes found in one exercise."""

    def run(exercise, cell):
        checks = [c for c in asked(**{exercise: cell}).values() if c.exercise == exercise]
        return [mistake.id for mistake in diagnose(small, checks)]

    return run


def test_each_mistake_is_named_alone(small, named):
    for mistake in mistakes(small):
        cell = mistake.cells[0]
        assert named(mistake.exercise, cell) == [mistake.id]


def test_two_at_once_are_both_named(small, named):
    ((one, other),) = pairs(small)
    cell = merge(small.solutions[one.exercise], one.cells[0], other.cells[0])
    assert named(one.exercise, cell) == [one.id, other.id]


def test_a_mistake_in_other_words_is_the_same_mistake(small, named):
    cell = """
class RMSNorm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(n))

    def forward(self, x):
        return self.gain * x / (x**2).mean(dim=-1, keepdim=True)
"""
    assert named("rms_norm", cell) == ["mean_not_root"]


@pytest.mark.parametrize(
    ("exercise", "cell"),
    [
        ("softmax", "def softmax(scores):\n    return scores.softmax(-1).roll(1, -1)"),
        ("softmax", "def softmax(scores):\n    return [1, 2]"),
        ("prediction", "prediction = 17"),
    ],
)
def test_what_nobody_knows_gets_no_name(named, exercise, cell):
    assert named(exercise, cell) == []


def test_what_is_right_or_not_written_is_not_searched(small, named):
    assert named("softmax", small.solutions["softmax"]) == []
    assert named("softmax", "def softmax(scores):\n    raise NotImplementedError()") == []


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_search_that_runs_out_of_time_names_nothing(small, asked, monkeypatch, place):
    """Wherever it is by then: half of a search may have found half of an explanation."""
    mistake = mistakes(small)[0]
    cell = mistake.cells[0]
    checks = [
        c for c in asked(**{mistake.exercise: cell}).values() if c.exercise == mistake.exercise
    ]
    looks = itertools.count()

    def check(budget: CpuBudget) -> None:
        if next(looks) >= place:
            raise OutOfTime

    points = [one.points for one in checks]
    monkeypatch.setattr(CpuBudget, "check", check)
    with pytest.raises(OutOfTime):
        diagnose(small, checks)
    assert all(one.mistakes == [] for one in checks) and [c.points for c in checks] == points


def test_two_mistakes_are_tried_together_once(small):
    singles = Mutants(small).singles["rms_norm"]
    cells = [frozenset(mutant.cell for mutant in pair) for pair in _pairs(singles, singles)]
    assert cells and len(set(cells)) == len(cells)


@pytest.fixture
def asked_mutants(small, monkeypatch):
    """How often each cell was asked, from a catalogue that knows no answers."""
    asked_mutants = Counter[Mutant]()
    candidate = Mutants.candidate

    def count(catalogue: Mutants, mutant: Mutant, *arguments: object):
        asked_mutants[mutant] += 1
        return candidate(catalogue, mutant, *arguments)

    monkeypatch.setattr(Mutants, "candidate", count)
    mutants_of.cache_clear()
    return asked_mutants


def test_of_several_hopeless_submissions_the_first_one_pays(named, asked_mutants):
    hopeless = "def softmax(scores):\n    return -7 - torch.{}_like(scores)"
    assert named("softmax", hopeless.format("rand")) == []
    assert len(asked_mutants) > 1
    asked_mutants.clear()
    for other in ("randn", "zeros", "ones"):
        assert named("softmax", hopeless.format(other)) == []
    assert not asked_mutants


def test_two_mistakes_are_not_asked_together_where_each_alone_tells(small, named, asked_mutants):
    """On small scores, the one that overflows answers like the solution: both, like the other one."""
    singles = mutants_of(small).singles["softmax"]
    assert list(_pairs(singles, singles))
    assert named("softmax", "def softmax(scores):\n    return -7 - scores") == []
    assert asked_mutants and not any(mutant.parts for mutant in asked_mutants)


def test_of_two_mistakes_one_may_show_later_than_the_other(assignment, monkeypatch):
    """With as many keys as queries, which are asked first, only the scale is wrong."""
    catalogue, made = mutants_of(assignment), {"wrong_scale", "future_from_the_end"}
    singles = catalogue.singles["attention"]
    one, other = (single for single in singles if single.usual and single.mistakes[0].id in made)
    monkeypatch.setitem(catalogue.singles, "attention", [one, other])
    pair = catalogue.pair(one, other)
    (attention,) = (e for e in assignment.exercises if e.id == "attention")
    cells = assignment.solved_cells() | {"attention": pair.cell}
    runs = examine_without_walls(assignment, cells, 1, [attention])
    assert {mistake.id for mistake in diagnose(assignment, runs)} == made


def in_attention(assignment, old: str, new: str) -> str:
    cell = assignment.solutions["attention"]
    assert old in cell
    return cell.replace(old, new)


@pytest.fixture
def runs_of(assignment):
    """The checks of one exercise of the real assignment, put to a cell."""

    def run(exercise: str, cell: str, seed: int = 1):
        (asked,) = (e for e in assignment.exercises if e.id == exercise)
        cells = assignment.solved_cells() | {exercise: cell}
        return examine_without_walls(assignment, cells, seed, [asked])

    return run


AVERAGE = "return scores.softmax(dim=-1) @ value"
OWN_FORWARD = "\n\n    def forward(self, x):\n        return {}\n"


@pytest.mark.parametrize(
    "answer",
    [
        "torch.randn_like(super().forward(x))",
        "torch.zeros_like(x)",
        "super().forward(x) * torch.rand_like(x)",
    ],
)
def test_noise_and_zeros_are_no_dropout(assignment, runs_of, answer):
    cell = assignment.solutions["feed_forward"].rstrip() + OWN_FORWARD.format(answer)
    assert diagnose(assignment, runs_of("feed_forward", cell)) == []


@pytest.mark.parametrize("seed", every(3, [0, 8, 13]))
def test_zeros_are_no_dropout_whatever_is_asked(assignment, runs_of, seed):
    """Where draws are far from each other, zeros are about as far: but no draw has as many."""
    answer = OWN_FORWARD.format("torch.zeros_like(x)")
    cell = assignment.solutions["feed_forward"].rstrip() + answer
    assert diagnose(assignment, runs_of("feed_forward", cell, seed)) == []


def test_pure_noise_in_attention_gets_no_name(assignment, runs_of):
    cell = in_attention(assignment, AVERAGE, "return torch.randn_like(scores @ value)")
    assert diagnose(assignment, runs_of("attention", cell)) == []


@pytest.mark.parametrize(
    "seed", [21, *(pytest.param(one, marks=pytest.mark.long) for one in (22, 23))]
)
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_dropout_is_named_whatever_it_drew(assignment, runs_of, seed, rate):
    """Where one key is seen, it is all dropped, or not at all."""
    weights = f"F.dropout(scores.softmax(dim=-1), {rate})"
    cell = in_attention(assignment, AVERAGE, f"return {weights} @ value")
    found = diagnose(assignment, runs_of("attention", cell, seed))
    assert [mistake.id for mistake in found] == ["dropout_never_rests"]


def test_of_two_mistakes_both_are_needed(assignment, runs_of):
    """Each explains what the other does not; what only goes along with one is not named."""
    made = {"no_sequential", "no_bias"}
    known = [one for one in mistakes(assignment) if one.exercise == "feed_forward"]
    cells = [one.cells[0] for one in known if one.id in made]
    cell = merge(assignment.solutions["feed_forward"], *cells)
    assert {mistake.id for mistake in diagnose(assignment, runs_of("feed_forward", cell))} == made


WRONG = {  # what stands for the ReLU; some of them have answers in common
    "nothing": "nn.Identity()",
    "two": "nn.Identity(); self.linear1 = nn.Linear(d_model, d_ff, bias=False)",
    "unknown": "nn.ReLU(); self.more = nn.Softmin(dim=-1)",
    "drops": "nn.Sequential(nn.ReLU(), nn.AlphaDropout(0.3))",
    "drops always": "nn.ReLU(); self.forward = lambda x: F.dropout(nn.Sequential.forward(self, x))",
}


@pytest.mark.long
def test_what_is_found_depends_on_no_other_submission(assignment, runs_of, monkeypatch):
    """In whatever order, from a catalogue that remembers everything, nothing, or a little."""

    def found(names, remembered: int, afresh: bool) -> dict[str, list]:
        monkeypatch.setattr("autograder.mistakes.mutants.REMEMBERED", remembered)
        mutants_of.cache_clear()
        named = {}
        for name in names:
            if afresh:
                mutants_of.cache_clear()
            checks = runs[name]
            named[name] = [diagnose(assignment, checks), *(check.mistakes for check in checks)]
        return named

    runs = {}
    for number, (name, relu) in enumerate(WRONG.items()):
        cell = assignment.solutions["feed_forward"].replace("nn.ReLU()", relu)
        runs[name] = runs_of("feed_forward", cell, seed=1 + number % 2)
    alone = found(WRONG, 10_000, afresh=True)
    assert any(named[0] for named in alone.values())
    assert found(WRONG, 10_000, afresh=False) == alone
    assert found([*reversed(WRONG)], 10_000, afresh=False) == alone
    assert found(WRONG, 30, afresh=False) == alone
