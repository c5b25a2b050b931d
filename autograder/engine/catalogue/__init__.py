"""The known mistakes of an assignment: data in a format for people, made into cells."""
