"""Shared parts of all commands: options, exit statuses, the terminal, progress, and Ctrl-C."""
