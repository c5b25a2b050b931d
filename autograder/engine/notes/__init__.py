"""What staff should look at in one submission. No point depends on it, and no student reads it."""
