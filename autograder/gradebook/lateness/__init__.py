"""Who is late, what that costs, and which submission counts."""
