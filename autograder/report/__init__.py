"""What a class looks like: on a terminal, and on a page for its instructor."""
