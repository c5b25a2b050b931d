"""Pages for people: what a class looks like on a terminal."""
