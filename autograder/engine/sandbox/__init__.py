"""The walls: a warm parent inside bubblewrap, and for each candidate namespaces, filter and limits."""
