"""Templates for exceptions about arguments, and about objects that cannot be called."""

from autograder.engine.examiner.templates import Template

_CALL = r"^(?:.*<locals>\.)?(?P<call>[\w.]+|<lambda>)\(\) "

CALLS = (
    Template(
        "embedding_range",
        "IndexError",
        r"^index out of range in self",
        "An `nn.Embedding` is asked for a row that it does not have. Which two sizes did it get, in "
        "which order, and what does it look up?",
    ),
    Template(
        "index_range",
        "IndexError",
        r"is out of bounds for dimension|index out of range|is out of range",
        "An index reaches beyond the end. How long is that list or dimension, and do you count from "
        "0?",
    ),
    Template(
        "softmax_dim",
        "TypeError",
        r"^(?:log_)?softmax\(\) missing .*\"dim\"",
        "`softmax` is called without `dim`. Along which dimension are the results to add up to one?",
    ),
    Template(
        "torch_missing",
        "TypeError",
        r"^(?P<call>\w+)\(\) missing \d+ required positional arguments?: \"(?P<argument>\w+)\"",
        "{call} is called without {argument}. Which arguments does its documentation name?",
    ),
    Template(
        "whole_number",
        "TypeError",
        r"but got float|'float' object cannot be interpreted as an integer"
        r"|^'float' object is not iterable|by non-int of type 'float'|or slices, not float"
        r"|found element of type float|^(?:zeros|ones|empty|rand|randn)\(\) takes 1 positional",
        "A size has to be a whole number and is a float. `/` always gives a float: which operator "
        "divides whole numbers?",
    ),
    Template(
        "size_argument",
        "TypeError RuntimeError",
        r"argument 'size'.*must be tuple of ints|must be non-negative|^Trying to create tensor with neg",
        "Something that is no size (a whole number, not below zero) is handed over as one. Which "
        "argument is it, and in which order do they come?",
    ),
    Template(
        "list_of_tensors",
        "TypeError",
        r"must be tuple of Tensors, not Tensor",
        "`cat` and `stack` take one list of tensors. Are the brackets around them missing?",
    ),
    Template(
        "none_argument",
        "TypeError",
        r"must be .*not NoneType|but got NoneType|combination of arguments - got \([^)]*NoneType",
        "`None` is handed over where a tensor is needed. Does a `forward` or function before it end "
        "without `return`, or is it an argument that may be left out, such as a mask?",
    ),
    Template(
        "tuple_argument",
        "TypeError",
        r"must be Tensor, not (?:tuple|list)|but got (?:tuple|list)$",
        "Several things are handed over where one tensor is needed. What does the layer or function "
        "before it return?",
    ),
    Template(
        "number_argument",
        "TypeError",
        r"^(?P<call>\w+)\(\): argument .* must be Tensor, not (?:int|float|bool)",
        "{call} takes a tensor and gets a number of Python. Is that the argument that you meant, or "
        "is there a function for plain numbers (`math`)?",
    ),
    Template(
        "layer_argument",
        "TypeError",
        r"^(?P<call>\w+)\(\): argument .* must be Tensor, not",
        "{call} takes a tensor and gets something else. Is it a layer that was made and never called "
        "with an input?",
    ),
    Template(
        "combination",
        "TypeError",
        r"^(?P<call>\w+)\(\) received an invalid combination of arguments",
        "{call} does not take these arguments. How many does its documentation name, of which types?",
    ),
    Template(
        "dtype_name",
        "TypeError",
        r"must be torch\.dtype, not",
        "A dtype is not written like that. Which names do those of torch have?",
    ),
    Template(
        "dropout_rate",
        "ValueError",
        r"^dropout probability has to be",
        "A dropout rate lies between 0 and 1. Which argument arrives there: do the arguments stand "
        "in the order of the `def` line?",
    ),
    Template(
        "two_masks",
        "RuntimeError",
        r"attn_mask should not be set when is_causal",
        "That function takes a mask or `is_causal`, not both. How can one mask say both?",
    ),
    Template(
        "truth",
        "RuntimeError ValueError",
        r"^Boolean value of Tensor with more than one|^The truth value of an array",
        "`if`, `and`, `or` and `not` ask a whole tensor whether it is true. Do you mean `is not "
        "None`, or each element by itself?",
    ),
    Template(
        "scalar",
        "ValueError RuntimeError TypeError",
        r"^only one element tensors|cannot be converted to Scalar|^only .* arrays can be converted",
        "A tensor of many numbers is used as a single one. Does a function of Python (`math`, "
        "`float`, `torch.tensor`) stand where one of torch belongs?",
    ),
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
        rf"(?:{_CALL}|^)missing (?:\d+|a) required (?:[\w-]+ )?arguments?: '(?P<argument>\w+)'",
        "{call} is called without {argument}. Does its `def` line agree with the statement (order, "
        "default values), and does each call hand over what it names?",
    ),
    Template(
        "too_many_arguments",
        "TypeError",
        rf"{_CALL}takes (?:(?:from \d+ to )?\d+ positional arguments? but|no (?:keyword )?arguments"
        r"|exactly one argument \([1-9])|^too many positional arguments|^\w+ expected at most \d+ arg",
        "{call} gets more arguments than its `def` line names. Are `self` and all arguments of the "
        "statement there, and does each call hand over what it names?",
    ),
    Template(
        "unexpected_keyword",
        "TypeError",
        rf"(?:{_CALL}|^)got an unexpected keyword argument '(?P<argument>\w+)'",
        "{call} does not know {argument}. How is it spelled in the `def` line, or in the "
        "documentation?",
    ),
    Template(
        "argument_twice",
        "TypeError",
        rf"(?:{_CALL}got |^)multiple values for argument '(?P<argument>\w+)'",
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
        "module_called",
        "TypeError",
        r"^'module' object is not callable",
        "A module is called like a function. Which function or class in it do you mean?",
    ),
    Template(
        "number_called",
        "TypeError",
        r"^'(?:int|float|bool|str)' object is not callable",
        "A plain number or text is called like a function. Is an operator missing before the "
        "parenthesis, or has a number taken the name of a layer or function?",
    ),
    Template(
        "called",
        "TypeError",
        r"^'(?P<owner>[\w.]+)' object is not callable",
        "{owner} cannot be called like a function. Which line gave that name its value, and if it is "
        "an object of your own class: does that inherit from `nn.Module`?",
    ),
)
