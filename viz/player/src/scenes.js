/*
 * Scenes: which matrices stand in the proof pane at a step, and what signs stand between them.
 *
 * They stand in the order of the step's formula, and each knows its node, so that the same elements
 * light up here and on the graph.
 */

import { aboutOf, productOf } from "./elements.js";
import { largestOf } from "./marks.js";
import { Matrix } from "./matrix.js";
import { anatomy, isMet } from "./microscope.js";
import { signOf, signOfRow, worst } from "./numbers.js";
import { bytes } from "./panes.js";
import { rolesOf } from "./windows.js";

const MOST_PARTS = 12; // contributions shown as small multiples
const OF_G = /(^|[^\w])[gt](_\d+)?([^\w]|$)/; // something computed of what came in

/**
 * The matrices and signs of a step.
 * @returns {any}
 */
export function sceneOf(player, step) {
  const { data } = player;
  const scene = { data, step, index: player.index, items: [], matrices: [], values: [], gs: [] };
  const rows = new Set(); // words that were written before rows already
  const add = (given) => {
    const array = data.arrays[given.array] ?? given.text;
    const { axes } = data.nodes[given.like ?? given.node] ?? {};
    const matrix = new Matrix({ kind: "value", room: player.proof?.pane.clientWidth, rows, axes: axes?.length === array?.shape?.length ? axes : undefined, ...given, array });
    scene.items.push(matrix);
    scene.matrices.push(matrix);
    return matrix;
  };
  const sign = (text) => scene.items.push(text);
  (SCENES[step.kind] ?? (() => {}))(scene, add, sign, player);
  checkSign(scene);
  return scene;
}

/** "=" stands only before a result that the digits in the row give. */
function checkSign(scene) {
  const at = scene.items.lastIndexOf("=");
  scene.checked = at; // between shapes it stays "="
  if (at > 0) scene.items[at] = isMet(scene) ? signOfMet(scene) : signOfRow(scene.items.slice(0, at), scene.result);
}

/** The sign before a result whose elements are sums: of a row times a column, over a window. */
function signOfMet(scene) {
  const { cells = [] } = scene.result?.array ?? {};
  return worst(cells.map((text, e) => {
    const products = anatomy(scene, e)?.terms.map(productOf) ?? [];
    return products.length ? signOf(products.reduce((sum, product) => sum + product), text, products) : "→";
  }));
}

const SCENES = { seed: seedScene, forward: forwardScene, pull: passScene, push: passScene, accumulate: sumScene, unconnected: endScene, ready: readyScene, count: countScene, release: releaseScene };

function seedScene({ data, step }, add) {
  if (step.cotangent !== undefined) add({ array: step.cotangent, caption: `${data.carries ? "tangent" : "cotangent"} of ${data.nodes[step.node].called}`, kind: "cotangent", look: "new", node: step.node });
}

function readyScene({ data, step }, add) {
  if (step.cotangent !== undefined) add({ array: step.cotangent, caption: `whole cotangent of ${data.nodes[step.node].called}`, kind: "sum", look: "sum", node: step.node });
}

function countScene({ data, step }, add) {
  for (const [id, count] of Object.entries(step.pending ?? {})) add({ text: { text: `${count}`, shape: [] }, caption: `count of ${data.nodes[id].called}`, look: count ? "" : "new" });
}

function releaseScene({ data, step }, add) {
  const node = data.nodes[step.node];
  add({ text: { text: node.kept ? `${node.keeps || "values"} (${bytes(node.kept)})` : "its record", shape: [] }, caption: "the tape lets go of", look: "gone" });
}

function endScene({ data, step }, add) {
  if (step.total !== undefined) add({ array: step.total, caption: `came in at ${data.nodes[step.node].called}`, kind: "cotangent", node: step.node });
}

function forwardScene(scene, add, sign) {
  const { data, step } = scene;
  const node = data.nodes[step.node];
  const known = (id) => {
    const { value, label, shape } = data.nodes[id];
    const bare = label && { text: [label, ...(shape.length ? [`[${shape.join(", ")}]`] : [])].join(" "), shape };
    return value === undefined ? { text: bare } : { array: value };
  };
  const inputs = (node.inputs ?? []).slice(0, 4);
  const own = aboutOf(data, node).sign;
  inputs.forEach((id, i) => {
    if (i) sign(own ?? ",");
    scene.values[i] = add({ ...known(id), caption: data.nodes[id].called, form: data.nodes[id].tiles, node: id });
  });
  if (inputs.length) sign(own && inputs.length > 1 ? "=" : "→");
  scene.result = add({ ...known(step.node), caption: node.called, form: node.tiles, look: "made", node: step.node, active: true });
}

/** A pull, or a push: the equation, then what goes on. */
function passScene(scene, add, sign) {
  const { data, step } = scene;
  const node = data.nodes[step.node];
  const pulls = step.kind === "pull";
  const place = (index, given = {}) => {
    const [symbol, id, array, kind] = step.operands[index];
    const of = data.nodes[id];
    const note = { cotangent: `cotangent of ${of.called}`, tangent: `tangent of ${of.called}`, value: given.transposed ? "transposed" : symbol === of.called ? "" : of.called }[kind];
    const matrix = add({ array, caption: symbol, note, kind: kind === "value" ? "value" : "cotangent", form: of.tiles, node: id, carries: kind !== "value", ...given });
    if (kind !== "value") scene.gs[index] = matrix;
    else (node.inputs ?? []).forEach((input, at) => { if (input === id) scene.values[at] ??= matrix; });
    return matrix;
  };
  const operands = step.operands ?? [];
  if (step.equation) {
    for (const { text, operand, array, transposed } of step.equation) {
      if (operand !== undefined) place(operand, { caption: text, transposed: Boolean(transposed), ...(array === undefined ? {} : { array }) });
      else if (array !== undefined) add({ array, caption: text, kind: OF_G.test(text) ? "cotangent" : "value", form: data.nodes[step.to ?? step.node].tiles, like: step.to ?? step.node });
      else sign(text);
    }
  } else if (operands.length) {
    const sloped = step.local !== undefined;
    let order = operands.map((_, i) => i).slice(0, sloped ? 1 : undefined);
    // The image first, as in the formula, and no value that this rule does not take.
    if (rolesOf(node)) order = order.filter((i) => operands[i][3] !== "value" || operands[i][1] !== step.to).reverse();
    order.forEach((operand, i) => {
      if (i) sign(rolesOf(node) ? "×" : ",");
      place(operand);
    });
    if (sloped) {
      sign("×");
      add({ array: step.local, caption: "slope", form: data.nodes[step.to ?? step.node].tiles, like: step.to ?? step.node });
    }
  } else if (step.cotangent !== undefined) {
    const from = pulls ? node : data.nodes[step.to];
    scene.gs[0] = add({ array: step.cotangent, caption: pulls ? "g" : "t", note: `${data.carries ? "tangent" : "cotangent"} of ${from.called}`, kind: "cotangent", form: from.tiles, node: pulls ? step.node : step.to, carries: true });
    if (step.local !== undefined) {
      sign("×");
      add({ array: step.local, caption: "slope", form: data.nodes[step.to ?? step.node].tiles, like: step.to ?? step.node });
    }
  }
  // What came in may stand in the row only within something computed: it is taken apart all the same.
  operands.forEach(([symbol, , array, kind], i) => { if (kind !== "value") scene.gs[i] ??= { array: data.arrays[array], caption: symbol, kind: "cotangent" }; });
  scene.gs = scene.gs.filter(Boolean);
  [scene.g] = scene.gs;
  sign(step.equation || step.local !== undefined ? "=" : "→");
  const to = pulls ? step.to : step.node;
  scene.result = add({ array: step.contribution, caption: `to ${data.nodes[to].called}`, kind: "cotangent", look: "new", form: data.nodes[to].tiles, node: to, carries: true, active: true });
}

/** Paths meet: all contributions so far on one scale, then their sum. */
function sumScene(scene, add, sign, player) {
  const { data, step } = scene;
  const node = data.nodes[step.node];
  const form = node.tiles;
  const came = player.index.life[step.node].contributions.filter(({ at }) => at <= player.at);
  // Of a variable that was assigned in between, another value of it may have got something before.
  const alone = came.length > 0 && data.steps[came[0].at].total === came[0].array;
  const several = alone && came.length > 2 && came.length <= MOST_PARTS && !data.carries;
  const names = came.map(({ from }) => player.graph.nameOf(from));
  const unclear = new Set(names).size < names.length;
  const parts = several
    ? came.map(({ array }, i) => ({ array, caption: unclear ? `${i + 1}. ${names[i]}` : names[i] }))
    : came.length === 2 && !data.carries && came[0].array === step.old
      ? came.map(({ array }, i) => ({ array, caption: `from ${names[i]}` }))
      : [{ array: step.old, caption: "so far", kind: "sum" }, { array: step.contribution, caption: "new term" }];
  // Small multiples share one scale: so it is seen which of them matter.
  const scale = Math.max(...parts.map(({ array }) => largestOf(data.arrays[array] ?? {})));
  scene.parts = parts.map((part, i) => {
    if (i) sign("+");
    return add({ kind: "cotangent", form, scale, compact: several, share: several ? came.length : 0, like: step.node, ...part });
  });
  sign("=");
  scene.result = add({ array: step.total, caption: `${data.carries ? "tangent" : "cotangent"} of ${node.called}`, kind: "sum", look: "sum", form, node: step.node, carries: true, active: true });
}
