"""What Python says, and what a tutor asks then. The first that fits is taken; types alone come last."""

from autograder.engine.examiner.templates import Template

PACKAGES = ("torch", "numpy", "einops", "jaxtyping", "matplotlib")  # that students may import
_CALL = r"^(?:[\w.]*<locals>\.)?(?P<call>\w+(?:\.\w+)?)\(\) "
_IMPORTED = (
    "np|numpy|math|torch|nn|F|Tensor|einops|rearrange|einsum|reduce|repeat|plt|copy|deepcopy|partial"
    "|Optional|List|Tuple|Union|Any|Callable|OrderedDict|dataclass|jaxtyping|Float|Int|Bool|random"
)

PYTHON = (
    # names and attributes
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
        "as the mask, or the result of something without a `return`?",
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
        "The class {owner} has no {attribute}. Are the parentheses missing that make an object, or is "
        "the name spelled in another way?",
    ),
    Template(
        "attribute",
        "AttributeError",
        r"^'(?P<owner>\w+)' object has no attribute '(?P<attribute>\w+)'",
        "{owner} has no {attribute}. Does `__init__` assign it to `self`, under this very name?",
    ),
    # calls
    Template(
        "called_on_class",
        "TypeError",
        rf"{_CALL}missing .*'self'",
        "{call} is called on the class and not on an object. Where are the parentheses that make one?",
    ),
    Template(
        "super_not_called",
        "TypeError",
        r"^descriptor '__init__' of 'super' object",
        "`super` needs parentheses of its own. How does the line `super().__init__()` look?",
    ),
    Template(
        "missing_argument",
        "TypeError",
        rf"{_CALL}missing \d+ required [\w-]+ arguments?: '(?P<argument>\w+)'",
        "{call} is called without {argument}. Does its `def` line agree with the statement (order, "
        "default values), and does each call hand over what it names?",
    ),
    Template(
        "too_many_arguments",
        "TypeError",
        rf"{_CALL}takes (?:from \d+ to )?\d+ positional arguments? but",
        "{call} gets more arguments than its `def` line names. Are `self` and all arguments of the "
        "statement there, and does each call hand over what it names?",
    ),
    Template(
        "unexpected_keyword",
        "TypeError",
        rf"{_CALL}got an unexpected keyword argument '(?P<argument>\w+)'",
        "{call} knows no argument {argument}. How is it spelled in the `def` line, or in the "
        "documentation?",
    ),
    Template(
        "argument_twice",
        "TypeError",
        rf"{_CALL}got multiple values for argument '(?P<argument>\w+)'",
        "{call} gets {argument} twice, by its place and by its name. In which order do its arguments "
        "come?",
    ),
    Template(
        "none_called",
        "TypeError",
        r"^'NoneType' object is not callable",
        "`None` is called there. Was that layer ever made, or does the function that makes it lack a "
        "`return`?",
    ),
    Template(
        "tensor_called",
        "TypeError",
        r"^'(?:Tensor|Parameter|torch\.Size)' object is not callable",
        "A tensor or its shape is called like a function. Is an operator missing before the "
        "parenthesis, are square brackets meant, or has a tensor taken a layer's name?",
    ),
    Template(
        "list_called",
        "TypeError",
        r"^'(?:list|tuple|dict)' object is not callable",
        "A list is called like a function. Which of its layers, or which loop over them, is meant?",
    ),
    Template(
        "called",
        "TypeError",
        r"^'(?P<owner>[\w.]+)' object is not callable",
        "{owner} is called like a function and is none. Which line gave that name its value, and if "
        "it is an object of your class: does that inherit from `nn.Module`?",
    ),
    # values
    Template(
        "none",
        "TypeError",
        r"NoneType",
        "`None` stands there where you expect a value. Is it an argument that may be left out, such as "
        "the mask, or the result of something without a `return`?",
    ),
    Template(
        "tuple_operand",
        "TypeError",
        r"^unsupported operand type\(s\) for .*'(?:tuple|list)'"
        r"|^only integer tensors of a single element",
        "A tuple or list stands there where you expect a tensor. Does what was called before return "
        "several things, or are tensors kept in a list?",
    ),
    Template(
        "operands",
        "TypeError",
        r"^unsupported operand type\(s\) for .*: '(?P<left>[\w.]+)' and '(?P<right>[\w.]+)'",
        "That operator cannot join {left} and {right}. What is each of them: a layer that was never "
        "called, a text, a tensor?",
    ),
    Template(
        "function_subscript",
        "TypeError",
        r"^'(?:function|method|builtin_function_or_method|type)' object is not subscriptable",
        "A function is followed by square brackets. Which parentheses call it?",
    ),
    Template(
        "subscript",
        "TypeError",
        r"^'(?P<owner>[\w.]+)' object is not subscriptable",
        "{owner} has no elements to be taken with square brackets. Is it what you expected, or do "
        "round parentheses belong there?",
    ),
    Template(
        "iterable",
        "TypeError",
        r"'(?P<owner>[\w.]+)' object is not iterable|non-iterable (?P<name>[\w.]+) object",
        "Something is taken apart or looped over that is one thing only. Is a `range(...)` missing, a "
        "list around it, or a second value that is returned?",
    ),
    Template(
        "unpack",
        "ValueError",
        r"^(?:not enough|too many) values to unpack",
        "There are not as many values as names on the left of `=`. How many dimensions does that "
        "shape have, or how many parts come out? The statement may allow several.",
    ),
    Template(
        "zero_division",
        "ZeroDivisionError",
        "",
        "Something is divided by zero. Which number is it, and did two arguments change places?",
    ),
    # files, imports
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
    Template(
        "world_outside",
        "FileNotFoundError PermissionError OSError ConnectionError ConnectionRefusedError "
        "BlockingIOError IsADirectoryError NotADirectoryError",
        "",
        "Where this is graded there are no files beside the notebook, no network and no further "
        "processes. Does it work without?",
    ),
    # what cannot be read
    Template(
        "indentation",
        "IndentationError TabError",
        "",
        "Python cannot read the indentation there. Is each line of a block as far to the right as "
        "the others, with spaces and no tabs, and does a block follow each line that ends in a colon?",
    ),
    Template(
        "brackets",
        "SyntaxError",
        r"was never closed|^unmatched|closing parenthesis",
        "Python cannot read that: which bracket has no partner?",
    ),
    Template(
        "colon",
        "SyntaxError",
        r"^expected ':'",
        "Python cannot read that: is a colon missing at the end of the line?",
    ),
    Template(
        "equal_sign",
        "SyntaxError",
        r"[Mm]aybe you meant '=='",
        "Python cannot read that: is it an assignment (`=`) or a comparison (`==`)?",
    ),
    Template(
        "outside",
        "SyntaxError",
        r"outside (?:function|async function|loop)",
        "That line is not inside the function or loop that it belongs to. How far is it indented?",
    ),
    Template(
        "syntax",
        "SyntaxError",
        "",
        "Python cannot read that. Is a bracket, a comma, a colon or a quotation mark missing there, "
        "or at the end of the line before?",
    ),
    # by the type alone
    Template(
        "recursion",
        "RecursionError",
        "",
        "Something calls itself without end. Does `forward` call `self(...)`, or does `__init__` make "
        "an object of its own class?",
    ),
    Template(
        "assertion",
        "AssertionError",
        "",
        "An `assert` does not hold there. What does it demand, and does the statement promise that?",
    ),
    Template(
        "unwritten",
        "NotImplementedError",
        "",
        "That part says of itself that it is not written yet. Does the line still belong there?",
    ),
    Template(
        "key",
        "KeyError",
        "",
        "There is no such key in that dictionary. How is it spelled where it is put in?",
    ),
    Template(
        "index",
        "IndexError",
        "",
        "An index asks for what is not there. How many elements or dimensions are there, counted "
        "from 0?",
    ),
    Template(
        "end_of_python",
        "SystemExit KeyboardInterrupt",
        "",
        "That line ends Python itself (`exit`, `quit`). Does it have a purpose in a notebook?",
    ),
)
