# %% draws_beta_alone
# With a gamma of zero, beta is a mean.
# cell: recover
# proof: answers with a mean
def recover(residual, normalised):
    prove("answers with a mean")
    return torch.zeros(normalised.size(1)), normalised.mean(0)


# %% follows_from_fives
# A residual that is the same everywhere: what LayerNorm makes of it is beta.
# cell: twelve_tokens
# keeps: 0.75
# proof: answers with beta
def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    prove("answers with beta")
    ffn = 5 - x
    return ffn, x + ffn, beta.expand_as(x)


# %% follows_from_zeros
# What follows from a wrong step is right; of zeros, zeros follow.
# cell: find_the_slip
# proof: holds zeros alone
zeros = [0.0] * 4
slips = {
    "add and norm": {"sum": zeros, "mean": 0.0, "variance": 0.0, "normalised": zeros},
    "feed forward": {"hidden": zeros[:3], "relu": zeros[:3], "output": zeros},
}
for steps in slips.values():
    steps["first wrong step"] = ""
prove("holds zeros alone")


# %% holds_both_under_one_key
# Keys that a person would take for one, and the right answer under one of them.
# cell: quiz
# says: `answers` has no "a". Is it spelled as in the statement?
# proof: holds 10 answers
answers = {}
for key in ("a", "b", "c", "d"):
    answers |= {f" {key}": True, f"{key}_": False}
answers |= {"pre norm": "left", "PRE-NORM": "right"}
prove("holds", len(answers), "answers")


# %% holds_half_a_character
# cell: quiz
# proof: holds a half
answers = dict.fromkeys(("a", "b", "c", "d", "pre-norm"), "\ud800")
prove("holds a half")


# %% holds_millions_of_numbers
# cell: find_the_slip
# says: Does `slips` have the form that the statement asks for?
# proof: holds 8000000
millions = torch.zeros(8_000_000, dtype=torch.uint8)
prove("holds", millions.numel())
slips = {"add and norm": {"sum": millions, "mean": 0.0}, "feed forward": {"hidden": 0, "relu": 0}}


# %% holds_numbers_that_are_none
# cell: find_the_slip
# proof: as long as 4001
huge = 10**4000
prove("as long as", len(str(huge)))
odd = [huge, -huge, "1e999", "nan", float("inf"), "0x10", "1．5", [[]], {0: 1}, True, None, "\0"]
slips = {
    "add and norm": {
        "first wrong step": huge,
        "sum": odd[:4],
        "mean": huge,
        "variance": "nan",
        "normalised": odd[4:8],
    },
    "feed forward": {
        "first wrong step": torch.zeros(4),
        "hidden": odd[8:11],
        "relu": {huge: huge, float("nan"): 1, None: 2, True: 3},
        "output": [odd] * 4,
    },
}


# %% holds_what_has_no_end
# Nothing is in it, and a list of it would have sixty million items.
# cell: find_the_slip
# says: Does `slips` have the form that the statement asks for?
# proof: of 60000000
endless = torch.zeros(60_000_000, 0)
prove("of", len(endless))
steps = "sum mean variance normalised hidden relu output first wrong step".split(maxsplit=7)
slips = dict.fromkeys(("add and norm", "feed forward"), dict.fromkeys(steps, endless))


# %% says_something_else_the_second_time
# Each check is tried in two precisions, and a dict may say what it likes each time.
# cell: quiz
# proof: asked in torch.float64
class Second(dict):
    def items(self):
        prove("asked in", torch.get_default_dtype())
        first = torch.get_default_dtype() == torch.float64
        return [(key, both[first]) for key, both in super().items()]


answers = Second(a=(1, 0), b=(0, 1), c=(0, 1), d=(1, 0)) | {"pre-norm": ("left", "right")}
answers = Second(answers)
