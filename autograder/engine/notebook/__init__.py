"""A stranger's notebook: read strictly, and put back into the pristine one."""
