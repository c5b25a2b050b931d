"""Find groups of identical submissions in a class, for staff."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from autograder.engine.verdict.verdict import Summary


def identical_lines(summaries: Iterable[Summary]) -> Iterator[str]:
    """Yield a line for each group of students with identical submissions. Submissions in which
    nothing was attempted are ignored.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for one in summaries:
        if one.is_attempted:
            groups[one.submission].append(one.student)
    for students in sorted(groups.values()):
        if len(students) > 1:
            yield f"{len(students)} submissions are identical: {', '.join(students)}."
