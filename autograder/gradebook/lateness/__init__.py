"""Late policies: penalties, deadlines, and the submission that counts."""
