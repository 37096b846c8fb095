"""Sheets say what scenes say, none missing, none more; nothing meets, nothing is cut."""

from __future__ import annotations

import contextlib
import functools
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from equations import Claim, is_true
from geometry import beyond_their_boxes, faults
from recorded import broken, by_chance, convolution, network, recurrent, scalars

from minitape.viz.export.items import Group, Path, Rect, Run, Text
from minitape.viz.export.svg import svg
from minitape.viz.player.scene.steps import Scenes
from minitape.viz.player.sheet import graph
from minitape.viz.player.sheet.blocks import width, wrapped
from minitape.viz.player.sheet.matrices import matrix, parts_of, row
from minitape.viz.player.sheet.sheets import Sheets, Size, in_words
from minitape.viz.trace.arrays import Array

BY_HAND = {
    "scalars": scalars, "network": network, "convolution": convolution, "broken": broken,
    "recurrent": recurrent,
}  # fmt: skip
SEEDS = range(6012, 6024)
SIZES = {
    "slide": Size(1280, 720), "4:3": Size(960, 720), "text": Size(582, None),
    "column": Size(321, None), "proof": Size(582, None, ("sentence", "proof")),
    "graph": Size(400, 300, ("graph",)),
}  # fmt: skip
SIGNS = {"·": np.multiply, "+": np.add, "−": np.subtract, "/": np.divide}
SVG = "{http://www.w3.org/2000/svg}"


@functools.cache
def programs() -> list[tuple[str, Any]]:
    found = [(name, program()) for name, program in BY_HAND.items()]
    return found + [(f"program {seed}", by_chance(seed)) for seed in SEEDS]


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


def groups(element: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [each for each in element.iter(f"{SVG}g") if each.get("aria-label") == name]


def written(element: ElementTree.Element, *without: str) -> list[str]:
    """The texts of a drawing in their order, without those of some groups."""
    found = []
    for child in element:
        if child.tag == f"{SVG}text":
            found.append("".join(child.itertext()))
        elif child.get("aria-label") not in without:
            found += written(child, *without)
    return found


@pytest.mark.slow
def test_a_drawing_has_the_letters_of_the_players_text_at_every_step_none_missing_none_more():
    wrong = []
    for name, player in programs():
        scenes = Scenes(player.trace)
        sheets = Sheets(scenes, SIZES["slide"])
        for number in range(1, len(scenes)):
            sentence, *lines = player.text(number).splitlines()
            drawn = ElementTree.fromstring(svg(sheets.of([number])[0]))
            said = letters("".join(t for g in groups(drawn, "sentence") for t in written(g)))
            ok = letters(sentence) == f"{number}.{said}"
            equation = letters(
                "".join(t for g in groups(drawn, "equation") for t in written(g, "below"))
            )
            products = letters("".join(t for g in groups(drawn, "products") for t in written(g)))
            total = letters(lines[-1].strip().split("   (")[0]) if lines else ""
            ok = ok and equation == total
            ok = ok and all(letters(line) in products for line in lines[:-1])
            scene = scenes[number]
            if scene.kind == "unconnected":
                why = letters("".join(t for g in groups(drawn, "reasons") for t in written(g)))
                rows = [letters(re.sub(r"^ *[-+] ", "", line)) for line in lines]
                if not rows or any(row not in why for row in rows):
                    wrong.append((name, number, sentence))
                continue
            labels = [] if scene.meet is None else [column.label for column in scene.meet.columns]
            head = "" if scene.meet is None else f"{scene.meet.left}·{scene.meet.right}"
            exact = Counter(letters("".join([*labels, *lines[:-1]])))
            with_head = exact + Counter(letters(head))
            ok = ok and Counter(products) in (exact, with_head, Counter())
            if not ok or bool(lines[:-1]) != bool(products):
                wrong.append((name, number, sentence))
    assert wrong == []


@pytest.mark.slow
def test_digits_of_arrays_are_those_that_were_recorded():
    checked = 0
    for name, player in programs():
        scenes = Scenes(player.trace)
        sheets = Sheets(scenes, SIZES["slide"])
        for number in range(1, len(scenes)):
            drawn = ElementTree.fromstring(svg(sheets.of([number])[0]))
            own = [g for each in groups(drawn, "arrays") for g in groups(each, "digits")]
            if not own:
                continue
            step = scenes.steps[number - 1]
            result = (
                step.contribution if step.kind == "pull" else player.trace.nodes[step.node].value
            )
            values = np.asarray(result).ravel()
            texts = written(own[-1])
            if values.dtype.kind == "f" and len(texts) == values.size:
                read = [_number(text) for text in texts]
                assert np.allclose(read, values, rtol=6e-4, atol=0, equal_nan=True), (name, number)
                checked += 1
    assert checked > 40


def _number(text: str) -> float:
    plain = text.replace("−", "-").replace("∞", "inf").replace("·10", "e")
    return float(plain.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SIZES)
def test_no_text_meets_another_leaves_its_sheet_or_is_too_small(kind):
    wrong = []
    for name, player in programs():
        sheets = Sheets(Scenes(player.trace), SIZES[kind])
        for number in range(1, len(sheets.scenes)):
            found = faults(sheets.of([number])[0])
            wrong += [(name, number, found[0])] if found else []
    assert wrong == []


@pytest.mark.slow
def test_the_texts_of_a_node_stand_in_its_box():
    wrong, seen = [], 0
    for name, player in programs():
        sheets = Sheets(Scenes(player.trace), SIZES["slide"])
        for number in range(1, len(sheets.scenes)):
            (sheet,) = sheets.of([number])
            seen += any(isinstance(each, Group) and each.name == "graph" for each in sheet.items)
            wrong += [(name, number, each) for each in beyond_their_boxes(sheet.items)]
    assert wrong == []
    assert seen > 200


def test_a_slide_keeps_its_height_and_a_sheet_that_is_too_low_for_its_texts_grows():
    scenes = Scenes(network().trace)
    numbers = list(range(1, len(scenes)))
    assert {sheet.height for sheet in Sheets(scenes, Size(1280, 720)).of(numbers)} == {720}
    (low,) = Sheets(scenes, Size(321, 120)).of([11])
    assert low.height > 120
    assert faults(low) == []


def test_the_graph_begins_at_one_height_on_all_slides_of_a_deck():
    sheets = Sheets(Scenes(network().trace), Size(1280, 720))
    deck = sheets.of(list(range(1, 15)))
    panes = {next(item.y for item in sheet.items if isinstance(item, Rect)) for sheet in deck}
    assert len(panes) == 1


def test_a_graph_is_laid_out_once_for_all_steps(monkeypatch):
    calls = []
    whole = graph.layered_layout
    monkeypatch.setattr(graph, "layered_layout", lambda *a: calls.append(a) or whole(*a))
    sheets = Sheets(Scenes(network().trace), Size(1280, 720))
    sheets.of(list(range(1, len(sheets.scenes))))
    assert len(calls) == 2  # with numbers, and with names alone


def test_a_graph_of_many_boxes_is_seen_around_its_step():
    import minitape as tf
    from minitape import viz

    x = tf.Variable(0.5)
    with viz.recording(), tf.GradientTape() as tape:
        y = x
        for _ in range(200):
            y = tf.sin(y)
    sheets = Sheets(Scenes(viz.step(tape, y, x).trace), Size(1280, 720))
    for number in (1, 100, 250, 401):
        (sheet,) = sheets.of([number])
        boxes = [i for i in sheet.items if isinstance(i, Group) and i.name == "graph"]
        assert 1 <= sum(isinstance(each, Group) for each in boxes[0].items) <= 45
        assert faults(sheet) == []


def named(items: Any, name: str) -> list[Group]:
    """The groups of a name, wherever they stand."""
    groups = [each for each in items if isinstance(each, Group)]
    inside = [found for each in groups for found in named(each.items, name)]
    return [each for each in groups if each.name == name] + inside


def test_where_a_gradient_is_none_the_path_ends_with_a_cross_and_its_reason():
    player = broken()
    scenes = Scenes(player.trace)
    for size in ("slide", "text"):
        sheets = Sheets(scenes, SIZES[size])
        for number in range(1, len(scenes)):
            (sheet,) = sheets.of([number])
            (cross,) = named(sheet.items, "cross")
            assert [text.plain for text in _texts([cross])] == ["left: numpy"]
            edges = [i for i in named(sheet.items, "graph")[0].items if isinstance(i, Path)]
            assert sum(each.look.stroke == "purple" for each in edges) == 1
        (last,) = sheets.of([len(scenes) - 1])
        words = " ".join(text.plain for text in _texts(named(last.items, "reasons")))
        assert "No tape sees what happens there." in words
        assert "+ squares = tf.square(scaled)" in words
        assert "it was not run" in words


@pytest.mark.slow
def test_the_rounds_of_a_loop_are_slots_in_a_row_and_the_one_of_the_step_is_marked():
    scenes = Scenes(recurrent().trace)
    sheets = Sheets(scenes, SIZES["slide"])
    wrong, marked = [], []
    for number in range(1, len(scenes)):
        (sheet,) = sheets.of([number])
        (row_of_rounds,) = named(sheet.items, "strip")
        slots = {
            block.name: block for block in row_of_rounds.items
            if isinstance(block, Group) and block.name.isdigit()
        }  # fmt: skip
        if list(slots) != [str(i) for i in range(1, 9)]:
            wrong.append(number)
        looks = {
            name: [each.look.fill for each in _rects(block.items)] for name, block in slots.items()
        }
        marked.append([name for name, fills in looks.items() if "now" in fills])
        inside = named(sheet.items, "graph")
        if inside and not marked[-1]:
            wrong.append(number)
    assert wrong == []
    forward = [names[0] for names in marked if len(names) == 1]
    assert forward == sorted(forward[: forward.index("8") + 1]) + forward[forward.index("8") + 1 :]
    assert {name for names in marked for name in names} == set("12345678")
    assert not named(Sheets(scenes, SIZES["column"]).of([9])[0].items, "strip")


def test_a_full_stop_is_not_the_first_letter_of_a_line():
    said = [Run("The gradient of "), Run("weights", "mono", True), Run(".")]
    lines = wrapped(said, 10.0, width(said, 10.0) - 1.0)
    assert ["".join(run.text for run in line) for line in lines] == ["The gradient of", "weights."]


def test_the_area_of_a_mark_is_the_size_of_its_number_and_a_negative_one_is_hollow():
    part = matrix("x", "value", Array.of(np.array([4.0, -1.0, 0.0, 400.0])))
    assert part is not None
    block, whole = row([part], 20.0, 14.0)
    assert not whole
    marks = [
        each
        for each in _rects(block.items)
        if each.look.fill == "blue" or each.look.stroke == "blue"
    ]
    four, minus_one, most = marks
    assert minus_one.look.fill == ""
    assert (most.width / four.width) ** 2 < 100.5  # what is not zero stays to be seen
    assert most.width > four.width > 0


def _rects(items: Any) -> Iterator[Rect]:
    for item in items:
        if isinstance(item, Group):
            yield from _rects(item.items)
        elif isinstance(item, Rect):
            yield item


def _given(a: Any, sign: str, b: Any) -> list[Any]:
    """What NumPy gives for arrays with a sign between them, element by element or as matrices."""
    found = []
    if sign == "·" and a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]:
        found.append(a @ b)
    with contextlib.suppress(ValueError), np.errstate(all="ignore"):
        found.append(SIGNS[sign](a, b))
    return found


def test_a_row_of_arrays_with_a_sign_between_two_of_them_holds_in_numpy():
    wrong, checked = [], 0
    for name, player in programs():
        scenes = Scenes(player.trace)
        for number in range(1, len(scenes)):
            parts = parts_of(scenes, scenes[number], {})
            if len(parts) != 5 or parts[3] not in ("=", "≈") or isinstance(parts[0], str):
                continue
            a, b, c = (each.values.astype("float64").reshape(each.shape) for each in parts[::2])
            sign = parts[1].strip()
            if sign not in SIGNS:  # a convolution, a power
                continue
            near = {"rtol": 2e-2, "atol": 1e-3 * max(1.0, np.abs(c).max(initial=0.0))}
            found = [r for r in _given(a, sign, b) if r.shape == c.shape]
            holds = any(np.allclose(r, c, **near, equal_nan=True) for r in found)
            wrong += [] if holds else [(name, number, sign)]
            checked += 1
    assert wrong == []
    assert checked > 40


def _worked_out(sign: str, a: Any, b: Any, c: Any, said: str) -> Iterator[list[Claim]]:
    """The equations of all elements as they are written: of a product of matrices, or in place."""
    x, y, z = (
        np.array([f"({text})" for text in each.texts]).reshape(each.shape) for each in (a, b, c)
    )
    if sign == "·" and x.ndim == y.ndim == 2 and x.shape[1] == y.shape[0]:
        sums = [
            [" + ".join(f"{p} · {q}" for p, q in zip(row, column, strict=True)) for column in y.T]
            for row in x
        ]
        if np.shape(sums) == z.shape:
            yield [
                Claim(left, said, right.strip("()"))
                for left, right in zip(np.ravel(sums), z.flat, strict=True)
            ]
    with contextlib.suppress(ValueError):
        x, y = np.broadcast_arrays(x, y)
        if x.shape == z.shape:
            lefts = [f"{p} {sign} {q}" for p, q in zip(x.flat, y.flat, strict=True)]
            yield [
                Claim(left, said, right.strip("()"))
                for left, right in zip(lefts, z.flat, strict=True)
            ]


def test_a_sign_is_true_of_the_digits_that_stand_there():
    false, signs = [], Counter()
    for name, player in programs():
        scenes = Scenes(player.trace)
        for at in range(1, len(scenes)):
            parts = parts_of(scenes, scenes[at], {})
            if len(parts) != 5 or any(isinstance(each, str) for each in parts[::2]):
                continue
            a, b, c = parts[::2]
            sign, said = parts[1].strip(), parts[3]
            if sign in SIGNS and said in ("=", "≈") and a.has_digits and b.has_digits:
                ways = list(_worked_out(sign, a, b, c, said))
                signs[said] += 1
                if not any(all(is_true(claim) for claim in claims) for claims in ways):
                    false.append((name, at, sign, said))
    assert false == []
    assert min(signs["="], signs["≈"]) > 10


def test_images_are_seen_by_channel():
    values = np.arange(1 * 2 * 2 * 3, dtype="float32").reshape(1, 2, 2, 3)
    part = matrix("x", "value", Array.of(values), "image")
    assert part is not None
    assert np.array_equal(part.values[1], values[0, :, :, 1])
    assert part.flats[1, 1, 0] == np.ravel_multi_index((0, 1, 0, 1), values.shape)


def test_an_element_that_is_chosen_is_worked_out():
    player = network()
    scenes = Scenes(player.trace)
    forward = next(n for n in range(1, 9) if scenes.steps[n - 1].contribution is None)
    shape = player.trace.nodes[scenes.steps[forward - 1].node].shape
    flat = int(np.ravel_multi_index((2, 1), shape))
    (sheet,) = Sheets(scenes, SIZES["slide"]).of([forward], flat)
    drawn = ElementTree.fromstring(svg(sheet))
    assert "".join(written(groups(drawn, "equation")[0])).startswith("[2, 1]: ")


def test_notes_have_the_sum_in_words():
    scenes = Scenes(scalars().trace)
    scene = next(each for each in scenes if each.kind == "accumulate")
    assert " plus " in in_words(scene.claim)
    (sheet,) = Sheets(scenes, SIZES["slide"]).of([scene.number])
    assert sheet.title in sheet.notes
    assert in_words(scene.claim) in sheet.notes
    assert 2.0 <= sheet.seconds <= 12.0


def test_every_text_of_a_sheet_knows_its_width():
    (sheet,) = Sheets(Scenes(network().trace), SIZES["slide"]).of([9])
    found = list(_texts(sheet.items))
    assert len(found) > 40
    assert all(text.width > 0 for text in found if text.plain.strip())


def _texts(items: Any) -> Iterator[Text]:
    for item in items:
        if isinstance(item, Group):
            yield from _texts(item.items)
        elif isinstance(item, Text):
            yield item
