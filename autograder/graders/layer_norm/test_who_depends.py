"""Exercise 7: a student's own test. The norms are played here, and never are in its process.

A test that answers always the same gets nothing: each check also plays a norm with another answer. To
know norms is no test, nor to look at their outputs: in each check stand some that are drawn anew, with
and without a dependence, and take zeros to zeros; each is asked with tokens of its own.
Only three checks ask for the right word; the others ask whether anything is noticed.
"""

import pytest

from . import played
from .played import BATCH, D_MODEL, behind, depending, draw_norm_of_tokens, over

layer_norm, instance_norm, batch_norm = over(-1), over(1), over(0, 1)


@pytest.mark.points(0.5)
def test_a_norm_of_its_own_token_is_passed(calls):
    """When the other tokens change and this one does not, which outputs may your test look at? Of a
    norm that sees one token at a time it says that there is more."""
    drawn = draw_norm_of_tokens(), draw_norm_of_tokens()
    assert calls("neither", layer_norm, played.rms_norm, *drawn, played.constant)


@pytest.mark.points(0.5)
def test_other_sentences_are_called_batch(calls):
    """A token depends on other sentences, and on nothing else in its own. Which tokens does your
    test change to find that out, and which does it leave as they are?"""
    elsewhere = depending(lambda one, other: one[0] != other[0] and one[1] != other[1])
    assert calls("batch", over(0), depending(played.other_sentences), elsewhere)


@pytest.mark.points(0.5)
def test_other_tokens_of_the_sentence_are_called_positions(calls):
    """A token depends on other tokens of its own sentence, and on no other sentence. Which tokens
    does your test change to find that out, and which does it leave as they are?"""
    assert calls("positions", instance_norm, depending(played.own_sentence))


@pytest.mark.points(0.5)
def test_both_are_called_both(calls):
    """Both matter here. Does your test go on looking when it has found the first of the two?"""
    assert calls("both", batch_norm, depending(played.everybody))


@pytest.mark.points(0.25)
def test_a_single_other_sentence_is_noticed(notices):
    """Only one sentence of the batch matters to others, or only one depends on others. Does your
    test try each sentence in both parts, and is one that moves enough for it?"""
    others = [depending(played.sentence(*pair)) for pair in ((2, 0), (0, 2), (1, 2), (2, 1))]
    assert notices(depending(played.others_on_the_first_sentence), *others)


@pytest.mark.points(0.25)
def test_a_single_other_token_is_noticed(notices):
    """Only one token of the sentence matters to others, or only one depends on others. Does your
    test try each position of each sentence, and is one that moves enough for it?"""
    earlier = depending(lambda one, other: one[0] == other[0] and one[1] > other[1])
    last_sentence = depending(lambda one, other: one.sentence == other.sentence == BATCH - 1)
    pairs = (3, 0), (0, 3), (1, 2), (2, 1), (3, 1), (0, 1)
    assert notices(earlier, last_sentence, *[depending(played.position(*pair)) for pair in pairs])


@pytest.mark.points(0.25)
def test_no_shift_and_no_scale_hides_it(notices):
    """Suppose that each token is layer-normalised before the other tokens use it. Which changes of
    a token would move no other token then? Does your test make another one?"""
    firsts = layer_norm, lambda x: x - x.mean(dim=-1, keepdim=True), played.rms_norm
    norms = [behind(lambda x, first=first: batch_norm(first(x))) for first in firsts]
    sums_to_zero = behind(lambda x: batch_norm(layer_norm(x)))
    assert notices(*norms, lambda x: layer_norm(sums_to_zero(x)), own=behind(layer_norm))


@pytest.mark.points(0.25)
def test_a_single_feature_is_enough(notices):
    """Only one feature of the others matters, to only one feature of the output. Does your test
    change all features, and does it compare all of them?"""
    last, second, features = [D_MODEL - 1], [1], list(range(D_MODEL))
    kinds = played.other_sentences, played.own_sentence
    ways = (last, second), (last, features), (features, second)
    effects = [played.of_features(*way) for way in ways]
    assert notices(*[depending(kind, effect) for kind in kinds for effect in effects])


@pytest.mark.points(0.25)
def test_a_small_dependence_counts(notices):
    """How far does an output have to move before your test sees it? And how far does your test
    change the other tokens?"""
    assert notices(
        depending(played.next_in_the_sentence, played.small),
        depending(played.others_on_the_first_sentence, lambda mean: 1.5 * played.small(mean)),
        depending(played.next_in_the_sentence, played.small_sine),
    )


@pytest.mark.points(0.25)
def test_rounding_is_no_dependence(calls):
    """Computers round: the same sum in another order is another number in its last digits. Up to
    which difference are two outputs equal for your test?"""
    assert calls("neither", *map(played.rounded, (layer_norm, draw_norm_of_tokens())))


@pytest.mark.points(0.25)
def test_where_nothing_stands_beside_a_token_nothing_is_found(answers, notices, values_agree):
    """In an x of one sentence there is no other sentence, in a sentence of one token no other
    position. What does your test change then?"""
    own_sentence, others = map(depending, (played.own_sentence, played.other_sentences))
    found = answers(batch_norm, own_sentence, others, batch=1, seq=1)
    found += [*answers(others, batch=1), *answers(own_sentence, seq=1)]
    assert values_agree(found, ["neither"] * len(found))
    assert notices(own_sentence, batch=1) and notices(others, seq=1), (
        "An x of one sentence still has positions, and one of short sentences still has others. "
        "Does your test look at them?"
    )


@pytest.mark.points(0.25)
def test_x_stays_as_it_is(calls):
    """What does your test say of a norm that sees one token at a time, whatever it makes of it?"""
    assert calls("neither", draw_norm_of_tokens(), unchanged=True)
