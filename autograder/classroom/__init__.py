"""A class: submissions are found, graded by workers, and their verdicts kept and compared."""
