"""Notes for staff on one submission. No point depends on them, and no student reads them."""
