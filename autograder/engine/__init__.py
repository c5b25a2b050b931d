"""Turn one submission into one verdict; no assignment is named here."""
