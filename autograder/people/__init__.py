"""Students: their ids in the course, what a platform calls them, and what is known of them."""
