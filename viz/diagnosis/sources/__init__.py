"""Collectors: each fills an `Evidence` from what one framework does while a script runs."""
