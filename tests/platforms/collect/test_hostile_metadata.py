"""Gradescope's metadata file, made to do harm, is text and nothing else."""

import pytest
from downloads import BOOK, ours


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("metadata", "status", "reason"),
    [
        ("submission_1: {':submitters': " + "[" * 5_000 + "]" * 5_000 + "}", 2, ""),
        ("submission_1: " + "[" * 60 + "]" * 60, 2, "nested more than 40 deep"),
        ("!!python/object/apply:os.system ['touch bystander.txt']", 2, ""),
        ("submission_1: !!python/object/apply:os.system ['rm bystander.txt']", 3, ""),
        (bomb(9) + "\nsubmission_1: {':submitters': *a8}", 3, ""),
        ("a: &a {x: y}\nb: &b {<<: [*a, *a]}\nsubmission_1: {<<: [*b, *b]}", 3, ""),
        ("submission_1: &a {':submitters': [*a]}", 2, ""),
        ("submission_1: {':submitters': [{':sid': '../../evil', ':email': '../x@y'}]}", 3, ""),
        ("submission_1: {':submitters': [{':sid': .received}, {':sid': [1]}, 7]}", 3, ""),
        ("submission_1: {':submitters': [{':name': \"\\n[red]\\x1b[2J\"}]}", 3, ""),
        ("[1, 2]", 2, ""),
        ("", 2, ""),
        ("a: 'b", 2, ""),
        ("\x00", 2, ""),
        ("? {a: b}\n: c", 2, ""),
    ],
)
def test_metadata_is_text_and_nothing_else(collect_hostile, metadata, status, reason):
    files = {"e/submission_metadata.yml": metadata.encode(), f"e/submission_1/{BOOK}": ours()}
    got, said, graded = collect_hostile(files)
    assert got == status and reason in said, said
    assert not graded
