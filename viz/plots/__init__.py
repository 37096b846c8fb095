"""Plots of functions and of training: `viz.curve`, `surface`, `flow`, `memory`.

One module each, with its picture beside it; `exhibit` is what they share (a plot that shows
itself everywhere), `sampling` a learner's function on many points at once, `heatmap` a small
picture of an array.
"""
