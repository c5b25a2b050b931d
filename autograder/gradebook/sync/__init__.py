"""Enter verdict files into nbgrader's gradebook, and adapt nbgrader's commands to hidden graders."""
