"""What a process may use: a candidate, the examiner, whoever reads what a stranger handed in."""
