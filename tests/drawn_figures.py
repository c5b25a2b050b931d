"""The figures of a practical, read: what they say, in words and numbers, and what is drawn where."""

import re
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
NUMBER = re.compile(rf"(?:-|\b)(?:\d[\d,]*\d|\d(?:\.\d+)?)\b|\b(?:{'|'.join(WORDS)})\b")


class Part(NamedTuple):
    """A box with a label, a plus sign, or a red line with an arrow: its middle, or where it begins."""

    kind: str
    label: str
    x: float
    y: float


def elements(figure: Path, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.parse(figure).getroot().iter(f"{SVG}{tag}"))


def description(figure: Path) -> str:
    return elements(figure, "desc")[0].text


def words(figure: Path) -> str:
    """All texts that are drawn, in their order."""
    return " | ".join("".join(one.itertext()) for one in elements(figure, "text"))


def numbers(text: str) -> list[float]:
    """The numbers of a text, in words or digits."""
    found = NUMBER.findall(text.replace("−", "-"))
    return [WORDS.index(n) if n in WORDS else float(n.replace(",", "")) for n in found]


def parts(figure: Path) -> list[Part]:
    """Boxes, plus signs and red lines, from the bottom up."""
    return sorted([*boxes(figure), *plus_signs(figure), *red_lines(figure)], key=lambda one: -one.y)


def boxes(figure: Path) -> list[Part]:
    labels = [(*place(one, "x", "y"), "".join(one.itertext())) for one in elements(figure, "text")]
    found = []
    for box in elements(figure, "rect"):
        x, y, width, height = place(box, "x", "y", "width", "height")
        inside = [text for a, b, text in labels if x <= a <= x + width and y <= b <= y + height]
        if box.get("class") and inside:
            found.append(Part(box.get("class"), inside[0], x + width / 2, y + height / 2))
    return found


def plus_signs(figure: Path) -> list[Part]:
    signs = [one for one in elements(figure, "circle") if one.get("class") == "plus"]
    return [Part("plus", "plus sign", *place(one, "cx", "cy")) for one in signs]


def red_lines(figure: Path) -> list[Part]:
    lines = [one for one in elements(figure, "path") if one.get("class") == "residual"]
    begins = [re.match(r"M(\S+) (\S+)", one.get("d")) for one in lines if one.get("marker-end")]
    return [Part("residual", "red line", float(one[1]), float(one[2])) for one in begins]


def place(element: ElementTree.Element, *names: str) -> list[float]:
    return [float(element.get(name)) for name in names]
