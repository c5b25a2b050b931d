"""Templates for exceptions about shapes that do not fit."""

from autograder.engine.examiner.templates import Template

SHAPES = (
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
        "The new shape has another number of elements than the tensor. Which shape does that have "
        "there, and from which tensor is each of the new sizes taken?",
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
        "The tensor has another number of dimensions there than that line expects. How many are there "
        "(the first is 0), and would counting from the end (-1, -2) do?",
    ),
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
)
