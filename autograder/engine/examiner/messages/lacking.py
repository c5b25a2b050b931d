"""Templates for exceptions whose cause is what the sandbox lacks: a GPU, packages, a compiler, files,
the network. Their sentences say so, and none says that the code is wrong.
"""

from autograder.engine.examiner.templates import Template

LACKING = (
    Template(
        "device",
        "AssertionError RuntimeError NotImplementedError AttributeError",
        r"^Torch not compiled with |expected device|to be on the same device|NVIDIA|CUDA GPUs"
        r"|is not linked with support for|without MPS backend|accelerator device when none"
        r"|^Cannot get \w+ generator without|'torch\._C' has no attribute '_cuda|arguments from the '(?:CUDA|MPS|XLA|XPU|HPU)' backend",
        "There is no GPU where this is graded. Does your code have to name a device at all?",
    ),
    Template(
        "no_compiler",
        "RuntimeError OSError",
        r"^Ninja is required|C\+\+ compiler|C compiler|building extension",
        "There is no compiler where this is graded. Does your code have to be compiled?",
    ),
    Template(
        "no_network",
        "OSError ConnectionError TimeoutError RuntimeError Exception",
        r"name resolution|Name or service not known|urlopen error|Max retries exceeded"
        r"|internet connection|Network is unreachable|Couldn't (?:connect|reach)",
        "There is no network where this is graded. Does your code have to load anything from it?",
    ),
    Template(
        "no_file",
        "FileNotFoundError IsADirectoryError NotADirectoryError",
        "",
        "There is no such file where this is graded, and none beside the notebook. Does your code "
        "have to use it?",
    ),
    Template(
        "no_place",
        "OSError RuntimeError ValueError Exception",
        r"Read-only file system|^Parent directory|^The provided filename .* does not exist|is not a valid package style"
        r"|unable to open database|^access permission denied|[Dd]ataset not found",
        "There is no such file or folder where this is graded. Does your code have to use it?",
    ),
    Template(
        "world_outside",
        "PermissionError OSError ConnectionError ConnectionRefusedError BlockingIOError",
        "",
        "Where this is graded there are no files beside the notebook, no network and no further "
        "processes. Does it work without?",
    ),
)
