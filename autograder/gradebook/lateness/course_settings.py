"""Base class for our settings in `nbgrader_config.py`, which rejects unknown settings."""

from typing import Any

from traitlets import TraitError
from traitlets.config import Config, Configurable

from autograder.engine import AutograderError


class CourseSettings(Configurable):
    """Settings of a course, under the name of the class."""

    def __init__(self, **options: Any):
        """Read the settings from `config`, nbgrader's configuration. Raises `AutograderError` for
        an invalid value or an unknown setting, as a misspelt setting would silently have no
        effect.
        """
        name, settings = type(self).__name__, sorted(self.class_trait_names(config=True))
        if unknown := sorted(options.get("config", Config())[name].keys() - set(settings)):
            raise AutograderError(
                f"c.{name} has no setting `{unknown[0]}`. It has: {', '.join(settings)}."
            )
        try:
            super().__init__(**options)
        except TraitError as error:
            raise AutograderError(f"A value of c.{name} cannot be used: {error}") from error
