"""What the sandbox lacks is not a student's mistake: packages, a compiler, a GPU, files, the network."""

import pytest
from submissions import exercise, lost

from autograder.engine.examiner.lacks import NOT_COMPILED
from autograder.engine.examiner.messages import PACKAGES
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises

pytestmark = pytest.mark.walls

AVAILABLE = ", ".join(f"`{name}`" for name in PACKAGES)
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
    assert sentence.count("`seaborn`") == 1 and sentence.endswith(f"{AVAILABLE}.")


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


def test_a_class_that_cannot_be_defined_without_it_says_so(grade_cells, solved, imports):
    attention = solved["attention"].replace("(nn.Module)", "(lightning.LightningModule)")
    verdict = grade_cells(imports=f"import lightning\n{imports}", attention=attention)
    assert lost(verdict) == {"attention": 4}
    (message,) = messages(verdict, "attention")
    assert message.startswith("There is no `lightning` where this is graded, and `Attention` dep")


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


def test_a_name_that_is_only_misspelt_is_a_mistake_as_before(grade_cells, solved, imports):
    verdict = grade_cells(
        imports=f"import seaborn\n{imports}", attention=in_forward(solved, "partial(1)")
    )
    (message,) = messages(verdict, "attention")
    assert "`partial` is not imported." in message


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


def test_not_every_line_that_fails_is_shown(assignment, walls, hand_in, imports):
    """A traceback takes a hundredth of a second, and a cell has many lines."""
    source = f"{imports}\nimport seaborn\n" + "seaborn.x\n" * 3_000
    graded = Grader(assignment, walls, explain=diagnose_exercises).grade(
        "s001", hand_in(imports=source)
    )
    assert lost(graded.verdict) == {} and len(graded.outputs["imports"]) <= 52


COMPILED = {
    "a method": ("    def forward", "    @torch.compile\n    def forward"),
    "a method, with arguments": (
        "    def forward",
        "    @torch.compile(mode='max-autotune', fullgraph=True)\n    def forward",
    ),
    "the class": ("class Attention", "@torch.compile\nclass Attention"),
    "a module that compiles itself": (
        "super().__init__()",
        "super().__init__()\n        self.compile(dynamic=True)",
    ),
    "a member": (
        "super().__init__()",
        "super().__init__()\n        self.drop = torch.compile(nn.Identity(), backend='inductor')",
    ),
    "in forward": (IN_FORWARD, f"query = torch.compile(torch.clone)(query)\n        {IN_FORWARD}"),
    "by another name": (
        "class Attention",
        "from torch import compile as faster\n@faster(disable=False)\nclass Attention",
    ),
}


@pytest.mark.parametrize(("code", "compiled"), COMPILED.values(), ids=COMPILED)
def test_compiling_does_nothing_and_is_reported(code, compiled, grade_cells, solved):
    verdict = grade_cells(attention=solved["attention"].replace(code, compiled))
    assert lost(verdict) == {}
    assert verdict.notes == [NOT_COMPILED] and verdict.repairs == [NOT_COMPILED]


def test_compiling_imports_no_compiler(assignment, walls, hand_in, imports):
    source = f"{imports}\ntorch.compile(torch.sin) is torch.sin"
    graded = Grader(assignment, walls, explain=diagnose_exercises).grade(
        "s001", hand_in(imports=source)
    )
    (output,) = graded.outputs["imports"]
    assert output["data"]["text/plain"] == "True" and graded.submission.needs == set()


LACKING = {
    "a GPU": ("query = query.cuda()", "There is no GPU where this is graded."),
    "Apple's GPU": ("query = query.to('mps')", "There is no GPU where this is graded."),
    "a file": ("open('data.csv')", "There is no such file where this is graded"),
    "weights": ("torch.load('weights.pt')", "There is no such file where this is graded"),
    "a picture": (
        "from matplotlib import pyplot; pyplot.imread('x.png')",
        "There is no such file where this is graded",
    ),
    "Google's drive": (
        "torch.save({}, '/content/drive/weights.pt')",
        "There is no such file or folder where this is graded.",
    ),
    "a web page": (
        "from urllib import request; request.urlopen('http://example.org')",
        "There is no network where this is graded.",
    ),
    "a web page, by requests": (
        "import requests; requests.get('http://example.org')",
        "There is no network where this is graded.",
    ),
    "a model of the hub": (
        "torch.hub.load('pytorch/vision', 'resnet18')",
        "There is no network where this is graded.",
    ),
    "weights of the hub": (
        "torch.hub.load_state_dict_from_url('http://example.org/x.pth')",
        "There is no network where this is graded.",
    ),
}


# of what looks for a folder first, where Landlock closes one that is there
AT_THE_FIRST_FILE = "there are no files beside the notebook, no network and no further processes."


@pytest.mark.parametrize(("line", "said"), LACKING.values(), ids=LACKING)
def test_what_else_is_lacking_is_said_as_of_a_gpu(line, said, grade_cells, solved):
    verdict = grade_cells(attention=in_forward(solved, line))
    assert lost(verdict) == {"attention": 4}
    (message,) = messages(verdict, "attention")
    assert f"{line}`. {said}" in message or AT_THE_FIRST_FILE in message
    assert exercise(verdict, "attention").mistakes == []


def test_a_compiler_of_c_is_lacking_too(grade_cells, solved):
    line = "from torch.utils.cpp_extension import load_inline; load_inline('a', 'int f();')"
    verdict = grade_cells(attention=f"{line}\n{solved['attention']}")
    assert lost(verdict) == {"attention": 4}
    (message,) = messages(verdict, "attention")
    assert f"{line}`. There is no compiler where" in message or AT_THE_FIRST_FILE in message
