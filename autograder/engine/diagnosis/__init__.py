"""Find the known mistake in wrong answers: put the same questions to mutants of the solution."""
