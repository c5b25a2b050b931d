"""All walls that are taken down."""

from tests.walls import of_the_channel, of_the_course, of_the_examiner, of_the_sandbox

WALLS = [*of_the_channel.WALLS, *of_the_examiner.WALLS, *of_the_course.WALLS, *of_the_sandbox.WALLS]
