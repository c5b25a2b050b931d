"""The walls: a warm parent inside bubblewrap; namespaces, a filter and limits for each candidate."""
