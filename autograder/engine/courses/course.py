"""A course: the folder with `nbgrader_config.py`, and the folders of its assignments and graders.

This code may be installed anywhere, so these folders are not searched beside it. nbgrader's own
settings name `source/` and `release/`, and another setting names the hidden graders. A ready-made
layer of the library can be set to earn no points:

    c.Graders.directory = "graders"
    c.Graders.library_layers = "no points"
"""

import logging
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from jupyter_core.paths import jupyter_config_path
from traitlets.config import Config, ConfigFileNotFound, JSONFileConfigLoader, PyFileConfigLoader

from autograder.engine.texts.errors import AutograderError

CONFIG = "nbgrader_config.py"
LOG = logging.getLogger(__name__)  # without a logger, each loader logs that it uses a default
SUFFIXES = {JSONFileConfigLoader: ".json", PyFileConfigLoader: ".py"}
LIBRARY_LAYERS = {"points": True, "no points": False}
OF_ITS_OWN = """# A course of its own, with the assignments of another one.
load_subconfig("nbgrader_config.py", path={root!r})
c = get_config()
c.CourseDirectory.root = {folder!r}
c.CourseDirectory.source_directory = {source!r}
c.Graders.release_directory = {release!r}  # read; nbgrader's own is written by formgrader
c.Graders.directory = {graders!r}
"""


class CourseError(AutograderError):
    """A course, its gradebook, an assignment or an exercise is missing or cannot be used."""


@dataclass(frozen=True)
class Course:
    """The folders of one course, all absolute, and two of its settings."""

    root: Path
    source: Path
    release: Path
    graders: Path
    takes_library_layers: bool = True  # a ready-made layer of the library earns the points
    is_shared: bool = False  # by several teachers with a group on this computer


def find_course(directory: Path | None = None) -> Course:
    """Return the course in `directory`, by default the nearest course.

    This is the nearest folder from the current folder upwards, or else the course in this
    computer's configuration. Raise `CourseError` if there is none, or its configuration cannot be
    read.
    """
    current = Path.cwd()
    for folder in (current, *current.parents) if directory is None else (directory,):
        if (folder / CONFIG).is_file():
            return read_course(folder)
    configured = read_config(directory or current).CourseDirectory.get("root", "")
    if configured and directory in (None, Path(configured)):
        return read_course(Path(configured))
    if directory is not None:
        raise CourseError(f"`{directory}` is no nbgrader course: it has no {CONFIG}.")
    raise CourseError(
        f"There is no course in `{current}` or above (no {CONFIG}): go into its folder, or name it "
        "with --course DIR."
    )


def read_course(root: Path) -> Course:
    """Return the course in the folder `root`.

    Raise `CourseError` if the folder is missing, or its configuration cannot be read.
    """
    root = root.absolute()
    if not root.is_dir():
        raise CourseError(f"There is no course `{root}`: the folder does not exist.")
    config = read_config(root)
    folders, graders = config.CourseDirectory, config.Graders
    layers = graders.get("library_layers", "points")
    if layers not in LIBRARY_LAYERS:
        raise CourseError(
            f'`{root / CONFIG}`: `c.Graders.library_layers` is {layers!r}; write "points" or "no points".'
        )
    return Course(
        root=root,
        source=root / folders.get("source_directory", "source"),
        release=root
        / graders.get("release_directory", folders.get("release_directory", "release")),
        graders=root / graders.get("directory", "graders"),
        takes_library_layers=LIBRARY_LAYERS[layers],
        is_shared=bool(folders.get("groupshared", False)),
    )


def read_config(root: Path) -> Config:
    """Return the configuration of the course in the folder `root` as nbgrader reads it.

    The files of this computer and of this user, such as /etc/jupyter/nbgrader_config.py, come
    first, so the course's own file wins. Raise `CourseError` if a file cannot be read.
    """
    config = Config()
    folders = [*reversed(jupyter_config_path()), str(root)]
    for name, folder in product(("jupyter_config", Path(CONFIG).stem), folders):
        for loader in (PyFileConfigLoader, JSONFileConfigLoader):
            path = Path(folder, name + SUFFIXES[loader])
            try:
                config.merge(loader(path.name, path=folder, log=LOG).load_config())
            except ConfigFileNotFound:
                continue
            except Exception as error:  # its Python code may raise anything
                reason = str(error).splitlines()
                raise CourseError(
                    f"`{path}` cannot be read ({type(error).__name__}: {''.join(reason[:1])}): mend it."
                ) from error
    return config


def make_course(folder: Path, like: Course, extra: str = "") -> Course:
    """Write the configuration of a course with its own gradebook in `folder` and return the course.

    Its assignments and graders are those of the course `like`. `extra`: text that is added to the
    configuration.
    """
    folder.mkdir(parents=True, exist_ok=True)
    places = {
        "root": str(like.root),
        "folder": str(folder.absolute()),
        "source": str(like.source),
        "release": str(like.release),
        "graders": str(like.graders),
    }
    (folder / CONFIG).write_text(OF_ITS_OWN.format(**places) + extra, encoding="utf-8")
    return read_course(folder)
