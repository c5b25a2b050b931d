"""nbgrader's side: its gradebook, its commands, lateness, and the pages it makes."""
