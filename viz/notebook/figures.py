"""The look of a lesson's figures: SVG, one style, the player's colours.

A drawing stays sharp on a wall and on a telephone, and the same cell draws the same bytes: no date,
no names drawn by lot.
"""

from __future__ import annotations

import sys
from typing import Any

from ..picture.theme import PALETTE

COLOURS = ("blue", "orange", "green", "violet")  # values, what comes back, sums, the rest
DASHES = ("-", "--", "-.", ":")  # besides colour: for a print in black, and for eyes that see few


def figures() -> None:
    """Sets the course's style for the Matplotlib figures that follow, as SVG in a notebook.

    Call it once, in a lesson's first cell, after matplotlib was imported.

    Raises:
        ImportError: matplotlib is not installed.

    Example:
        >>> figures()
        >>> import matplotlib
        >>> matplotlib.rcParams["axes.spines.top"]
        False
    """
    import matplotlib
    from cycler import cycler

    colours = [PALETTE[name][0] for name in COLOURS]
    style: dict[str, Any] = {
        "font.size": 12,
        "axes.titlesize": 12,
        "legend.fontsize": 11,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": cycler(color=colours, linestyle=list(DASHES)),
        "legend.frameon": False,
        "svg.fonttype": "none",  # letters stay letters: small, and to be read aloud
        "svg.hashsalt": "minitape",
    }
    matplotlib.rcParams.update(style)  # type: ignore[arg-type]
    if (module := sys.modules.get("IPython")) is not None and module.get_ipython() is not None:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg", metadata={"Date": None})  # type: ignore[no-untyped-call]
