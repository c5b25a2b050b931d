"""`grade --watch --feedback`, started as a user does: a page is in the exchange by itself."""

import signal
import time

import pytest
from submissions import hand_in_comments
from typed_commands import Started

from autograder.gradebook.exchange import SECRET

WAIT_SECONDS = 120.0


@pytest.mark.walls
@pytest.mark.database
@pytest.mark.long
def test_a_page_is_in_the_exchange_when_the_verdict_is_there(copied, tmp_path):
    top, exchange = copied.course.root, tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    configuration = top / "nbgrader_config.py"
    settings = f"c.Exchange.root = {str(exchange)!r}\n"
    configuration.write_text(configuration.read_text() + settings)
    made = hand_in_comments(copied, top / "submitted", ["ada", "ben"])
    (made["ada"].parent / SECRET).write_text("a secret of ada's")
    (made["ada"].parent / "timestamp.txt").write_text("2026-11-20 11:00:00 UTC")
    words = ["grade", top / "submitted", "--assignment", copied.id, "--course", top]
    words += ["--results", top / "results", "--watch", "--feedback", "--jobs", "1"]
    run = Started(tmp_path / "log", *words)
    try:
        until = time.monotonic() + WAIT_SECONDS
        while "ada: feedback went back." not in run.said:
            assert run.process.poll() is None and time.monotonic() < until, run.said
            time.sleep(0.1)
        assert run.send(signal.SIGINT) == 0, run.said
    finally:
        run.end()
    assert "ben: feedback has no way back by itself." in run.said
    (page,) = exchange.rglob("*.html")
    shown = page.read_text()
    assert "handed in on 2026-11-20 11:00 UTC" in shown and "prediction is open" in shown
