/*
 * The summary, behind the last step: each source, its gradient, the paths to it, and what it cost.
 *
 * The one fact to know: along a path slopes multiply, and where paths meet they add up. Products are
 * written out where every cotangent on the path is one number.
 */

import { largestOf, numberOf } from "./marks.js";
import { Matrix } from "./matrix.js";
import { short, signOf } from "./numbers.js";
import { bytes, el } from "./panes.js";

const LEAST_SHARE = 0.09; // of a bar, to have its number on it
const MOST_PATHS = 8;
const AT_ENDS = 6; // factors of a path: of more than twice as many those in the middle are left out
const MOST_SOURCES = 200;
const LEAST_BESIDE = 240; // pixels beside an open slot, to say something there
const FEW_SOURCES = 4; // more gradients than these come behind the overview;
export const MANY_SOURCES = 12; // more than these have no digits

/** The paths from a source to the targets along which a cotangent came, as lists of pull steps. */
function pathsFrom(data, source) {
  const into = new Map();
  data.steps.forEach((step) => { if (step.kind === "pull") into.set(step.to, [...(into.get(step.to) ?? []), step]); });
  const seeds = new Set(data.steps.filter(({ kind }) => kind === "seed").map(({ node }) => node));
  const found = [];
  const walk = [[source, []]];
  while (walk.length && found.length <= MOST_PATHS) {
    const [node, path] = walk.pop();
    if (path.length && seeds.has(node)) found.push(path);
    if (path.length > 400) return null;
    for (const step of [...(into.get(node) ?? [])].reverse()) walk.push([step.node, [...path, step]]);
  }
  return found;
}

/** The factor of a pull between two numbers; undefined where either is a matrix. */
export function factorOf(data, step) {
  const [g, passed] = [data.arrays[step.cotangent], data.arrays[step.contribution]];
  if (!g?.cells || !passed?.cells || g.cells.length !== 1 || passed.cells.length !== 1) return undefined;
  if (step.local !== undefined) return data.arrays[step.local].cells?.[0];
  const value = numberOf(passed.cells[0]) / numberOf(g.cells[0]);
  return Number.isFinite(value) ? short(value) : undefined;
}

/** `compact`: gradients as marks alone, where digits would not fit. */
export function summaryOf(player, compact) {
  const { data } = player;
  const ends = data.carries ? data.targets : data.sources;
  const cards = ends.slice(0, MOST_SOURCES).map((id) => endCard(player, id, compact));
  if (ends.length > MOST_SOURCES) cards.push(el("p", { class: "zero" }, `… and ${ends.length - MOST_SOURCES} more`));
  const what = `${ends.length} ${data.carries ? "tangent" : "gradient"}${ends.length > 1 ? "s" : ""}`;
  const gradients = [...(compact ? [el("p", { class: "zero" }, what)] : []), el("div", { class: "ends" }, ...cards)];
  const figures = [...arrivalsOf(player), costOf(data)];
  return [...(ends.length > FEW_SOURCES ? [...figures, ...gradients] : [...gradients, ...figures]), ...(data.carries || compact ? [] : [el("p", { class: "zero" }, "On the edges of the graph: × what ∂ is multiplied by; |∂| × how its largest element changes")])];
}

function endCard(player, id, compact) {
  const { data } = player;
  const array = data.arrays[data.gradients[id]];
  const name = data.nodes[id].called;
  const caption = compact ? name : `${data.carries ? "tangent of" : "gradient for"} ${name}`;
  const form = data.nodes[id].tiles;
  const look = array ? "sum" : "missing";
  const matrix = new Matrix({ array: array ?? { text: "None", shape: [] }, caption, kind: "sum", look, form, compact, small: array?.shape.length && !compact ? `${array.dtype} [${array.shape.join(", ")}]` : "" });
  const known = data.paths?.find(({ source }) => source === id);
  const paths = data.carries || !array ? [] : pathsFrom(data, id);
  const written = array && !array.shape.length && paths?.length <= MOST_PATHS;
  if (known && !written && known.ways.length > 1) return el("section", { class: "end" }, matrix.figure, waysOf(player, known));
  return el("section", { class: "end" }, matrix.figure, ...(paths?.length && (paths.length > 1 || !array.shape.length) ? [pathsOf(player, paths, array)] : []));
}

function pathsOf(player, paths, array) {
  const { data } = player;
  const target = data.nodes[paths[0].at(-1).node].called;
  const count = paths.length > MOST_PATHS ? `more than ${MOST_PATHS} paths` : `${paths.length} path${paths.length > 1 ? "s" : ""}`;
  const box = el("div", { class: "paths" }, el("p", { class: "zero" }, `${count} to ${target}`));
  if (paths.length > MOST_PATHS) return box;
  let whole = true;
  const products = paths.map((path) => {
    const factors = path.map((step) => factorOf(data, step));
    if (factors.includes(undefined)) whole = false;
    return { path, factors, product: factors.reduce((product, factor) => product * numberOf(factor), 1) };
  });
  for (const { path, factors, product } of products.slice(0, MOST_PATHS)) {
    const row = el("p", { class: "path" });
    [...path].reverse().forEach((step, i) => {
      if (i >= AT_ENDS && i < path.length - AT_ENDS) {
        if (i === AT_ENDS) row.append("… ");
        return;
      }
      const factor = factors[path.length - 1 - i];
      const go = el("button", { type: "button", class: `factor ${factor === "1.0" ? "quiet" : ""}`, title: "go to this step" }, factor === undefined ? "→" : `× ${factor}`);
      go.addEventListener("click", () => player.go(data.steps.indexOf(step)));
      row.append(el("code", {}, data.nodes[step.node].called), go);
    });
    row.append(el("code", {}, data.nodes[path[0].to].called));
    if (whole) row.append(el("b", {}, ` ${signOf(product, short(product))} ${short(product)}`));
    box.append(row);
  }
  if (whole && products.length > 1) box.append(...sharesOf(data, products), el("p", { class: "sumline" }, `${products.map(({ product }) => (product < 0 ? `(${short(product)})` : short(product))).join(" + ")} ${signOf(products.reduce((sum, { product }) => sum + numberOf(short(product)), 0), array.cells[0], products.map(({ product }) => product))} ${array.cells[0]}`));
  return box;
}

/** How much each path brings, as the parts of one bar: filled where it is positive, else hollow. */
function sharesOf(data, products) {
  const whole = products.reduce((sum, { product }) => sum + Math.abs(product), 0);
  if (!(whole > 0 && Number.isFinite(whole))) return [];
  const parts = products.map(({ path, product }) => {
    const title = `by ${data.nodes[path[0].node].called}`;
    return el("span", { class: product < 0 ? "share negative" : "share", title, style: `flex:${Math.abs(product) / whole} 1 0` }, Math.abs(product) < LEAST_SHARE * whole ? "" : short(product));
  });
  return [el("div", { class: "shares" }, ...parts)];
}

/** The paths of a matrix: what each brings as small multiples on one scale, and what the others do. */
function waysOf(player, { count, target, ways, rest }) {
  const { data, paths } = player;
  const arrays = [...ways.map(([, array]) => data.arrays[array]), ...(rest === undefined ? [] : [data.arrays[rest]])];
  const scale = Math.max(...arrays.map(largestOf));
  const figures = arrays.map((array, i) => {
    const { figure } = new Matrix({ array, caption: "rest", kind: "cotangent", compact: true, tiny: ways.length > 4, scale, form: data.nodes[ways[0][0][0]].tiles });
    if (ways[i]) figure.querySelector("figcaption").replaceChildren(paths.button([ways[i]], `${i + 1}`));
    return figure;
  });
  const row = el("div", { class: "multiples" }, ...figures.flatMap((figure, i) => (i ? [el("span", { class: "sign" }, "+"), figure] : [figure])));
  return el("div", { class: "paths" }, el("p", { class: "zero" }, paths.button(ways, `${count} paths`), ` to ${data.nodes[target].called}: what they bring adds up`), row);
}

/** Paths from sources to the target, lit on the graph: all of a source, then one after the other. */
export class Lights {
  constructor(player) {
    this.player = player;
    this.at = -1;
    this.stops = (player.data.paths ?? []).flatMap((paths) => [paths.ways, ...(paths.ways.length > 1 ? paths.ways.map((way) => [way]) : [])].map((ways) => ({ paths, ways })));
  }

  /** Light the next; behind the last one none. */
  next() {
    this.at = this.at + 1 < this.stops.length ? this.at + 1 : -1;
    this.show();
  }

  /** In the free corner beside a strip's open slot: the paths of what a step is about. */
  beside({ node, to = node }) {
    const { data, view, root } = this.player;
    const paths = data.paths?.find(({ source }) => source === to);
    if (!paths || view.slot === undefined) return;
    const pane = this.player.part("graph");
    const frame = [...root.querySelectorAll("rect.frame")].at(-1).getBoundingClientRect();
    const width = pane.getBoundingClientRect().right - frame.right - 24;
    if (width < LEAST_BESIDE) return;
    this.box = el("div", { class: "beside", style: `width:${width}px` }, this.button(paths.ways, `paths: ${paths.count}`), el("p", { class: "zero" }, this.words({ paths, ways: paths.ways })));
    pane.append(this.box);
    if (this.box.getBoundingClientRect().top < frame.top) this.box.lastChild.remove(); // it would cover what stands above
  }

  button(ways, text) {
    const own = this.stops.findIndex((stop) => stop.ways.every((way, i) => way === ways[i]) && stop.ways.length === ways.length);
    const button = el("button", { type: "button", class: "light", title: "light on the graph (Y: the next)", "data-light": own, "aria-pressed": own === this.at }, text);
    button.addEventListener("click", () => {
      this.at = this.at === own ? -1 : own;
      this.show();
    });
    return button;
  }

  show() {
    const { player, at } = this;
    const stop = this.stops[at];
    player.graph.light(stop?.ways.map(([nodes]) => nodes) ?? []);
    for (const button of player.root.querySelectorAll(".light")) button.ariaPressed = Number(button.dataset.light) === at;
    const wasLit = this.isLit;
    this.isLit = Boolean(stop);
    if (stop) player.say(this.words(stop));
    else if (wasLit) player.show(); // its own sentence again
  }

  /** Along a path numbers multiply; between matrices no one number does, so their names stand there. */
  words({ paths: { source, target, count, ways: all, rest }, ways }) {
    const { data } = this.player;
    const [from, to] = [source, target].map((id) => data.nodes[id].called);
    const isNumber = !data.nodes[source].shape.length;
    const text = ([, array]) => data.arrays[array].text;
    if (ways.length > 1) {
      const sum = isNumber && rest === undefined ? `: ${ways.map(text).join(" + ")} = ${data.arrays[data.gradients[source]].text}` : ": what they bring adds up to the gradient";
      return `${String(all.length) === count ? "All" : `The ${all.length} largest of`} ${count} paths from ${from} to ${to}${sum}.`;
    }
    const [[nodes, array]] = ways;
    const steps = nodes.slice(1).map((node, i) => data.steps.find((step) => step.kind === "pull" && step.node === node && step.to === nodes[i])).reverse();
    const factors = steps.map((step) => step && factorOf(data, step));
    const brings = isNumber ? data.arrays[array].text : `an array of at most ${short(largestOf(data.arrays[array]))} in size`;
    const names = nodes.slice(1, -1).reverse().map((node) => this.player.graph.nameOf(node)).filter((name, i, list) => name !== list[i - 1]);
    const place = all.length > 1 ? `Path ${all.indexOf(ways[0]) + 1}` : "The path";
    return factors.includes(undefined)
      ? `${place} from ${from} to ${to}, back through ${names.join(", ")}: matrices multiply along it, so no one number is its factor; it brings ${brings}.`
      : `${place} from ${from} to ${to}: ${factors.join(" × ")} = ${brings}.`;
  }
}

/** How much arrives: the size of the cotangent at the end of each layer, scope or round. */
function arrivalsOf(player) {
  const { data } = player;
  if (!data.arrivals) return [];
  const bars = data.arrivals.map(([chapter, node, size, share]) => {
    const bar = el("button", { type: "button", class: "arrival", title: `${chapter}: the largest element of ∂ is ${size} in size` }, el("span", { class: "room" }, el("i", { style: `height:${(100 * share).toFixed(1)}%` })), el("span", {}, size), el("span", {}, chapter));
    bar.addEventListener("click", () => player.pick(node, false));
    return bar;
  });
  return [el("div", { class: "arrivals" }, el("p", { class: "zero" }, "How much arrives at each part: its largest element of ∂, in size"), el("div", { class: "row" }, ...bars))];
}

/** What the gradients cost, and how many there are. */
function costOf(data) {
  const kinds = (name) => data.steps.filter(({ kind }) => kind === name).length;
  const held = data.steps.reduce((most, step) => Math.max(most, step.held ?? 0), 0);
  const facts = [[kinds("forward"), "ops recorded"], [kinds("pull") + kinds("push"), data.carries ? "steps of the tangent" : "steps back"], [kinds("accumulate"), `place${kinds("accumulate") === 1 ? "" : "s"} where paths meet`]];
  if (held) facts.push([bytes(held), "kept for the way back"]);
  return el("div", { class: "cost" }, ...facts.map(([number, what]) => el("p", {}, el("b", {}, String(number)), el("span", {}, what))));
}

/** The sentence of the summary. */
export function summarySentence(data) {
  if (data.carries) return "The tangent has arrived: it is how fast the target moves when the source moves so.";
  const missing = data.sources.filter((id) => data.gradients[id] === undefined).map((id) => `\`${data.nodes[id].called}\``);
  if (missing.length) return `No path leads to ${missing.join(" and ")}: no gradient.${missing.length < data.sources.length ? " The other gradients have arrived." : ""}`;
  const met = data.steps.some(({ kind }) => kind === "accumulate");
  return met ? "All gradients have arrived. Along a path the slopes multiply; where paths meet they add up." : "All gradients have arrived: along each path the slopes multiply.";
}
