"""The one palette: every colour of every picture, page and player, in light and dark.

The colours are Okabe and Ito's, darkened or lightened until text in them has a contrast of 4.5 and
more. Hue says what a number is: blue a value, orange a cotangent, green a sum, purple that nothing
passes. Nothing hangs on hue alone.
"""

from __future__ import annotations

import re

FONT = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"

PALETTE = {
    # name: (light, dark)
    "paper": ("#ffffff", "#15181c"),
    "ink": ("#16191d", "#eceff2"),
    "soft": ("#f3f5f7", "#1f242a"),
    "quiet": ("#586069", "#a3acb5"),
    "line": ("#7b8794", "#8894a2"),
    "rule": ("#cfd5db", "#3b434c"),
    "blue": ("#0072b2", "#56b4e9"),
    "blue-soft": ("#dceefa", "#12364c"),
    "orange": ("#b04a00", "#ff9d4d"),
    "orange-soft": ("#ffe8d6", "#4a2a12"),
    "green": ("#00795a", "#2fc79b"),
    "green-soft": ("#d7f3ea", "#0f3d31"),
    "purple": ("#a3457b", "#e59cc5"),
    "purple-soft": ("#fbeaf3", "#3a2030"),
    "now": ("#fff1b8", "#453b0f"),
    "violet": ("#7a1fa2", "#d7a6f5"),
    "gold": ("#8a6100", "#e0b84a"),
}
# The bands of nested scopes: three tints that differ in lightness, too.
BANDS = {
    "band-0": ("#e6f2fa", "#132635"),
    "band-0-line": ("#8fbfe0", "#3c6f93"),
    "band-1": ("#f3ecfa", "#271c38"),
    "band-1-line": ("#b79ad6", "#6f539a"),
    "band-2": ("#fdf3d7", "#332a0e"),
    "band-2-line": ("#d8b04a", "#8a6f22"),
}

# What the parts of pictures are drawn in: who wants variables in another colour changes it here.
ROLES = {
    "muted": "quiet", "edge": "line", "op": "paper", "op-line": "line", "source": "blue-soft",
    "source-line": "blue", "variable": "green-soft", "variable-line": "green", "constant": "soft",
    "constant-line": "line", "target": "orange-soft", "target-line": "orange",
    "cotangent": "orange", "now-line": "orange", "broken": "purple", "broken-soft": "purple-soft",
    "program": "soft", "program-line": "line", "part": "paper", "part-line": "rule",
}  # fmt: skip
NAMED = PALETTE | BANDS | {role: PALETTE[name] for role, name in ROLES.items()}

LIGHT = {name: light for name, (light, _) in NAMED.items()}
DARK = {name: dark for name, (_, dark) in NAMED.items()}


def css_properties() -> str:
    """Every colour as a custom property that follows the colour scheme.

    Example:
        >>> css_properties().split(";")[0]
        '--paper:light-dark(#ffffff,#15181c)'
    """
    colours = [f"--{name}:light-dark({a},{b})" for name, (a, b) in (PALETTE | BANDS).items()]
    return ";".join(colours + [f"--{role}:var(--{name})" for role, name in ROLES.items()])


def picture_properties() -> str:
    """Every colour under the name that pictures (`canvas`, `svg_style`) have for it.

    Example:
        >>> picture_properties().split(";")[0]
        '--mt-paper:light-dark(#ffffff,#15181c)'
    """
    return ";".join(f"--mt-{name}:light-dark({LIGHT[name]},{DARK[name]})" for name in LIGHT)


def with_palette(css: str) -> str:
    """A style sheet with the palette where it says `--palette: here;`.

    Example:
        >>> with_palette(".a { --palette: here; }").startswith(".a { --paper:light-dark(")
        True
    """
    return re.sub(r"--palette: ?here;", css_properties() + ";", css)


def rgb(name: str) -> tuple[int, ...]:
    """Red, green and blue of a colour on paper, 0 to 255.

    Example:
        >>> rgb("blue")
        (0, 114, 178)
    """
    return tuple(int(LIGHT[name][i : i + 2], 16) for i in (1, 3, 5))


def mixed(name: str, share: float) -> str:
    """A colour between the light paper (share 0) and one of the palette (share 1).

    Example:
        >>> mixed("blue", 0.0), mixed("blue", 1.0)
        ('#ffffff', '#0072b2')
    """
    ends = zip(rgb("paper"), rgb(name), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in ends)
