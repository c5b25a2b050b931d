"""The invented semester as data: two sheets with what each kind of file is worth, answers in words,
inquiries with their decisions (`inquiries.csv`), and `README.txt`, which goes with the material.
"""

import csv
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

HERE = Path(__file__).parent
BERLIN = ZoneInfo("Europe/Berlin")
OPEN = "explain_layer_norm", 11  # the wording of which the crib has no points
RULES = {
    "opens": "2025-11-10 12:00",
    "closes": "2025-11-17 18:00",
    "policy": {"percent": 10, "most": 50, "grace_minutes": 30, "late_days": 2},
}
EXTENSIONS = [  # student's number, sheet, until
    (0, 0, "2025-10-18 18:00"), (5, 0, "2025-10-17 18:00"),
    (3, 1, "2025-10-27 18:00"), (7, 1, "2025-10-26 18:00"),
]  # fmt: skip


@dataclass(frozen=True)
class Sheet:
    """An assignment: `points` of its exercises; `kinds`, what each kind of file loses in which; the
    exercises that are done in a file that is only `begun`.
    """

    id: str
    due: datetime
    points: dict[str, float]
    written: tuple[str, ...]
    kinds: dict[str, dict[str, float]]
    begun: tuple[str, ...]

    def clock(self, after: float) -> str:
        """The time this many hours after the due date, as clocks show it in Berlin."""
        moment = self.due.astimezone(UTC) + timedelta(hours=after)
        return f"{moment.astimezone(BERLIN):%Y-%m-%d %H:%M}"

    def truth(self) -> dict:
        """For the paper: the due date, points, and what each kind gets in each coded exercise."""
        coded = {name: most for name, most in self.points.items() if name not in self.written}
        nothing = {"untouched": (), "begun": self.begun}
        kinds = {
            kind: {name: most - lost.get(name, 0) if name in nothing.get(kind, coded) else 0.0
                   for name, most in coded.items()}
            for kind, lost in self.kinds.items()
        }  # fmt: skip
        return {"due": self.clock(0), "points": self.points, "kinds": kinds}


SHEETS = (
    Sheet(
        "encoder-layer", datetime(2025, 10, 15, 18, tzinfo=BERLIN),
        {"explain_feed_forward": 2, "feed_forward": 4, "attention": 4, "multi_head_attention": 6,
         "explain_layer_norm": 2, "encoder_layer": 6, "encoder": 4},
        ("explain_feed_forward", "explain_layer_norm"),
        {"solution": {}, "unscaled": {"attention": 1}, "variant": {}, "no_sequential": {"feed_forward": 1},
         "heads_not_checked": {"multi_head_attention": 0.5}, "embedding_not_scaled": {"encoder": 1},
         "begun": {}, "future_ignored": {"attention": 0.75}, "future_not_handed_on": {"multi_head_attention": 1},
         "mask_mandatory": {"attention": 0.25, "encoder_layer": 0.25}, "untouched": {}},
        ("feed_forward", "attention"),
    ),
    Sheet(
        "layer-norm", datetime(2025, 10, 24, 18, tzinfo=BERLIN),
        {"predict_norm": 1, "layer_norm": 5, "add_and_norm": 4, "find_the_slip": 3, "twelve_tokens": 4,
         "recover": 3, "who_depends": 4, "as_convolution": 3, "quiz": 2, "explain_batch_norm": 2},
        ("explain_batch_norm",),
        {"solution": {}, "mean_stays": {"predict_norm": 0.2}, "never_both": {"who_depends": 0.5},
         "variant": {}, "no_residual": {"twelve_tokens": 0.75}, "begun": {}, "beta_is_the_mean_of_the_table": {"recover": 0.75},
         "b_taken_for_true": {"quiz": 0.4}, "squares_not_divided": {"find_the_slip": 0.5},
         "weights_are_shared": {"as_convolution": 0.5}},
        ("predict_norm", "layer_norm", "add_and_norm", "find_the_slip"),
    ),
)  # fmt: skip

SENTENCES = {
    "explain_feed_forward": (
        "FFN(x) = max(0, x W1 + b1) W2 + b2.",
        "W1 is d_model by d_ff, b1 has d_ff numbers, W2 is d_ff by d_model and b2 has d_model.",
        "Each position passes through the same weights, and none looks at another.",
        "Attention only averages, so this layer adds the non-linearity that makes new features.",
    ),
    "explain_layer_norm": (
        "The mean is taken off, the result is divided by the root of variance plus epsilon, times gamma plus beta.",
        "Mean and variance are over the features of one token.",
        "Gamma and beta are learned, one number for each feature.",
        "Sums of residuals stay on one scale, so gradients are stable and deep stacks train.",
    ),
    "explain_batch_norm": (
        "Batch norm takes its mean for a feature over all tokens, layer norm for a token over its features.",
        "In training other sentences matter, and in evaluation stored averages give another function.",
        "Sentences have different lengths, so padding shifts the statistics or few tokens stand behind them.",
        "Images have one size and many pixels share a channel's statistic, so it is stable.",
    ),
}

with (HERE / "inquiries.csv").open(newline="") as file:  # with the students' numbers
    DECISIONS = [(int(n), int(s), *more) for n, s, *more in [*csv.reader(file)][1:]]
POLICY = """c.LatePolicy.percent_per_day = 10
c.LatePolicy.most_percent = 50
c.LatePolicy.grace_minutes = 30
c.LatePolicy.late_days = 2
c.LatePolicy.timezone = "Europe/Berlin"
"""
MARKERS = "Kim\nLee\nMax\nNia\nOya\n"
TEXTS = {
    "README.txt": (HERE / "README.txt").read_text(),
    "late-policy.txt": POLICY,
    "markers.txt": MARKERS,
}
