"""The nbgrader side: preprocessors for `nbgrader autograde`, and the way into its gradebook."""
