"""The graders of the assignment `small-sheet`."""
