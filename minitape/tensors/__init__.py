"""What becomes a tensor, and what stands in for one.

`convert` makes tensors of Python's and NumPy's values by TensorFlow's rules; `composite` shows
values of several tensors to tapes as a flat list; `boxed` is a tensor without a value of its own,
as batches and graphs compute with; `assigning` is how the value of a variable changes.
"""
