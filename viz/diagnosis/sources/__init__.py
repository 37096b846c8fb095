"""Collectors: each fills an `Evidence` from what one framework does while a script runs.

`places` finds the learner's expression that is running; `pytorch` listens to PyTorch.
"""
