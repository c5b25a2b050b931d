"""The candidate at arm's length: stand-ins, recordings, descriptions, gradients."""

import contextlib
import math

import pytest
import torch
from engine.examiner import computed
from submissions import SHORT

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.engine import GraderError
from autograder.engine.candidate.frames import ChannelError
from autograder.engine.candidate.known import MAX_COMPUTED
from autograder.engine.examiner import Candidate, Clock, Supervisor
from autograder.engine.examiner.faults import CandidateFault, CandidateLost
from autograder.engine.examiner.layer import Layer
from autograder.engine.limits import Limits
from autograder.engine.notebooks import read_submission

WITHOUT_A_KIND = {"name": "relu", "class": "ReLU", "kinds": [], "identity": 1}  # asked for first
WITHOUT_A_KIND |= {"facts": {}, "bias": False, "stand_in": None}
BATCH, SEQ, D_MODEL, HEADS, D_FF = 2, 5, 12, 3, 20


FORGE = """
import gc
server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
server.operations["{operation}"] = lambda **_: {answer}
"""


FORGED_HANDED = """
server._handed = lambda: {{"handed": {handed}}}
"""


@pytest.fixture
def questioned(assignment, walls, hand_in):
    """A candidate after its cells ran, with these changed."""
    with contextlib.ExitStack() as stack:

        def run(**cells) -> Candidate:
            submission = read_submission(assignment, "s001", hand_in(**cells))
            supervisor = stack.enter_context(Supervisor(walls, Clock(Limits()), submission))
            candidate = Candidate(supervisor, assignment.aliases, assignment.signature)
            return candidate.for_check(double=False, own_parts=False)

        yield run


@pytest.fixture
def candidate(questioned):
    return questioned()


@pytest.fixture
def layer(candidate):
    return candidate.build("EncoderLayer", D_MODEL, HEADS, D_FF, 0.0)


AGAIN = """
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.part = PositionWiseFeedForward(d_model, d_ff)

    def forward(self, x, attention_mask=None):
        for _ in range({times}):
            x = self.part(x)
        return x
"""


def test_stand_ins_compute_only_so_often_in_one_question(questioned):
    candidate = questioned(encoder_layer=AGAIN.format(times="10**9"))
    with candidate.stand_in(PositionWiseFeedForward=computed.rectified):
        layer = candidate.build("EncoderLayer", D_MODEL, HEADS, D_FF, 0.0)
    with pytest.raises(CandidateFault, match="another part is called hundreds of times"):
        layer(torch.randn(BATCH, SEQ, D_MODEL))
    assert len(candidate.calls["PositionWiseFeedForward"]) == MAX_COMPUTED


@pytest.mark.parametrize(
    "function", [lambda part, x: x, torch.relu, pytest.importorskip, len], ids=lambda _: ""
)
def test_only_a_function_that_may_be_read_is_sent_to_candidates(candidate, function):
    with (
        pytest.raises(GraderError, match=r"computes a function of a module|may import torch"),
        candidate.stand_in(PositionWiseFeedForward=function),
    ):
        pass


@pytest.mark.parametrize(
    "handed",
    [
        *("7", "[7]", "[((), {})]", "[(('A', 0, 0, {}), 'x', None)]", "[(('A', 0, 0), [], [])]"),
        "[(('A', 0, 0, {}), torch.ones(2000), None)]",
        "[(('A', 0, 0, {'n': 'x' * 501}), torch.ones(1), None)]",
        "[(('A', 0, 0, {}), torch.ones(1), [torch.zeros(1, 2000, 1)])]",
    ],
)
def test_what_no_stand_in_says_is_nonsense(questioned, handed):
    forged = FORGE.format(operation="none", answer="None") + FORGED_HANDED.format(handed=handed)
    candidate = questioned(encoder=forged)
    with pytest.raises(ChannelError):
        candidate.build("EncoderLayer", D_MODEL, HEADS, D_FF)
    assert not any(candidate.calls.values())


def test_a_stand_in_answers_with_a_tuple_where_the_own_part_does_if_wanted(questioned, solved):
    several = (
        "\n\nclass MultiHeadAttention(MultiHeadAttention):\n    def forward(self, *args):\n"
        "        return super().forward(*args), 1, None\n"
    )
    layer = solved["encoder_layer"].replace("attention_mask)))", "attention_mask)[0]))")
    attention = solved["multi_head_attention"] + several
    candidate = questioned(multi_head_attention=attention, encoder_layer=layer)
    x = torch.randn(BATCH, SEQ, D_MODEL)
    candidate.build("MultiHeadAttention", D_MODEL, HEADS)(x, x, x)
    assert candidate.several == {"MultiHeadAttention": 3}
    given = {"MultiHeadAttention": x.flip(0), "PositionWiseFeedForward": torch.zeros_like(x)}
    answers = []
    for as_several in (False, True):
        candidate = candidate.for_check(double=False, own_parts=False, as_several=as_several)
        with candidate.stand_in(**given):
            made = candidate.build("EncoderLayer", D_MODEL, HEADS, D_FF, 0.0)
        assert candidate.offers_several
        answers.append(made.eval()(x))
    one_for_all, each_its_own = answers
    assert torch.allclose(one_for_all[0], each_its_own[0])
    assert not torch.allclose(one_for_all[1], each_its_own[1])


@pytest.mark.parametrize(
    ("operation", "answer", "ask"),
    [
        ("build", "(float('inf'), None, False)", lambda layer: layer.candidate.build("Encoder")),
        ("build", "(0, None, torch.ones(2))", lambda layer: layer.candidate.build("Encoder")),
        ("build", "(0,)", lambda layer: layer.candidate.build("Encoder")),
        ("parameters", "[['w', 1, [float('inf')], True]]", lambda layer: layer.parameters()),
        ("parameters", "[['w', 1, [-5], True]]", lambda layer: layer.parameters()),
        ("parameters", "[['w', 1, [10**15], True]]", lambda layer: layer.parameters()),
        ("parameters", "[['w', 1, [2], True]] * 200", lambda layer: layer.parameters()),
        ("parameters", "[['w' * 501, 1, [2], True]]", lambda layer: layer.parameters()),
        ("call", "[torch.zeros(0, 1 << 40)]", lambda layer: layer(torch.ones(1, 2, D_MODEL))),
        ("parameters", "torch.ones(2)", lambda layer: layer.parameters()),
        ("modules", "torch.ones(2)", lambda layer: layer.modules()),
        ("modules", "[{}] * 500", lambda layer: layer.modules()),
        ("modules", "7", lambda layer: layer.modules()),
        ("modules", "[" + repr(WITHOUT_A_KIND) + "]", lambda layer: layer.modules()),
        ("refusals", "torch.ones(2)", lambda layer: layer.candidate.refusals("Encoder", (1, 2))),
        ("gradients", "torch.ones(2)", lambda layer: layer.learns(torch.ones(1, 2, D_MODEL))),
        ("gradients", "{'arguments': [1], 'parameters': {}}", lambda layer: layer.learns(torch.ones(1))),
        ("call", "torch.ones(2)", lambda layer: layer.strictly(torch.ones(1, 2, D_MODEL))),
        ("build", "torch.zeros(3, dtype=torch.uint8)", lambda layer: layer.candidate.build("Encoder")),
        ("build", "(0, torch.ones(2), False)", lambda layer: layer.candidate.build("Encoder")),
        ("parameters", "[['w', 1, torch.ones(2), True]]", lambda layer: layer.parameters()),
        ("parameters", "[[b'w', 1, [2], True]]", lambda layer: layer.parameters()),
        ("gradients", "{'arguments': torch.ones(9), 'parameters': {}}", lambda layer: layer.learns(torch.ones(1))),
        ("call", "[torch.zeros(5_000_000)]", lambda layer: layer(torch.ones(1, 2, D_MODEL))),
        ("call", "server.channel.send({'fault': {'kind': []}, 'token': server.token})", lambda layer: layer(torch.ones(1, 2, 3))),
        ("call", "[]", lambda layer: layer(torch.ones(1, 2, D_MODEL))),
    ],
)  # fmt: skip
def test_a_forged_answer_is_nonsense_and_no_fault_of_ours(questioned, operation, answer, ask):
    candidate = questioned(encoder=FORGE.format(operation=operation, answer=answer))
    real = ["EncoderLayer", D_MODEL, HEADS, D_FF]
    layer = Layer(candidate, 0, "EncoderLayer")
    if operation != "build":
        layer = candidate.build(*real).expect(lambda x: x.shape)
        layer.described = None
    with pytest.raises((ChannelError, CandidateLost)):
        ask(layer)


@pytest.mark.parametrize(
    "handed",
    [
        *("torch.zeros(1, 11_000, 1)", "torch.zeros(1, 800, 800)", "query.bool()", "'text'"),
        *("torch.zeros(0, 2, 30_000, 6)", "torch.zeros(1, 1, 30_000, 0)"),
    ],
)
def test_a_part_is_handed_what_a_question_can_ask_for_and_no_more(questioned, handed):
    source = f"""
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        self.attention = Attention()

    def forward(self, query, key, value, attention_mask=None):
        return self.attention(*[{handed}] * 3, None)
"""
    candidate = questioned(multi_head_attention=source)
    with candidate.stand_in(Attention=computed.query):
        layer = candidate.build("MultiHeadAttention", D_MODEL, HEADS).expect(lambda x, *_: x.shape)
    with pytest.raises(CandidateFault, match="handed something that it cannot work with"):
        layer(*[torch.ones(BATCH, SEQ, D_MODEL)] * 3)


@pytest.fixture
def small_candidate(small, walls, tmp_path):
    """The small assignment's solution after its cells ran, with this one in place of `prediction`."""
    with contextlib.ExitStack() as stack:

        def run(cell: str) -> Candidate:
            sample = SampleSubmission(small.solutions | {"prediction": cell}, "")
            notebook = write_submission(small, tmp_path / "submitted", sample)
            submission = read_submission(small, "s001", notebook)
            supervisor = stack.enter_context(Supervisor(walls, Clock(SHORT), submission))
            candidate = Candidate(supervisor, small.aliases, small.signature)
            return candidate.for_check(double=False, own_parts=False)

        yield run


ASSIGNED = "import numpy\nprediction = {value}\ndef answer(*_):\n    return prediction"
PLAIN_VALUES = [
    ("[[1, [2, [3, []]]], ()]", [[1, [2, [3, []]]], ()]),
    ("numpy.float32(0.5)", 0.5),
    ("[numpy.int64(3), numpy.bool_(True)]", [3, True]),
    ("{1: 'one', None: (), 'x': {0.5: -1}}", {1: "one", None: (), "x": {0.5: -1}}),
    ("[float('inf'), -float('inf')]", [math.inf, -math.inf]),
    ("'\\u2211 \\x00'", "\u2211 \x00"),
    ("10 ** 30", 10**30),
]


@pytest.mark.parametrize(("value", "read"), PLAIN_VALUES)
def test_plain_values_come_as_they_are(small_candidate, value, read):
    candidate = small_candidate(ASSIGNED.format(value=value))
    assert candidate.value("prediction") == read
    assert candidate.function("answer")(torch.ones(2)) == read
    assert repr(candidate.value("prediction")) == repr(read)  # True is not 1


def test_tensors_come_inside_of_lists_and_dicts(small_candidate):
    candidate = small_candidate(
        ASSIGNED.format(value="{'t': (torch.ones(2), [numpy.arange(3.0)]), 0: torch.tensor(True)}")
    )
    for read in (candidate.value("prediction"), candidate.function("answer")()):
        tensor, (array,) = read["t"]
        assert torch.equal(tensor, torch.ones(2)) and tensor.dtype == torch.float32
        assert torch.equal(array, torch.arange(3.0, dtype=torch.float64))
        assert torch.equal(read[0], torch.tensor(True))


@pytest.mark.parametrize(
    "value",
    [
        "object()",
        "{'x': [object()]}",
        "lambda: 3",
        "{1, 2}",
        "{(1, 2): 3}",
        "b'bytes'",
        "1j",
        "numpy.array([object()])",
        "numpy.array(['text'])",
        "eval('[' * 50 + ']' * 50)",
        "'\\ud800'",
        "{'\\ud800': 1}",
        "-(1 << 1024)",
    ],
)
def test_what_is_no_plain_value_is_a_fault_of_the_students(small_candidate, value):
    candidate = small_candidate(ASSIGNED.format(value=value))
    with pytest.raises(CandidateFault, match="`prediction` holds something other than numbers"):
        candidate.value("prediction")
    with pytest.raises(CandidateFault, match="`answer` holds something other than numbers"):
        candidate.function("answer")()
    assert candidate.function("softmax")(torch.zeros(2)).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    "value", ["list(range(10 ** 6))", "'x' * 10 ** 7", "[torch.ones(10 ** 7)]"]
)
def test_what_is_far_too_much_is_no_answer_and_no_fault_of_ours(small_candidate, value):
    candidate = small_candidate(ASSIGNED.format(value=value))
    with pytest.raises((CandidateFault, CandidateLost, ChannelError)):
        candidate.value("prediction")


@pytest.mark.parametrize(
    "value", ["torch.zeros(60_000_000, 0)", "torch.zeros(70_000, dtype=torch.uint8)"]
)
def test_no_grader_goes_through_a_list_without_end(small_candidate, value):
    candidate = small_candidate(ASSIGNED.format(value=f"{{'x': [{value}]}}"))
    for ask in (
        lambda: candidate.value("prediction"),
        lambda: candidate.entry("prediction", "x"),
        candidate.function("answer"),
    ):
        with pytest.raises(ValueError, match="any"):
            ask()


CHANGING = """
class Changing(dict):
    def items(self):
        self["asked"] += 1
        return super().items()

prediction = Changing(asked=0)
"""


def test_a_value_is_what_it_was_the_first_time(small_candidate):
    candidate = small_candidate(CHANGING)
    first = candidate.value("prediction")
    assert first == {"asked": 1}
    first["asked"] = 7  # a grader's own copy
    candidate = candidate.for_check(double=True, own_parts=False)
    assert candidate.entry("prediction", "asked") == candidate.value("prediction")["asked"] == 1


FILLED = "prediction = {'Mean ': '5', 'steps': {'first-wrong': ..., 'sum': (1, 2)}, 'none': None}"


@pytest.mark.parametrize("keys", [("none",), ("none", "inside"), ("steps", "first wrong")])
def test_an_entry_that_is_not_filled_in_is_open(small_candidate, keys):
    with pytest.raises(CandidateFault, match=r'none|first wrong"\] is still open') as caught:
        small_candidate(FILLED).entry("prediction", *keys)
    assert caught.value.fault.kind == "open"


def test_an_entry_that_is_not_there_is_named(small_candidate):
    candidate = small_candidate(FILLED)
    with pytest.raises(AssertionError, match='`prediction` has no "variance". Is it spelled'):
        candidate.entry("prediction", "variance")
    with pytest.raises(AssertionError, match=r'`prediction`\["mean"\] is a dict in the statement'):
        candidate.entry("prediction", "mean", "variance")


PLAYING = """
import torch
prediction = None

def hand(norm, x):
    return norm(eval("HANDED"))

def keep_and_ask(norm, x):
    kept = globals().setdefault("kept", norm)
    return kept(x)

def kind(norm, x):
    return [type(norm).__name__, sorted(vars(norm.spec)), [*norm.state_dict()]]
"""


def double(x):
    return 2 * x


def test_a_played_function_tells_nothing_of_what_it_plays(small_candidate):
    candidate, x = small_candidate(PLAYING), torch.randn(3, 2)
    kinds = [candidate.function("kind")(candidate.play(f), x) for f in (double, torch.relu_)]
    assert kinds[0] == kinds[1] and kinds[0][0] == "played"


@pytest.mark.parametrize(
    "handed",
    [
        "torch.zeros(1, 11_000)",
        "torch.zeros(800, 800)",
        "x > 0",
        "'text'",
        "torch.zeros(0, 30_000)",
    ],
)
def test_a_played_function_is_handed_what_a_question_can_ask_for_and_no_more(
    small_candidate, handed
):
    candidate, computed = small_candidate(PLAYING.replace('eval("HANDED")', handed)), []
    with pytest.raises(CandidateFault, match="handed something that it cannot work with"):
        candidate.function("hand")(candidate.play(computed.append), torch.ones(2))
    assert computed == []


def test_a_played_function_of_an_earlier_check_is_gone(small_candidate):
    candidate, x = small_candidate(PLAYING), torch.ones(2)
    ask = candidate.function("keep_and_ask")
    assert torch.equal(ask(candidate.play(double), x), 2 * x)
    candidate = candidate.for_check(double=False, own_parts=False)
    with pytest.raises(CandidateFault, match="handed something that it cannot work with"):
        candidate.function("keep_and_ask")(x, x)  # nothing is played in this check
