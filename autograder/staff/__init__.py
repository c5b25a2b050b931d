"""What staff do beside grading: marking by hand, looking for copies."""
