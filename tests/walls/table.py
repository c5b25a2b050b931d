"""All walls that are taken down."""

from tests.walls import (
    of_the_channel,
    of_the_course,
    of_the_examiner,
    of_the_pages,
    of_the_sandbox,
)

ROOMS = of_the_channel, of_the_examiner, of_the_course, of_the_pages, of_the_sandbox
WALLS = [wall for room in ROOMS for wall in room.WALLS]
