"""The microscope's window on convolutions of other programs: grouped, transposed, spread apart."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from test_microscope import number
from test_player import show

from minitape.viz.trace.trace import Array, Attribute, Node, Operand, Step, Trace

if TYPE_CHECKING:
    from playwright.sync_api import Page

CONVOLUTION = ("image", "kernel", "map")
TRANSPOSED = ("", "kernel", "map", "image")  # as TensorFlow has it: a size comes first


class Case(NamedTuple):
    """Shapes of image, kernel, map, and of a window: stride, before, dilation, spread."""

    image: tuple[int, ...]
    kernel: tuple[int, ...]
    map: tuple[int, ...]
    window: tuple[int, ...]
    roles: tuple[str, ...] = CONVOLUTION


CASES = {
    "grouped": Case((1, 3, 3, 4), (2, 2, 2, 2), (1, 2, 2, 2), (1, 0, 1)),
    "grouped with several maps each": Case((1, 3, 3, 2), (2, 2, 1, 4), (1, 2, 2, 4), (1, 0, 1)),
    "transposed": Case((1, 4, 4, 2), (2, 2, 2, 1), (1, 2, 2, 1), (2, 0, 1), TRANSPOSED),
    "transposed and padded": Case((1, 4, 4, 1), (3, 3, 1, 2), (1, 2, 2, 2), (2, 0, 1), TRANSPOSED),
    "depthwise": Case((1, 3, 3, 2), (2, 2, 2, 3), (1, 2, 2, 6), (1, 0, 1)),
    "depthwise, transposed": Case((1, 4, 4, 2), (3, 3, 2, 2), (1, 2, 2, 4), (2, 0, 1), TRANSPOSED),
    "an image spread apart": Case((1, 2, 2, 2), (3, 3, 2, 1), (1, 4, 4, 1), (1, 2, 1, 2)),
}


def triples(case: Case) -> list[tuple[tuple[int, ...], ...]]:
    """The places of image, kernel and map that meet, counted one by one."""
    stride, before, dilation, spread = (*case.window, 1)[:4]
    groups = case.image[-1] // case.kernel[2]
    is_depthwise = case.map[-1] > case.kernel[3]
    found = []
    for a, b, c, q in itertools.product(*map(range, case.kernel)):
        for i, j in itertools.product(range(case.map[1]), range(case.map[2])):
            rows, columns = (at * stride + k * dilation - before for at, k in ((i, a), (j, b)))
            if rows % spread or columns % spread:
                continue
            y, x = rows // spread, columns // spread
            if 0 <= y < case.image[1] and 0 <= x < case.image[2]:
                channel = c + case.kernel[2] * (q // (case.kernel[3] // groups))
                own = c * case.kernel[3] + q if is_depthwise else q
                found.append(((0, y, x, channel), (a, b, c, q), (0, i, j, own)))
    return found


def summed(case: Case, role: str, arrays: dict[str, Any]) -> Any:
    """An array of one role: the products of the elements of the other two that meet there."""
    out = np.zeros(getattr(case, role))
    for places in triples(case):
        at = dict(zip(CONVOLUTION, places, strict=True))
        out[at[role]] += np.prod([arrays[each][at[each]] for each in CONVOLUTION if each != role])
    return out


def trace_of(case: Case) -> tuple[Trace, list[Any]]:
    """The op and its rules as a trace, and what each step gives."""
    draw = np.random.default_rng(0).normal
    given = {role: draw(size=getattr(case, role)) for role in CONVOLUTION}  # and the cotangent
    *inputs, result = case.roles
    sizes = np.array(case.image, float)
    nodes = [
        Node(i, "source", (), "float64", np.shape(x), name=f"x{i}", value=Array.of(x))
        for i, x in enumerate(given[role] if role else sizes for role in inputs)
    ]
    out, end = summed(case, result, given), len(inputs)
    how = (
        Attribute("roles", json.dumps(case.roles)),
        Attribute("windows", json.dumps([case.window] * 2)),
    )
    made = Node(
        end, "op", tuple(range(end)), "float64", out.shape, op="other", value=Array.of(out),
        attributes=how,
    )  # fmt: skip
    came = Array.of(given[result])
    steps, expected = [Step("forward", end), Step("seed", end, cotangent=came)], [out, None]
    for position, role in enumerate(inputs):
        if role:
            share = summed(case, role, given)
            taken = (
                Operand("g", end, came, "cotangent"),
                *(Operand(f"x{i}", i, nodes[i].value) for i in range(end) if i != position),  # type: ignore[arg-type]
            )
            arrived = Array.of(share)
            steps.append(
                Step("pull", end, position, position, came, arrived, arrived, operands=taken)
            )
            expected.append(share)
    return Trace((*nodes, made), tuple(steps)), expected


@pytest.mark.parametrize("name", list(CASES))
def test_the_products_of_a_window_add_up_to_the_element_in_all_three_directions(
    page: Page, tmp_path: Path, name: str
):
    trace, expected = trace_of(CASES[name])
    shown = show(page, tmp_path, trace)
    for at, whole in enumerate(expected):
        if whole is None:
            continue
        shown.go(at)
        for flat in range(0, whole.size, 3):
            shown.host.locator(f".card:is(.new, .made) td[data-e='{flat}']").hover()
            heading = shown.text(".lens h2")
            assert "meets" in heading or "saw this" in heading
            texts = shown.host.locator(
                ".products td:not(.plus, .total), .terms.down td:last-child"
            ).all_text_contents()
            found = sum(number(text) for text in texts if text)
            assert found == pytest.approx(whole.flat[flat], rel=5e-3, abs=5e-3), (at, flat)
