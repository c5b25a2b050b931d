"""Measure the language of names, docstrings and pages, and compare with ceilings.

    python .make/language.py

`make check` runs this. The ceilings are in pyproject.toml, `[tool.language]`. Lower one when the measure
allows it, and never raise one. The figures say where to look. They do not replace reading: a pronoun that
becomes `item` or `value` counts as better here, and is not.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

# Pronouns, participles and adverbs: as a variable's name they say neither type nor role.
VAGUE_NAMES = frozenset(
    """one ones found said known most least why wanted before given made other others named there
    who whom whose what kept where own left some these those such it that this all any both each more
    less many much few several once whole rest else done seen told asked taken put held lost gone new
    old here when how which than then after thing things something anything everything nothing
    somebody anybody theirs ours begun ended called written shown meant used needed having again
    still already""".split()
)
PER_1000_WORDS = {
    "what, who, whose": re.compile(r"\b(?:what|whatever|who|whoever|whose)\b", re.IGNORECASE),
    "one, ones": re.compile(r"\bones?\b", re.IGNORECASE),
    "semicolons": re.compile(";"),
    "is no, are no": re.compile(r"\b(?:is|are|was|were) no(?:ne)?\b", re.IGNORECASE),
}
WORD = re.compile(r"[A-Za-z][A-Za-z']*")
CODE_IN_PAGE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
UNCOUNTED = "self", "cls", "_"
NOT_OURS = "variants"  # folders of answers in foreign styles
DOCUMENTED = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef


def main() -> int:
    """Print each figure that is above its ceiling; return the exit status."""
    ceilings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["language"]
    figures = dict(all_figures())
    too_high = [
        f"{name}: {figures[name]:.1f}, and at most {ceiling} is allowed."
        for name, ceiling in ceilings.items()
        if round(figures[name], 1) > ceiling
    ]
    for sentence in too_high:
        print(f"language: {sentence} Read your texts again; see CONTRIBUTING.md.", file=sys.stderr)
    if "--show" in sys.argv:
        print(*(f"{name}: {figure:.1f}" for name, figure in figures.items()), sep="\n")
    return 1 if too_high else 0


def all_figures() -> Iterator[tuple[str, float]]:
    """Yield the name of each figure and its value."""
    sources = [
        path.read_text(encoding="utf-8")
        for path in Path("autograder").rglob("*.py")
        if NOT_OURS not in path.parts
    ]
    trees = [*map(ast.parse, sources)]
    names = [name for tree in trees for name in bound_names(tree) if name not in UNCOUNTED]
    vague = sum(name in VAGUE_NAMES for name in names)
    yield "vague names, percent", 100 * vague / len(names)
    docstrings = [docstring for tree in trees for docstring in docstrings_in(tree)]
    lines = sum(len(source.splitlines()) for source in sources)
    yield "docstring lines, percent", 100 * sum(height for _, height in docstrings) / lines
    yield from rates("docstrings", "\n".join(text for text, _ in docstrings))
    pages = [Path("README.md"), Path("CONTRIBUTING.md"), *Path("docs").glob("*.md")]
    texts = (CODE_IN_PAGE.sub("", page.read_text(encoding="utf-8")) for page in pages)
    yield from rates("pages", "\n".join(texts))


def bound_names(tree: ast.Module) -> Iterator[str]:
    """Yield each name that is assigned, looped over, or taken as a parameter."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def docstrings_in(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield each docstring and its number of lines."""
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and (docstring := ast.get_docstring(node)):
            expression = node.body[0]
            yield docstring, (expression.end_lineno or expression.lineno) - expression.lineno + 1


def rates(place: str, text: str) -> Iterator[tuple[str, float]]:
    """Yield how often each mark of a private dialect occurs, per 1,000 words."""
    words = len(WORD.findall(text))
    for name, pattern in PER_1000_WORDS.items():
        yield f"{place}, {name}", 1000 * len(pattern.findall(text)) / words


if __name__ == "__main__":
    sys.exit(main())
