"""The course and its assignments: where their folders are, and what is in them."""
