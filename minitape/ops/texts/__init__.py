"""Texts: tensors of strings, which have no derivative.

`texts` and `strings` have the ops, `text_functions` and `patterns` what users call.
"""
