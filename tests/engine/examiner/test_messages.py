"""What exceptions say chooses a sentence, and none of their text comes back but the student's own names."""

import re
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.engine.candidate.faults import describe_fault
from autograder.engine.candidate.frames import ChannelError
from autograder.engine.examiner.faults import KINDS, MAX_TEXT, WHILE, Fault, read_fault, sentence
from autograder.engine.examiner.messages import PACKAGES, TEMPLATES
from autograder.engine.examiner.templates import MAX_NAME, identifiers, misspelt

IDENTIFIER = re.compile(rf"(?<!\w)[^\W\d]\w{{0,{MAX_NAME - 1}}}(?!\w)")

CASE = re.compile(r"^# (\w+): (.+)\n", re.MULTILINE)
_, *PARTS = CASE.split(Path(__file__).with_name("raising_code.txt").read_text(encoding="utf-8"))
RAISING = list(zip(PARTS[::3], PARTS[1::3], PARTS[2::3], strict=True))
IMPORTS = "import torch\nfrom torch import nn, Tensor\nfrom torch.nn import functional as F\n"
SECRET = "planted_0123456789abcdef"
SOURCES = {"softmax": "def softmax(scores):\n    return `scores` @ scores"}


def report_of(code: str) -> dict:
    """Run a cell that raises; return what the candidate reports of it."""
    names: dict = {}
    exec(IMPORTS, names)
    with warnings.catch_warnings(action="ignore"):
        try:
            exec(compile(code, "<cell own>", "exec"), names)
        except BaseException as error:
            return describe_fault(error)
    raise AssertionError("this code raises nothing")


@pytest.mark.parametrize(("name", "said", "code"), RAISING, ids=[name for name, *_ in RAISING])
def test_what_is_raised_gets_its_sentence(name, said, code):
    fault = read_fault(report_of(code), identifiers([code]))
    words = sentence(fault, {"own": code})
    assert fault.template == name and f"`. {said}" in words
    assert words.startswith(f"Your code raised `{fault.type}` in `own`, line {fault.line}: `")


def test_each_message_is_raised_by_some_code():
    assert {name for name, *_ in RAISING} == TEMPLATES.keys()


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_each_sentence_asks_and_reads_well_without_any_word(template):
    said = template.say({})
    assert said[-1] in ".?" and "?" in said and said[0] not in "abcdefghijklmnopqrstuvwxyz"
    assert "{" not in said and "  " not in said and said.count("`") % 2 == 0


@pytest.mark.parametrize(("name", "said", "code"), RAISING, ids=[name for name, *_ in RAISING])
def test_no_word_of_a_message_is_repeated_that_is_not_in_the_source(name, said, code):
    """Each identifier of the message is one that the student never wrote."""
    report = report_of(code)
    kept = re.compile("|".join(IDENTIFIER.findall(TEMPLATES[name].pattern)) or "$^")
    forged = re.sub(r"'\w+'", f"'{SECRET}'", report["text"])
    for text in (forged, IDENTIFIER.sub(SECRET, forged), kept.sub(SECRET, forged)):
        fault = read_fault(report | {"text": text}, identifiers([code]))
        assert SECRET not in sentence(fault, {"own": code}) and SECRET not in fault.words.values()


@given(text=st.text(), kind=st.sampled_from(["NameError", "TypeError", "AttributeError"]))
def test_whatever_is_said_the_sentence_is_made_of_known_words(text, kind):
    fault = read_fault({"kind": "raised", "type": kind, "text": text})
    template = TEMPLATES.get(fault.template or "")
    asked = f" {template.say({})}" if template else ""
    assert fault.words == {} and sentence(fault, {}) == f"Your code raised `{kind}`.{asked}"


@pytest.mark.parametrize(
    "name", ["<img src=x>", "a b", "x" * 41, "0123", "self.seen", "", "a\nb", SECRET, "\u202eolleh"]
)
def test_only_an_identifier_of_the_source_is_a_word(name):
    source = f'seen = 1\nhidden = """{name[:30]} 0123"""\n'.replace(SECRET[:30], "")
    report = {"kind": "raised", "type": "NameError", "text": f"name '{name}' is not defined"}
    said = sentence(read_fault(report, identifiers([source])), {})
    assert not name or name not in said
    report["text"] = "name 'seen' is not defined"
    assert "`seen` is not defined" in sentence(read_fault(report, identifiers([source])), {})


@pytest.mark.parametrize(
    ("wanted", "source", "found"),
    [
        ("forward", "class A:\n    def foward(self, x): ...", "foward"),
        ("forward", "class A:\n    def Forward(self, x): ...", "Forward"),
        ("forward", "class A:\n    def _forward(self, x): ...", "_forward"),
        ("forward", "class A:\n    def forward(self, x): ...", None),
        ("forward", "class A:\n    def feed_forward(self, x): ...", None),
        ("forward", "class A:\n    def backward(self, x): ...", None),
        ("forward", "# def foward", None),
        ("__init__", "class A:\n    def __int__(self): ...", "__int__"),
        ("__init__", "class A:\n    def _init_(self): ...", "_init_"),
        ("__init__", "class A:\n    def init(self): ...", "init"),
        ("dropout", "def f(self):\n    self.drop_out: nn.Module = nn.Dropout()", "drop_out"),
        ("dropout", "def f(self):\n    self.dropout = self.drop_out", None),
        ("EncoderLayer", "class Encoderlayer(nn.Module): ...", "Encoderlayer"),
        ("EncoderLayer", "class Encoder(nn.Module): ...", None),
    ],
)
def test_a_misspelt_definition_is_found_in_the_source(wanted, source, found):
    assert misspelt(wanted, [source]) == found


def test_what_is_said_behind_the_first_500_characters_is_not_looked_at():
    short, long = (f"name '{'x' * length}' is not defined" for length in (400, MAX_TEXT))
    faults = [read_fault({"kind": "raised", "type": "NameError", "text": t}) for t in (short, long)]
    assert [fault.template for fault in faults] == ["name", None]


def test_packages_that_may_be_imported_are_installed():
    for name in PACKAGES:
        assert __import__(name)


@pytest.mark.parametrize("report", [None, 7, [], {}, {"kind": 3}, {"kind": []}, {"kind": SECRET}])
def test_what_is_no_report_is_nonsense(report):
    with pytest.raises(ChannelError):
        read_fault(report)


def test_of_a_report_only_what_is_known_is_taken():
    fault = read_fault(
        {"kind": "raised", "type": SECRET, "text": SECRET, "cell": 3, "line": True, "more": SECRET}
    )
    assert fault == Fault("raised", "an exception", None, {}, None, None)


@pytest.mark.parametrize(
    ("cell", "line", "place"),
    [
        ("softmax", 2, " in `softmax`, line 2: `return 'scores' @ scores`"),
        ("softmax", 9, " in `softmax`"),
        ("softmax", None, ""),
        ("another", 1, ""),
        (None, 1, ""),
    ],
)
def test_the_place_is_quoted_from_the_students_own_source(cell, line, place):
    fault = Fault("raised", "ValueError", None, {}, cell, line)
    assert sentence(fault, SOURCES) == f"Your code raised `ValueError`{place}."


@pytest.mark.parametrize("operation", WHILE)
def test_where_no_line_of_the_students_raised_it_is_said_what_was_asked_for(operation):
    place = WHILE[operation].format("softmax")
    fault = Fault("raised", "ValueError")
    assert (
        sentence(fault, SOURCES, "softmax", operation) == f"Your code raised `ValueError` {place}."
    )
    own = Fault("raised", "ValueError", None, {}, "softmax", 1)
    assert place not in sentence(own, SOURCES, "softmax", operation)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_has_a_sentence_of_ours(kind):
    said = sentence(Fault(kind, "an exception"), {}, "softmax")
    assert said[0] in "`ABCDEFGHIJKLMNOPQRSTUVWXYZ" and said[-1] in ".?" and "\n" not in said
