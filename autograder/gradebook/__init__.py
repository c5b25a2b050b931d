"""nbgrader's side: preprocessors for `nbgrader autograde`, and how points get into its gradebook."""
