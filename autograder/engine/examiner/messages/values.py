"""Templates for exceptions about other values and about code that cannot be parsed, and general
ones for a type of exception.
"""

from autograder.engine.examiner.templates import Template

VALUES = (
    Template(
        "none",
        "TypeError",
        r"NoneType",
        "`None` stands there where you expect a value. Is it an argument that may be left out, such as "
        "a mask, or the result of something without a `return`?",
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
        "There are not as many values as names on the left of `=`. If it is a shape: how many "
        "dimensions does it have, and does the statement allow others? If it is parts: how many?",
    ),
    Template(
        "math_domain",
        "ValueError",
        r"^math domain error|^expected a (?:nonnegative|positive) input",
        "A root or logarithm is taken of a number that has none. Which number is it, and did two "
        "arguments change places?",
    ),
    Template(
        "zero_division",
        "ZeroDivisionError",
        "",
        "Something is divided by zero. Which number is it, and did two arguments change places?",
    ),
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
        "order_of_arguments",
        "SyntaxError",
        r"^positional argument follows|^keyword argument repeated|follows default argument|duplicate arg",
        "Python cannot read these arguments. Do those with a name or a default come last, and each "
        "once?",
    ),
    Template(
        "syntax",
        "SyntaxError",
        "",
        "Python cannot read that. Is a bracket, a comma, a colon or a quotation mark missing there, "
        "or at the end of the line before?",
    ),
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
    Template(
        "types",
        "TypeError",
        "",
        "Things meet there whose types do not go together. Which type has each, and which did you "
        "expect?",
    ),
    Template(
        "runtime",
        "RuntimeError",
        "",
        "torch refuses that operation. Which shapes and dtypes have the tensors there (`print` them "
        "just before), and which did you expect?",
    ),
)
