/*
 * The microscope: what one element of a result is made of, element by element.
 *
 * The page adds nothing but products of numbers that it shows; the sum is always the engine's.
 * Which elements meet follows from their places (a row and a column, a window), or from the rule's
 * own matrix, which the engine gave (rules.js).
 */

import { aboutOf, elementOf, sameShape, upTo } from "./elements.js";
import { flatOf, numberOf, placeOf } from "./marks.js";
import { signOfRow } from "./numbers.js";
import { backThrough, weighted } from "./rules.js";
import { rolesOf, windowed } from "./windows.js";

/** Where an element of `shape` lies in an array that was repeated to it. */
function stretchedFrom(flat, shape, small) {
  return flatOf(stretched(placeOf(flat, shape), small), small);
}

/** The place in a repeated array of shape `small`, which has at most as many axes. */
function stretched(place, small) {
  return place.slice(place.length - small.length).map((at, axis) => (small[axis] === 1 ? 0 : at));
}

const sizeOf = (shape) => shape.reduce((product, length) => product * length, 1);

/**
 * What an element of the result is made of: title, terms, `lit` (more elements that count) and
 * `windows` (elements that stand in one frame), and the total. Null: nothing to take apart.
 * `scene`: result, g, values (matrices by argument), all matrices, data, step.
 */
export function anatomy(scene, e) {
  const found = takenApart(scene, e);
  const texts = found?.terms.flatMap(({ factors }) => factors.map(([, , text]) => text)) ?? [];
  return texts.length && [found.total, ...texts].some((text) => IMAGINARY.test(text)) ? unwritten(found, scene.step) : found;
}

function takenApart(scene, e) {
  const { data, step, result } = scene;
  if (!result?.array?.cells || e >= result.array.cells.length) return null;
  if (step.kind === "accumulate") return adding(scene, e);
  if (step.kind !== "pull" && step.kind !== "forward") return null;
  const found = isMet(scene) && (rolesOf(data.nodes[step.node]) ? windowed(scene, e) : meeting(scene, e));
  if (found) return found;
  if (step.kind === "forward") return beside(scene, e) ?? backThrough(scene, e);
  if (step.slopes) return weighted(scene, e);
  return step.local === undefined ? null : scaled(scene, e);
}

/** Whether the elements of a result are sums over a row and a column, or over a window. */
export const isMet = ({ data, step }) => step.kind !== "accumulate" && (aboutOf(data, data.nodes[step.node]).meets || rolesOf(data.nodes[step.node]));

const IMAGINARY = /[\dfn]j$/;

/** Complex numbers: what meets lights up, and no sum is written. */
function unwritten(found, { kind }) {
  const met = found.terms.flatMap(({ factors }) => factors.filter(([matrix]) => matrix));
  const how = kind === "pull" ? "of complex numbers the other factor counts conjugated" : "complex numbers meet by both their parts";
  return { ...found, title: `${found.title}; ${how}`, terms: [], lit: [...(found.lit ?? []), ...met] };
}

function adding({ parts, result }, e) {
  return { title: parts[0].caption !== "so far" ? `${parts.length} contributions, in the order in which they came` : "what was there, and what came", terms: parts.map((part) => ({ label: part.caption, factors: [elementOf(part, e)] })), total: result.array.cells[e] };
}

/** matmul: a row meets a column; where a matrix was repeated over a batch, the rows of all of it. */
function meeting({ step, result, g, values, matrices }, e) {
  const forward = step.kind === "forward" || isProduct(step, matrices);
  const three = forward ? matrices : step.position ? [values[0], result, g] : [result, values[1], g];
  if (three.length !== 3 || !three.every((matrix) => matrix?.array?.cells && matrix.array.shape.length > 1)) return null;
  const [left, right, out] = three.map((matrix) => matrix.array.shape);
  const own = placeOf(e, result.array.shape);
  const [i, j] = own.slice(-2);
  const along = (k) => (forward ? [[i, k], [k, j], [i, j]] : step.position ? [[k, i], [i, j], [k, j]] : [[i, j], [j, k], [i, k]]);
  const count = forward ? left.at(-1) : step.position ? out.at(-2) : right.at(-1);
  const pair = forward ? [0, 1] : step.position ? [0, 2] : [2, 1];
  const batch = out.slice(0, -2);
  const word = three[pair[0]].axes?.at(step.position && !forward ? -2 : -1);
  const leads = upTo(sizeOf(batch)).map((b) => placeOf(b, batch)).filter((lead) => stretched(lead, result.array.shape.slice(0, -2)).every((at, axis) => at === own[axis]));
  const terms = leads.flatMap((lead) => upTo(count).map((k) => {
    const factors = pair.map((which) => elementOf(three[which], flatOf([...stretched(lead, three[which].array.shape.slice(0, -2)), ...along(k)[which]], three[which].array.shape)));
    return { label: `${word || "k ="} ${[...(leads.length > 1 ? lead : []), k].join(", ")}`, factors };
  }));
  const [row, column] = pair.map((which) => (forward || which === 2 ? three[which].caption : `${three[which].caption.replace(/ᵀ$/, "")}ᵀ`));
  return { title: `row ${i} of ${row} meets column ${j} of ${column}`, terms, total: result.array.cells[e] };
}

/** Whether two matrices, of which one was reshaped, are multiplied as they stand in the row. */
function isProduct({ equation }, matrices) {
  const [left, right, out] = matrices.map(({ array, transposed }) => (transposed ? [] : (array?.shape ?? [])));
  return equation?.[1]?.text === "·" && sameShape([left[1], left[0], right[1]], [right[0], ...out]);
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

/** Forward: the elements at the same place, where shapes fit. */
function beside({ data, step, result, matrices }, e) {
  const { op } = data.nodes[step.node];
  const { sign: joined, mixes } = aboutOf(data, data.nodes[step.node]);
  const { shape } = result.array;
  const fits = (m) => m.array?.cells && m.array.shape.length <= shape.length && m.array.shape.every((length, axis) => [1, shape[shape.length - m.array.shape.length + axis]].includes(length));
  const inputs = matrices.filter((m) => m !== result);
  if (!inputs.length || !inputs.every(fits) || !inputs.some((m) => sameShape(m.array.shape, shape)) || mixes) return null;
  const lit = inputs.map((m) => [m, stretchedFrom(e, shape, m.array.shape)]);
  const factors = lit.map(([m, flat]) => elementOf(m, flat));
  const terms = joined === "·" ? [{ label: "", factors }] : joined === "+" ? factors.map((factor) => ({ label: factor[0].caption, factors: [factor] })) : [];
  const texts = factors.map(([, , text]) => text);
  const bare = (text) => (/^−|.[+−]\d.*j$/.test(text) ? `(${text})` : text);
  const title = joined ? texts.map((text, i) => (i ? bare(text) : text)).join(` ${joined} `) : `${op}(${texts.join(", ")})`;
  const row = texts.flatMap((text, i) => (i ? [joined ?? "", { array: { cells: [text] } }] : [{ array: { cells: [text] } }]));
  const sign = texts.some((text) => IMAGINARY.test(text)) ? "→" : joined ? signOfRow(row, { array: { cells: [result.array.cells[e]] } }) : "→";
  return { title: `the elements at the same place: ${title} ${sign} ${result.array.cells[e]}`, terms, lit, total: result.array.cells[e] };
}
