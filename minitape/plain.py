"""The switch for the plain engine: MINITAPE_PLAIN=1 leaves out all that a reader may skip.

Off are what only saves time (`fast` and `graphs/compiled`), and two guards (`safety`): an interrupt
may leave a tape on the stack, and NumPy is silent in a sweep for users' own rules, too. Results are
the same.
"""

from __future__ import annotations

import os

PLAIN = os.environ.get("MINITAPE_PLAIN", "0") not in ("", "0")
