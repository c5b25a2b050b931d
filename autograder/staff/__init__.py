"""What staff do beside automatic grading: mark answers by hand, and look for copied submissions."""
