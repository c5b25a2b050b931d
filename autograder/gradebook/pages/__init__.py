"""The HTML pages of a submission, in formgrader and as feedback: safe to open, whatever the student
wrote in it.
"""
