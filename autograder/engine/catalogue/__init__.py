"""Read the known mistakes of an assignment from text for people, and make the cells that have them."""
