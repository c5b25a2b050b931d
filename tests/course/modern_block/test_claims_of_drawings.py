"""What stands where in the figures of `modern-block`, against the words beside them and the code."""

import colorsys
import re
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
import torch
from drawn_figures import WORDS, boxes, description, elements, numbers, parts, place, words
from notebook_cells import sources_of

from autograder import find_course
from autograder.graders.modern_block import reference

COURSE = find_course()
cells = partial(sources_of, "modern-block", COURSE)
ORDER = re.compile("norm|sub-layer|feed forward|plus sign")
KINDS = {  # as they are called in words, and above the drawing
    "Pre-norm": "pre-norm",
    "Post-norm": "post-norm",
    "Residual from the normed input": "from the normed",
    "No residual": "no residual",
}
HUES = {"red": (330, 360), "yellow": (40, 60), "teal": (175, 190), "blue": (200, 220)}
COLOURS = re.compile(r"(tokens|attention|feed forward|norms|line)\W+(?:are |is )?(\w+)")


def figure(name: str) -> Path:
    return COURSE.source / "modern-block" / "figures" / f"{name}.svg"


def both(name: str) -> list:
    """What the notebook says of a figure, and what the figure says of itself, as parameters."""
    said = {"notebook": cells()[f"{name}_figure"], "figure": description(figure(name))}
    return [pytest.param(text, id=f"{name}-{where}") for where, text in said.items()]


def columns(name: str) -> dict[str, tuple[list[str], str]]:
    """By the title of each block: its parts from the bottom up, and behind which its red line begins."""
    found = {}
    for title in elements(figure(name), "text"):
        if "title" in title.get("class", ""):
            own = [
                one.label for one in parts(figure(name)) if abs(one.x - place(title, "x")[0]) < 70
            ]
            behind = ["x", *own][own.index("red line")] if "red line" in own else ""
            found[title.text] = [one for one in own if one != "red line"], behind
    return found


@pytest.mark.parametrize("said", both("find_the_block"))
def test_four_kinds_are_described_as_they_are_drawn(said):
    drawn = columns("find_the_block")
    assert [*drawn] == [*KINDS.values()]
    for name, title in KINDS.items():
        sentence = re.search(rf"{name}: (.*?)\.", said)[1]
        order, behind = drawn[title]
        line = re.search(r"begins behind the (.+)", sentence)
        no_line = re.search(r"no red line|no second path", sentence)
        assert behind == (line[1] if line else "" if no_line else "x")
        assert line or ORDER.findall(sentence) == order
    assert drawn["from the normed"][0] == drawn["pre-norm"][0]


@pytest.mark.parametrize("said", both("pre_norm_feed_forward"))
def test_pre_norm_is_drawn_on_the_left(said):
    drawn = columns("pre_norm_feed_forward")
    left, right = (re.search(rf"{side}, ([\w-]+)(.*?)\.", said) for side in ("Left", "Right"))
    assert [left[1], right[1]] == [*drawn] == ["pre-norm", "post-norm"]
    pre, post = re.search(r"\| (\S+), (\S+) \| the norm before the sub-layer, or after the sum \|",
                          cells()["symbols"]).groups()  # fmt: skip
    assert drawn[pre][0][0] == drawn[post][0][-1] == "norm"
    for found in (left, right):
        assert (ORDER.findall(found[2]), "x") == drawn[found[1]]


@pytest.mark.parametrize("said", both("modern_block"))
def test_the_block_is_drawn_as_it_is_described_and_written(said):
    drawn = [one.label for one in parts(figure("modern_block"))]
    way = ["red line", "RMSNorm 1", "attention", "plus sign"]
    assert drawn == [*way, "red line", "RMSNorm 2", "SwiGLU", "plus sign"]
    passed = re.findall(r"(\w+) passes (norm \d) and (\w+)", said)
    assert passed == [("x", "norm 1", "attention"), ("h", "norm 2", "SwiGLU")]
    block, x = reference.ModernBlock(4, 2, 6), torch.randn(2, 3, 4)
    space = {
        "x": x, "norm_1": block.norm_1, "norm_2": block.norm_2, "swiglu": block.feed_forward,
        "attention": lambda x: block.attention(x, x, x),
    }  # fmt: skip
    for line in re.findall(r"\| (\w+ = [^|]+)", words(figure("modern_block"))):
        exec(line, space)
    assert torch.allclose(space["output"], block(x))


@pytest.mark.parametrize("said", both("modern_stack"))
def test_behind_the_last_block_stands_one_norm(said):
    kinds = Counter(one.kind for one in boxes(figure("modern_stack")))
    assert kinds["norm"] == 1 and parts(figure("modern_stack"))[-1].kind == "norm"
    assert numbers(said) == [1, 2, kinds["norm"]] and "The mask goes to every block" in said
    into_blocks = [
        one for one in elements(figure("modern_stack"), "path") if "H216" in one.get("d")
    ]
    assert len(into_blocks) == kinds["plain"]


@pytest.mark.parametrize("said", both("swiglu"))
def test_the_gate_passes_silu(said):
    by_height = {}
    for one in sorted(boxes(figure("swiglu")), key=lambda one: one.x):
        by_height.setdefault(one.y, []).append(one.label)
    assert ["gate", "SiLU"] in by_height.values() and ["up"] in by_height.values()
    assert re.search(r"(\w+)(?: gives)? passes SiLU", said)[1] == "gate"


@pytest.mark.parametrize("said", both("explain_depth"))
def test_norms_stand_on_the_line_of_post_norm_alone(said):
    drawn = [(one.kind, one.y < 125) for one in parts(figure("explain_depth"))]
    above, below = ({kind: drawn.count((kind, up)) for kind in ("plus", "norm")} for up in (1, 0))
    assert numbers(said) == [above["plus"], above["norm"], below["norm"]]
    assert below["plus"] == below["norm"] == above["plus"]


@pytest.mark.parametrize("said", both("gradient_by_layer"))
def test_each_place_is_in_front_of_a_block(said):
    dots = [place(one, "cx")[0] for one in elements(figure("gradient_by_layer"), "circle")]
    blocks = [one.x for one in boxes(figure("gradient_by_layer")) if one.kind == "plain"]
    assert all(dot < x for dot, x in zip(dots, blocks, strict=True))
    assert all(x < dot for x, dot in zip(blocks, dots[1:], strict=False))
    assert re.search(rf"{WORDS[len(dots)]} places[\w ]*: in front of", said, re.IGNORECASE)


def hue(colour: str) -> str:
    """The name of a colour such as #23888a."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    turn, _, saturation = colorsys.rgb_to_hls(red, green, blue)
    names = [name for name, (low, high) in HUES.items() if low <= 360 * turn <= high]
    return names[0] if saturation > 0.25 else "grey"


def test_colours_mean_what_is_said_of_them():
    said = dict(COLOURS.findall(cells()["symbols"].rpartition("In the drawn figures")[2]))
    said["line"] = re.search(r"the (\w+) line", cells()["symbols"])[1]
    classes = {"tokens": "token", "attention": "attention", "feed forward": "feed", "norms": "norm"}
    for part, kind in (classes | {"line": "residual"}).items():
        styles = [
            found[1]
            for file in sorted(figure("overview").parent.glob("*.svg"))
            if (found := re.search(rf"\.{kind} {{.*?stroke: (#\w+)", file.read_text()))
        ]
        assert {hue(one) for one in styles} == {said[part]}
