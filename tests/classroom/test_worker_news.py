"""Workers that come and go are told in one sentence for all."""

import pytest

from autograder.classroom.worker_news import WorkerNews

PLACES = [f"tls://10.0.0.{number}:4001" for number in range(1, 7)]


@pytest.mark.parametrize(
    ("joined", "lost", "working", "sentences"),
    [
        (0, 0, 3, []),
        (1, 0, 1, ["1 worker joins from 10.0.0.1: 1 in all."]),
        (2, 0, 3, ["2 workers join from 10.0.0.1, 10.0.0.2: 3 in all."]),
        (5, 0, 5, ["5 workers join from 10.0.0.1, 10.0.0.2, 10.0.0.3 and 2 more: 5 in all."]),
        (0, 1, 0, ["Lost 1 worker (10.0.0.1): what it had not finished waits for another one."]),
        (0, 1, 1, ["Lost 1 worker (10.0.0.1): what it had not finished goes to the other one."]),
        (
            0,
            2,
            3,
            [
                "Lost 2 workers (10.0.0.1, 10.0.0.2): what they had not finished goes to the other 3."
            ],
        ),
    ],
)
def test_one_sentence(joined, lost, working, sentences):
    told: list[str] = []
    news = WorkerNews(told.append)
    news.joined, news.lost = PLACES[:joined], PLACES[:lost]
    news.say(working)
    news.say(working)
    assert told == sentences
