"""What `modern-block` says of papers, of files and of points, against one table of papers and the files."""

import re
import tomllib
from typing import NamedTuple

import pytest
from drawn_figures import numbers

from autograder import find_course
from autograder.authoring.edited import as_edited, find_source
from autograder.authoring.exercise_table import exercise_table

COURSE = find_course()


class Paper(NamedTuple):
    """How a paper is called, and the places of it that are pointed to."""

    title: str
    authors: str
    year: int
    arxiv: str
    places: str = ""


PAPERS = (
    Paper("Attention Is All You Need", "Vaswani et al.", 2017, "1706.03762", "section 3"),
    Paper("RMSNorm", "Zhang and Sennrich", 2019, "1910.07467", "section 4, equation 4"),
    Paper("GLU variants", "Shazeer", 2020, "2002.05202", "section 2, equation 6, table 1"),
    Paper("On Layer Normalization", "Xiong et al.", 2020, "2002.04745",
          "section 3, section 4, figure 1, figure 3, theorem 1"),
    Paper("Attention is not all you need", "Dong et al.", 2021, "2103.03404"),
    Paper("LLaMA", "Touvron et al.", 2023, "2302.13971", "section 2.2"),
    Paper("Pre-RMSNorm", "Jiang et al.", 2023, "2305.14858"),
    Paper("The Curse of Depth", "Sun et al.", 2025, "2502.05795"),
)  # fmt: skip
PLACE = re.compile(
    r"\b(sections?|figure|table|theorem|equation) (\d(?:\.\d)?)(?: and (\d))?", re.IGNORECASE
)
LOG_PERPLEXITY = {"ReLU": 1.677, "GELU": 1.679, "SwiGLU": 1.636}  # Shazeer 2020, table 1
STEPS, D_FF = 524_288, {"ReLU": 3072, "SwiGLU": 2048}
LESS_TIME = "7 to 64 %"  # Zhang and Sennrich 2019, abstract
LAYERS = "6 to 14 layers"  # Xiong et al. 2020, figure 3


@pytest.fixture(scope="module")
def captions(checks):
    """What stands above equations of what was built."""
    return [where for where, _ in checks.EQUATIONS.values()]


def papers_in(text: str) -> list[Paper]:
    """The papers that a text names, by title, authors or address."""
    full = text.replace("Root Mean Square Layer Normalization", "RMSNorm")
    return [
        one
        for one in PAPERS
        if one.arxiv in full
        or one.authors in full
        or re.search(rf"\b{one.title}\b", full, 0 if "All You" in one.title else re.IGNORECASE)
    ]


def test_places_in_papers_are_in_the_table(cells, captions):
    prose = [text for id, text in cells.items() if re.search("_goal|_seen|_published|next_", id)]
    for whole in [*prose, *captions]:
        for text in whole.split("; "):
            known = ", ".join(one.places for one in papers_in(text) or papers_in(whole)).split(", ")
            said = [(kind, n) for kind, *found in PLACE.findall(text) for n in found if n]
            for kind, number in said:
                assert f"{kind.lower().removesuffix('s')} {number}" in known, text


def test_links_authors_and_years_are_in_the_table(cells, captions):
    whole = "\n".join([*cells.values(), *captions])
    for text, arxiv in re.findall(r"\[([^\]]+)\]\(https://arxiv.org/abs/([\d.]+)\)", whole):
        (paper,) = (one for one in PAPERS if one.arxiv == arxiv)
        assert text in (paper.title, f"{paper.authors} {paper.year}")
    cited = re.findall(r"(?:\(|\b)([A-Z]\w+(?: et al\.| and [A-Z]\w+)?),? (20[12]\d)\b", whole)
    known = [(one.authors, str(one.year)) for one in PAPERS]
    assert len(cited) > 8 and set(cited) <= set(known)


def test_published_numbers_are_those_of_the_table(cells):
    text = cells["swiglu_published"]
    said = re.findall(r"([\d.]+) with (\w+)", text)
    assert {name: float(value) for value, name in said} == LOG_PERPLEXITY
    assert f"after {STEPS:,} steps" in text
    assert re.findall(r"(\d+) for (\w+)", text) == [(str(n), name) for name, n in D_FF.items()]
    assert 2 * D_FF["ReLU"] == 3 * D_FF["SwiGLU"]
    assert f" took {LESS_TIME} less time" in cells["claims_fast_seen"]
    assert f" measured {LAYERS} " in cells["depth_seen_last"]


def test_files_and_versions_are_there(cells):
    folder = find_source("modern-block", COURSE).source.parent
    (checks,) = (file.name for file in folder.glob("*_checks.py"))
    assert f"`toolbox.py` and `{checks}`" in cells["files_beside"]
    assert f"`{checks}` says how it is tried" in cells["rms_norm_check"]
    project = tomllib.loads((COURSE.root / "pyproject.toml").read_text())["project"]
    (version,) = re.findall(r"Python ([\d.]+) or newer", cells["how_to_work"])
    assert project["requires-python"] == f">={version}"


def test_a_marking_scheme_adds_up_to_the_points_of_its_exercise(cells):
    table = exercise_table(as_edited(find_source("modern-block", COURSE)).cells)
    scheme = cells["explain_depth"].partition("**Marking scheme**")[2]
    rows = re.findall(r"^\| ([\d.]+) \|", scheme, re.MULTILINE)
    total = sum(map(float, rows))
    assert numbers(scheme)[0] == total == table["explain_depth"].points
