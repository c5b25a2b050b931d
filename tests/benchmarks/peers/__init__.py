"""What grading a class costs with nbgrader, with otter-grader and with this project: one run.

All three get the same submissions, one after the other on the same machine, as commands, and what
counts is what a person at the terminal waits for and what the machine does meanwhile: CPU of all
processes that the command started, and of theirs; the most memory that they held at once.

What is done so that the peers are not slowed by what they need not do:

- Submissions that end the process, and damaged files, are in nobody's class.
- Cells tagged `skip-grading` (demos, the training at the end) are taken out of the peers' notebooks,
  because ours are not executed either.
- Their tests are a few plain ones an exercise (`plain_tests/` beside the assignment's graders): fewer
  than the checks behind our walls, in the student's own process, and they need not say which mistake
  it was.
- torch is kept to one thread everywhere; folders, course and gradebook are made before the clock
  starts, and so is everything that Python and matplotlib keep from a first run.

What is theirs and stays: a kernel for each submission, which imports torch. Neither has walls.

Nobody's submissions are alike: each solution cell ends with the student's id, so that nothing that
is graded once by luck counts for two.
"""
