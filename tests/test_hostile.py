"""Hostile and unlucky submissions: no points gained, a named state, the others' points kept."""

import pytest
from conftest import SHORT, edit, exercise, lost

from autograder.assignment import PACKAGE
from autograder.grade import Grader

WRONG = """
class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
    def forward(self, query, key, value, attention_mask=None):
        {body}
        return query
"""
PATCHES = """
import builtins, sys, pytest, torch
builtins.abs = lambda x: 0
builtins.AssertionError = type("Never", (Exception,), {})
torch.allclose = torch.equal = torch.isclose = lambda *a, **k: True
torch.Tensor.__eq__ = lambda *a: True
pytest.raises = pytest.fail = lambda *a, **k: None
from _pytest import reports, runner
reports.TestReport.from_item_and_call = classmethod(lambda *a: None)
for name, module in list(sys.modules.items()):
    if name.startswith("autograder") and hasattr(module, "MAX_BODY"):
        module.MAX_BODY = 0 or module.MAX_BODY
get_ipython().input_transformers_post.append(lambda lines: ["pass\\n"])
print("patched up to the last line")
"""


def cell(body: str = "pass", before: str = "") -> str:
    return before + WRONG.format(body=body)


def test_patched_torch_pytest_and_builtins_gain_nothing(judge):
    verdict = judge(encoder=PATCHES)
    assert lost(verdict) == {"encoder": 4}
    assert exercise(verdict, "encoder").state == "error"


def test_the_patches_do_run(assignment, walls, hand_in):
    graded = Grader(assignment, walls, SHORT).grade("s001", hand_in(encoder=PATCHES))
    assert {
        "kind": "stream",
        "name": "stdout",
        "text": b"patched up to the last line\n",
    } in graded.outputs["encoder"]


@pytest.mark.parametrize(
    "leave",
    ["import os; os._exit(0)", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"],
    ids=["exit", "kill"],
)
@pytest.mark.parametrize("where", ["in the cell", "in forward"])
def test_ending_the_process_costs_the_exercise_and_no_other(judge, solved, leave, where):
    source = leave + "\n" + solved["attention"] if where == "in the cell" else cell(leave)
    verdict = judge(attention=source)
    assert lost(verdict) == {"attention": 4}
    assert exercise(verdict, "attention").state == "crashed"


def test_sys_exit_is_an_error_like_others(judge):
    verdict = judge(attention=cell("import sys; sys.exit(0)"))
    assert lost(verdict) == {"attention": 4}
    assert exercise(verdict, "attention").state == "error"


@pytest.mark.parametrize("where", ["in the cell", "in forward"])
def test_an_endless_loop_times_out_and_the_others_are_graded(judge, where):
    loop = "while True: pass"
    verdict = judge(attention=f"{loop}\n" if where == "in the cell" else cell(loop))
    assert lost(verdict) == {"attention": 4}
    assert exercise(verdict, "attention").state == "timed_out"


def test_memory_without_end_has_a_name(judge):
    verdict = judge(attention=cell("x = [torch.empty(1 << 28) for _ in range(64)]"))
    assert lost(verdict) == {"attention": 4}
    assert exercise(verdict, "attention").state == "out_of_memory"


def test_a_flood_of_text_costs_nothing(judge, solved):
    verdict = judge(
        attention="for i in range(200_000): print('x' * 100)\n" + solved["attention"],
        feed_forward=solved["feed_forward"],
    )
    assert lost(verdict) == {}


def test_much_text_in_any_script_costs_nothing(judge, solved):
    source = "print('\u2211' * 30_000)\n'\u2211' * 30_000\n" + solved["attention"]
    assert lost(judge(attention=source)) == {}


def test_what_forward_prints_costs_nothing(judge, solved):
    source = solved["attention"].replace(
        "scores = query @", "print(query)\n        scores = query @"
    )
    assert lost(judge(attention=source)) == {}


LIES = {
    "noise": "os.write(fd, b'\\xff' * 64)",
    "a reply too many": "os.write(fd, struct.pack('>II', 15, 0) + b'{\"value\": true}')",
    "a length bomb": "os.write(fd, struct.pack('>II', 2**32 - 1, 8))",
    "no answer": "os.close(fd)",
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_lies_on_the_channel_gain_nothing(judge, lie):
    """The candidate finds its end of the channel and writes to it in the middle of a question."""
    body = (
        "import os, stat, struct\n"
        "        for fd in range(3, 64):\n"
        "            try:\n"
        "                if stat.S_ISSOCK(os.fstat(fd).st_mode): " + lie + "\n"
        "            except OSError: pass"
    )
    verdict = judge(attention=cell(body))
    assert lost(verdict) == {"attention": 4}
    assert exercise(verdict, "attention").state in ("crashed", "answered")


def test_an_answer_that_equals_everything_is_no_answer(judge):
    verdict = judge(attention=cell("return type('E', (), {'__eq__': lambda s, o: True})()"))
    assert lost(verdict) == {"attention": 4}


@pytest.mark.parametrize(
    "answer", ["query * float('nan')", "query.bool()", "query[:1]", "[query]", "None"]
)
def test_answers_of_another_kind_are_wrong(judge, answer):
    assert lost(judge(attention=cell(f"return {answer}"))) == {"attention": 4}


def test_nothing_of_the_exam_is_to_be_found_on_the_disk(judge, assignment, walls, hand_in):
    """The search runs to its end, and sees neither graders nor tests nor anybody's files."""
    search = """
import os
found = [os.path.join(top, f) for top, _, files in os.walk("/") for f in files if not top.startswith("/proc")]
own = [f for f in found if "autograder" in f.replace("/packages/nbgrader/", "") or f.startswith(("/app", "/desk"))]
own = [f for f in own if os.path.isfile(f) and "tests" not in f]
files = [f for f in found if f.endswith(".py") and os.path.isfile(f) and os.path.getsize(f) and os.access(f, os.R_OK)]
told = [f for f in files if SENTENCE in open(f, errors="ignore").read()]
print(len(found) > 1000, told, sorted(own))
""".replace("SENTENCE", "'Follow one ' + 'position through'")
    graded = Grader(assignment, walls).grade("s001", hand_in(encoder=search))
    (output,) = graded.outputs["encoder"]
    text = output["text"].decode()
    code = sorted(file.name for file in (PACKAGE / "candidate").glob("*.py"))
    own = [*("__init__.py", "channel.py"), *(f"candidate/{name}" for name in code)]
    expected = sorted(f"/app/autograder/{name}" for name in own)
    files = [file for file in eval(text.split("[] ", 1)[1]) if not file.endswith(".pyc")]
    assert text.startswith("True [] ") and files == expected


def test_no_text_of_a_submission_comes_back_in_a_verdict(judge):
    verdict = judge(attention=cell("raise ValueError(f'LEAK {query.flatten()[0].item()}')"))
    messages = " ".join(c.message or "" for result in verdict.exercises for c in result.checks)
    assert "`ValueError` in `attention`" in messages
    assert "LEAK 0" not in messages and "LEAK -" not in messages


def test_own_tags_keep_no_cell_from_being_graded(judge, hand_in, assignment, walls):
    def tag(content):
        for one in content["cells"]:
            one["metadata"]["tags"] = ["skip-grading", "skip-execution"]
            one["metadata"].get("nbgrader", {})["points"] = 1000

    path = edit(hand_in(attention=cell()), tag)
    verdict = Grader(assignment, walls, SHORT).grade("s001", path).verdict
    assert lost(verdict) == {"attention": 4} and verdict.max_points == 24
