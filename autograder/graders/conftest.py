"""`pytest` on an assignment's folder here grades the solution of `source/`, and `--notebook FILE` a
submission: the same checks, behind the same walls, as in a class run.
"""

import pytest


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Load the plugin here: `pytest_plugins` is for the outermost folder alone."""
    pluginmanager.import_plugin("autograder.authoring.pytest_plugin")
