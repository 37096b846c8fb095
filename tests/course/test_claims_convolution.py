"""What lesson 13 draws: windows that slide and kernels that are stamped, with the right numbers."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from lesson_cells import code, prose, whole
from minitape.viz.course.motion import sliding, stamping

G = np.array([[1.0, 0.0], [0.0, 2.0]])
KERNEL = np.array([[3.0, 1.0], [0.0, 5.0]])
# 3 1 .   stamped once, and twice as strong one pixel down and to the right
# 0 5+6 2
# . 0 10
STAMPED = [[3, 1, 0], [0, 11, 2], [0, 0, 10]]


def texts(svg: str) -> list[tuple[str, str, str]]:
    """The texts of a picture: class, opacity at rest, what they say."""
    root = ElementTree.fromstring(svg)
    return [
        (each.get("class", ""), each.get("opacity", "1"), (each.text or "").strip())
        for each in root.iter("{http://www.w3.org/2000/svg}text")
    ]


def test_stamps_rest_in_the_sums_of_all_stamps():
    svg = stamping(G, KERNEL, "Two stamps.").svg
    rests = [float(said) for kind, opacity, said in texts(svg) if kind == "comes"]
    np.testing.assert_array_equal(np.reshape(rests, (3, 3)), STAMPED)
    assert all(opacity == "1" for kind, opacity, _ in texts(svg) if kind == "comes")


def test_where_stamps_overlap_the_first_one_is_seen_before_the_sum():
    svg = stamping(G, KERNEL, "Two stamps.").svg
    middle = [said for kind, opacity, said in texts(svg) if (kind, opacity) == ("moves", "0")]
    assert "5" in middle  # until the second stamp makes 11 of it
    assert svg.count('fill="freeze"') == svg.count("<animate ")
    frames = re.findall(r'<rect class="moves"|<rect [^>]*class="moves"', svg)
    assert len(frames) == 2 * 2  # on g and on the image, for each stamp


def test_a_window_names_what_slides_over_what():
    svg = sliding(np.eye(3), G, G, "It slides.", ("image", "g", "gradient of the kernel")).svg
    assert [said for _, _, said in texts(svg) if said[:1].isalpha()][:3] == [
        "image", "g", "gradient of the kernel",
    ]  # fmt: skip


def test_the_transpose_of_the_layer_s_matrix_stamps_the_kernel():
    """Each row of the matrix is the kernel at another place, so each column of its transpose is."""
    assert "Each column of the transpose is one stamp" in prose("13")
    matrix = np.zeros((4, 9))
    for (i, j), row in zip(np.ndindex(2, 2), matrix, strict=True):
        row.reshape(3, 3)[i : i + 2, j : j + 2] = KERNEL
    np.testing.assert_array_equal((matrix.T @ G.ravel()).reshape(3, 3), STAMPED)


@pytest.mark.parametrize(
    ("n", "k", "p", "s"), [(16, 3, 0, 2), (5, 3, 0, 1), (7, 3, 1, 2), (8, 2, 0, 2), (9, 4, 2, 3)]
)
def test_a_row_of_the_map_has_as_many_numbers_as_the_formula_says(n, k, p, s):
    assert r"\lfloor (n + 2p - k)/s \rfloor + 1$ numbers" in prose("13")
    assert "7. The window begins at pixel 0, 2, 4, ... and 12" in code("13")
    windows = [start for start in range(0, n + 2 * p, s) if start + k <= n + 2 * p]
    assert len(windows) == (n + 2 * p - k) // s + 1
    if (n, k, p, s) == (16, 3, 0, 2):
        assert (len(windows), windows[-1]) == (7, 12)


@pytest.mark.slow
@pytest.mark.xdist_group("lesson 13")
def test_many_edges_were_there_by_chance_and_training_has_changed_the_kernels_little():
    pytest.importorskip("matplotlib.pyplot", reason="the lesson draws (extra plot)")
    assert "Many edges were there by chance before the training" in prose("13")
    names, _ = whole("13")
    begun = names["kernel"](np.random.default_rng(0), 3, 3, 1, 16).numpy().reshape(9, 16)
    ended = names["seer"][0].numpy().reshape(9, 16)
    assert np.corrcoef(begun.ravel(), ended.ravel())[0, 1] > 0.9
    rows, columns = (each.ravel() / np.sqrt(6) for each in np.mgrid[-1:2, -1:2])

    def edges(kernels):
        """Which kernels are for two fifths a ramp, from one side to the other."""
        moved = kernels - kernels.mean(0)
        return ((rows @ moved) ** 2 + (columns @ moved) ** 2) / (moved**2).sum(0) > 0.4

    assert 2 * (edges(begun) & edges(ended)).sum() > edges(ended).sum() > 4
