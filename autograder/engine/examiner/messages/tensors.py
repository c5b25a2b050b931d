"""Templates for exceptions about dtypes and gradients."""

from autograder.engine.examiner.templates import Template

TENSORS = (
    Template(
        "bool_mask",
        "RuntimeError",
        r"only supports boolean masks|expected condition to be a boolean",
        "A mask of booleans is needed there, and it has numbers. What makes it boolean, whichever "
        "of the two it is?",
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
        "`-` does not work on booleans. If a mask may come as integers or as booleans: what treats "
        "both alike?",
    ),
    Template(
        "indices",
        "RuntimeError",
        r"^Expected tensor for argument #\d+ 'indices'",
        "`nn.Embedding` looks rows up by integers, and gets floats. What made floats of them, or is "
        "it handed vectors?",
    ),
    Template(
        "overflow",
        "RuntimeError",
        r"^value cannot be converted to type",
        "That fill value does not fit the tensor's dtype. Is it a tensor of integers, such as a "
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
        "vmap",
        "RuntimeError",
        r"functorch|vmap",
        "`vmap` cannot look into what is called there. Does it work with a dimension for the batch "
        "instead?",
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
)
