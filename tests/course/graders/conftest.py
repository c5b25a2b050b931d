"""Fixtures of the graders, for pytest from the shell."""

pytest_plugins = ["autograder.authoring.pytest_plugin"]
