"""nbgrader's own way to grade, for the assignments of a course that have no hidden graders."""

from typing import Any

from traitlets.config import Config

GRADING = "sanitize_preprocessors", "autograde_preprocessors", "exporter_class"
KEPT = "of_other_assignments"  # in c.Graders


def keep_own_settings(c: Config) -> None:
    """Keep how a course had nbgrader grade, before ours takes its place."""
    if KEPT not in c.Graders:
        c.Graders[KEPT] = {name: c.Autograde[name] for name in GRADING if name in c.Autograde}


def grade_without_walls(converter: Any) -> None:
    """Have an `Autograde` of nbgrader's grade in its own way, as the course had set it, and say so."""
    converter.log.warning(
        "%s has no hidden graders: nbgrader runs its submissions itself, without walls.",
        converter.coursedir.assignment_id,
    )
    own = converter.config.Graders.get(KEPT, {})
    for name in GRADING:
        setattr(converter, name, own.get(name, converter.trait_defaults(name)))
    converter.exporter = converter.exporter_class(parent=converter, config=converter.config)
