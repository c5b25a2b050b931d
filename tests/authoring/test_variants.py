"""Variants are files in the graders' folder, and nothing else has to know of them."""

import shutil

import pytest

from autograder.authoring.row import MatrixRow
from autograder.authoring.variants import Variant, variants


def test_variants_are_read_from_the_graders_folder(small):
    found = variants(small)
    assert [one.name for one in found] == [
        "prediction: assigned_twice",
        "rms_norm: functional",
        "softmax: by_torch",
    ]
    assert all([*one.cells] == [one.name.split(":")[0]] for one in found)


@pytest.mark.parametrize(("kind", "mixed"), [("together", False), ("sheets", True)])
def test_a_variant_of_several_exercises_is_a_file(copied, kind, mixed):
    top = copied.graders / "variants"
    shutil.rmtree(top)
    (top / kind).mkdir(parents=True)
    (top / kind / "empty.py").write_text("# nothing")
    (top / kind / "both.py").write_text("# %% rms_norm\nx = 1\n\n\n# %% softmax\n\ny = 2\n")
    (found,) = variants(copied)
    cells = {"rms_norm": "x = 1\n", "softmax": "\ny = 2\n"}
    assert found == Variant("both", cells, f"variants/{kind}/both.py")
    assert MatrixRow("both", found.cells, path=found.path).may_be_mixed == mixed


def test_a_file_of_one_exercise_holds_several_variants(copied):
    shutil.rmtree(copied.graders / "variants")
    (copied.graders / "variants").mkdir()
    (copied.graders / "variants" / "softmax.py").write_text("# %% one\nx = 1\n# %% two\nx = 2\n")
    one, two = variants(copied)
    assert one == Variant("softmax: one", {"softmax": "x = 1\n"}, "variants/softmax.py: one")
    assert two.name == "softmax: two" and two.cells == {"softmax": "x = 2\n"}


def test_an_assignment_may_have_no_variants(copied):
    shutil.rmtree(copied.graders / "variants")
    assert variants(copied) == []
