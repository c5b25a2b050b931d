"""The nbgrader side: preprocessors for `nbgrader autograde`, and the way into its gradebook."""

from autograder.gradebook.course import Course
from autograder.gradebook.late import LatePolicy
from autograder.gradebook.preprocessors import Examine, Penalise, Repair

__all__ = ["Course", "Examine", "LatePolicy", "Penalise", "Repair"]
