/*
 * The proof pane: what a step says stands beside everything it was made of, in the order of its formula.
 *
 * A scene is the matrices of one step with the signs between them; the microscope points at an
 * element of its result and lights up what that is made of, here and on the graph.
 */

import { aboutOf, productOf, sameShape, upTo } from "./elements.js";
import { Fit } from "./fit.js";
import { MOST_LINES, MOST_TERMS, inWords, lensOf } from "./lens.js";
import { numbersOf, turnedShape } from "./marks.js";
import { anatomy } from "./microscope.js";
import { el, formula } from "./panes.js";
import { sceneOf } from "./scenes.js";

const [MOST_TRIED, ENOUGH] = [6, 6]; // elements to begin with, and products of one
const REST = 300; // ms without a move until a screen reader is told a sum

/** The shapes of an equation, `[5, 4] · [4, 3] = [5, 3]`; where a row meets a column, the axis that goes. */
function shapesOf({ data, step, items, matrices, checked }) {
  const shapes = new Map(matrices.map((m) => [m, m.transposed ? turnedShape(m.array.shape) : (m.array?.shape ?? [])]));
  if (matrices.length < 2 || matrices.length > 5 || items.includes(",") || matrices.every((m) => shapes.get(m).length < 1)) return [];
  const meets = aboutOf(data, data.nodes[step.node]).meets && ["pull", "forward"].includes(step.kind) && matrices.length === 3;
  const parts = items.map((item, at) => {
    if (typeof item === "string") return ` ${at === checked ? "=" : item} `;
    const shape = shapes.get(item);
    const gone = meets && shape.length > 1 ? [shape.length - 1, shape.length - 2, -1][matrices.indexOf(item)] : -1;
    return el("span", {}, "[", ...shape.flatMap((length, axis) => [axis ? ", " : "", axis === gone ? el("u", {}, String(length)) : String(length)]), "]");
  });
  return [el("span", { class: "shapes" }, ...parts)];
}

/** Matrices, each with the sign before it (a bracket behind it, too), so that a line never ends with one. */
function joinedItems(items) {
  const [groups, waiting] = [[], []];
  for (const item of items) {
    const sign = typeof item === "string" && el("span", { class: "sign", "aria-hidden": "true" }, item);
    if (!sign) groups.push(el("div", { class: "joined" }, ...waiting.splice(0), item.figure));
    else if (item.startsWith(")") && groups.length) groups.at(-1).append(sign);
    else waiting.push(sign);
  }
  return [...groups, ...waiting];
}

export class Proof {
  constructor(player) {
    this.player = player;
    this.pane = player.part("panes");
    this.rule = player.part("rule");
    this.row = player.part("cards");
    this.lens = player.part("lens");
    this.spoken = player.part("told");
    this.fit = new Fit(player);
    this.row.addEventListener("pointermove", (event) => this.point(event, false));
    this.row.addEventListener("click", (event) => this.point(event, true));
  }

  /** Show a step: its formula, its matrices, and the element that is largest in its result. */
  show(step, own) {
    const again = step === this.scene?.step ? this.element : undefined;
    this.rule.replaceChildren(...this.formula(step, own));
    this.scene = sceneOf(this.player, step);
    this.rule.firstChild?.append(...shapesOf(this.scene));
    for (const shapes of this.rule.querySelectorAll(".shapes")) shapes.classList.toggle("below", shapes.offsetLeft < this.rule.firstChild.firstChild.offsetLeft + 20);
    this.row.replaceChildren(...joinedItems(this.scene.items));
    this.isShown = false;
    this.markWinners(step);
    this.element = undefined;
    const first = again ?? this.beginning(this.scene.result);
    this.player.graph.ring([]);
    this.found = null;
    if (first !== undefined) this.look(first, false);
    this.fit.across(this.scene);
    this.write(); // below the matrices, where these stand now
    this.fit.down(true);
    this.isShown = true;
  }

  formula(step, own) {
    const { formulas, nodes } = this.player.data;
    const to = step.kind === "pull" ? [el("span", { class: "whose" }, `∂${nodes[step.to].called} = `)] : [];
    const line = own.formula === undefined ? [] : [el("div", { class: "formula" }, el("span", {}, ...to, formula(formulas[own.formula])))];
    return own.numbers ? [...line, el("div", { class: "numbers" }, own.numbers)] : line;
  }

  /** Show the heat maps large, with the pointed element in the middle, or whole again. */
  zoom() {
    for (const matrix of this.scene?.matrices ?? []) matrix.zoom();
  }

  markWinners({ kind, slopes, node }) {
    if (kind !== "pull" || !slopes || aboutOf(this.player.data, this.player.data.nodes[node]).way !== "winner") return;
    const { result, matrices } = this.scene;
    const like = matrices.filter((m) => m.array?.shape && sameShape(m.array.shape, result.array.shape));
    for (const m of like) for (const row of new Set(slopes.rows)) m.hit(row, "winner");
  }

  /** The element to begin with: of the large ones that of which most products can be seen. */
  beginning(result) {
    if (!result?.array?.cells?.length || !result.array.shape?.length) return result?.array?.cells ? 0 : undefined;
    const sizes = numbersOf(result.array).map((value) => Math.abs(value) || 0);
    const large = upTo(sizes.length).sort((a, b) => sizes[b] - sizes[a] || a - b).slice(0, MOST_TRIED).filter((e, _, [first]) => sizes[e] >= sizes[first] / 2);
    const seen = large.map((e) => Math.min(ENOUGH, anatomy(this.scene, e)?.terms.filter((term) => productOf(term)).length ?? 0));
    return large[seen.indexOf(Math.max(...seen))];
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
    if (own instanceof HTMLElement) own.tabIndex = 0;
    this.player.graph.ring([...lit].filter(([matrix, hits]) => matrix.node !== undefined && hits.length).map(([matrix, hits]) => [matrix.node, Boolean(matrix.carries), framed.get(matrix) ?? hits.map(([flat]) => flat), framed.has(matrix)]));
    for (const part of this.scene.parts ?? []) part.say(e);
    this.found = found;
    clearTimeout(this.telling);
    if (this.isShown) {
      this.write();
      this.fit.down();
    }
    if (told) this.telling = setTimeout(() => { this.spoken.textContent = found ? inWords(found, result, e) : `${result.name(e)}: ${result.array.cells[e]}`; }, REST);
  }

  /** Write out what the element in view is made of, its terms in at most so many lines. */
  write(lines = this.player.main.clientWidth < 700 ? MOST_TERMS : MOST_LINES) {
    const { scene, element, lens } = this;
    const found = this.found && { ...this.found, lines };
    this.lines = lines;
    lens.replaceChildren("…"); // it has room only where it is not empty, and in a strip half of the pane
    const room = lens.clientWidth || this.pane.clientWidth - 30;
    const left = this.pane.getBoundingClientRect().bottom - lens.getBoundingClientRect().bottom;
    lens.replaceChildren(...(found && scene.result.array.shape ? lensOf(found, scene, element, room, left) : []));
    for (const wide of lens.querySelectorAll(".scroll")) if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0; // or keys could not reach its end
  }
}
