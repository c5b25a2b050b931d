"""What the texts of `modern-block` say of its experiments, against what their cells show."""

import re

import pytest
import torch
from notebook_cells import checks_of, run

pytestmark = pytest.mark.slow

PARTS = (
    "imports rms_norm swiglu pre_norm_feed_forward given_attention modern_block modern_stack "
    "gradient_by_layer"
)
NUMBER = r"([\d.e+-]+)"


@pytest.fixture(scope="module")
def shown(cells, course):
    """Run the cell of an experiment with the solution, and with something predicted."""
    checks = checks_of("modern-block", course)
    known = {}

    def show(id: str) -> dict:
        if id not in known:
            guessed = re.sub(r": \.\.\.", ': "said"', cells[id], count=1)
            known[id] = run(cells | {id: guessed}, f"{PARTS} {id}", checks)
        return known[id]

    return show


def two_numbers(alt: str, begin: str) -> tuple[float, float]:
    """The two numbers that a picture's text says behind these words."""
    found = re.search(rf"{re.escape(begin)}: {NUMBER}(?: and|,) {NUMBER}", alt)
    return float(found[1]), float(found[2].rstrip("."))


def test_in_front_of_the_last_block_only_pre_norm_falls_with_depth(cells, shown):
    alt = shown("depth_guesses")["alt"]
    few, many = two_numbers(alt, "post-norm, at the last of 2 and of 48 blocks")
    assert "two thirds or more" in cells["depth_seen_last"]
    assert 0.64 < many / few < 1.2
    few, many = two_numbers(alt, "pre-norm, at the last of 2 and of 48 blocks")
    assert r"$1/\sqrt{\text{depth}}$" in cells["depth_seen_last"]
    assert 0.5 < many / few * 24**0.5 < 2
    assert "the norm at the end divides by a stream that has grown" in cells["depth_seen_last"]
    assert "as large in 48 post-norm blocks as in 2" in cells["explain_depth"]
    assert "with pre-norm it falls with depth, about as one over its root" in cells["explain_depth"]


def test_with_a_sum_first_and_last_are_of_one_order_and_without_it_not(cells, shown):
    alt = shown("depth_guesses")["alt"]
    assert "a factor of five to thirty on average, in both kinds" in cells["depth_seen_layers"]
    for kind in ("pre-norm", "post-norm"):
        first, last = two_numbers(alt, f"{kind}, at block 1 and 24 of 24")
        assert 4 < first / last < 40
    assert "Yours are of what enters, and fall" in cells["depth_not_seen"]
    assert "by a factor of five to thirty in both kinds" in cells["explain_depth"]
    assert "by hundreds to ten thousands without the sum" in cells["explain_depth"]
    first, last = two_numbers(alt, "no residual, at block 1 and 24 of 24")
    assert "by hundreds to ten thousands" in cells["depth_seen_layers"]
    assert "It grows towards the input" in cells["depth_seen_layers"]
    assert 200 < first / last < 90_000


def test_the_stream_grows_to_about_seven_and_divided_to_about_two(cells, shown):
    grown, divided = re.findall(rf"{NUMBER} times as large", shown("stream_guesses")["alt"])
    assert "to about seven" in cells["stream_seen"] and 5.5 < float(grown) < 8.5
    assert "about twice at most" in cells["stream_seen"] and 1 < float(divided) < 2.4
    assert "like the root of the number of blocks" in cells["stream_seen"]
    assert "leave the stream as large as it has become" in cells["modern_stack_goal"]


def test_tokens_become_one_without_the_sum_alone(cells, shown):
    alt = shown("collapse_guesses")["alt"]
    behind = {
        name: [float(one.rstrip(".")) for one in found]
        for name, *found in re.findall(rf"([\w ]+): {NUMBER} behind 3, {NUMBER} behind 12", alt)
    }
    behind = {name.strip(): found for name, found in behind.items()}
    assert "until float32 sees one token" in cells["collapse_seen"]
    assert "The sum does: what x was stays in the stream" in cells["collapse_seen"]
    assert "bends down faster and faster" in cells["collapse_seen"]
    assert behind["your blocks"][1] > 0.3
    assert behind["attention alone"][1] < 1e-5 > behind["no residual"][1]
    for name in ("attention alone", "no residual"):
        three, twelve = behind[name]
        assert three > 1e-3 and twelve < three**2


def test_only_pre_norm_is_left_at_x_by_silent_sub_layers(cells, shown):
    (_, rows) = shown("claims_identity_code")["tables"][0]
    (_, entered, left, own), (_, before, after, post) = rows
    assert entered == left and float(own) == 1
    assert "the direction is left, the size is not" in cells["claims_identity_seen"]
    assert (
        float(post) > 0.999 and float(before) > 3.5 and float(after) == pytest.approx(1, abs=0.01)
    )


def test_a_large_mean_leaves_one_direction_behind_rms_norm_alone(cells, shown):
    (_, rows) = shown("claims_rescale_code")["tables"][0]
    rms, layer_norm = zip(*[map(float, row[1:]) for row in rows], strict=True)
    assert "different tokens become one direction" in cells["claims_rescale_seen"]
    assert abs(rms[0]) < 0.5 and rms[-1] > 0.999 and max(layer_norm) - min(layer_norm) < 0.02


def test_a_norm_keeps_the_size_forwards_and_not_the_gradient(cells, shown):
    (_, (with_sum, without)) = shown("claims_flow_code")["tables"][0]
    assert "hundreds to ten thousands of times apart" in cells["claims_flow_seen"]
    assert "every sub-layer gets tokens of size 1" in cells["claims_flow"]
    for _, sizes, _ in (with_sum, without):
        assert all(float(one) == pytest.approx(1, abs=0.02) for one in sizes.split(" to "))
    ratios = [float(row[-1].replace(",", "")) for row in (with_sum, without)]
    assert "within a factor of about thirty" in cells["claims_flow_seen"]
    assert 3 < ratios[0] < 40 and 200 < ratios[1] < 90_000


def test_rms_norm_forgets_the_size_and_keeps_the_mean(cells):
    space = run(cells, "imports rms_norm")
    norm, x = space["RMSNorm"](4), torch.tensor([1.0, -2.0, 4.0, 5.0])
    assert "Both norms forget the size of a token" in cells["rms_norm_seen"]
    assert torch.allclose(norm(10 * x), norm(x), atol=1e-4)
    assert "all features come out near 1" in cells["rms_norm_seen"]
    assert (norm(x + 100) - 1).abs().max() < 0.05 and norm(x).mean().abs() > 0.1


def test_swiglu_grows_with_the_square_and_relu_along_a_ray(cells):
    space = run(cells, "imports swiglu")
    torch.manual_seed(1)
    layer, x = space["SwiGLU"](16, 40), 100 * torch.randn(16)
    assert "grows with the square" in cells["swiglu_seen"]
    assert (layer(10 * x).norm() / layer(x).norm()).item() == pytest.approx(100, rel=0.05)
