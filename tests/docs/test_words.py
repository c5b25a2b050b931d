"""What READMEs, pages, workflows and scripts name is there: commands, options, verbs of make, files."""

import fnmatch
import importlib.util
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from autograder._commands.main import commands
from autograder.platforms.registry import PLATFORMS, formats

pytestmark = pytest.mark.slow

TOP = Path(__file__).parents[2]
DOCS = TOP / "docs"
PAGES = [
    TOP / "README.md",
    TOP / "CHANGELOG.md",
    *sorted(DOCS.glob("*.md")),
    *sorted(one for one in (TOP / "autograder").rglob("*.md") if one.parent.name != "mistakes"),
]
NAMES = [str(page.relative_to(TOP)) for page in PAGES]
SCRIPTS = [
    *sorted((TOP / ".github" / "workflows").iterdir()),
    TOP / ".container" / "Containerfile",
    TOP / ".ci" / "run",
    TOP / "Makefile",
]
ALL = [*PAGES, *TOP.glob("CONTRIBUTING.md"), *SCRIPTS]
in_all = pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(TOP)))
COMMAND = re.compile(r"(?:python -m autograder|\$\(AUTOGRADER\)) ([^`\n]*(?:\\\n[^`\n]*)*)")
MODULE = re.compile(r"-m ((?:tests|autograder)(?:\.\w+)*)")
FILE = re.compile(r"(?<![\w/.*-])\w[\w-]*\.(?:py|toml|ya?ml|json|jinja|cff)(?![\w/])")
LOOP = re.compile(r"\bfor (\w+) in ([^\s;]+)(?:;|\n)")
VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\}|\((\w+)\)|\{[^}]*\})")
# A reader's own names
PLACEHOLDER = re.compile(r"<[^<>\n]+>|my[-_]sheet|warm[-_]up|squares|\.\.\.")
MADE_ELSEWHERE = {  # by other programs, or by whoever follows the page
    "ada.json",
    "direct_url.json",
    "gradebook.json",
    "results.json",
    "start_workers.py",
    "submission_metadata.yml",
}
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
VERB = re.compile(r"(?:^|`)make ([a-z][a-z-]*)", re.MULTILINE)
OPTION = re.compile(r"--[a-z][a-z-]+")


def named_commands(text: str) -> Iterator[tuple[click.Command, list[str]]]:
    """Each command that a page names, and its options. Fails where there is none of that name."""
    for found in COMMAND.finditer(text):
        words = found[1].split("#")[0].replace("\\\n", " ").split()
        command: click.Command = commands
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            name = words.pop(0)
            found_command = command.get_command(click.Context(command), name)
            assert found_command, f"there is no command `{name}`"
            command = found_command
        yield command, OPTION.findall(" ".join(words))


@in_all
def test_commands_and_options_are_there(page):
    for command, options in named_commands(page.read_text(encoding="utf-8")):
        known = {one for parameter in command.params for one in parameter.opts} | {"--help"}
        assert {*options} <= known, command.name


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_to_files(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@in_all
def test_verbs_of_make_are_there(page):
    verbs = set(re.findall(r"^([a-z][a-z-]*):.*## ", (TOP / "Makefile").read_text(), re.MULTILINE))
    assert {*VERB.findall(page.read_text(encoding="utf-8"))} <= verbs


def kept_files() -> list[str]:
    """The files of this repository and their folders, as git has them."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True
    )
    files = listed.stdout.splitlines()
    return [*files, *{str(folder) for file in files for folder in Path(file).parents}]


def named_paths(text: str, tops: set[str]) -> set[str]:
    """The paths that a text names in these folders; placeholders and variables are `*`, a loop's
    variable what it loops over.
    """
    loops = dict(LOOP.findall(text))
    text = VARIABLE.sub(lambda match: loops.get(match[1] or match[2] or match[3], "*"), text)
    text = PLACEHOLDER.sub("*", text.replace('"', "").replace("'", ""))
    among = "|".join(map(re.escape, tops))
    paths = re.findall(rf"(?<![\w./~:-])(?<!from )(?:\./)?((?:{among})/[\w./*-]*)", text)
    return {path.rstrip("/.") for path in paths}


def missing_paths(text: str) -> list[str]:
    """The paths in a text that this repository does not have."""
    kept = kept_files()
    tops = {path.split("/")[0] for path in kept if "/" in path}
    return [path for path in sorted(named_paths(text, tops)) if not fnmatch.filter(kept, path)]


@in_all
def test_paths_are_there(page):
    assert missing_paths(page.read_text(encoding="utf-8")) == []


@in_all
def test_files_of_a_name_are_there(page):
    names = {Path(path).name for path in kept_files()} | MADE_ELSEWHERE
    text = PLACEHOLDER.sub("*", page.read_text(encoding="utf-8"))
    assert {*FILE.findall(text)} - names == set()


@in_all
def test_modules_that_are_started_are_there(page):
    for name in MODULE.findall(page.read_text(encoding="utf-8")):
        assert importlib.util.find_spec(name), name


def test_a_path_that_is_not_there_is_noticed():
    loop = 'for folder in release/*; do\n  python "$folder/check.py"\ndone\n'
    assert missing_paths(loop) == ["release/*/check.py"]
    assert missing_paths(loop.replace("check", "toolbox")) == []
    assert missing_paths("`release/<assignment>/`, or ./tests/no.py") == ["tests/no.py"]


def linked(page: Path) -> set[Path]:
    """The files to which a page leads."""
    found = LINK.findall(page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in found}


def test_the_pages_have_the_tables_of_the_platforms_records():
    collected = [
        (f"[{one.manual[0]}]({one.name}.md)", *one.manual[1:])
        for one in PLATFORMS.values()
        if one.manual
    ]
    returned = [
        (f"[`{name}`]({name}.md)" if PLATFORMS[name].manual else f"`{name}`", *one.manual)
        for name, one in formats().items()
    ]
    for name, heading, rows in (
        ("collect.md", "| from | download |", collected),
        ("feedback.md", "| `--format` |", returned),
    ):
        text = (DOCS / name).read_text(encoding="utf-8")
        table = text.partition(heading)[2].partition("\n\n")[0].splitlines()[2:]
        assert table == [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows]


def test_every_page_is_two_clicks_from_the_readme_and_in_the_sites_contents():
    first = linked(TOP / "README.md")
    second = set().union(*(linked(page) for page in first if page.parent == DOCS))
    pages = set(DOCS.glob("*.md"))
    assert pages <= first | second and pages <= linked(DOCS / "index.md") | {DOCS / "index.md"}
    settings = tomllib.loads((TOP / ".zensical.toml").read_text(encoding="utf-8"))
    assert sorted(leaves(settings["project"]["nav"])) == sorted(page.name for page in pages)


def leaves(nav: object) -> list[str]:
    """The files in the contents of the site, at whatever depth."""
    if isinstance(nav, str):
        return [nav]
    return [
        one for inner in (nav.values() if isinstance(nav, dict) else nav) for one in leaves(inner)
    ]


def test_every_page_with_commands_is_followed_by_a_test():
    tests = "".join(one.read_text(encoding="utf-8") for one in (TOP / "tests").rglob("test_*.py"))
    with_commands = [one for one in DOCS.glob("*.md") if "```bash" in one.read_text("utf-8")]
    unfollowed = [one.name for one in with_commands if f'"{one.name}"' not in tests]
    assert not unfollowed


def test_a_command_that_is_not_there_is_noticed():
    with pytest.raises(AssertionError, match="no command `marks`"):
        list(named_commands("`python -m autograder marks --for 2/5`"))


def test_the_first_screen_names_every_assignment():
    first, *_ = (TOP / "README.md").read_text(encoding="utf-8").split("```")
    assert all(f"`{folder.name}`" in first for folder in (TOP / "source").iterdir())
