"""The verdict: its types, the stamp that decides it, and what it replaced."""
