/*
 * Touch a number: drag it, and see beside each other what the gradient promised and what happened.
 *
 * Nothing can be dragged before the evaluator has given every recorded number again. A promise is
 * made at a start, about one number: another one that is picked begins from there.
 */

import css from "../touch.css";
import { proven } from "./evaluate.js";
import { numberOf, placeOf, svgEl } from "./marks.js";
import { short, signOf } from "./numbers.js";
import { el, spoken } from "./panes.js";
import { tapeOf } from "./recorded.js";
import { atPlayers, offered } from "./untouched.js";

const [POINTS, DRAG] = [160, 180]; // of the curve; pixels from the start to its end
const NUDGES = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
const STEPS = { float16: -10, float32: -23, float64: -52 }; // of a dtype, beside 1: powers of two

const signed = (value, digits = 4) => (value > 0 ? "+" : "") + short(value, digits);

const cellOf = (cell) => /** @type {[number, number]} */ (cell.dataset.cell.split(",").map(Number));

export class Touch {
  constructor(player) {
    Object.assign(this, { player, data: player.data, button: offered(player, () => this.toggle()) });
    player.root.prepend(el("style", {}, css));
    const { draw, key } = player;
    player.draw = () => { // a step shows what was recorded
      this.close();
      draw.call(player);
    };
    player.key = (event) => this.key(event) || key.call(player, event);
  }

  get isOpen() {
    return this.player.main.classList.contains("touching");
  }

  toggle() {
    if (this.isOpen) return this.player.show(); // which closes it: the step is as it was
    this.open();
    if (!this.tape.off) this.cells.get(this.picked[0])[this.picked[1]].focus({ preventScroll: true });
  }

  /**
   * Numbers from outside, such as sliders: a start with all of them but one, and that one moved.
   * @param {[number, number][]} given Scalars by node, the one that moves last.
   * @returns {boolean} Whether they could be shown.
   */
  at(given) {
    if (!this.isOpen) this.open();
    if (this.tape.off) return false;
    const [moved, x] = given.at(-1);
    const start = this.recorded.map((each) => each.slice());
    for (const [id, value] of given.slice(0, -1)) start[id][0] = value;
    this.restart(start);
    this.picked = undefined;
    this.pick(moved, 0);
    this.set(x);
    return true;
  }

  open() {
    const { player } = this;
    if (player.timer) player.toggle(false);
    this.box ??= this.build();
    player.main.classList.add("touching");
    player.main.dataset.kind = "touch";
    this.button.ariaPressed = "true";
    player.part("phase").textContent = "what if";
    player.part("sentence").setAttribute("aria-live", "off"); // the slider speaks
    if (this.tape.off) return this.player.say("Nothing can be touched here.");
    this.restart(this.recorded);
    this.pick(...(this.picked ?? [this.leaves[0], 0]));
  }

  /** Back to the numbers that were recorded, which is what every step shows. */
  close() {
    if (!this.isOpen) return;
    this.player.main.classList.remove("touching");
    this.button.ariaPressed = "false";
    this.player.part("sentence").setAttribute("aria-live", "polite");
    this.undraw();
  }

  /** Prove first; then handles, or the reason why there are none. */
  build() {
    this.tape = this.proof();
    const box = el("section", { class: "touch", "aria-label": "Touch a number" });
    this.player.part("side").prepend(box);
    if (this.tape.off) {
      box.append(el("p", { class: "refused" }, ...spoken(`No number can be touched here: ${this.tape.off}. What cannot be computed again exactly is not guessed.`)));
      return box;
    }
    const { nodes, sources } = this.data;
    this.recorded = this.tape.values.map((each) => each.slice());
    const floats = nodes.flatMap(({ op, dtype, shape }, id) => (!op && dtype in STEPS && !shape.includes(0) ? [id] : []));
    this.leaves = [...sources.filter((id) => floats.includes(id)), ...floats.filter((id) => !sources.includes(id))];
    this.cells = new Map();
    this.changes = el("div", { class: "changes" });
    this.curve = el("div", { class: "curve" });
    const back = el("button", {}, "recorded numbers");
    back.addEventListener("click", () => { this.restart(this.recorded); this.pick(...this.picked); });
    const hint = el("p", { class: "hint" }, "Drag a number, or → ← 0.01, Shift 0.1 · Esc: back · Enter: keep it as the new start · T: leave ", back);
    box.append(this.changes, this.curve, hint, el("div", { class: "arrays" }, ...this.leaves.map((id) => this.arrayOf(id))), el("p", { class: "proof" }, ...spoken(this.saidOfProof())));
    box.addEventListener("pointerdown", (event) => this.grab(event));
    new ResizeObserver(() => this.isOpen && this.drawCurve()).observe(this.curve);
    return box;
  }

  proof() {
    try {
      const tape = tapeOf(this.data);
      this.versions = tape.versions;
      return /** @type {any} */ (proven(tape));
    } catch (error) {
      console.warn("cannot be computed again:", error);
      return { off: "computing it again ended in an error" };
    }
  }

  saidOfProof() {
    const { checked, farthest } = this.tape;
    const { held = [], assigned = {} } = this.data.touch;
    const off = farthest ? `largest difference ${short(farthest, 2)} of the largest element, or term where terms cancel` : "all exactly as recorded";
    const stays = held.length ? ` Without a gradient, and so as recorded: ${held.slice(0, 3).map(([id, op]) => `\`${this.data.nodes[id].called}\` (made by \`${op}\`)`).join(", ")}${held.length > 3 ? ` and ${held.length - 3} more` : ""}.` : "";
    const names = (first) => [first, ...this.versions(first)].map((id) => `\`${this.data.nodes[id].called}\``);
    const sums = [...new Set(Object.values(assigned))].map((first) => ` \`${this.data.nodes[first].called}\` was assigned to: its values (${names(first).join(", ")}) are touched alone; their gradients add up.`).join("");
    return `${checked} recorded numbers computed again, ${off}. The recorded ops run again, lines of Python do not.${stays}${sums}`;
  }

  arrayOf(id) {
    const { called, shape, op } = this.data.nodes[id];
    const columns = Math.min(shape.at(-1) ?? 1, 16);
    const cells = Array.from(this.recorded[id], (_, i) => el("span", {
      class: "cell", role: "slider", tabindex: i ? -1 : 0, "data-cell": `${id},${i}`, "aria-label": this.nameOf(id, i),
    }));
    this.cells.set(id, cells);
    const fixed = !this.data.sources.includes(id) && !op;
    return el("div", fixed ? { class: "fixed" } : {}, el("h2", {}, called, el("span", {}, shape.length ? ` [${shape.join(", ")}]` : "")), el("div", { class: "cells", style: `grid-template-columns:repeat(${columns},auto)` }, ...cells));
  }

  nameOf(id, i) {
    const { called, shape } = this.data.nodes[id];
    return shape.length ? `${called}[${placeOf(i, shape).join(", ")}]` : called;
  }

  /** What the gradient is of: the target, or what its seed makes of it. */
  get resultName() {
    const { nodes, touch } = this.data;
    const [id, ...more] = touch.seeds;
    const weighted = this.tape.seeds.some(([, seed]) => seed.some((by) => by !== 1));
    if (weighted) return `${touch.seeds.map((each) => `\`${nodes[each].called}\``).join(" and ")} times the seed`;
    if (more.length) return `the sum of ${touch.seeds.map((each) => `\`${nodes[each].called}\``).join(" and ")}`;
    return nodes[id].shape.length ? `the sum of \`${nodes[id].called}\`` : `\`${nodes[id].called}\``;
  }

  /** A start: numbers, what they give, and the gradients that promise. */
  restart(values) {
    const { tape } = this;
    for (const id of this.leaves) tape.values[id].set(values[id]);
    if (values === this.recorded) tape.rewind();
    else tape.run();
    this.start = { values: tape.values.map((each) => each.slice()), gradients: tape.gradients.map((each) => each?.slice()), result: tape.result };
    for (const id of this.leaves) {
      const most = this.start.gradients[id].reduce((top, g) => Math.max(top, Math.abs(g) || 0), 0);
      this.cells.get(id).forEach((cell, i) => cell.style.setProperty("--g", most ? `${((100 * Math.abs(this.start.gradients[id][i])) / most).toFixed(0)}%` : "0"));
    }
  }

  pick(id, i) {
    const before = this.picked;
    if (before) this.tape.values[before[0]].set(this.start.values[before[0]]);
    for (const cells of this.cells.values()) for (const cell of cells) cell.classList.remove("on");
    this.picked = [id, i];
    for (const [own, cells] of this.cells) cells.forEach((cell, j) => { cell.tabIndex = own === id ? (j === i ? 0 : -1) : j ? -1 : 0; });
    this.cells.get(id)[i].classList.add("on");
    this.scan();
    this.update();
  }

  /** Runs along the whole range of the number, and where a choice on the way flips. */
  scan() {
    const { tape, picked: [id, i] } = this;
    const from = this.start.values[id][i];
    const reach = 1.5 * Math.max(1, Math.abs(from));
    const points = [];
    const flips = [];
    let states = [];
    for (let k = 0; k <= POINTS; k++) {
      const x = from - reach + (2 * reach * k) / POINTS;
      tape.values[id][i] = x;
      tape.run(false);
      points.push([x, tape.result]);
      const now = tape.states.map(([, state]) => state());
      const flipped = now.findIndex((each, j) => k > 0 && each !== states[j]);
      if (flipped >= 0) flips.push([x - reach / POINTS, tape.states[flipped][0]]);
      states = now;
    }
    tape.values[id][i] = from;
    this.range = { from, reach, points, flips };
  }

  set(x) {
    const [id, i] = this.picked;
    const { from, reach } = this.range;
    this.tape.values[id][i] = Math.min(from + reach, Math.max(from - reach, x));
    this.update();
  }

  update() {
    const { tape, picked: [id, i], start } = this;
    tape.run();
    for (const own of this.leaves) this.cells.get(own).forEach((cell, j) => {
      const value = tape.values[own][j];
      if (cell.value === value) return;
      cell.value = value;
      cell.textContent = short(value, 3);
      cell.setAttribute("aria-valuenow", value);
      cell.setAttribute("aria-valuetext", short(value));
    });
    const moved = tape.values[id][i] - start.values[id][i];
    const promised = start.gradients[id][i] * moved;
    const happened = tape.result - start.result;
    this.promised = promised;
    const said = this.equation(start.gradients[id][i], moved, promised);
    const cell = this.cells.get(id)[i];
    const plain = this.resultName.replaceAll("`", "");
    cell.setAttribute("aria-valuemin", this.range.from - this.range.reach);
    cell.setAttribute("aria-valuemax", this.range.from + this.range.reach);
    cell.setAttribute("aria-valuetext", `${short(tape.values[id][i])}; ${plain} ${short(tape.result)}${moved ? `; promised ${signed(promised)}, happened ${signed(happened)}` : ""}`);
    const now = el("span", {}, ...spoken(this.resultName), " ", el("b", {}, short(tape.result)));
    this.changes.replaceChildren(now, el("span", { class: "promised" }, "promised ", el("b", {}, signed(promised))), el("span", { class: "happened" }, "happened ", el("b", {}, signed(happened))));
    if (!moved) this.player.say(`The gradient says: \`${this.nameOf(id, i)}\` moves ${this.resultName} by ${short(start.gradients[id][i])} times its nudge. Try it.`);
    else this.player.say(`\`${this.nameOf(id, i)}\` moved by ${signed(moved)}: the gradient promised `, el("span", { class: "promised" }, said), `, and ${this.resultName} moved by `, el("span", { class: "happened" }, signed(happened)), this.finest(promised));
    this.drawCurve();
    this.draw();
  }

  /** Factors with as many digits as the printed product needs. */
  equation(slope, moved, promised) {
    const product = short(promised);
    for (let digits = 4; digits < 10; digits++) {
      const [one, other] = [short(slope, digits), short(moved, digits)];
      if (signOf(numberOf(one) * numberOf(other), product) === "=") return `${one} · ${moved < 0 ? `(${other})` : other} = ${product}`;
    }
    return product;
  }

  /** A change that the result's dtype cannot tell from none. */
  finest(promised) {
    const [id] = this.data.touch.seeds;
    const step = Math.abs(this.tape.result) * 2 ** STEPS[this.data.nodes[id].dtype];
    return promised && Math.abs(promised) < 4 * step ? ": so small a change is rounding here." : ".";
  }

  drawCurve() {
    const { clientWidth: width, clientHeight: height } = this.curve;
    if (!this.picked || width < 40 || height < 40) return;
    const { tape, start, range: { from, reach, points, flips }, picked: [id, i], promised } = this;
    const finite = points.filter(([, y]) => Number.isFinite(y));
    const ys = [...finite.map(([, y]) => y), start.result, tape.result].filter(Number.isFinite);
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const room = (high - low || Math.abs(high) || 1) * 0.08;
    const [left, right, top, bottom] = [8, width - 8, 16, height - 24];
    const atX = (x) => left + ((x - from + reach) / (2 * reach)) * (right - left);
    const atY = (y) => bottom - ((y - low + room) / (high - low + 2 * room)) * (bottom - top);
    const path = (list) => `M${list.map(([x, y]) => `${atX(x).toFixed(1)} ${atY(y).toFixed(1)}`).join("L")}`;
    const x = tape.values[id][i];
    const between = [[from, start.result], ...finite.filter(([each]) => (each - from) * (each - x) < 0), [x, tape.result]];
    if (x < from) between.splice(1, between.length - 2, ...between.slice(1, -1).reverse());
    const slope = start.gradients[id][i];
    const svg = svgEl("svg", { role: "img", "aria-label": `${this.resultName.replaceAll("`", "")} over ${this.nameOf(id, i)}`, viewBox: `0 0 ${width} ${height}` });
    const clipped = svgEl("svg", { x: 0, y: top - 8, width, height: bottom - top + 16, viewBox: `0 ${top - 8} ${width} ${bottom - top + 16}` });
    svg.append(svgEl("line", { class: "axis", x1: left, x2: right, y1: bottom + 4, y2: bottom + 4 }), clipped);
    let beside = -Infinity;
    for (const [place, node] of flips) {
      svg.append(svgEl("line", { class: "switch", x1: atX(place), x2: atX(place), y1: top, y2: bottom }));
      const name = `${this.data.nodes[node].called} switches`;
      if (atX(place) - beside > 8 * name.length) svg.append(svgEl("text", { x: atX(place), y: top - 4, "text-anchor": atX(place) > width - 60 ? "end" : atX(place) < 60 ? "start" : "middle" }, name));
      if (atX(place) - beside > 8 * name.length) beside = atX(place);
    }
    if (finite.length) clipped.append(svgEl("path", { class: "range", d: path(finite) }));
    if (Number.isFinite(slope)) clipped.append(svgEl("path", { class: "would", d: path([from - reach, from + reach].map((each) => [each, start.result + slope * (each - from)])) }));
    if (Number.isFinite(tape.result)) clipped.append(svgEl("path", { class: "moved", d: path(between) }));
    clipped.append(svgEl("circle", { class: "start", cx: atX(from), cy: atY(start.result), r: 6 }));
    if (x !== from) {
      if (Number.isFinite(promised)) clipped.append(svgEl("circle", { class: "to", cx: atX(x), cy: atY(start.result + promised), r: 6 }));
      if (Number.isFinite(tape.result)) clipped.append(svgEl("circle", { class: "is", cx: atX(x), cy: atY(tape.result), r: 8 }));
    }
    const anchor = (place) => (place > width - 60 ? "end" : place < 60 ? "start" : "middle");
    if (Math.abs(atX(x) - atX(from)) > 60) svg.append(svgEl("text", { x: atX(from), y: height - 4, "text-anchor": "middle" }, short(from)));
    svg.append(svgEl("text", { class: "here", x: atX(x), y: height - 4, "text-anchor": anchor(atX(x)) }, short(x)));
    this.curve.replaceChildren(svg);
  }

  /** All of the graph with the present numbers: they stand in the player's data until it is closed. */
  draw() {
    const { player: { graph, data }, tape: { values, gradients } } = this;
    if (!this.shown) {
      const ends = graph.index.life.map(({ cotangents }) => cotangents.at(-1));
      this.shown = { graph, arrays: data.arrays.length, nodes: data.nodes.map(({ value, label }) => ({ value, label })), ends, places: ends.map((end) => end?.array) };
      graph.at = -1;
      graph.show(data.steps.length - 1, true);
      for (const label of graph.factors.splice(0)) label.remove(); // slopes of the recorded numbers
    }
    data.nodes.forEach((node, id) => {
      const { shape } = node;
      const array = (numbers) => ({ shape, cells: numbers, numbers: Array.from(numbers), text: textOf(numbers) });
      const moved = !node.op || gradients[id] ? values[id].some((value, i) => !Object.is(value, this.recorded[id][i])) : false;
      const place = this.shown.arrays + 2 * id;
      const arrived = this.versions(id).reduce((sum, each) => sum.map((g, i) => g + gradients[each][i]), gradients[id]);
      [data.arrays[place], data.arrays[place + 1]] = [array(values[id]), arrived && array(arrived)];
      Object.assign(node, moved ? { value: place, label: textOf(values[id]) } : this.shown.nodes[id]);
      const end = this.shown.ends[id];
      if (end && gradients[id]) end.array = place + 1;
    });
    this.drawBoxes();
  }

  /** Draw the boxes of the graph again, small pictures too. */
  drawBoxes() {
    const { graph } = this.shown;
    for (const [box, drawn] of graph.nodes) {
      for (const kind of ["value", "cotangent"]) for (const id of [drawn.id, drawn.own]) {
        const old = drawn[kind + id];
        old?.made?.g.remove();
        drawn[kind + id] = undefined;
      }
      graph.drawNode(box);
    }
  }

  /** Back to what was recorded. */
  undraw() {
    if (!this.shown) return;
    const { data } = this;
    const { graph, arrays, nodes, ends, places } = this.shown;
    nodes.forEach((was, id) => Object.assign(data.nodes[id], was));
    ends.forEach((end, id) => { if (end) end.array = places[id]; });
    data.arrays.length = arrays;
    this.drawBoxes();
    this.shown = undefined;
    graph.at = -1; // all is drawn again
  }

  /* Mouse and keys. */

  grab(event) {
    const cell = event.target.closest("[data-cell]");
    const onCurve = event.target.closest(".curve");
    if (!(cell || onCurve) || event.button > 0) return;
    event.preventDefault();
    if (cell) {
      const [id, i] = cellOf(cell);
      if (String([id, i]) !== String(this.picked)) this.pick(id, i);
    }
    const [id, i] = this.picked;
    this.cells.get(id)[i].focus({ preventScroll: true });
    const handle = cell ?? onCurve;
    handle.setPointerCapture(event.pointerId);
    const { left, width } = this.curve.getBoundingClientRect();
    const [first, value] = [event.clientX, this.tape.values[id][i]];
    const { from, reach } = this.range;
    const move = ({ clientX }) => this.set(this.rounded(cell ? value + ((clientX - first) * reach) / DRAG : from - reach + ((clientX - left - 8) / (width - 16)) * 2 * reach));
    if (onCurve) move(event);
    const end = () => handle.removeEventListener("pointermove", move);
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", end, { once: true });
    handle.addEventListener("pointercancel", end, { once: true });
  }

  /** A number that is dragged has no more digits than one can aim at. */
  rounded(x) {
    const unit = 10 ** Math.floor(Math.log10(this.range.reach / 200));
    return Number((Math.round(x / unit) * unit).toPrecision(12));
  }

  /** Keys that are meant for the number do not reach the player. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.turn(event)) return false;
    event.preventDefault();
    event.stopImmediatePropagation();
    return true;
  }

  /** Whether a key was meant for the number. */
  turn(event) {
    const [target] = event.composedPath();
    if (!this.isOpen || this.tape.off || !(target === document.body || event.composedPath().includes(this.player.main))) return false;
    if (event.key === "Escape") {
      this.set(this.range.from);
      return true;
    }
    const cell = target.closest("[data-cell]");
    if (!cell && target !== document.body && target !== this.player.main) return false; // a button, the list of nodes
    const [id, i] = cell ? cellOf(cell) : this.picked;
    if (String([id, i]) !== String(this.picked)) this.pick(id, i);
    const by = NUDGES[event.key];
    if (by) this.set(Number((this.tape.values[id][i] + by * (event.shiftKey ? 0.1 : 0.01)).toPrecision(7)));
    else if (event.key === "Enter") this.keep();
    else if (event.key === "PageDown" || event.key === "PageUp") {
      const next = this.cells.get(id)[i + (event.key === "PageDown" ? 1 : -1)];
      next?.focus();
      if (next) this.pick(id, i + (event.key === "PageDown" ? 1 : -1));
    } else return false;
    return true;
  }

  /** The present numbers become the start: new gradients, a new promise. */
  keep() {
    this.restart(this.tape.values.map((each) => each.slice()));
    this.scan();
    this.update();
  }
}

function textOf(numbers) {
  if (numbers.length === 1) return short(numbers[0]);
  const whole = numbers.length < 9 ? `[${Array.from(numbers, (value) => short(value)).join(", ")}]` : "";
  const finite = numbers.filter(Number.isFinite);
  return whole && whole.length <= 26 ? whole : `${short(Math.min(...finite))} … ${short(Math.max(...finite))}${finite.length < numbers.length ? ", not finite" : ""}`;
}

atPlayers((player) => { player.touch = new Touch(player); }, ({ numbers }) => numbers !== undefined);
