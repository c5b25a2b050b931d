"""Templates for exceptions about names and attributes that do not exist."""

from autograder.engine.examiner.templates import Template

PACKAGES = ("torch", "numpy", "einops", "jaxtyping", "matplotlib")  # that students may import
_IMPORTED = (
    "np|numpy|math|torch|nn|F|Tensor|einops|rearrange|einsum|reduce|repeat|plt|copy|deepcopy|partial"
    "|Optional|List|Tuple|Union|Any|Callable|OrderedDict|dataclass|jaxtyping|Float|Int|Bool|random"
)

NAMES = (
    Template(
        "numpy_removed",
        "AttributeError",
        r"^`np\.(?P<attribute>\w+)` was removed|'numpy' has no attribute '(?P<name>\w+)'\.\n",
        "NumPy 2 has removed that name. What is it called today, in Python, NumPy or torch?",
    ),
    Template(
        "tensor_attribute",
        "AttributeError",
        r"^'(?:Tensor|Parameter)' object has no attribute '(?P<attribute>\w+)'",
        "A tensor has no {attribute}. How is the method spelled, or is it a function of `torch` or "
        "`F`, or a member of `self`?",
    ),
    Template(
        "layer_attribute",
        "AttributeError",
        r"^'(?P<owner>Linear|Dropout|LayerNorm|Embedding|ReLU|Softmax|ModuleList)' object has no "
        r"attribute '(?P<attribute>\w+)'",
        "A layer, {owner}, has no {attribute}. Do you mean the tensor that it returns when it is "
        "called?",
    ),
    Template(
        "name_of_self",
        "NameError",
        r"^name 'self' is not defined",
        "`self` is unknown there. Is it the first argument in the `def` line of that method, and is "
        "the line inside a method?",
    ),
    Template(
        "name_of_an_import",
        "NameError",
        rf"^name '(?P<name>{_IMPORTED})' is not defined",
        "{name} is not imported. Which `import` line brings it, in a cell that stays in the notebook "
        "and runs before this one?",
    ),
    Template(
        "name",
        "NameError",
        r"^name '(?P<name>\w+)' is not defined",
        "{name} is not defined. Is it spelled as where it gets its value, is a `self.` missing before "
        "it, and does that line run before this one?",
    ),
    Template(
        "variable",
        "NameError UnboundLocalError",
        r"^cannot access (?:local|free) variable '(?P<name>\w+)'",
        "{name} has no value yet when that line runs. Does each branch before it give it one?",
    ),
    Template(
        "module_attribute",
        "AttributeError",
        r"^module '(?P<owner>[\w.]+)' has no attribute '(?P<attribute>\w+)'",
        "{owner} has no {attribute}. How is it spelled in the documentation, and in which module is "
        "it (`torch`, `nn`, `F`), or is it a method of tensors?",
    ),
    Template(
        "none_attribute",
        "AttributeError",
        r"^'NoneType' object has no attribute",
        "`None` stands there where you expect a tensor. Is it an argument that may be left out, such "
        "as a mask, or the result of something without a `return`?",
    ),
    Template(
        "tuple_attribute",
        "AttributeError",
        r"^'(?P<owner>tuple|list)' object has no attribute '(?P<attribute>\w+)'",
        "A {owner} has no {attribute}; a tensor is needed there. Does what was called before return "
        "several things, or are tensors kept in a list?",
    ),
    Template(
        "function_attribute",
        "AttributeError",
        r"^'(?:function|method|\w*method\w*|builtin_\w+)' object has no attribute '(?P<attribute>\w+)'",
        "A function has no {attribute}. Are the parentheses missing that call it?",
    ),
    Template(
        "plain_attribute",
        "AttributeError",
        r"^'(?P<owner>int|float|bool|str|dict)' object has no attribute '(?P<attribute>\w+)'",
        "There is a plain {owner}, which has no {attribute}. Did you expect a tensor or a layer, and "
        "which line gave it its value?",
    ),
    Template(
        "class_attribute",
        "AttributeError",
        r"^type object '(?P<owner>\w+)' has no attribute '(?P<attribute>\w+)'",
        "{owner} is a class and has no {attribute}. Are the parentheses missing that make an object, or is "
        "the name spelled in another way?",
    ),
    Template(
        "attribute",
        "AttributeError",
        r"^'(?P<owner>\w+)' object has no attribute '(?P<attribute>\w+)'",
        "{owner} has no {attribute}. Does `__init__` assign it to `self`, under this very name?",
        misspelt="{attribute}",
    ),
    Template(
        "no_module_of_a_package",
        "ModuleNotFoundError",
        rf"^No module named '(?P<package>(?:{'|'.join(PACKAGES)})\.[\w.]+)'",
        "{package} does not exist. How is it spelled in the documentation?",
    ),
    Template(
        "no_package",
        "ModuleNotFoundError",
        r"^No module named '(?P<package>[\w.]+)'",
        "{package} is not installed where this is graded. You may import what belongs to Python, and "
        f"{', '.join(f'`{name}`' for name in PACKAGES)}. Does it work with these?",
    ),
    Template(
        "no_such_import",
        "ImportError",
        r"^cannot import name '(?P<attribute>\w+)' from '(?P<owner>[\w.]+)'",
        "{owner} has no {attribute}. How is it spelled in the documentation, and in which module is "
        "it?",
    ),
)
