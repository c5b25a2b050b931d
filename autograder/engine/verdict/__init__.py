"""The verdict: its schema, the stamp that says what it depends on, and earlier verdicts."""
