/* Elements of arrays: their places, and what one of a product is made of. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { productOf, sameShape, sumsOf } from "../../../../viz/player/src/elements.js";
import { flatOf, placeOf, turned } from "../../../../viz/player/src/marks.js";
import { anatomy } from "../../../../viz/player/src/microscope.js";
import { walkOf } from "../../../../viz/player/src/time.js";

test("the place of each element of an array leads back to it, rows first", () => {
  assert.deepEqual(placeOf(5, [2, 3]), [1, 2]);
  for (let flat = 0; flat < 24; flat++) assert.equal(flatOf(placeOf(flat, [2, 3, 4]), [2, 3, 4]), flat);
});

test("a turned matrix has its columns as rows", () => {
  assert.deepEqual(turned({ shape: [2, 3], cells: ["a", "b", "c", "d", "e", "f"] }).cells, ["a", "d", "b", "e", "c", "f"]);
});

test("shapes are the same with the same lengths in the same order", () => {
  assert.deepEqual([sameShape([2, 3], [2, 3]), sameShape([2, 3], [3, 2]), sameShape([2], [2, 1])], [true, false, false]);
});

test("an element of a matrix product is its row times its column", () => {
  const matrix = (caption, shape, ...texts) => ({ caption, array: { shape, cells: texts } });
  const [left, right, result] = [matrix("a", [2, 2], "1.0", "2.0", "3.0", "4.0"), matrix("b", [2, 1], "5.0", "−6.0"), matrix("y", [2, 1], "−7.0", "−9.0")];
  const scene = { data: { nodes: [{ op: "matmul" }], ops: { matmul: { meets: 1 } } }, step: { kind: "forward", node: 0 }, result, values: [left, right], matrices: [left, right, result] };
  const { terms, total } = anatomy(scene, 1);
  assert.deepEqual(terms.map(productOf), [3 * 5, 4 * -6]);
  assert.deepEqual(sumsOf(terms.map(productOf)), [0, 15, -9]);
  assert.equal(total, "−9.0");
});

test("steps that only drop a record are walked through when memory is shown, and the summary is last", () => {
  const data = { steps: ["forward", "seed", "pull", "release"].map((kind) => ({ kind })), sources: [0] };
  assert.deepEqual(walkOf(data, false), [0, 1, 2, 4]);
  assert.deepEqual(walkOf(data, true), [0, 1, 2, 3, 4]);
});
