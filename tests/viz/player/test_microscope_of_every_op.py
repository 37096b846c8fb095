"""The microscope on every registered op: the terms of an element add up to the element."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import minitape as tf
from every_op import arrays, call, differentiable, weights
from minitape import viz
from minitape.names import namespaces
from minitape.viz.base.numbers import value_of
from minitape.viz.player.payload import payload
from op_samples import Sample, all_samples

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from minitape.viz.trace.trace import Trace

namespaces.load_rest()

# The player's own modules, as they are; only the player around them is left out.
TAKE_APART = """
async (data) => {
 const names = ["elements", "graph", "microscope", "scenes"];
 const modules = await Promise.all(names.map((name) => import(`./${name}.js`)));
 const { productOf, indexSteps, anatomy, sceneOf } = Object.assign({}, ...modules);
 return data.steps.flatMap((step, at) => {
  if (step.kind !== "pull" && step.kind !== "forward") return [];
  const player = { data, at, index: indexSteps(data), graph: { nameOf: String } };
  const scene = sceneOf(player, step);
  const { cells } = scene.result.array ?? {};
  const op = data.nodes[step.node].op;
  return (cells ?? []).map((text, e) => {
    const found = anatomy(scene, e);
    const products = (found?.terms ?? []).map(productOf);
    return { at, op, e, kind: step.kind, text, dtype: scene.result.array.dtype, title: found?.title,
             total: found?.total, counts: products.length + (found?.lit ?? []).length, products };
  });
 });
}
"""
SOURCES = Path(viz.__file__).parent / "player" / "src"


def recorded(sample: Sample) -> Trace:
    inputs = arrays(sample, "float64")
    tensors = [tf.constant(x) for x in inputs]
    watched = [tensors[i] for i in differentiable(sample, inputs)]
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(watched)
        outputs = call(sample, tensors)
        parts = zip(outputs, weights(outputs, 0), strict=True)
        total = tf.add_n([tf.reduce_sum(y * w) for y, w in parts if w is not None])
    return viz.step(tape, total, watched).trace


SAMPLES = [s for s in all_samples() if s.order and s.dtypes != "fixed"]
OPS = sorted({sample.name for sample in SAMPLES})


@pytest.fixture
def microscope(page: Page) -> Page:
    """An empty page beside the player's modules, which a browser takes from no file."""

    def answer(route: Route) -> None:
        file = SOURCES / route.request.url.rsplit("/", 1)[1]
        if file.suffix == ".js":
            route.fulfill(body=file.read_text("utf-8"), content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><title>empty</title>", content_type="text/html")

    page.route("http://localhost/src/*", answer)
    page.goto("http://localhost/src/empty.html")
    return page


def number(text: str) -> float:
    return value_of(text)


def elements(page: Page, trace: Trace) -> list[dict[str, Any]]:
    return list(page.evaluate(TAKE_APART, payload(trace)))


def is_complex(trace: Trace, each: dict[str, Any]) -> bool:
    step = trace.steps[each["at"]]
    came = [step.cotangent, *step.cotangents, step.contribution]
    return any(array is not None and array.dtype.startswith("complex") for array in came)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_the_terms_of_every_element_of_every_op_add_up(microscope: Page, part: int):
    silent, wrong, seen = [], [], 0
    for sample in SAMPLES[part::8]:
        trace = recorded(sample)
        for each in elements(microscope, trace):
            seen += 1
            who = (sample.name, each["op"], each["kind"], each["e"])
            if each["title"] is None and each["kind"] == "pull":
                silent.append(who)
            if each["dtype"].startswith("complex") or is_complex(trace, each):
                continue  # which elements count is said, and no sum
            sizes = [abs(product) for product in each["products"]]
            if not sizes:
                # Nothing adds up to zero; a forward element may be more than a sum of products.
                wrong += [who] * (each["kind"] == "pull" and number(each["text"]) != 0)
            else:
                total, wanted = sum(each["products"]), number(each["text"])
                if total != wanted and not abs(total - wanted) <= 2e-3 * sum(sizes) + 1e-12:
                    wrong.append((*who, total, wanted))
    assert seen > 500
    assert not silent, silent[:20]
    assert not wrong, wrong[:20]
