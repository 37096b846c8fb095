"""What only a notebook has: the magic `%%tape`, and `viz.explore` with its sliders.

`magic` records a cell; `explore` records again for other inputs, in a player that stays.
"""
