/*
 * The microscope: what one element of a result is made of, element by element.
 *
 * The one fact to know: the page adds nothing but products of numbers that it shows; the sum is always
 * the engine's. Which elements meet follows from their places (a row and a column, a window), or from
 * the rule's own matrix, which the engine gave.
 */
"use strict";

/** A term: a label and factors [matrix, place, text]; their product is made when it is shown. */
const elementOf = (matrix, flat) => [matrix, flat, matrix.array?.cells?.[flat]];

/** Where an element of `shape` lies in an array that was repeated to it. */
function stretchedFrom(flat, shape, small) {
  const place = placeOf(flat, shape).slice(shape.length - small.length);
  return flatOf(place.map((at, axis) => (small[axis] === 1 ? 0 : at)), small);
}

function sameShape(a, b) {
  return a.length === b.length && a.every((length, axis) => length === b[axis]);
}

/** `scene`: result, g, values (matrices by argument), all matrices, data, step. Null: nothing to take apart. */
function anatomy(scene, e) {
  const { data, step, result } = scene;
  const node = data.nodes[step.node];
  if (!result?.array?.cells || e >= result.array.cells.length) return null;
  if (step.kind === "accumulate") return adding(scene, e);
  if (node.op === "matmul") return meeting(scene, node, e);
  if (step.kind !== "pull") return step.kind === "forward" ? beside(scene, e) : null;
  if (node.op === "convolution" && scene.g?.array.cells) return windowed(scene, node, e);
  if (step.slopes) return weighted(scene, node, e);
  if (step.local !== undefined) return scaled(scene, e);
  return null;
}

function adding({ parts, result }, e) {
  return { title: "the terms of this element", terms: parts.map((part) => ({ label: part.caption, factors: [elementOf(part, e)] })), total: result.array.cells[e] };
}

/** matmul: a row meets a column. */
function meeting({ step, result, g, values }, node, e) {
  const shape = result.array.shape;
  const rank = shape.length;
  const place = placeOf(e, shape);
  const lead = place.slice(0, rank - 2);
  const [i, j] = place.slice(-2);
  const forward = step.kind === "forward";
  const left = forward ? values[0] : step.position ? values[0] : g;
  const right = forward ? values[1] : step.position ? g : values[1];
  if (rank < 2 || !left?.array?.cells || !right?.array?.cells || left.array.shape.length !== rank || right.array.shape.length !== rank) return null;
  const leftAt = (k) => flatOf([...lead, ...(!forward && step.position ? [k, i] : [i, k])], left.array.shape);
  const rightAt = (k) => flatOf([...lead, ...(!forward && !step.position ? [j, k] : [k, j])], right.array.shape);
  const count = left.array.shape.at(!forward && step.position ? -2 : -1);
  const terms = Array.from({ length: count }, (_, k) => ({ label: `k = ${k}`, factors: [elementOf(left, leftAt(k)), elementOf(right, rightAt(k))] }));
  return { title: `row ${i} of ${left.caption} meets column ${j} of ${right.caption}`, terms, total: result.array.cells[e] };
}

/** Elementwise: g at this element times the slope there; what the slope is made of lights up too. */
function scaled({ data, step, result, g, matrices }, e) {
  const local = data.arrays[step.local];
  if (!local?.cells || !g?.array.cells) return null;
  const same = matrices.filter((m) => m !== g && m !== result && m.array?.cells);
  const factor = same.find((m) => sameShape(m.array.shape, local.shape) && m.array.cells[e] === local.cells[e]);
  const lit = same.map((m) => [m, stretchedFrom(e, result.array.shape, m.array.shape)]);
  const shut = numberOf(local.cells[e]) === 0;
  return {
    title: shut ? "the slope is 0.0 here: nothing passes" : "g times the slope at this element",
    terms: [{ label: "", factors: [elementOf(g, e), factor ? elementOf(factor, e) : [null, e, local.cells[e], "slope"]] }],
    lit, total: result.array.cells[e],
  };
}

/** Any rule by its own matrix: which elements of g count, and how much. */
function weighted({ data, step, result, g, gs, matrices, values }, node, e) {
  const { rows, columns, values: slopes } = step.slopes;
  const found = rows.flatMap((row, k) => (row === e ? [k] : []));
  const terms = found.map((k) => {
    let [matrix, flat] = [gs[0], columns[k]];
    for (let i = 0; i + 1 < gs.length && flat >= gs[i].array.cells.length; i++) {
      flat -= gs[i].array.cells.length;
      matrix = gs[i + 1];
    }
    return { label: `g${matrix.array.shape.length ? `[${placeOf(flat, matrix.array.shape).join(", ")}]` : ""}`, factors: [elementOf(matrix, flat), [null, flat, slopes[k], "slope"]] };
  });
  const lit = [];
  for (const m of matrices) {
    if (m === result || gs.includes(m) || !m.array?.cells) continue;
    if (sameShape(m.array.shape, result.array.shape)) lit.push([m, e]);
    else if (gs.length && sameShape(m.array.shape, gs[0].array.shape)) for (const k of found) lit.push([m, columns[k]]);
    else if (gs.length && m.array.shape.length <= gs[0].array.shape.length && m.array.shape.every((length, axis) => length === gs[0].array.shape[axis])) {
      const inner = gs[0].array.cells.length / m.array.cells.length; // one entry for a whole row, such as an index
      for (const k of found) lit.push([m, Math.floor(columns[k] / inner)]);
    }
  }
  return { title: titleOf(terms, slopes, found, node, data.nodes[step.to]), terms, lit, total: result.array.cells[e] };
}

function titleOf(terms, slopes, found, node, to) {
  if (!terms.length) return "no element of g counts here: it gets exactly 0";
  const ones = found.every((k) => numberOf(slopes[k]) === 1);
  const what = terms.length === 1 ? "one element of g" : `${terms.length} elements of g`;
  return `${what} ${terms.length === 1 ? "counts" : "count"} here${ones ? ", unchanged" : ", each times its slope"}`;
}

/** Convolution: the window stands on the image and on g. Places outside are zeros of the padding. */
function windowed({ step, result, g, values, data }, node, e) {
  const { strides, padding, dilations } = node.attributes ?? {};
  const other = step.position ? values[0] : values[1];
  if (!strides || strides.length !== 2 || !other?.array?.cells || other.array.shape.length !== 4) return null;
  const toKernel = step.position === 1;
  const gShape = g.array.shape;
  const image = toKernel ? other.array.shape : result.array.shape;
  const kernel = toKernel ? result.array.shape : other.array.shape;
  const place = placeOf(e, result.array.shape);
  const terms = [];
  let zeros = 0;
  const visit = (b, i, j, q, a, c, channel, otherAt) => {
    const flat = flatOf([b, i, j, q], gShape);
    if (numberOf(g.array.cells[flat]) === 0) zeros += 1;
    else terms.push({ label: `g[${[b, i, j, q].slice(gShape[0] > 1 ? 0 : 1).join(", ")}]`, factors: [elementOf(other, otherAt), elementOf(g, flat)] });
  };
  const inside = (row, column) => row >= 0 && row < image[1] && column >= 0 && column < image[2];
  if (toKernel) {
    const [a, c, channel, q] = place;
    for (let b = 0; b < gShape[0]; b++) for (let i = 0; i < gShape[1]; i++) for (let j = 0; j < gShape[2]; j++) {
      const [row, column] = [i * strides[0] + a * dilations[0] - padding[0][0], j * strides[1] + c * dilations[1] - padding[1][0]];
      if (inside(row, column)) visit(b, i, j, q, a, c, channel, flatOf([b, row, column, channel], image));
    }
  } else {
    const [b, row, column, channel] = place;
    for (let a = 0; a < kernel[0]; a++) for (let c = 0; c < kernel[1]; c++) {
      const [i, j] = [(row + padding[0][0] - a * dilations[0]) / strides[0], (column + padding[1][0] - c * dilations[1]) / strides[1]];
      if (!Number.isInteger(i) || !Number.isInteger(j) || i < 0 || j < 0 || i >= gShape[1] || j >= gShape[2]) continue;
      for (let q = 0; q < kernel[3]; q++) visit(b, i, j, q, a, c, channel, flatOf([a, c, channel, q], kernel));
    }
  }
  const all = terms.length + zeros;
  const title = zeros ? `${zeros} of the ${all} places of g are zero, so ${terms.length} product${terms.length === 1 ? "" : "s"}` : `${all} places of g meet the window`;
  return { title, terms, total: result.array.cells[e] };
}

/** Forward: the elements at the same place, where shapes fit. */
function beside({ result, matrices }, e) {
  const shape = result.array.shape;
  const lit = matrices.filter((m) => m !== result && m.array?.cells && m.array.shape.length <= shape.length && m.array.shape.every((length, axis) => [1, shape[shape.length - m.array.shape.length + axis]].includes(length)));
  if (lit.length !== matrices.length - 1 || !lit.length) return null;
  return { title: "made of the elements at the same place", terms: [], lit: lit.map((m) => [m, stretchedFrom(e, shape, m.array.shape)]), total: result.array.cells[e] };
}

/** A number with four digits, as the trace writes them. */
function short(value) {
  if (!Number.isFinite(value)) return String(value).replace("-", "−");
  let text = value.toPrecision(4);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e4)) {
    const [mantissa, power] = value.toExponential(3).split("e");
    text = `${mantissa.replace(/\.?0+$/, "")}e${Number(power)}`;
  } else if (text.includes(".")) text = text.replace(/0+$/, "").replace(/\.$/, ".0");
  else text += ".0";
  return text.replaceAll("-", "−");
}
