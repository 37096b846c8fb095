/*
 * The proof pane: what a step says stands beside everything it was made of, in the order of its formula.
 *
 * The one fact to know: a scene is the matrices of one step with the signs between them; the microscope
 * points at an element of its result and lights up what that is made of, here and on the graph.
 */
"use strict";

const MOST_PARTS = 12; // contributions shown as small multiples
const REST = 300; // ms without a move until a screen reader is told a sum
const JOINED = { matmul: "·", multiply: "·", add: "+", subtract: "−", divide: "/", convolution: "∗" };
const OF_G = /(^|[^\w])[gt](_\d+)?([^\w]|$)/; // something computed of what came in
const LEVELS = ["", "terse", "terse fine", "terse marks", "terse marks small", "terse marks all small", "terse marks all bare small", "terse marks all bare barest small", "terse marks all bare barest smaller"];
const SEVERAL = 5; // small multiples may take two rows

/** The matrices and signs of a step. */
function sceneOf(player, step) {
  const { data } = player;
  const scene = { data, step, items: [], matrices: [], values: [], gs: [] };
  const add = (given) => {
    const matrix = new Matrix({ kind: "value", room: player.room, ...given, array: data.arrays[given.array] ?? given.text });
    scene.items.push(matrix);
    scene.matrices.push(matrix);
    return matrix;
  };
  const sign = (text) => scene.items.push(text);
  (SCENES[step.kind] ?? (() => {}))(scene, add, sign, player);
  return scene;
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
  inputs.forEach((id, i) => {
    if (i) sign(JOINED[node.op] ?? ",");
    scene.values[i] = add({ ...known(id), caption: data.nodes[id].called, form: data.nodes[id].tiles, node: id });
  });
  if (inputs.length) sign(JOINED[node.op] && inputs.length > 1 ? "=" : "→");
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
      else if (array !== undefined) add({ array, caption: text, kind: OF_G.test(text) ? "cotangent" : "value", form: data.nodes[step.to ?? step.node].tiles });
      else sign(text);
    }
  } else if (operands.length) {
    const sloped = step.local !== undefined;
    const order = operands.map((_, i) => i).slice(0, sloped ? 1 : undefined);
    if (node.op in ROLES) order.reverse(); // the image first, as in the formula
    order.forEach((operand, i) => {
      if (i) sign(node.op in ROLES ? "×" : ",");
      place(operand);
    });
    if (sloped) {
      sign("×");
      add({ array: step.local, caption: "slope", form: data.nodes[step.to ?? step.node].tiles });
    }
  } else if (step.cotangent !== undefined) {
    const from = pulls ? node : data.nodes[step.to];
    scene.gs[0] = add({ array: step.cotangent, caption: pulls ? "g" : "t", note: `${data.carries ? "tangent" : "cotangent"} of ${from.called}`, kind: "cotangent", form: from.tiles, node: pulls ? step.node : step.to, carries: true });
    if (step.local !== undefined) {
      sign("×");
      add({ array: step.local, caption: "slope", form: data.nodes[step.to ?? step.node].tiles });
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
  const several = came.length > 2 && came.length <= MOST_PARTS && !data.carries;
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
    return add({ kind: "cotangent", form, scale, compact: several, ...part });
  });
  sign("=");
  scene.result = add({ array: step.total, caption: `${data.carries ? "tangent" : "cotangent"} of ${node.called}`, kind: "sum", look: "sum", form, node: step.node, carries: true, active: true });
}

/** The shapes of an equation, `[5, 4] · [4, 3] = [5, 3]`; where a row meets a column, the axis that goes. */
function shapesOf({ data, step, items, matrices }) {
  const shapes = new Map(matrices.map((m) => [m, m.transposed ? turnedShape(m.array.shape) : (m.array?.shape ?? [])]));
  if (matrices.length < 2 || matrices.length > 5 || items.includes(",") || matrices.every((m) => shapes.get(m).length < 1)) return [];
  const meets = data.nodes[step.node].op === "matmul" && ["pull", "forward"].includes(step.kind) && matrices.length === 3;
  const parts = items.map((item) => {
    if (typeof item === "string") return ` ${item} `;
    const shape = shapes.get(item);
    const gone = meets && shape.length > 1 ? [shape.length - 1, shape.length - 2, -1][matrices.indexOf(item)] : -1;
    return el("span", {}, "[", ...shape.flatMap((length, axis) => [axis ? ", " : "", axis === gone ? el("u", {}, String(length)) : String(length)]), "]");
  });
  return [el("span", { class: "shapes" }, ...parts)];
}

class Proof {
  constructor(player) {
    this.player = player;
    this.pane = player.part("panes");
    this.rule = player.part("rule");
    this.row = player.part("cards");
    this.lens = player.part("lens");
    this.spoken = player.part("told");
    this.row.addEventListener("pointermove", (event) => this.point(event, false));
    this.row.addEventListener("click", (event) => this.point(event, true));
  }

  /** Show a step: its formula, its matrices, and the element that is largest in its result. */
  show(step, own) {
    const again = step === this.scene?.step ? this.element : undefined;
    this.rule.replaceChildren(...this.formula(step, own));
    this.scene = sceneOf(this.player, step);
    this.rule.firstChild?.append(...shapesOf(this.scene));
    this.row.replaceChildren(...this.scene.items.map((item) => (typeof item === "string" ? el("span", { class: "sign", "aria-hidden": "true" }, item) : item.figure)));
    this.markWinners(step);
    this.element = undefined;
    this.several = Boolean(this.scene.parts?.[2]);
    const first = again ?? this.largest(this.scene.result);
    this.player.graph.ring([]);
    if (first === undefined) this.lens.replaceChildren();
    else this.look(first, false);
    this.fit();
  }

  formula(step, own) {
    const { formulas, nodes } = this.player.data;
    const to = step.kind === "pull" ? [el("span", { class: "whose" }, `∂${nodes[step.to].called} = `)] : [];
    const line = own.formula === undefined ? [] : [el("div", { class: "formula" }, el("span", {}, ...to, formula(formulas[own.formula])))];
    return own.numbers ? [...line, el("div", { class: "numbers" }, own.numbers)] : line;
  }

  /** If all digits do not fit, those of the pointed row, column and element stay; the rest are marks. */
  fit() {
    const figures = this.scene.matrices.map(({ figure }) => figure);
    this.row.className = "cards";
    const wraps = () => figures.some((figure) => figure.offsetTop >= figures[0].offsetTop + figures[0].offsetHeight) || figures.some((figure) => figure.scrollWidth > figure.clientWidth + 1);
    if (wraps()) for (const matrix of this.scene.matrices) matrix.dropWideNote();
    let level = this.several ? SEVERAL : LEVELS.findIndex((names) => {
      this.row.className = `cards ${names}`;
      return !wraps();
    });
    if (level < 0) level = LEVELS.length - 1;
    this.row.className = `cards ${LEVELS[level]}`;
    // What would be below the fold pushes the source aside first, then the walk from 0 to the sum, then digits.
    const side = this.pane.parentElement;
    const low = () => this.pane.scrollHeight > this.pane.clientHeight;
    side.className = "side";
    if (low()) side.className = "side tight";
    if (low()) side.className = "side tight tighter";
    while (low() && level + 1 < LEVELS.length && this.player.main.clientWidth >= 700) this.row.className = `cards ${LEVELS[++level]}`;
  }

  /** Show the heat maps large, with the pointed element in the middle, or whole again. */
  zoom() {
    for (const matrix of this.scene?.matrices ?? []) matrix.zoom();
  }

  markWinners({ kind, slopes, node }) {
    if (kind !== "pull" || !slopes || !PICKS.test(this.player.data.nodes[node].op ?? "")) return;
    const { result, matrices } = this.scene;
    const like = matrices.filter((m) => m.array?.shape && sameShape(m.array.shape, result.array.shape));
    for (const m of like) for (const row of new Set(slopes.rows)) m.hit(row, "winner");
  }

  largest(result) {
    if (!result?.array?.cells?.length || !result.array.shape?.length) return result?.array?.cells ? 0 : undefined;
    const numbers = numbersOf(result.array).map((value) => Math.abs(value) || 0);
    return numbers.indexOf(Math.max(...numbers));
  }

  point(event, fix) {
    const { result } = this.scene ?? {};
    if (!result) return;
    const at = event.composedPath().includes(result.figure) ? result.under(event) : undefined;
    if (at === undefined) {
      if (fix) this.fixed = undefined; // a tap beside the result frees
      return;
    }
    if (fix) this.fixed = this.fixed === at ? undefined : at;
    if (fix || this.fixed === undefined) this.look(at, true);
    if (fix) result.cells.get(at)?.focus?.({ preventScroll: true });
  }

  /** Arrow keys within the result; true if the key was taken. */
  key(name) {
    const { result } = this.scene ?? {};
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (!result || this.element === undefined) return false;
    if (name === "Enter") this.fixed = this.fixed === undefined ? this.element : undefined;
    else if (name === "Escape") {
      this.fixed = undefined;
      this.player.main.focus({ preventScroll: true });
    } else if (moves[name]) {
      this.look(result.beside(this.element, ...moves[name]), true);
      result.cells.get(this.element)?.focus?.({ preventScroll: true });
    } else return false;
    return true;
  }

  /** Look at one element of the result. */
  look(e, told) {
    const { result, matrices } = this.scene;
    if (e === this.element || !(e < (result?.array?.cells?.length ?? 0))) return;
    this.element = e;
    const found = anatomy(this.scene, e);
    const lit = new Map(matrices.map((matrix) => [matrix, []]));
    const framed = new Map(found?.windows ?? []);
    for (const term of found?.terms ?? []) {
      // In a window those places light up whose products are not zero: it is framed as a whole anyway.
      for (const [matrix, flat] of term.factors) if (!framed.has(matrix) || productOf(term) !== 0) lit.get(matrix)?.push([flat, "hit"]);
    }
    for (const [matrix, flat] of found?.lit ?? []) lit.get(matrix)?.push([flat, "hit"]);
    lit.get(result).push([e, "me"]);
    for (const [matrix, hits] of lit) matrix.show(hits, framed.get(matrix));
    for (const cell of result.cells.values()) if (cell.tabIndex === 0) cell.tabIndex = -1;
    const own = result.cells.get(e);
    if (own instanceof Element) own.tabIndex = 0;
    this.player.graph.ring([...lit].filter(([matrix, hits]) => matrix.node !== undefined && hits.length).map(([matrix, hits]) => [matrix.node, Boolean(matrix.carries), framed.get(matrix) ?? hits.map(([flat]) => flat), framed.has(matrix)]));
    const room = this.pane.clientWidth - 30;
    this.lens.replaceChildren(...(found && result.array.shape ? lensOf(found, this.scene, e, room) : []));
    for (const wide of this.lens.querySelectorAll(".scroll")) if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0; // or keys could not reach its end
    clearTimeout(this.telling);
    if (told) this.telling = setTimeout(() => { this.spoken.textContent = found ? inWords(found, result, e) : `${result.name(e)}: ${result.array.cells[e]}`; }, REST);
  }
}
