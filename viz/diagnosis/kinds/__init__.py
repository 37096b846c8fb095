"""The kinds of mistakes, one module each; importing this package registers all of them.

Read `inplace_leaf` first, then `broken_path`, which is what the graph of the evidence is made for.
"""

from __future__ import annotations

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
