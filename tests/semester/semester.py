"""The invented semester as data: two sheets with what each kind of file is worth, answers in words,
inquiries with their decisions, and the words that go with the material.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

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

# student's number, sheet, exercise, text, received; decision, reason
DECISIONS = [
    (6, 0, "explain_layer_norm", "There are no points beside this answer.", "2025-11-10 13:05", "1.5", "The drawing has two of the rows, and half of a third."),
    (3, 0, "attention", "My weights look fine to me.", "2025-11-10 14:00", "kept", "The scores are not divided by the root of d_k."),
    (4, 0, "explain_feed_forward", "I have the shapes, too.", "2025-11-11 08:30", "2", "All rows of the scheme are there."),
    (7, 0, "feed_forward", "The members are called as asked for.", "2025-11-11 09:12", "3.5", "Half of what the Sequential costs."),
    (5, 0, "explain_layer_norm", "May I still ask? Sorry for the delay.", "2025-11-18 09:00", "kept", "It came after the window, and was not taken."),
    (0, 1, "explain_batch_norm", "We wrote this together, please look again.", "2025-11-12 10:00", "1.25", "Half of the second row is there."),
    (1, 1, "twelve_tokens", "Is a residual asked for at all?", "2025-11-12 10:07", "kept", "It is, in the second line of the sheet."),
    (6, 1, "explain_batch_norm", "The third row is in my last sentence.", "2025-11-12 18:40", "0.75", "Read again: one row, and half of another."),
    (8, 0, "explain_feed_forward", "Why no points?", "2025-11-12 19:00", "0.5", "One row is told in other words."),
    (9, 0, "feed_forward", "I was ill, that is why it is late.", "2025-11-12 19:30", "kept", "No point of this exercise depends on the time."),
    (10, 0, "explain_layer_norm", "I miss a half.", "2025-11-13 07:58", "2", "Right."),
    (11, 0, "attention", "The scale is a matter of taste.", "2025-11-13 08:15", "3.5", "It is not, but the sheet was vague."),
    (14, 0, "multi_head_attention", "Nobody told us about errors.", "2025-11-13 12:00", "6", "It was announced too late."),
    (15, 0, "explain_layer_norm", "Please explain.", "2025-11-13 12:01", "1.25", "The third row is there, half of it."),
    (18, 0, "multi_head_attention", "It trains well.", "2025-11-14 16:00", "5.5", "Half of the check."),
    (19, 0, "attention", "Who calls it without a mask?", "2025-11-14 16:45", "kept", "Whoever has no padding, as the sheet says."),
    (22, 0, "explain_feed_forward", "I do say what it is for.", "2025-11-15 22:10", "1", "The fourth row is there."),
    (24, 0, "explain_feed_forward", "The equation is complete.", "2025-11-16 11:11", "kept", "It is, and it was counted."),
    (8, 1, "explain_batch_norm", "Our group thinks that this is right.", "2025-11-16 20:00", "1.75", "One sentence contradicts another."),
    (30, 1, "explain_batch_norm", "Is the last sentence read?", "2025-11-17 17:59", "1.25", "It is now."),
]  # fmt: skip

POLICY = """c.LatePolicy.percent_per_day = 10
c.LatePolicy.most_percent = 50
c.LatePolicy.grace_minutes = 30
c.LatePolicy.late_days = 2
c.LatePolicy.timezone = "Europe/Berlin"
"""
README = f"""What belongs to the course "Transformers", winter 2025. Everybody in it is invented.

The first sheet, encoder-layer, is done alone: due on Wednesday 15 October 2025, 18:00 (Berlin).
The second, layer-norm, is done in groups of two or three, or alone; one of a group uploads for all.
It is due on Friday 24 October 2025, 18:00. All times are Berlin's, and so is my profile in Moodle.

roster.csv         all who take the course: our ids, Moodle's participant numbers, tutorials T1 to T5,
                   and with which group somebody does the second sheet. Whoever has asked to be in two
                   groups has two lines.
group-changes.csv  who has changed the group since the roster was made. Granted.
encoder-layer/     what Moodle gave for the first sheet: a folder for each day on which I downloaded it,
                   with the grading worksheet of that day. The second download has late ones, too.
layer-norm/        the same for the second sheet.
extensions.csv     who has been granted more time.
late-policy.txt    what being late costs, as settings of the program.
markers.txt        who marks by hand, and decides on inquiries. All five share all answers.
crib.csv           the answers that students gave in words, and what we agreed that each is worth. Where
                   points are missing we could not agree: leave it unmarked, and wait for the student.
inquiries.csv      the table of the form in which students doubt marks. It took inquiries from
                   10 November 2025, 12:00, until {RULES["closes"]}, for both sheets.
decisions.csv      what was decided on each: "kept", or the new points, and the reason. Whoever decides
                   has not marked the answer.

Somebody in Moodle who is not in the roster is a guest, and gets nothing from us. What cannot be read
is no grade; the student was told, and may upload again. At the end the office of exams wants one
table with the final points of both sheets, and Moodle wants its worksheets back.
"""
MARKERS = "Kim\nLee\nMax\nNia\nOya\n"
TEXTS = {"README.txt": README, "late-policy.txt": POLICY, "markers.txt": MARKERS}
