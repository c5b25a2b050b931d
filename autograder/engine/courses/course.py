"""A course: the folder with `nbgrader_config.py`, and the folders of its assignments and graders.

They are not looked for beside this code, which may be installed anywhere. In the configuration,
nbgrader's own settings say where `source/` and `release/` are, and one line says where the hidden
graders are. Another one may say that a ready-made layer of the library earns no points:

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
LOG = logging.getLogger(__name__)  # without one, each loader logs that it takes another's
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
    """There is no course, or it or its gradebook cannot be used, or it does not have the assignment
    or exercise that was asked for; the message says which, and what there is.
    """


@dataclass(frozen=True)
class Course:
    """The folders of one course, all absolute; whether an exercise earns its points if it is solved
    by a ready-made layer of the library, which its statement asks students to write; and whether
    several teachers, who have a group on this computer, share the course.
    """

    root: Path
    source: Path
    release: Path
    graders: Path
    takes_library_layers: bool = True
    is_shared: bool = False


def find_course(named: Path | None = None) -> Course:
    """Return the course in the folder `named`; if that is None, in the nearest folder from the
    current one upwards, else in the one that this computer's configuration names.

    Raise `CourseError` if there is none, or its configuration cannot be read.
    """
    here = Path.cwd()
    for folder in (here, *here.parents) if named is None else (named,):
        if (folder / CONFIG).is_file():
            return read_course(folder)
    configured = read_config(named or here).CourseDirectory.get("root", "")
    if configured and named in (None, Path(configured)):
        return read_course(Path(configured))
    if named is not None:
        raise CourseError(f"`{named}` is no nbgrader course: it has no {CONFIG}.")
    raise CourseError(
        f"There is no course in `{here}` or above (no {CONFIG}): go into its folder, or name it "
        "with --course DIR."
    )


def read_course(root: Path) -> Course:
    """Return the course in the folder `root`. Raise `CourseError` if there is no such folder, or its
    configuration cannot be read.
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
    """Return the configuration of the course in the folder `root` as nbgrader reads it: the files
    of this computer and of this user, such as /etc/jupyter/nbgrader_config.py, then the course's
    own, which win. Raise `CourseError` if one of them cannot be read.
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
            except Exception as error:  # whatever its Python code raises
                reason = str(error).splitlines()
                raise CourseError(
                    f"`{path}` cannot be read ({type(error).__name__}: {''.join(reason[:1])}): mend it."
                ) from error
    return config


def make_course(folder: Path, like: Course, more: str = "") -> Course:
    """Write the configuration of a course with its own gradebook in `folder`; return the course.

    Its assignments and graders are those of the course `like`. `more`: text that is added to the
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
    (folder / CONFIG).write_text(OF_ITS_OWN.format(**places) + more, encoding="utf-8")
    return read_course(folder)
