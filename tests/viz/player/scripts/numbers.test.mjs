/* Numbers as texts, and the sign between what is worked out and what is printed; the cases are IEEE's and arithmetic's. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { numberOf } from "../../../../viz/player/src/marks.js";
import { short, signOf, signOfRow } from "../../../../viz/player/src/numbers.js";

const cells = (...texts) => ({ array: { cells: texts } });

test("a number has four digits, and a tie goes to the even one", () => {
  assert.deepEqual([0.78699, 2 / 3, 1234.5, 1235.5, -0.5, 3, 0].map((value) => short(value)), ["0.7870", "0.6667", "1234", "1236", "−0.5", "3.0", "0.0"]);
});

test("very large and very small numbers have a power, and what is no number a word", () => {
  assert.deepEqual([1e-5, 123456, NaN, Infinity, -Infinity].map((value) => short(value)), ["1·10⁻⁵", "123456", "NaN", "∞", "−∞"]);
});

test("what is printed is read back", () => {
  assert.deepEqual(["−1.5", "1·10⁻³", "∞", "−∞", "True", "False"].map(numberOf), [-1.5, 0.001, Infinity, -Infinity, 1, 0]);
  assert.ok(Number.isNaN(numberOf("1.0+2.0j")));
});

test("an equals sign stands where the printed digits give the result, ≈ within rounding, else an arrow", () => {
  assert.equal(signOf(0.5 * 3, "1.5"), "=");
  assert.equal(signOf(0.333 * 3, "1.0"), "≈");
  assert.equal(signOf(2 * 2, "5.0"), "→");
});

test("in a row products come before sums, and one wrong element takes the sign away", () => {
  assert.equal(signOfRow([cells("1.0", "2.0"), "+", cells("3.0"), "·", cells("2.0")], cells("7.0", "8.0")), "=");
  assert.equal(signOfRow([cells("1.0", "2.0"), "+", cells("3.0"), "·", cells("2.0")], cells("7.0", "9.0")), "→");
});
