"""The course and its assignments: where they lie, and what they consist of."""
