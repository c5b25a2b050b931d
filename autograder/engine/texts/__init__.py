"""Text functions: make untrusted text printable, search it, and format numbers, names and times."""
