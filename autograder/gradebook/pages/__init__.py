"""The pages of a submission: formgrader's and the feedback, harmless whatever the student wrote."""
