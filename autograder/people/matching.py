"""`NotPlaced`: a submission has no notebook of the assignment."""


class NotPlaced(Exception):
    """No notebook of the assignment can be chosen among the files of a submission. The message says
    why; it continues a sentence that begins with the submission.
    """
