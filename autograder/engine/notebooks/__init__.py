"""A submitted notebook: parsed strictly, and put back into the pristine one."""
