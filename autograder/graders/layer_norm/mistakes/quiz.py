"""What goes wrong in `quiz`: each wrong answer by itself."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("quiz")

mistakes.add(
    "a_taken_for_false",
    "You take statement a for false. Which x is it that the plus sign gets past the norm?",
    "statement_a",
    ('"a": True', '"a": False'),
    ('"a": True', '"a": "no"'),
)
mistakes.add(
    "b_taken_for_true",
    "You take statement b for true. In LayerNorm(x + sublayer(x)), what does the norm act on?",
    "statement_b",
    ('"b": False', '"b": True'),
    ('"b": False', '"b": "True"'),
)
mistakes.add(
    "c_taken_for_true",
    "You take statement c for true. Which layer of an encoder is there for the exchange between tokens?",
    "statement_c",
    ('"c": False', '"c": True'),
    ('"c": False', '"c": 1'),
)
mistakes.add(
    "d_taken_for_false",
    "You take statement d for false. Which part of it? Hold it against the layers that exercise 8 gets.",
    "statement_d",
    ('"d": True', '"d": False'),
    ('"d": True', '"d": 0'),
)
mistakes.add(
    "figures_confused",
    "You take the other figure for pre-norm. Does its norm stand before the sub-layer or behind the sum?",
    "the_figure_of_pre_norm",
    ('"pre-norm": "left"', '"pre-norm": "right"'),
    ('"pre-norm": "left"', '"pre-norm": "Right "'),
)
mistakes.add(
    "true_and_false_exchanged",
    "Each of the four truths is the other one: do you say of each statement whether it is wrong?",
    "statement_a statement_b statement_c statement_d",
    (
        ('"a": True', '"a": False'),
        ('"b": False', '"b": True'),
        ('"c": False', '"c": True'),
        ('"d": True', '"d": False'),
    ),
)
mistakes.add(
    "no_truths",
    "The four statements are answered with something that is neither True nor False.",
    "statement_a statement_b statement_c statement_d",
    (
        ('"a": True', '"a": "post-norm"'),
        ('"b": False', '"b": "post-norm"'),
        ('"c": False', '"c": "post-norm"'),
        ('"d": True', '"d": "post-norm"'),
    ),
)
