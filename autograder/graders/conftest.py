"""`pytest autograder/graders/encoder_layer` grades the solution of `source/`, and `--notebook FILE` a
submission: the same checks, behind the same walls, as in a class run.
"""

pytest_plugins = ["autograder.authoring.pytest_plugin"]
