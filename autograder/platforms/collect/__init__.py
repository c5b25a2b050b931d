"""`collect`: from platforms' downloads to submissions in nbgrader's layout, with every received
file kept.
"""
