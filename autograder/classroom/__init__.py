"""A class run: find submissions, grade them on a pool of workers, keep and compare their verdicts."""
