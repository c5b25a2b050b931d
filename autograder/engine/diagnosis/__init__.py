"""Which known mistake it was: the same questions, put to solutions with a mistake in them."""
