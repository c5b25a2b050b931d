"""nbgrader integration: the gradebook, the commands on it, late policies and feedback pages."""
