"""The verdict: its schema, the stamp (the part that says what it depends on), and earlier verdicts."""
