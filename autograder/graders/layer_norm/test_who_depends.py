"""Exercise 7: a student's own test. The norms are played here, and never are in its process.

A test that answers always the same gets nothing: each check also plays a norm with another answer. To
know norms is no test, nor to look at their outputs: in each check stand some that are drawn anew, with
and without a dependence, and take zeros to zeros; each is asked with tokens of its own.
Only three checks ask for the right word; the others ask whether anything is noticed.
"""

import pytest
import torch

from . import played
from .played import draw_norm_of_tokens, over

WORDS = "batch", "positions", "both", "neither"
BATCH, SEQ, D_MODEL = 3, 4, 5  # each another number; of two tokens a norm leaves the signs alone
layer_norm, instance_norm, batch_norm = over(-1), over(1), over(0, 1)
batch_norm_of_each_position = over(0)
OF_TOKENS = (
    "What does your test say of a norm that sees one token at a time, whatever it makes of it?"
)
OF_ALL = "What does your test say of a norm that sees all tokens?"


def depending(*which, norm=played.depending):
    """A norm of single tokens, drawn anew, and a dependence beside it."""
    return norm(draw_norm_of_tokens(D_MODEL), *which)


def behind(first):
    """A norm of single tokens, drawn anew, of what another norm returned."""
    own = draw_norm_of_tokens(D_MODEL)
    return lambda x: own(first(x))


@pytest.fixture
def answers(candidate, values_agree):
    """What the student's test says of each norm; each answer has to be one of the four words.

    The norms are played in random order: to count them is no test.
    """

    def ask(*norms, batch=BATCH, seq=SEQ):
        depends_on = candidate.function("depends_on")
        order = torch.randperm(len(norms)).tolist()
        by_place = {
            place: depends_on(candidate.play(norms[place]), torch.randn(batch, seq, D_MODEL))
            for place in order
        }
        said = [by_place[place] for place in range(len(norms))]
        for answer in said:
            assert any(values_agree(answer, word) for word in WORDS), (
                "Which four words may your test return? Does each way through it return one?"
            )
        return said

    return ask


@pytest.fixture
def notices(answers, values_agree):
    """Whether the student's test notices something in each norm. It is also asked of one of single
    tokens.
    """

    def ask(*norms, own=None, **sizes):
        norms = *norms, own or draw_norm_of_tokens(D_MODEL)
        *said, own = [not values_agree(one, "neither") for one in answers(*norms, **sizes)]
        assert not own, OF_TOKENS
        return said

    return ask


@pytest.mark.points(0.5)
def test_a_norm_of_its_own_token_is_passed(answers, values_agree):
    own = layer_norm, played.rms_norm, *map(draw_norm_of_tokens, [D_MODEL] * 2), played.constant
    *said, of_both = answers(*own, depending(played.everybody))
    assert not values_agree(of_both, "neither"), (
        "Your test says the same of a norm that sees all tokens and of such that see one. Which x "
        "does it show to the norm, and which outputs does it compare?"
    )
    assert values_agree(said, ["neither"] * len(said)), (
        "When the other tokens change and this one does not, which outputs may your test look at? "
        "Of a norm that sees one token at a time it says that there is more."
    )


@pytest.mark.points(0.5)
def test_other_sentences_are_called_batch(answers, values_agree):
    *said, own = answers(
        batch_norm_of_each_position,
        depending(played.other_sentences),
        depending(played.elsewhere_in_other_sentences),
        draw_norm_of_tokens(D_MODEL),
    )
    assert not values_agree(own, "batch"), OF_TOKENS
    assert values_agree(said, ["batch"] * len(said)), (
        "A token depends on other sentences, and on nothing else in its own. Which tokens does "
        "your test change to find that out, and which does it leave as they are?"
    )


@pytest.mark.points(0.5)
def test_other_tokens_of_the_sentence_are_called_positions(answers, values_agree):
    *said, own = answers(
        instance_norm, depending(played.own_sentence), draw_norm_of_tokens(D_MODEL)
    )
    assert not values_agree(own, "positions"), OF_TOKENS
    assert values_agree(said, ["positions"] * len(said)), (
        "A token depends on other tokens of its own sentence, and on no other sentence. Which "
        "tokens does your test change to find that out, and which does it leave as they are?"
    )


@pytest.mark.points(0.5)
def test_both_are_called_both(answers, values_agree):
    *said, own = answers(batch_norm, depending(played.everybody), draw_norm_of_tokens(D_MODEL))
    assert not values_agree(own, "both"), OF_TOKENS
    assert values_agree(said, ["both"] * len(said)), (
        "A token depends on its own sentence and on others as well. Does your test go on looking "
        "after it has found the first of the two?"
    )


@pytest.mark.points(0.25)
def test_a_single_other_sentence_is_noticed(notices):
    assert all(
        notices(
            depending(played.others_depend_on_the_first_sentence),
            *[depending(played.sentence(*pair)) for pair in ((2, 0), (0, 2), (1, 2), (2, 1))],
        )
    ), (
        "Only one sentence of the batch matters to others, or only one depends on others. Does your "
        "test try each sentence in both parts, and is one that moves enough for it?"
    )


@pytest.mark.points(0.25)
def test_a_single_other_token_is_noticed(notices):
    assert all(
        notices(
            depending(played.earlier_in_the_sentence),
            depending(played.only_the_last_sentence_depends_on_itself),
            *[
                depending(played.position(*pair))
                for pair in ((3, 0), (0, 3), (1, 2), (2, 1), (3, 1), (0, 1))
            ],
        )
    ), (
        "Only one token of the sentence matters to others, or only one depends on others. Does your "
        "test try each position of each sentence, and is one that moves enough for it?"
    )


@pytest.mark.points(0.25)
def test_no_shift_and_no_scale_hides_it(notices):
    firsts = layer_norm, lambda x: x - x.mean(dim=-1, keepdim=True), played.rms_norm
    norms = [behind(lambda x, first=first: batch_norm(first(x))) for first in firsts]
    sums_to_zero = behind(lambda x: batch_norm(layer_norm(x)))
    norms.append(lambda x: layer_norm(sums_to_zero(x)))
    assert all(notices(*norms, own=behind(layer_norm))), (
        "Suppose that each token is layer-normalised before the other tokens use it. Which changes "
        "of a token would move no other token then? Does your test make another one?"
    )


@pytest.mark.points(0.25)
def test_a_single_feature_is_enough(notices):
    last, second, features = [D_MODEL - 1], [1], list(range(D_MODEL))
    ways = (last, second), (last, features), (features, second)
    kinds = played.other_sentences, played.own_sentence
    assert all(
        notices(
            *[
                depending(kind, *way, norm=played.depending_on_features)
                for kind in kinds
                for way in ways
            ]
        )
    ), (
        "Only one feature of the others matters, to only one feature of the output. Does your test "
        "change all features, and does it compare all of them?"
    )


@pytest.mark.points(0.25)
def test_a_small_dependence_counts(notices):
    assert all(
        notices(
            depending(played.next_in_the_sentence, played.SMALL),
            depending(played.others_depend_on_the_first_sentence, 1.5 * played.SMALL),
            depending(played.next_in_the_sentence, norm=played.depending_on_a_sine),
        )
    ), (
        "How far does an output have to move before your test sees it? And how far does your test "
        "change the other tokens?"
    )


@pytest.mark.points(0.25)
def test_rounding_is_no_dependence(answers, values_agree):
    norms = layer_norm, draw_norm_of_tokens(D_MODEL), depending(played.everybody)
    *said, of_both = answers(*map(played.rounded, norms))
    assert not values_agree(of_both, "neither"), OF_ALL
    assert values_agree(said, ["neither"] * len(said)), (
        "Computers round: the same sum in another order is another number in its last digits. Up to "
        "which difference are two outputs equal for your test?"
    )


@pytest.mark.points(0.25)
def test_where_nothing_stands_beside_a_token_nothing_is_found(notices):
    own_sentence, others = map(depending, (played.own_sentence, played.other_sentences))
    nobody = notices(batch_norm, own_sentence, others, batch=1, seq=1)
    one_sentence = notices(others, own_sentence, batch=1)
    one_position = notices(own_sentence, others, seq=1)
    assert not any((*nobody, one_sentence[0], one_position[0])), (
        "In an x of one sentence there is no other sentence, in a sentence of one token no other "
        "position. What does your test change then?"
    )
    assert one_sentence[1] and one_position[1], (
        "An x of one sentence still has positions, and one of short sentences still has others. "
        "Does your test look at them?"
    )


@pytest.mark.points(0.25)
def test_x_stays_as_it_is(candidate, values_agree):
    depends_on = candidate.function("depends_on")
    norms = draw_norm_of_tokens(D_MODEL), depending(played.everybody)
    order = torch.randperm(len(norms)).tolist()
    x = {n: torch.randn(BATCH, SEQ, D_MODEL) for n in order}
    said = {n: depends_on.unchanged(candidate.play(norms[n]), x[n]) for n in order}
    assert values_agree(said[0], "neither"), OF_TOKENS
    assert not values_agree(said[1], "neither"), OF_ALL
