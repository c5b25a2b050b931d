"""What the texts of `modern-block` say of RMSNorm, computed with the solution."""

import inspect
import re

import pytest
import torch
from drawn_figures import WORDS, numbers
from notebook_cells import run
from torch.nn import functional as F


@pytest.fixture(scope="module")
def space(cells):
    return run(cells, "imports rms_norm")


def test_rms_norm_keeps_the_mean_and_layer_norm_does_not(cells, checks, space):
    norm, x = space["RMSNorm"](4), torch.tensor([1.0, -2.0, 4.0, 5.0])
    assert "nothing is subtracted, nothing is added" in cells["rms_norm_goal"]
    assert F.cosine_similarity(norm(x), x, dim=0).item() == pytest.approx(1)
    assert "Its mean is divided with it" in cells["rms_norm_goal"]
    assert norm(x).mean().item() == pytest.approx(x.mean().item() / x.square().mean().sqrt().item())
    assert "the mean 0 only where x has" in cells["rms_norm_seen"]
    assert norm(x - x.mean()).mean().abs() < 1e-6 < norm(x).mean().abs()
    cell = {"rms_norm_guess": cells["rms_norm_guess"].replace(": ...", ': "same"', 1)}
    ((head, rows),) = run(cells | cell, "imports rms_norm rms_norm_guess", checks)["tables"]
    assert numbers(head[0]) == x.tolist()
    assert [row[2] for row in rows[:3]] == ["same", "same", "changes"]
    assert len({row[4] for row in rows[:3]}) == 1
    assert "LayerNorm forgets its mean, too; RMSNorm does not" in cells["rms_norm_seen"]
    assert "what told them apart is in the second digit" in cells["rms_norm_seen"]
    one, two = ([f"{n:.{digits}f}" for n in norm(x + 100)] for digits in (1, 2))
    assert set(one) == {"1.0"} and len(set(two)) == 4


def test_gamma_and_eps_are_what_is_said_of_them(cells, space):
    gamma = space["RMSNorm"](4).gamma
    (begin,) = re.findall(r"begins at (\d)", cells["rms_norm_equation"])
    assert (gamma == int(begin)).all() and gamma.shape == (4,)
    assert "one number a feature" in cells["symbols"]
    assert r"$\epsilon$ stands under the root" in cells["rms_norm_equation"]
    tiny = torch.full((4,), 1e-9)
    assert space["RMSNorm"](4, 0.25)(tiny).tolist() == pytest.approx([2e-9] * 4)
    assert "<code>torch.rsqrt</code>, which is 1 / root" in cells["rms_norm_hints"]
    assert torch.rsqrt(torch.tensor(25.0)).item() == pytest.approx(1 / 5)


def test_half_precision_has_the_limits_that_are_said(checks):
    source = inspect.getsource(checks)
    (end,) = re.findall(r"float16 ends at ([\d,]+)", source)
    assert float(end.replace(",", "")) == torch.finfo(torch.float16).max
    low, high = re.search(r"# (\w+) to (\w+) steps of each type, at 1", source).groups()
    for dtype, near in checks.STEPS.items():
        assert WORDS.index(low) <= near / torch.finfo(dtype).eps < WORDS.index(high) + 0.1
    (squares,) = re.findall(r"Squares of about (\S+) show", source)
    (size,) = set(re.findall(r"small = (\S+) \* torch", inspect.getsource(checks.rms_norm_steps)))
    assert float(squares) == pytest.approx(float(size) ** 2, rel=0.2)


def test_statistics_are_taken_in_a_type_that_can_hold_squares(cells):
    rows = re.findall(
        r"^\| (`.*?) \| (\w+).*? \| (.*) \|$", cells["rms_norm_contract"], re.MULTILINE
    )
    assert [wide for _, wide, _ in rows] == ["float32", "float32"]
    for _, wide, _ in rows:
        assert torch.tensor(300.0, dtype=getattr(torch, wide)).square().isfinite()


def test_a_hint_of_rms_norm_shows_what_it_says(cells):
    x = torch.randn(2, 3, 8)
    square = x.square().mean(-1, keepdim=True)
    assert "| mean of the squares | `(..., 1)` |" in cells["rms_norm_hints"]
    assert square.shape == (2, 3, 1)
    assert "| small tokens come out wrong | Where does eps stand" in cells["rms_norm_hints"]
    far = [
        (size * x / ((size**2 * square).sqrt() + 1e-5) - F.rms_norm(size * x, (8,), eps=1e-5)).abs()
        for size in (1e-3, 10)
    ]
    assert far[0].max() > 0.1 and far[1].max() < 1e-4
