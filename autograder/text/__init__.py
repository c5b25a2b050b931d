"""Text: how strangers' text is shown and searched; numbers, names and times in sentences."""
