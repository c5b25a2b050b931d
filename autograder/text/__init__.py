"""Text: strangers' as it is shown; patterns for it; numbers, names and times in sentences."""
