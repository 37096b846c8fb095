"""Keeps results right whatever interrupts, forks or complains: a reader may skip this folder.

`exits` leaves what was entered, even if Ctrl-C comes in between. `locks` are open again after an
interrupt or a fork. `silence` and `retrying` give infinities and NaN whatever NumPy is set
to.
"""
