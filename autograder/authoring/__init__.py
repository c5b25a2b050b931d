"""Tools for authors of assignments: make the release, test the graders, generate sample classes."""
