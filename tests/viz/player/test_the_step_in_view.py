"""The step is always in view: in the fold that holds it, beside an overview that never moves.

Measured in a browser at every step of thirty programs: networks of lectures, random networks, and
random programs whose lines nobody grouped.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from keras_networks import drawn
from swept import KINDS
from walking import KEEP, READY

import browser as harness
import minitape as tf
from minitape import viz
from minitape.viz.views.of_tapes import pictures

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOST_BOXES = 24
READABLE = 11  # pixels of a name
DESK, PHONE = (1280, 720), (390, 844)

SEEN = """
() => {
  const { player } = window;
  const root = player.root;
  const found = { steps: 0, hidden: [], most: 0, moved: 0, overview: false };
  Object.assign(found, { least: 99, ofTheStep: 99 }); // pixels of names
  let before = "";
  for (const at of player.walk) {
    const step = player.data.steps[at];
    if (!step) continue;
    player.go(at);
    found.steps += 1;
    const paper = root.querySelector(".graph");
    for (const id of new Set([step.node, step.to ?? step.node])) {
      const box = player.graph.nodes.get(player.graph.box(id));
      const why = box ? covered(box.g, paper.getBoundingClientRect()) : "no box";
      if (why) found.hidden.push(`${at}: ${step.kind} ${player.data.nodes[id].called}: ${why}`);
    }
    const names = [...paper.querySelectorAll(".n:is(.now, .receiver) .t")];
    found.ofTheStep = Math.min(found.ofTheStep, ...names.map(size));
    const overview = [...root.querySelectorAll(".overview .n .b")].map(rounded).join(" ");
    if (before && overview !== before) found.moved += 1;
    before = overview;
    found.overview ||= overview !== "";
    for (const pane of root.querySelectorAll(".graph, .overview")) {
      const names = [...pane.querySelectorAll(".n .t")].filter((each) => each.checkVisibility());
      found.most = Math.max(found.most, names.length);
      found.least = Math.min(found.least, ...names.map(size));
    }
  }
  return found;

  function size(e) {
    return parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a;
  }

  function rounded(each) {
    const { left, top, width, height } = each.getBoundingClientRect();
    return [left, top, width, height].map((n) => n.toFixed(1)).join();
  }

  // Why a box cannot be seen: it is not drawn, not within its pane, or something lies over it.
  function covered(g, pane) {
    if (!g.isConnected || !g.checkVisibility()) return "not drawn";
    const { left, right, top, bottom } = g.querySelector(".b").getBoundingClientRect();
    if (left < pane.left - 1 || right > pane.right + 1) return "beside the pane";
    if (top < pane.top - 1 || bottom > pane.bottom + 1) return "above or below the pane";
    for (const x of [0.2, 0.5, 0.8]) {
      for (const y of [0.25, 0.75]) {
        const over = root.elementFromPoint(left + x * (right - left), top + y * (bottom - top));
        if (!g.contains(over)) return `under ${over?.getAttribute("class") || over?.localName}`;
      }
    }
    return "";
  }
}
"""


def measured(browser: Browser, file: Path, size: tuple[int, int]) -> dict[str, Any]:
    """What is seen at each step of a page in a window of a size."""
    with harness.visit(browser) as seen:
        seen.page.set_viewport_size({"width": size[0], "height": size[1]})
        seen.page.add_init_script(KEEP)
        seen.page.goto(file.as_uri())
        seen.page.wait_for_function(READY, timeout=60_000)
        found = seen.page.evaluate(SEEN)
        assert not seen.errors
    return found


def transformer(layers: int) -> Any:
    rng = np.random.default_rng(layers)
    shapes = [(4, 4), (4, 4), (4, 4), (4, 8), (8, 4)]
    blocks = [
        [tf.Variable(rng.normal(size=shape).astype("float32") * 0.5) for shape in shapes]
        for _ in range(layers)
    ]
    tokens = tf.constant(rng.normal(size=(5, 4)).astype("float32"))
    with viz.recording(), tf.GradientTape() as tape:
        x = tokens
        for Wq, Wk, Wv, W1, W2 in blocks:
            weights = tf.nn.softmax(tf.matmul(x @ Wq, x @ Wk, transpose_b=True) / 2.0)
            x = x + weights @ (x @ Wv)
            x = x + tf.nn.relu(x @ W1) @ W2
        loss = tf.reduce_mean(tf.square(x))
    return viz.step(tape, loss, [v for block in blocks for v in block])


def rnn(rounds: int) -> Any:
    rng = np.random.default_rng(rounds)
    Wx, Wh, b = (
        tf.Variable(rng.normal(size=shape).astype("float32") * 0.5) for shape in [(3, 4), (4, 4), 4]
    )
    inputs = [tf.constant(rng.normal(size=(2, 3)).astype("float32")) for _ in range(rounds)]
    with viz.recording(), tf.GradientTape() as tape:
        state = tf.zeros([2, 4])
        for x in inputs:
            state = tf.tanh(x @ Wx + state @ Wh + b)
        loss = tf.reduce_sum(tf.square(state))
    return viz.step(tape, loss, [Wx, Wh, b])


def random_program(ops: int, seed: int) -> Any:
    """Ops that each take one of the last results, or a matrix and one of all of them."""
    rng = random.Random(seed)
    numbers = np.random.default_rng(seed)
    made = [tf.Variable(numbers.normal(size=(3, 3)).astype("float32") * 0.4) for _ in range(6)]
    given = list(made)
    two = [tf.add, tf.multiply, tf.matmul, tf.subtract]
    one = [tf.tanh, tf.sigmoid, tf.sin, tf.square]
    with viz.recording(), tf.GradientTape() as tape:
        for _ in range(ops - 1):
            x = rng.choice(made[-4:])
            made.append(
                rng.choice(one)(x) if rng.random() < 0.5 else rng.choice(two)(x, rng.choice(made))
            )
        loss = tf.reduce_sum(made[-1])
    return viz.step(tape, loss, given)


LECTURES = [
    "rnn", "mlp of 12 layers", "lstm", "gru", "transformer of 3 blocks", "transformer block", "vae",
    "resnet", "keras model", "second derivatives of slices", "deep mlp of 40 layers",
    "wide sum of 20 terms", "mlp by hand",
]  # fmt: skip
PROGRAMS: dict[str, Callable[[], Any]] = {
    **{name: KINDS[name] for name in LECTURES},
    "transformer of 12 layers": lambda: transformer(12),
    "rnn of 20 rounds": lambda: rnn(20),
    **{f"random program {seed}": lambda seed=seed: random_program(60, seed) for seed in range(3)},
    **{f"random network {seed}": lambda seed=seed: drawn(seed) for seed in range(1000, 1012)},
}
PARTS = [list(PROGRAMS)[part::6] for part in range(6)]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(harness.missing()), reason=str(harness.missing())),
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with harness.chromium() as opened:
        yield opened


def check(browser: Browser, folder: Path, names: list[str], size: tuple[int, int]) -> None:
    faults = []
    for name in names:
        found = measured(browser, PROGRAMS[name]().save(folder / "page.html"), size)
        faults += [f"{name}, {each}" for each in found["hidden"]]
        if found["moved"]:
            faults.append(f"{name}: the overview moved {found['moved']} times")
        if found["most"] > MOST_BOXES:
            faults.append(f"{name}: {found['most']} boxes in a pane")
        if size == DESK and found["overview"] and found["least"] < READABLE - 0.25:
            faults.append(f"{name}: a name of {found['least']:.1f} pixels")
        assert found["steps"] > 20
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("part", range(6))
def test_every_step_of_thirty_programs_is_in_view_beside_an_overview_that_never_moves(
    chromium: Browser, tmp_path: Path, part: int
) -> None:
    check(chromium, tmp_path, PARTS[part], DESK)


@pytest.mark.parametrize("part", range(2))
@pytest.mark.takes_turns
def test_a_phone_has_every_step_of_ten_programs_in_view(
    chromium: Browser, tmp_path: Path, part: int
) -> None:
    check(chromium, tmp_path, PARTS[3 * part], PHONE)


@pytest.mark.parametrize(
    ("name", "size", "readable"),
    [
        ("random program 0", PHONE, 10),
        ("rnn", PHONE, 10),
        ("rnn", DESK, 11),
        ("mlp of 12 layers", DESK, 11),
    ],
)
def test_the_names_of_a_step_can_be_read_however_far_apart_its_boxes_are(
    chromium: Browser, tmp_path: Path, name: str, size: tuple[int, int], readable: int
) -> None:
    found = measured(chromium, PROGRAMS[name]().save(tmp_path / "page.html"), size)
    assert found["ofTheStep"] >= readable - 0.1


def test_a_click_on_a_fold_goes_to_its_first_step_in_the_same_direction(
    chromium: Browser, tmp_path: Path
) -> None:
    made = transformer(12)
    with harness.visit(chromium) as seen:
        seen.page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
        seen.page.add_init_script(KEEP)
        seen.page.goto(made.save(tmp_path / "page.html").as_uri())
        seen.page.wait_for_function(READY, timeout=60_000)
        kinds = [step.kind for step in made.trace.steps]
        for start in (0, kinds.index("seed")):
            seen.page.evaluate("at => player.go(at)", start)
            seen.page.locator(".overview .n", has_text="layer 7").click()
            at = seen.page.evaluate("player.at")
            assert (kinds[at] == "forward") == (kinds[start] == "forward")
            assert seen.page.locator(".where").text_content().startswith("layer 7")
            assert seen.page.locator(".overview .n.now .t").text_content() == "layer 7"


def test_a_graph_that_is_seen_whole_has_no_overview() -> None:
    drawn_whole = pictures(KINDS["logistic unit"]().trace)
    assert len(drawn_whole) == 1
    assert not drawn_whole[0].folds


def test_a_transformer_reads_as_its_layers_and_each_op_has_a_box_in_one_fold() -> None:
    trace = transformer(12).trace
    overview = pictures(trace)[0]
    assert list(overview.titles) == [f"layer {i}" for i in range(1, 13)] + ["square", "loss"]
    # Every op is in one box, and every step has a picture in which its op has a box of its own.
    boxes = [node for members in overview.members for node in members]
    ops = [node.id for node in trace.nodes if node.kind == "op"]
    assert set(ops) <= set(boxes)
    drawn_all = pictures(trace)
    for step, fold in zip(trace.steps, drawn_all[0].folds, strict=True):
        assert (step.node,) in drawn_all[fold].members or trace.nodes[step.node].kind != "op"
