"""Students: their ids in the course, their names and numbers on platforms, and the roster."""
