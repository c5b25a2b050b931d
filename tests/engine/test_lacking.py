"""What the sandbox lacks is not a student's mistake: packages, a compiler, a GPU, files, the network."""

import pytest
from submissions import exercise, lost

from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises

pytestmark = pytest.mark.walls

IN_FORWARD = "scores = query @"
USES_PARTIAL = "no_bias = partial(nn.Linear, bias=False)\n"


@pytest.fixture
def imports(assignment) -> str:
    """The released cell of imports."""
    return next(cell.source for cell in assignment.cells if cell.id == "imports")


def in_forward(solved, line: str) -> str:
    """The right attention, with this line in `forward`."""
    return solved["attention"].replace(IN_FORWARD, f"{line}\n        {IN_FORWARD}")


def messages(verdict, name: str) -> set[str]:
    return {check.message for check in exercise(verdict, name).checks if not check.passed}


FIRST = {
    "alone": "import seaborn as sns",
    "beside one that is there": "import seaborn as sns, functools, pandas as pd",
    "of several names": "from seaborn import color_palette, set_theme",
    "everything of it": "from seaborn.objects import *",
    "a file beside the notebook": "from seaborn import helper\nfrom .seaborn import other",
    "used at once": "import seaborn as sns\nsns.set_theme()\npalette = sns.color_palette()\npalette[0]",
    "used in a block": "import seaborn as sns\nwith sns.axes_style('dark'):\n    sns.set_theme()",
    "beside magics": "%matplotlib inline\n!pip install seaborn\n%pip install seaborn\n%conda install x\n%autosave 60\nlines = !ls\nimport seaborn",
    "tried, with another error": "try:\n    import seaborn\nexcept ValueError:\n    seaborn = None",
    "an extension": "import seaborn\n%load_ext seaborn",
    "from another cell": "import seaborn.palettes\nnames = dir(seaborn.palettes)",
}


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
def test_a_missing_package_costs_nobody_anything(first, grade_cells, solved, imports):
    """What is imported below it is imported, and the package is reported once, with those there are."""
    attention = USES_PARTIAL + solved["attention"]
    source = f"{first}\n{imports}\nfrom functools import partial"
    verdict = grade_cells(imports=source, attention=attention)
    assert lost(verdict) == {}
    (sentence,) = verdict.repairs
    assert sentence.count("`seaborn`") == 1 and "`numpy`" in sentence


def test_a_package_that_is_tried_is_not_missed(grade_cells, imports):
    tried = "try:\n    import seaborn\nexcept ImportError:\n    seaborn = None\n"
    verdict = grade_cells(imports=tried + imports)
    assert lost(verdict) == {} and verdict.repairs == []


NEEDED = {
    "in forward": ("import seaborn as sns", "sns.set_theme()", "`sns`"),
    "by what a line of another cell made of it": (
        "import seaborn as sns\npalette = sns.color_palette()",
        "palette[0]",
        "`palette`",
    ),
    "everything of it": ("from seaborn import *", "color_palette()", "`color_palette`"),
}


@pytest.mark.parametrize(("first", "line", "name"), NEEDED.values(), ids=NEEDED)
def test_an_exercise_that_needs_it_says_so(first, line, name, grade_cells, solved, imports):
    """It does not ask for an import line, and no known mistake is named."""
    verdict = grade_cells(imports=f"{first}\n{imports}", attention=in_forward(solved, line))
    assert lost(verdict) == {"attention": 4}
    assert exercise(verdict, "attention").mistakes == []
    (message,) = messages(verdict, "attention")
    assert f"There is no `seaborn` where this is graded, and {name} depends on it." in message


def test_a_package_that_is_imported_late_is_reported_too(grade_cells, solved):
    verdict = grade_cells(attention=in_forward(solved, "import seaborn"))
    (message,) = messages(verdict, "attention")
    assert "`seaborn` is not installed where this is graded." in message
    assert lost(verdict) == {"attention": 4} and "`seaborn`" in verdict.repairs[0]


def test_a_name_that_a_package_does_not_have_is_another_sentence(grade_cells, imports):
    source = f"from torch.nn import Linear, Foo, ReLU\n{imports}\nReLU()"
    verdict = grade_cells(imports=source)
    assert lost(verdict) == {}
    (sentence,) = verdict.repairs
    assert sentence.startswith("Not there where this is graded: `torch.nn.Foo`.")


def test_the_page_shows_what_jupyter_shows(assignment, walls, hand_in, imports):
    source = f"import seaborn\n{imports}\nprint('below')"
    graded = Grader(assignment, walls, explain=diagnose_exercises).grade(
        "s001", hand_in(imports=source)
    )
    error, printed = graded.outputs["imports"]
    assert error["ename"] == "ModuleNotFoundError"
    assert error["evalue"] == "No module named 'seaborn'"
    assert any("----> 1 import seaborn" in line for line in error["traceback"])
    assert printed["text"] == "below\n"


OPTIONS = "mode='max-autotune', fullgraph=True"
COMPILED = [
    ("    def forward", "    @torch.compile\n    def forward"),
    ("    def forward", f"    @torch.compile({OPTIONS})\n    def forward"),
    ("class Attention", "@torch.compile\nclass Attention"),
    ("super().__init__()", "super().__init__(); self.compile(dynamic=True)"),
    ("super().__init__()", "super().__init__(); self.drop = torch.compile(nn.Identity())"),
    (IN_FORWARD, f"query = torch.compile(torch.clone)(query)\n        {IN_FORWARD}"),
    ("class Attention", "from torch import compile as faster\n@faster()\nclass Attention"),
]


@pytest.mark.parametrize(("code", "compiled"), COMPILED)
def test_compiling_does_nothing_and_is_reported(code, compiled, grade_cells, solved):
    verdict = grade_cells(attention=solved["attention"].replace(code, compiled))
    assert lost(verdict) == {}
    (note,) = verdict.notes
    assert (
        verdict.repairs == [note] and "there is no compiler: the code ran as it is written." in note
    )


GPU, NETWORK = (
    "There is no GPU where this is graded.",
    "There is no network where this is graded.",
)
NO_FILE = "There is no such file where this is graded"
LACKING = [
    ("query = query.cuda()", GPU),
    ("query = query.to('mps')", GPU),
    ("open('data.csv')", NO_FILE),
    ("torch.load('weights.pt')", NO_FILE),
    ("from matplotlib import pyplot; pyplot.imread('x.png')", NO_FILE),
    ("torch.save({}, '/content/drive/weights.pt')", "There is no such file or folder where this"),
    ("from urllib import request; request.urlopen('http://example.org')", NETWORK),
    ("import requests; requests.get('http://example.org')", NETWORK),
    ("torch.hub.load('pytorch/vision', 'resnet18')", NETWORK),
    ("torch.hub.load_state_dict_from_url('http://example.org/x.pth')", NETWORK),
]


# of what looks for a folder first, where Landlock closes one that is there
AT_THE_FIRST_FILE = "there are no files beside the notebook, no network and no further processes."


@pytest.mark.parametrize(("line", "said"), LACKING)
def test_what_else_is_lacking_is_said_as_of_a_gpu(line, said, grade_cells, solved):
    verdict = grade_cells(attention=in_forward(solved, line))
    assert lost(verdict) == {"attention": 4}
    (message,) = messages(verdict, "attention")
    assert f"{line}`. {said}" in message or AT_THE_FIRST_FILE in message
    assert exercise(verdict, "attention").mistakes == []
