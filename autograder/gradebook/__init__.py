"""nbgrader's side: how points get into its gradebook, and what its own commands do here."""
