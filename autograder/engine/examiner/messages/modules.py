"""Templates for exceptions about modules that are not defined as torch requires."""

from autograder.engine.examiner.templates import Template

MODULES = (
    Template(
        "container_called",
        "NotImplementedError",
        r"^Module \[(?P<owner>ModuleList|ModuleDict)\] is missing",
        "{owner} only holds layers and cannot be called itself. Which loop calls them in turn?",
    ),
    Template(
        "no_forward",
        "NotImplementedError",
        r"^Module \[(?P<owner>\w+)\] is missing the required \"forward\" function",
        "{owner} has no `forward`. Is it defined, spelled like this, and indented as a method of "
        "the class?",
        misspelt="forward",
    ),
    Template(
        "no_super",
        "AttributeError",
        r"before Module\.__init__\(\) call"
        r"|has no attribute '_(?:modules|parameters|buffers|\w+_hooks|non_persistent_buffers_set)'",
        "`nn.Module` is not set up when this runs. Does `__init__` begin with `super().__init__()`?",
    ),
    Template(
        "no_init",
        "TypeError",
        r"^(?:[\w.]*<locals>\.)?(?P<call>\w+\.__init__)\(\) takes 1 positional argument but",
        "{call} takes no arguments. Is there an `__init__`, spelled with two underscores on either "
        "side, does its `def` line name `self` and the statement's arguments, and what does "
        "`super().__init__()` get?",
        misspelt="__init__",
    ),
    Template(
        "number_as_module",
        "TypeError",
        r"^(?:int|float) is not a Module subclass",
        "`nn.Sequential` or `nn.ModuleList` gets numbers and not layers. Is there an `__init__` that "
        "takes the sizes, and what does it hand to `super().__init__()`?",
        misspelt="__init__",
    ),
    Template(
        "list_as_module",
        "TypeError",
        r"^(?:list|tuple|generator) is not a Module subclass",
        "`nn.Sequential` takes its layers one by one, and gets a list of them. How is a list handed "
        "over as single arguments?",
    ),
    Template(
        "class_as_module",
        "TypeError",
        r"^[\w.]+ is not a Module subclass",
        "Something that is no layer is put where one belongs. Is it a class without the parentheses "
        "that make an object?",
    ),
    Template(
        "no_list_of_modules",
        "TypeError",
        r"^Module(?:List|Dict)\.\w+ should be called with",
        "`nn.ModuleList` takes a list of layers. Are the square brackets missing, or the layers?",
    ),
    Template(
        "name_twice",
        "TypeError KeyError",
        r"^(?:cannot assign '[\w.]+' (?:object )?(?:as|to) [\w ]+|\W?attribute) "
        r"'(?P<name>\w+)' (?:\(|already exists)",
        "{name} is to hold two things: a layer, parameter or buffer, and something else. Is the name "
        "used twice, or is a plain value registered?",
    ),
)
