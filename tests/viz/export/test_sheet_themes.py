"""Colours by name, letters by font: what all writers share."""

from __future__ import annotations

import pytest

from minitape.viz.export.faces import fonts, natural_width, pieces, widths
from minitape.viz.export.items import Look, Path, Run, Text
from minitape.viz.export.lines import ends
from minitape.viz.export.theme import THEMES, colours, rgb
from minitape.viz.picture.theme import LIGHT


def luminance(colour):
    """Relative luminance, as WCAG 2 defines it."""
    parts = [part / 255 for part in rgb(colour)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_every_theme_has_every_colour_of_the_palette(theme):
    assert colours(theme).keys() == LIGHT.keys()


def test_grey_is_grey_and_a_colour_with_a_role_is_the_same_grey():
    grey = colours("grey")
    assert all(len(set(rgb(value))) == 1 for value in grey.values())
    assert grey["cotangent"] == grey["orange"] and grey["variable-line"] == grey["green"]


def test_in_grey_a_value_and_a_cotangent_are_two_tones_that_can_be_told_apart():
    grey = colours("grey")
    assert contrast(grey["blue"], grey["orange"]) > 2.5
    assert contrast(grey["blue-soft"], grey["orange-soft"]) > 1.2


@pytest.mark.parametrize("hue", ["blue", "orange", "green", "purple"])
def test_text_in_a_hue_can_be_read_on_paper_and_in_grey_on_its_own_tint(hue):
    assert all(contrast(colours(each)[hue], colours(each)["paper"]) >= 4.5 for each in THEMES)
    assert contrast(colours("grey")[hue], colours("grey")[f"{hue}-soft"]) >= 4.5


def test_a_theme_that_does_not_exist_raises_with_those_that_do():
    with pytest.raises(ValueError, match="no theme 'sepia'; choose one of 'light', 'dark', 'grey'"):
        colours("sepia")


def test_letters_are_as_wide_as_fonttools_says():
    tools = pytest.importorskip("fontTools.ttLib")
    for name, path in fonts().items():
        font = tools.TTFont(path)
        metrics, unit = font["hmtx"], font["head"].unitsPerEm
        found = font.getBestCmap().items()
        known = {chr(code): metrics[glyph][0] / unit for code, glyph in found}
        assert widths(name) == {letter: known[letter] for letter in widths(name)}


def test_a_letter_that_no_font_has_is_the_sign_for_an_unknown_one():
    assert pieces(Run("a中", bold=True, italic=True)) == [("sans-bold", "a"), ("sans", "\ufffd")]


def test_the_width_of_a_line_is_that_of_its_runs():
    line = Text(0, 0, (Run("ab", "mono"), Run("2", "mono", scale=0.5)), 10.0)
    assert natural_width(line) == pytest.approx(2.5 * 10 * 1233 / 2048)


def test_an_arrowhead_points_where_a_curve_ends():
    curve = Path(((0, 0), (10, 0, 20, 10, 20, 20)), Look(stroke="line"), head=True, tail=True)
    down, left = (triangle[0] for triangle in ends(curve))
    assert down == pytest.approx((20, 21)) and left == pytest.approx((-1, 0))


def test_a_curve_whose_last_handle_is_its_end_still_has_a_direction():
    curve = Path(((0, 0), (0, 0, 30, 0, 30, 0)), Look(stroke="line"), head=True)
    assert ends(curve)[0][0] == pytest.approx((31, 0))
