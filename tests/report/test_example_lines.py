"""An example is a student's line that shows the mistake, and nobody is known by it."""

from pathlib import Path

import msgspec
import pytest
from invented_class import STAMP

from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.engine.mistake import Mistake, mistakes
from autograder.engine.submission import read_submission
from autograder.engine.verdict import ExerciseResult, NamedMistake, Verdict
from autograder.report.example_lines import LONGEST, LineFinder, example_lines, likeness, lines_of

KEY = "attention", "wrong_scale"


class HandedIn:
    """Students who handed in a cell of `attention`, each with one mistake in it."""

    def __init__(self, assignment, folder: Path):
        self.assignment, self.folder = assignment, folder
        self.notebooks: dict[str, Path] = {}
        self.verdicts: list[Verdict] = []

    def add(self, student: str, cell: str, mistake: str, changed_since: bool = False) -> None:
        solved = SampleSubmission(solutions(self.assignment) | {KEY[0]: cell}, "")
        where = self.folder / f"{len(self.notebooks)}-{student}"
        path = write_submission(self.assignment, where, solved)
        read = read_submission(self.assignment, student, path, self.folder)
        named = [NamedMistake(mistake, "Which number?")]
        made = ExerciseResult(KEY[0], "answered", 3.0, 4.0, [], named)
        stamp = msgspec.structs.replace(STAMP, submission="another" if changed_since else read.hash)
        self.notebooks[student] = path
        self.verdicts.append(
            Verdict(student, self.assignment.id, "graded", 3.0, 4.0, [made], [], 0.1, stamp)
        )

    def examples(self, words=lambda _: ()) -> dict[tuple[str, str], str]:
        made = [
            (each.id, one.id)
            for of in self.verdicts
            for each in of.exercises
            for one in each.mistakes
        ]
        wanted = list(dict.fromkeys(made))
        return example_lines(
            self.assignment, wanted, self.verdicts, self.notebooks, self.folder, words
        )


@pytest.fixture
def example(assignment, tmp_path_factory):
    """The example of a wrong scale, where these students handed in these cells of `attention`."""

    def find(cells: dict[str, str], words=lambda _: (), changed_since=False) -> str | None:
        handed_in = HandedIn(assignment, tmp_path_factory.mktemp("submitted"))
        for student, cell in cells.items():
            handed_in.add(student, cell, KEY[1], changed_since)
        return handed_in.examples(words).get(KEY)

    return find


@pytest.fixture
def cell(assignment):
    """The solution of `attention`, its line of the scores replaced."""
    scores = "scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))"
    solution = assignment.solutions[KEY[0]]
    assert scores in solution
    return lambda line: solution.replace(scores, line)


def test_the_line_with_the_mistake_is_shown_as_the_student_wrote_it(example, cell):
    own = "scores = torch.matmul(query, key.transpose(-2, -1)) / query.size(-1)"
    assert example({"ada": cell(own)}) == own


def test_a_line_over_several_lines_becomes_one_without_its_comments(example, cell):
    broken = "scores = (  # Ada Softmax, 4711\n            query @ key.transpose(-2, -1)\n        ) / query.size(-1)"
    found = example({"ada": cell(broken)})
    assert found == "scores = (query @ key.transpose(-2, -1)) / query.size(-1)"


def test_where_no_line_shows_it_there_is_no_example(example, assignment):
    strange = "def Attention(mask_future=False):\n    return made_elsewhere"
    assert example({"ada": strange}) is None
    assert example({"ada": assignment.solutions[KEY[0]]}) is None
    assert example({"ada": "def ("}) is None


def test_a_cell_that_is_far_too_long_is_not_looked_through(example, cell):
    wrong = cell("scores = query @ key.transpose(-2, -1) / query.size(-1)")
    long = f"{wrong}\n" + "x = [" + "(" * 150_000
    assert example({"ada": wrong + "\n" + "# more\n" * 5_000}) is None
    assert example({"ada": long}) is None


def test_a_notebook_that_was_changed_since_it_was_graded_gives_none(example, cell):
    wrong = cell("scores = query @ key.transpose(-2, -1) / query.size(-1)")
    assert example({"ada": wrong}) and example({"ada": wrong}, changed_since=True) is None


@pytest.mark.parametrize(
    "line",
    [
        "ada_scores = query @ key.transpose(-2, -1) / query.size(-1)",
        "scores = query @ key.transpose(-2, -1) / query.size(-1); by = 'A. Softmax'",
        "scores = query @ key.transpose(-2, -1) / query.size(-1 + 0 * 20261147)",
    ],
)
def test_a_line_that_tells_who_wrote_it_is_not_shown(example, cell, line):
    words = lambda student: [student, "Lovelace"]  # noqa: E731
    assert example({"ada": cell(line)}, words) is None
    clean = "scores = query @ key.transpose(-2, -1) / key.size(-1)"
    assert example({"ada": cell(line), "ben": cell(clean)}, words) == clean


def test_a_long_line_is_cut_to_where_it_differs():
    solution = f"table = [{', '.join(f'number_{k}' for k in range(60))}]\n"
    wrong = solution.replace("number_40", "another")
    mistake = Mistake("other", "table", "Which?", (), (wrong,))
    finder = LineFinder(mistake, solution, {line.tokens for line in lines_of(solution)})
    found = finder.find([(line, ()) for line in lines_of(mistake.cells[0])])
    assert "number_39, another, number_41" in found and len(found) <= LONGEST
    assert found.startswith("… ") and found.endswith(" …")


def test_each_mistake_that_writes_a_line_is_found_in_a_cell_that_has_it(assignment, tmp_path):
    """Every known mistake of an exercise, as it is made: most write a line that can be shown."""
    known = [one for one in mistakes(assignment) if one.exercise == KEY[0]][:20]
    handed_in = HandedIn(assignment, tmp_path)
    for k, mistake in enumerate(known):
        handed_in.add(f"s{k}", mistake.cells[0], mistake.id)
    found = handed_in.examples()
    assert len(found) > 0.7 * len(known)
    usual = {line.tokens for line in lines_of(assignment.solutions[KEY[0]])}
    assert not [
        line for line in found.values() if lines_of(line) and lines_of(line)[0].tokens in usual
    ]


def test_likeness_is_one_for_the_same_and_zero_for_nothing_in_common():
    one, same, other = (lines_of(code)[0] for code in ("a = b + c\n", "a=b+c\n", "x.y(z)\n"))
    assert likeness(one, same) == 1 and likeness(one, other) == 0
