"""Students' pages can be read in light and in dark: every colour has a name, and enough contrast."""

import re
from itertools import product
from pathlib import Path

import pytest

from autograder.classroom.blocks.html import LOOK
from autograder.gradebook import pages
from autograder.gradebook.pages.pictures import Pictures
from autograder.gradebook.pages.rendering import COLOURS, terminal

TEMPLATES = Path(pages.__file__).parent / "templates"
OWN = Path(pages.__file__).parent / "templates" / "of_grade.html.jinja"
PALETTES = {
    scheme: dict(
        re.findall(r"--([\w-]+): (#[0-9a-f]{6});", (LOOK / f"{scheme}.css.j2").read_text())
    )
    for scheme in ("light", "dark")
}
ENOUGH = 4.5  # WCAG AA, for text of any size
ANSI = "black red green yellow blue magenta cyan white".split()
CODE = [name for name in PALETTES["light"] if name.startswith("code-")]
TEXTS = [
    *product(["ink", "soft", "link"], ["paper", "box"]),
    *product(["ink", "link"], ["accent-box", "bad-box", "good-box"]),
    *product(["bad", "good", "ask"], ["paper"]),
    *product(["ask"], ["ask-box"]),
    *product([*CODE, "soft", "bad", "good"], ["box"]),
    *product(
        [*(f"ansi-{name}" for name in ANSI), "ink"],
        ["paper", "ansi-inverse-box", *(f"ansi-{name}-box" for name in ANSI)],
    ),
]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", PALETTES)
def test_every_text_has_enough_contrast(scheme):
    palette = PALETTES[scheme]
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    weak = [pair for pair in TEXTS if contrast(*(palette[name] for name in pair)) < ENOUGH]
    assert weak == []


def test_light_and_dark_name_the_same_colours_and_each_one_is_used():
    assert PALETTES["light"].keys() == PALETTES["dark"].keys()
    rules = "".join(
        file.read_text() for file in (*TEMPLATES.glob("*/*.j2"), *LOOK.glob("*.j2"), OWN)
    )
    used = set(re.findall(r"var\(--([\w-]+)\)", rules))
    of_a_loop = {
        "ansi-",
        *(f"ansi-{name}" for name in ANSI),
        *(f"ansi-{name}-box" for name in ANSI),
    }
    assert used - of_a_loop == PALETTES["light"].keys() - of_a_loop


def test_a_students_page_has_no_colour_without_a_name():
    for file in (*LOOK.glob("*.j2"), *TEMPLATES.glob("*/*.html.j2"), OWN):
        if file.name not in ("light.css.j2", "dark.css.j2"):
            values = re.findall(
                r"(?:color|background|border[\w-]*): ([^;}]*)[;}]", file.read_text()
            )
            unnamed = re.compile(
                r"#[0-9a-f]{3}|rgb|\b(?:black|white|red|green|blue|gr[ae]y)\b", re.I
            )
            assert [value for value in values if unnamed.search(value)] == [], file.name


def test_a_colour_that_a_program_chose_becomes_one_with_a_name():
    no_pictures = Pictures({}, [])
    shown = terminal("\x1b[1;38;5;28mgreen\x1b[0m \x1b[48;2;250;20;20mred", no_pictures)
    assert '<span class="ansi-bold ansi-green-fg">green</span>' in shown
    assert '<span class="ansi-red-bg">red</span>' in shown
    for red, green, blue in product(range(0, 256, 51), repeat=3):
        shown = terminal(f"\x1b[38;2;{red};{green};{blue}mx", no_pictures)
        assert "style" not in shown and re.search('<span class="(ansi-[a-z]+-fg)?">x', shown)
    assert set(COLOURS.values()) < set(ANSI)
