/*
 * Any rule by its own matrix: which elements of g count for an element of a result, and how much.
 *
 * The matrix is the engine's derivative, not a table of this page, so every op can be taken apart;
 * a family of ops adds the sentence that says why these elements count.
 */

import { aboutOf, elementOf, inBrackets, sameShape, sharesAndTruth, upTo } from "./elements.js";
import { numberOf } from "./marks.js";
import { short } from "./numbers.js";
import { poolWindows } from "./windows.js";

/** A pull by the matrix of its rule. */
export function weighted(scene, e) {
  const { step, gs, result } = scene;
  const { rows, columns, values: slopes } = step.slopes;
  const found = rows.flatMap((row, k) => (row === e ? [k] : []));
  if (!slopes.length && found.length) return countingOnly(scene, e, found.map((k) => columns[k]));
  const plain = found.every((k) => numberOf(slopes[k]) === 1);
  const terms = found.map((k) => {
    let [matrix, flat] = [gs[0], columns[k]];
    for (let i = 0; i + 1 < gs.length && flat >= gs[i].array.cells.length; i++) {
      flat -= gs[i].array.cells.length;
      matrix = gs[i + 1];
    }
    const slope = plain ? [] : [[null, flat, slopes[k], "slope"]];
    return { label: `g${inBrackets(flat, matrix.array.shape)}`, factors: [elementOf(matrix, flat), ...slope] };
  });
  const own = EXPLAINED[aboutOf(scene.data, scene.data.nodes[step.node]).way] ?? repeated;
  const about = own(scene, e, terms, found.map((k) => numberOf(slopes[k])));
  const lit = alike(scene, e, found.map((k) => columns[k]));
  return { title: titleOf(terms, plain), terms, windows: [], total: result.array.cells[e], ...about, lit: [...lit, ...(about.lit ?? [])] };
}

/** Complex numbers: which elements count, without a sum of products. */
function countingOnly({ gs, result, ...scene }, e, columns) {
  const lit = alike({ gs, result, ...scene }, e, columns);
  let start = 0;
  for (const g of gs) {
    lit.push(...columns.filter((column) => column >= start && column < start + g.array.cells.length).map((column) => [g, column - start]));
    start += g.array.cells.length;
  }
  const count = columns.length === 1 ? "one element of g counts here" : `${columns.length} elements of g count here`;
  return { title: `${count}; complex numbers meet by both their parts`, terms: [], lit, windows: [], total: result.array.cells[e] };
}

/**
 * Elements of the other operands that belong to those of the result and of g.
 * @param {any} scene
 */
function alike({ result, gs, matrices }, e, columns) {
  const lit = [];
  for (const m of matrices) {
    if (m === result || gs.includes(m) || !m.array?.cells) continue;
    const { shape } = m.array;
    if (sameShape(shape, result.array.shape)) lit.push([m, e]);
    else if (gs.length && sameShape(shape, gs[0].array.shape)) for (const column of columns) lit.push([m, column]);
    else if (gs.length && shape.length <= gs[0].array.shape.length && shape.every((length, axis) => length === gs[0].array.shape[axis])) {
      const inner = gs[0].array.cells.length / m.array.cells.length; // one entry for a whole row, such as an index
      for (const column of columns) lit.push([m, Math.floor(column / inner)]);
    }
  }
  return lit;
}

function titleOf(terms, plain) {
  if (!terms.length) return "no element of g counts here: it gets exactly 0";
  if (terms.length === 1) return `one element of g counts here, ${plain ? "as it is" : "times its slope"}`;
  return `${terms.length} elements of g count here, ${plain ? "as they are" : "each times its slope"}`;
}

/* Families of ops: why these elements count. */

function winner(scene, e, terms, slopes) {
  const windows = aboutOf(scene.data, scene.data.nodes[scene.step.node]).pools ? poolWindows(scene, e) : [];
  if (!terms.length) return { title: windows.length ? "not the winner of its window: nothing comes here" : "not the winner: nothing comes here", windows };
  const won = windows.length ? "the winner of its window" : "the winner";
  if (slopes.every((slope) => slope === 1)) return { title: `${won}: it gets all of ${terms.length > 1 ? `${terms.length} elements of g` : "this element of g"}`, windows };
  return { title: `a tie: it gets a share of ${short(slopes[0])}`, windows };
}

function picked(scene, e, terms) {
  if (!terms.length) return { title: "never picked, so it gets exactly 0" };
  return { title: terms.length > 1 ? `picked ${terms.length} times, so ${terms.length} elements of g add up` : "picked once: this element of g comes back" };
}

function moved(scene, e, terms) {
  return terms.length === 1 && terms[0].factors.length === 1 ? { title: `the same element at another place: ${terms[0].label}` } : {};
}

function repeated(scene, e, terms) {
  return terms.length > 1 ? { title: `repeated ${terms.length} times on the way, so ${terms.length} elements of g add up` } : {};
}

function reduced(scene, e, terms, slopes) {
  const share = slopes[0];
  if (terms.length !== 1) return {};
  const [, at] = terms[0].factors[0];
  const size = scene.step.slopes.columns.filter((column) => column === at).length; // of the mean: of the shape, not of the rounded share
  return { title: share === 1 ? `added into ${terms[0].label}, so that comes back as it is` : `one of ${size} that ${terms[0].label} is the mean of, so it gets that share` };
}

/** The row of probabilities that shares one sum; with a truth, what is left of it. */
function entropy(scene, e) {
  const [p, truth] = sharesAndTruth(scene);
  if (!p) return {};
  const [g] = scene.gs;
  const [share, wanted] = [p, truth].map((matrix) => numberOf(matrix.array.cells[e]));
  const classes = p.array.shape.at(-1);
  const row = Math.floor(e / classes);
  const shown = g.array.cells?.[g.array.cells.length * classes === p.array.cells.length ? row : 0];
  const down = wanted > share === numberOf(shown) > 0 ? "descent makes this logit larger" : "descent makes this logit smaller";
  const title = `(${p.array.cells[e]} − ${truth.array.cells[e]}) × ${shown}: ${wanted > share ? "too little" : "too much"}, so ${down}`;
  return { title, said: true, lit: upTo(classes).flatMap((c) => [[p, row * classes + c], [truth, row * classes + c]]) };
}

function sharing(scene, e) {
  const length = scene.result.array.shape.at(-1) ?? 1;
  const first = e - (e % length);
  const rows = scene.matrices.filter((m) => m !== scene.result && !scene.gs.includes(m) && m.array?.cells && sameShape(m.array.shape, scene.result.array.shape));
  const sums = scene.matrices.filter((m) => m.array?.cells && m.array.cells.length * length === scene.result.array.cells.length);
  return {
    title: "its whole row counts: probabilities share a sum of 1, so each moves all",
    lit: [...rows.flatMap((m) => upTo(length).map((i) => [m, first + i])), ...sums.map((m) => [m, first / length])],
  };
}

/** @type {Record<string, (scene: any, e: number, terms: any[], slopes: number[]) => any>} */
const EXPLAINED = { entropy, sharing, winner, picked, reduced, moved };

/** Forward, by the matrix of the op's own pull, read the other way. */
export function backThrough(scene, e) {
  const { data, step, result, values } = scene;
  const node = data.nodes[step.node];
  const pulls = data.steps.filter((pull) => pull.kind === "pull" && pull.node === step.node && pull.slopes);
  const lit = [];
  const terms = [];
  for (const { position, slopes: { rows, columns, values: slopes } } of pulls) {
    const matrix = values[position];
    if (!matrix?.array?.cells) continue;
    const found = columns.flatMap((column, k) => (column === e ? [k] : []));
    for (const k of found) {
      lit.push([matrix, rows[k]]);
      const slope = !slopes.length || numberOf(slopes[k]) === 1 ? [] : [[null, rows[k], slopes[k], "share"]];
      terms.push({ label: `${matrix.caption}${inBrackets(rows[k], matrix.array.shape)}`, factors: [elementOf(matrix, rows[k]), ...slope] });
    }
  }
  if (!lit.length) return null;
  const about = aboutOf(data, node);
  const windows = about.pools ? poolWindows(scene, e) : [];
  const count = lit.length === 1 ? "1 element counts" : `${lit.length} elements count`;
  const other = about.way === "winner" ? `the winner${windows.length ? " of this window" : ""}` : `${count} here, as the derivative says`;
  const title = (about.way === "moved" && moved(scene, e, terms).title) || other;
  return { title, terms: about.adds ? terms : [], lit, windows, total: result.array.cells[e] };
}
