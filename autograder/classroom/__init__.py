"""Many submissions: found, read, graded by workers, kept in a ledger."""
