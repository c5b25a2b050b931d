"""What the command line can do: a module a command, each with its arguments and what it runs."""
