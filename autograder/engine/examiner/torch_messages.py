"""What torch, NumPy and einops say, and what a tutor asks then. The first that fits is taken."""

from autograder.engine.examiner.templates import Template

TORCH = (
    # modules
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
        r"^[\w.]+ is not a Module subclass|^cannot assign '[\w.]+' as child module",
        "Something that is no layer is put where one belongs. Is it a class without the parentheses "
        "that make an object, or is one name used for two things?",
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
        r"^cannot assign '[\w.]+' (?:object )?(?:as|to) \w+ '(?P<attribute>\w+)'"
        r"|attribute '(?P<name>\w+)' already exists",
        "Under one name a layer, parameter or buffer and something else are to be kept. Is a name "
        "used twice, or is a plain value registered?",
    ),
    # shapes
    Template(
        "layer_norm_shape",
        "RuntimeError",
        r"^Given normalized_shape=",
        "The layer norm was made for another last dimension than its input has. Which size did "
        "`nn.LayerNorm` get, and over which dimension is it to normalise?",
    ),
    Template(
        "multiply",
        "RuntimeError",
        r"shapes cannot be multiplied|^Expected size for first two dimensions of batch2"
        r"|^size mismatch, got input|^inconsistent tensor size",
        "Two shapes do not fit in a product of matrices (`@`, `matmul`, `nn.Linear`). Is the last "
        "dimension of the left one as long as the last but one of the right one?",
    ),
    Template(
        "broadcast",
        "RuntimeError",
        r"^The size of tensor a .* must match the size of tensor b",
        "Two shapes do not broadcast. Write them below each other, aligned on the right: in which "
        "column do they differ while neither is 1, and is a dimension missing in one?",
    ),
    Template(
        "expand",
        "RuntimeError",
        r"^The expanded size of the tensor|the number of sizes provided",
        "A tensor does not fit the shape that it is expanded to or written into; only a dimension "
        "of size 1 can be stretched. Which two shapes meet there?",
    ),
    Template(
        "join",
        "RuntimeError",
        r"^Sizes of tensors must match except|^Tensors must have same number of dimensions"
        r"|^stack expects each tensor|^zero-dimensional tensor",
        "Tensors are joined there (`cat`, `stack`) whose shapes do not fit. In which dimension may "
        "they differ, and along which one do you join?",
    ),
    Template(
        "view_memory",
        "RuntimeError",
        r"^view size is not compatible",
        "After `transpose` or `permute` the memory is not contiguous any more, and `view` needs it to "
        "be. What else changes a shape?",
    ),
    Template(
        "view_size",
        "RuntimeError",
        r"is invalid for input of size|^only one dimension can be inferred"
        r"|^unflatten: Provided sizes|^split_with_sizes expects",
        "The new shape has not as many elements as the tensor. Which shape does it have there, and "
        "from which tensor is each size taken (key and query may differ in length)?",
    ),
    Template(
        "permute",
        "RuntimeError",
        r"does not match the length of the desired ordering of dimensions",
        "`permute` has to name each dimension once. How many does the tensor have there?",
    ),
    Template(
        "dimensions",
        "RuntimeError IndexError",
        r"^Dimension out of range|^t\(\) expects a tensor|must have at least \d dimensions"
        r"|must be a 3D tensor|must be a matrix|both arguments to matmul need"
        r"|^too many indices for tensor|^invalid index of a 0-dim",
        "The tensor has another number of dimensions there than that line expects. How many has it, "
        "counted from 0, and would counting from the end (-1, -2) do?",
    ),
    # einsum and einops
    Template(
        "einsum_letters",
        "RuntimeError",
        r"^einsum\(\): the number of subscripts",
        "Does each operand in the equation of `einsum` have as many letters as its tensor has "
        "dimensions there? `...` stands for any number of leading ones.",
    ),
    Template(
        "einsum_sizes",
        "RuntimeError",
        r"^einsum\(\): subscript \w+ has size",
        "One letter of the equation stands for two dimensions of different sizes. Which one, and "
        "are they meant to be the same?",
    ),
    Template(
        "einsum",
        "RuntimeError",
        r"^einsum\(\):",
        "`einsum` cannot read that equation. Is there one group of letters for each tensor, does "
        "each letter of the output stand in an input, and only once in the output?",
    ),
    Template(
        "einops_sizes",
        "RuntimeError",
        r"pattern[\s\S]*(?:can't divide axis|Shape mismatch)",
        "einops cannot split or join an axis as the pattern says. Which axes are in parentheses, in "
        "which order, and does their product have the size of that axis?",
    ),
    Template(
        "einops_axes",
        "RuntimeError",
        r"pattern[\s\S]*(?:Wrong shape|expected \d+ dims)",
        "The pattern has another number of axes on the left than the tensor has dimensions. Write "
        "its shape beside the pattern: which one is missing?",
    ),
    Template(
        "einops_unknown",
        "RuntimeError",
        r"pattern[\s\S]*Could not infer sizes",
        "einops cannot tell how to split the axis in parentheses. Which of its sizes has to be given "
        "as an argument?",
    ),
    Template(
        "einops",
        "RuntimeError",
        r"while processing \w+(?:-reduction)? pattern|^Imbalanced parentheses|expression: ",
        "einops cannot read that pattern. Do the same axes stand on both sides of `->`, and has each "
        "parenthesis its partner?",
    ),
    # dtypes
    Template(
        "bool_mask",
        "RuntimeError",
        r"only supports boolean masks|expected condition to be a boolean",
        "A mask of booleans is needed there, and it has numbers. The statement allows integer and "
        "boolean masks: what makes one of both?",
    ),
    Template(
        "invert",
        "TypeError",
        r"^~ \(operator\.invert\) is only implemented",
        "`~` does not work on floats. What makes a boolean mask of them first?",
    ),
    Template(
        "minus_bool",
        "RuntimeError",
        r"^(?:Subtraction|Negation), the .-. operator, (?:with|on)",
        "`-` does not work on booleans. The mask may come as integers or as booleans: what treats "
        "both alike?",
    ),
    Template(
        "indices",
        "RuntimeError",
        r"^Expected tensor for argument #\d+ 'indices'",
        "`nn.Embedding` takes integers, the numbers of tokens, and gets others. What turned them "
        "into floats, or is it handed vectors?",
    ),
    Template(
        "overflow",
        "RuntimeError",
        r"^value cannot be converted to type",
        "That fill value does not fit the tensor's dtype. Is it a tensor of integers, such as the "
        "mask, or one of small floats?",
    ),
    Template(
        "cast",
        "RuntimeError",
        r"can't be cast to the desired output type|^Integers to negative integer powers",
        "The result has floats and the tensor there integers; a change in place keeps its dtype. "
        "Where do the integers come from?",
    ),
    Template(
        "dtype_without",
        "NotImplementedError RuntimeError",
        r"not implemented for '\w+'|could not infer output dtype",
        "That operation does not exist for this dtype. Are there integers or booleans (a mask, "
        "`arange`) where floats are needed, or the other way round?",
    ),
    Template(
        "dtypes",
        "RuntimeError",
        r"have the same dtype|expected scalar type|share same datatype|^Expected attn_mask dtype",
        "Tensors of different dtypes meet there. Does your code set one itself (`.float()`, `dtype=`, "
        "a mask, NumPy) where it could take that of the input?",
    ),
    Template(
        "device",
        "AssertionError RuntimeError",
        r"^Torch not compiled with CUDA|expected device|to be on the same device|NVIDIA|CUDA GPUs",
        "There is no GPU where this is graded. Does your code have to name a device at all?",
    ),
    # gradients
    Template(
        "in_place_leaf",
        "RuntimeError",
        r"leaf Variable that requires grad is being used in an in-place",
        "A parameter, or an input, is changed in place while gradients are recorded. Which line "
        "writes into it (`+=`, `x[...] =`, a method that ends in `_`)?",
    ),
    Template(
        "in_place",
        "RuntimeError",
        r"modified by an inplace operation|is being modified inplace|of the written-to tensor",
        "A tensor that is still needed for the gradients, or shared, is changed in place. Which line "
        "has `+=`, `*=`, `x[...] =` or a method that ends in `_`?",
    ),
    Template(
        "no_gradient",
        "RuntimeError",
        r"does not require grad and does not have a grad_fn",
        "The result does not depend on anything that can learn. Is the graph cut by `detach`, "
        "`.data`, `no_grad` or NumPy, or is a tensor made anew?",
    ),
    Template(
        "graph_twice",
        "RuntimeError",
        r"^Trying to backward through the graph a second time",
        "Gradients go back through the same graph twice. Is something computed in `__init__`, or "
        "kept from the last call, that each call has to compute anew?",
    ),
    Template(
        "numpy_gradient",
        "RuntimeError",
        r"^Can't call numpy\(\) on Tensor",
        "NumPy does not record gradients. Which function of torch does the same?",
    ),
    # arguments
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
        "`softmax` is not told its `dim`. Over which dimension do the weights of a query add up to "
        "one?",
    ),
    Template(
        "torch_missing",
        "TypeError",
        r"^(?P<call>\w+)\(\) missing \d+ required positional arguments?: \"(?P<argument>\w+)\"",
        "{call} is not told {argument}. Which arguments does its documentation name?",
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
        "TypeError",
        r"argument 'size'.*must be tuple of ints",
        "Something that is no whole number is handed over as a size. Which argument is it, and in "
        "which order do they come?",
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
        "without `return`, or is it the mask that nobody gave?",
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
    # names
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
)
