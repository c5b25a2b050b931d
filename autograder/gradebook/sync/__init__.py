"""Verdict files into nbgrader's gradebook, and nbgrader's own commands for a course with hidden graders."""
