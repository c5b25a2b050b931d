"""Each platform's download is told by its names."""

import shutil
from itertools import product

import pytest
from downloads import BOOK, ID, ours, standing
from sampling import every

pytestmark = [pytest.mark.usefixtures("read_without_fork"), pytest.mark.slow]


LAYOUTS = {
    "moodle": "{}da Softmax_{}_assignsubmission_file_/",
    "ilias": "Sheet 3/Submissions/Softmax_{}da_{}login_{}/",
    "gradescope": "export/submission_{}{}/",
    "inbound": f"inbound/{{}}da{{}}+{ID}+2026-11-20 15:00:00 UTC+x/",
    "submitted": f"submitted/{{}}da{{}}/{ID}/",
    "folder": "class/{}da{}/",
}
BELOW = [  # what a student may call what is in a folder
    f"ada+{ID}+2026-11-30 15:00:00 UTC+x/{BOOK}",
    f"ada_assignsubmission_file/{BOOK}",
    f"Ada Softmax_1_assignsubmission_file_/{BOOK}",
    f"ada_1_2_{BOOK}",
    "submission_metadata.yml",
    f"submission_1/{BOOK}",
    f"Softmax_Ada_1login_1/{BOOK}",
    f"Team 1/Softmax_Ada_1login_1/{BOOK}",
    f"submitted/ada/{ID}/{BOOK}",
    f"Feedback_files/{BOOK}",
]


@pytest.mark.parametrize(
    ("layout", "below"),
    [
        pytest.param(layout, below, marks=[pytest.mark.long] * (n % 3 > 0))
        for n, (layout, below) in enumerate(product(LAYOUTS, BELOW))
    ],
)
def test_names_below_what_the_platform_writes_say_nothing(collect, into, layout, below):
    """The last of three has them: the others are placed as without, and nobody has what is there."""
    tops = [LAYOUTS[layout].format(first, n, n) for n, first in enumerate("abc", start=1)]
    files = {f"{top}{BOOK}": ours(n) for n, top in enumerate(tops)}
    if layout == "gradescope":
        records = "".join(
            f"submission_{first}{n}:\n  :submitters:\n  - :name: N{n}\n    :email: n{n}@x\n"
            for n, first in enumerate("abc", start=1)
        )
        files["export/submission_metadata.yml"] = records.encode()
    collect(files)
    before = standing(into)
    assert len(before) == 3
    shutil.rmtree(into)
    many = [below, *(below.removesuffix(BOOK) + f"{n}-{BOOK}" for n in range(9))]
    collect(files | {f"{tops[-1]}{name}": ours("forged") for name in many})
    after = standing(into)
    others = {one: data for one, data in before.items() if data != ours(2)}
    assert len(others) == 2 and others.items() <= after.items()
    assert after.keys() <= before.keys()


@pytest.mark.parametrize("below", every(3, BELOW))
@pytest.mark.parametrize("own", [True, False])
def test_of_nbgraders_folder_with_one_student_all_is_of_that_one(collect, into, below, own):
    files = {f"submitted/eve/{ID}/{BOOK}": ours(1)} if own else {}
    collect(files | {f"submitted/eve/{below}": ours("forged"), f"submitted/eve/x/{BOOK}": b"x"})
    assert set(standing(into)) <= {"eve"}
