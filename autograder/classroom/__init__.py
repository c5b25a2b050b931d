"""A class run: find submissions, grade them on workers, store and compare verdicts."""
