/*
 * Elements of arrays, and what is worked out of them.
 *
 * A factor is [matrix, place, text]; a product is made when it is shown.
 */

import { numberOf, placeOf } from "./marks.js";

/** What is said of the op of a node, by Python: the scripts know no op by name. */
export const aboutOf = (data, { op }) => data.ops?.[op] ?? {};

/** A term: a label and factors [matrix, place, text]; their product is made when it is shown. */
export const elementOf = (matrix, flat) => [matrix, flat, matrix.array?.cells?.[flat]];

export const productOf = ({ factors }) => factors.reduce((product, [, , text]) => product * numberOf(text), 1);

export const sumsOf = (numbers) => numbers.reduce((sums, value) => [...sums, sums.at(-1) + value], [0]);

export function sameShape(a, b) {
  return a.length === b.length && a.every((length, axis) => length === b[axis]);
}

export const upTo = (count) => Array.from({ length: count }, (_, i) => i);

export const inBrackets = (flat, shape) => (shape.length ? `[${placeOf(flat, shape).join(", ")}]` : "");

/** The probabilities of a cross entropy and the truth beside them; none where they cannot be compared. */
export function sharesAndTruth({ matrices, result }) {
  const p = matrices.find(({ caption }) => caption.startsWith("softmax("));
  const truth = matrices[matrices.indexOf(p) + 1];
  return p?.array.cells && truth !== result && truth?.array.cells && sameShape(p.array.shape, truth.array.shape) ? [p, truth] : [];
}
