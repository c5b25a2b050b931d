"""The known mistakes of this assignment, as edits of the solution: what people really write.

A file an exercise. Each mistake has a sentence for the student, the checks that must fail, and the
ways in which it is made.
"""

from autograder.graders.encoder_layer.mistakes import (
    attention,
    encoder,
    encoder_layer,
    feed_forward,
    multi_head_attention,
)

CHAPTERS = feed_forward, attention, multi_head_attention, encoder_layer, encoder
MISTAKES = [mistake for chapter in CHAPTERS for mistake in chapter.chapter.mistakes]
