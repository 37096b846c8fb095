"""Sizes that are not known while a graph is built: `TensorSpec([None, 3])`, or `x[i:i + 32]`.

`size` has the integer that stands for such a size, `shapes` what is done with shapes that contain
it, `lengths` which tensors consist of sizes, and `checks` what a run looks at because of them.
"""
