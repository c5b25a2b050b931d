"""What people look at: how a check cell, a class and a grade are shown."""
