"""Marking by hand: who marks which answers, what tutors get, and how far two of them agree."""
