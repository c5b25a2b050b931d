"""`collect`: turn downloads from platforms into submissions in nbgrader's folders, and keep a copy
of every received file.
"""
