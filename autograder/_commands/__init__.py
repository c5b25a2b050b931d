"""What all commands share: options, exit statuses, the terminal, progress, and Ctrl-C."""
