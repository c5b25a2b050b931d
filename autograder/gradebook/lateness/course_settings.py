"""Our settings in a course's `nbgrader_config.py`, which refuse what nbgrader would ignore."""

from typing import Any

from traitlets import TraitError
from traitlets.config import Config, Configurable

from autograder.engine import AutograderError


class CourseSettings(Configurable):
    """Settings of a course, under the name of the class."""

    def __init__(self, **options: Any):
        """Takes the settings from nbgrader's configuration, `config`. Raises `AutograderError` for an
        invalid value, and for an unknown setting, as a misspelt one would silently set nothing.
        """
        name, known = type(self).__name__, sorted(self.class_trait_names(config=True))
        if unknown := sorted(options.get("config", Config())[name].keys() - set(known)):
            raise AutograderError(
                f"c.{name} has no setting `{unknown[0]}`. It has: {', '.join(known)}."
            )
        try:
            super().__init__(**options)
        except TraitError as error:
            raise AutograderError(f"A value of c.{name} cannot be used: {error}") from error
