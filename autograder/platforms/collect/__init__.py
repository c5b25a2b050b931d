"""From a learning platform's download to submissions in nbgrader's layout, losing nothing."""
