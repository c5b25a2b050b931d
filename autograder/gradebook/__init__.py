"""Everything that concerns nbgrader: its gradebook, its commands, lateness, and the pages it makes."""
