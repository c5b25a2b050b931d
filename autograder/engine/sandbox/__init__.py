"""The walls: a warm parent inside bubblewrap; and namespaces, a seccomp filter and limits for each
candidate.
"""
