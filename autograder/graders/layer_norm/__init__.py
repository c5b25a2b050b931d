"""The graders of the assignment `layer-norm`.

LIBRARY_PARTS: what torch has ready-made of what an exercise asks for; a note tells staff where it is
used.
"""

LIBRARY_PARTS = {
    "layer_norm": ("torch.nn.LayerNorm", "torch.nn.functional.layer_norm", "torch.layer_norm"),
}
