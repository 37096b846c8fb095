/*
 * The summary, behind the last step: each source, its gradient, the paths to it, and what it cost.
 *
 * Python wrote the paths between numbers, their products and sums (paths.py); here stand those
 * between arrays, which light up on the graph.
 */

import { largestOf, numberOf } from "./marks.js";
import { Matrix } from "./matrix.js";
import { short } from "./numbers.js";
import { built, el } from "./panes.js";

const MOST_SOURCES = 200;
const LEAST_BESIDE = 240; // pixels beside an open slot, to say something there
const FEW_SOURCES = 4; // more gradients than these come behind the overview;
export const MANY_SOURCES = 12; // more than these have no digits

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
  const figures = [...arrivalsOf(player), ...(data.hall?.last.more ?? []).map((tree) => built(tree))];
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
  const paths = data.hall?.last.paths?.[id];
  return el("section", { class: "end" }, matrix.figure, ...(paths ? [built(paths)] : known?.ways.length > 1 ? [waysOf(player, known)] : []));
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
  const bars = data.arrivals.bars.map(([chapter, node, size, share]) => {
    const bar = el("button", { type: "button", class: "arrival", title: `${chapter}: the largest element of ∂ is ${size} in size` }, el("span", { class: "room" }, el("i", { style: `height:${(100 * share).toFixed(1)}%` })), el("span", {}, size), el("span", {}, chapter));
    bar.addEventListener("click", () => player.pick(node, false));
    return bar;
  });
  return [el("div", { class: "arrivals" }, el("p", { class: "zero" }, data.arrivals.said), el("div", { class: "row" }, ...bars))];
}
