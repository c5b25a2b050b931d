"""Variants are files in the graders' folder, and nothing else has to know of them."""

import shutil

import pytest

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
def test_a_variant_of_several_exercises_is_a_folder(copied, kind, mixed):
    top = copied.graders / "variants"
    shutil.rmtree(top)
    (top / kind / "empty").mkdir(parents=True)
    (top / kind / "both").mkdir()
    for name in ("softmax", "rms_norm"):
        (top / kind / "both" / f"{name}.py").write_text(f"# {name}")
    cells = {"rms_norm": "# rms_norm", "softmax": "# softmax"}
    (found,) = variants(copied)
    assert found == Variant("both", cells, f"variants/{kind}/both/")
    assert found.may_be_mixed == mixed


def test_an_assignment_may_have_no_variants(copied):
    shutil.rmtree(copied.graders / "variants")
    assert variants(copied) == []
