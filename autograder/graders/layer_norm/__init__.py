"""The graders of the assignment `layer-norm`.

LIBRARY_PARTS: what torch has ready-made of what an exercise asks for; a note tells staff where it is
called, and `layer_norm` has a check for it, because its statement says "without". `as_convolution` asks
for convolutions: a linear layer in one of them, registered or not, does another computation.
"""

LIBRARY_PARTS = {
    "layer_norm": (
        "torch.nn.LayerNorm",
        "torch.nn.RMSNorm",
        "torch.nn.functional.layer_norm",
        "torch.nn.functional.rms_norm",
        "torch.nn.functional.instance_norm",
        "torch.nn.functional.group_norm",
        "torch.nn.functional.batch_norm",
        "torch.nn.functional.local_response_norm",
        "torch.native_layer_norm",
        "torch.native_group_norm",
        "torch.native_batch_norm",
    ),
    "as_convolution": (
        "torch.nn.Linear",
        "torch.nn.functional.linear",
        "torch.einsum",
        "torch.matmul",
        "torch.mm",
        "torch.bmm",
        "torch.addmm",
    ),
}
