"""HTML pages of a submission, in formgrader and as feedback, safe against hostile notebooks."""
