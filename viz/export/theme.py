"""Names the colours of a sheet in one of three themes: light, dark and grey.

Grey is for papers that are printed without colour. There blue and orange would be one grey, so a
value and a cotangent get two tones, the cotangent the darker one, and a sum one between them.
"""

from __future__ import annotations

from ..picture.theme import BANDS, DARK, LIGHT, PALETTE, ROLES

__all__ = ["THEMES", "colours", "rgb"]

THEMES = ("light", "dark", "grey")

# Where hue says what a number is, lightness has to. On white and on the soft tones each has a
# contrast of 4.5 and more, as in colour.
_TONES = {
    "orange": "#1f1f1f",
    "green": "#444444",
    "blue": "#666666",
    "orange-soft": "#d6d6d6",
    "green-soft": "#e3e3e3",
    "blue-soft": "#f0f0f0",
    "now": "#dedede",  # with a frame around it
}


def colours(theme: str) -> dict[str, str]:
    """Every colour of the palette by its name, as `#rrggbb`.

    Args:
        theme: "light", "dark" or "grey".

    Raises:
        ValueError: There is no such theme.

    Example:
        >>> colours("light")["blue"], colours("grey")["blue"]
        ('#0072b2', '#666666')
    """
    if theme == "light":
        return _Colours(LIGHT)
    if theme == "dark":
        return _Colours(DARK)
    if theme == "grey":
        light = {name: value for name, (value, _) in (PALETTE | BANDS).items()}
        grey = {name: _TONES.get(name) or _grey(value) for name, value in light.items()}
        return _Greys(grey | {role: grey[name] for role, name in ROLES.items()})
    known = ", ".join(repr(each) for each in THEMES)
    raise ValueError(f"there is no theme {theme!r:.40}; choose one of {known}")


class _Colours(dict[str, str]):
    """Colours by name; one that says what it is, `#rrggbb`, is taken at its word."""

    def __missing__(self, name: str) -> str:
        if not name.startswith("#"):
            raise KeyError(name)
        return name


class _Greys(_Colours):
    def __missing__(self, name: str) -> str:
        return _grey(super().__missing__(name))


def rgb(value: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour, 0 to 255.

    Example:
        >>> rgb("#0072b2")
        (0, 114, 178)
    """
    return int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16)


def _grey(value: str) -> str:
    """The grey that is as light as a colour."""
    red, green, blue = (_linear(part / 255) for part in rgb(value))
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    part = round(
        255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055)
    )
    return f"#{part:02x}{part:02x}{part:02x}"


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
