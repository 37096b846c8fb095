/*
 * Pictures below a sum: the probabilities of a cross entropy, and contributions as they add up.
 *
 * One drawing an example, so that they stand in as many rows as the room needs.
 */

import { aboutOf, sharesAndTruth, sumsOf, upTo } from "./elements.js";
import { numberOf, numbersOf, svgEl } from "./marks.js";
import { Matrix } from "./matrix.js";
import { short } from "./numbers.js";
import { el } from "./panes.js";
import { rolesOf } from "./windows.js";

const MOST_EXAMPLES = 6;
const MOST_CLASSES = 10;
const [HIGH, TOP] = [120, 26];
const [NARROWEST, WIDEST] = [58, 66]; // pixels a class, so that its numbers stay apart
const [LOWEST_FALL, HIGHEST_FALL] = [48, 150]; // pixels of contributions that add up

/** A cross entropy: rows of probabilities, the truth as a frame up to 1, what is left as an arrow. */
export function barsOf(scene, e, room) {
  const [p, truth] = sharesAndTruth(scene);
  if (!p) return [];
  const classes = p.array.shape.at(-1);
  const examples = p.array.cells.length / classes;
  if (classes > MOST_CLASSES) return [];
  // As many as can be read side by side; the one in view is among them.
  const count = Math.max(1, Math.min(examples, MOST_EXAMPLES, Math.floor((room + 8) / (classes * NARROWEST + 20))));
  const wide = Math.max(30, Math.min(WIDEST, (room / count - 20) / classes));
  const first = Math.max(0, Math.min(Math.floor(e / classes) - count + 1, examples - count));
  return [el("div", { class: "bars" }, ...upTo(count).map((i) => examplePicture(p.array, truth.array, first + i, classes, wide, e)))];
}

function examplePicture(p, truth, row, classes, wide, e) {
  const [width, height] = [classes * wide + 12, HIGH + TOP + 40];
  const right = truth.cells.slice(row * classes, (row + 1) * classes).findIndex((text) => numberOf(text) === 1);
  const name = svgEl("text", { x: 6, y: 14, class: "what" }, `example ${row}`);
  const isShort = classes * wide < 150;
  if (right >= 0) name.append(svgEl("tspan", { class: "truly", dx: 8 }, `truth: ${isShort ? "" : "class "}${right}`));
  const svg = svgEl("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `example ${row}: probabilities, the truth, and what is left` });
  svg.append(name, svgEl("path", { class: "floor", d: `M6 ${TOP + HIGH}h${classes * wide}` }));
  upTo(classes).forEach((c) => svg.append(...classBar(p.cells[row * classes + c], truth.cells[row * classes + c], 6 + c * wide, wide, row * classes + c === e)));
  return svg;
}

/** One class: its probability, the truth, what is left as an arrow and as a number. */
function classBar(shareText, truthText, left, wide, pointed) {
  const [share, wanted] = [numberOf(shareText), numberOf(truthText)];
  const y = (value) => TOP + HIGH * (1 - value);
  const bar = Math.min(30, wide * 0.5);
  const x = left + (wide - bar - 12) / 2;
  const parts = [svgEl("rect", { class: "probability", x, y: y(share), width: bar, height: HIGH * share })];
  if (wanted > 0) parts.push(svgEl("rect", { class: "truth", x: x - 2, y: y(wanted), width: bar + 4, height: HIGH * wanted }));
  parts.push(...arrowAt(x + bar + 8, y(wanted), y(share)));
  const text = (down, what, name) => svgEl("text", { x: left + wide / 2, y: TOP + HIGH + down, class: name, "text-anchor": "middle" }, what);
  if (pointed || wide >= NARROWEST) parts.push(text(15, shareText, "share"), text(32, `${share > wanted ? "+" : ""}${short(share - wanted)}`, "left"));
  if (pointed) parts.push(svgEl("rect", { class: "pointed", x: left + 1, y: TOP - 6, width: wide - 2, height: HIGH + 44 }));
  return parts;
}

/** An arrow up or down; a short way has no tip. */
function arrowAt(x, from, to) {
  const head = Math.abs(to - from) > 9 ? Math.sign(to - from) * 8 : 0;
  const tip = head ? [svgEl("path", { class: "tip", d: `M${x} ${to}l-5 ${-head}h10z` })] : [];
  return [svgEl("path", { class: "way", d: `M${x} ${from}V${to - head}` }), ...tip];
}

/** Behind a convolution: its maps through relu and max pooling, and the way of g back through them. */
export function gatesOf({ data, step, index }) {
  if (step.kind !== "pull" || !rolesOf(data.nodes[step.node])) return [];
  const chain = [step.node];
  for (let next; next !== -1 && chain.length < 4;) {
    next = data.nodes.findIndex((node) => aboutOf(data, node).gate && node.inputs.includes(chain.at(-1)));
    if (next !== -1) chain.push(next);
  }
  const came = (id) => index.life[id].cotangents.at(-1)?.array;
  const drawn = (id, array, kind) => new Matrix({ array: data.arrays[array], caption: `${kind === "value" ? "" : "∂"}${data.nodes[id].called}`, kind, form: data.nodes[id].tiles, compact: true });
  const [values, backs] = [chain.map((id) => drawn(id, data.nodes[id].value, "value")), chain.map((id) => drawn(id, came(id), "cotangent"))];
  if (!chain[1] || ![...values, ...backs].every(({ array }) => array?.cells)) return [];
  chain.slice(1).forEach((id, i) => {
    const pull = data.steps.find((each) => each.kind === "pull" && each.node === id);
    const shut = numbersOf(data.arrays[data.nodes[id].value]).flatMap((value, e) => (value ? [] : [values[i].cells.get(e)]));
    if (aboutOf(data, data.nodes[id]).way !== "winner") values[i].svg.append(svgEl("path", { class: "shut", d: shut.map(({ x, y, cell }) => `M${x} ${y + cell}l${cell} ${-cell}`).join("") }));
    else for (const matrix of [values[i], backs[i]]) for (const row of pull?.slopes?.rows ?? []) matrix.hit(row, "winner");
  });
  const ops = chain.slice(1).map((id) => data.nodes[id].op);
  const row = [...values.flatMap(({ figure }, i) => (i ? [`${ops[i - 1]} →`, figure] : [figure])), "back", ...backs.toReversed().flatMap(({ figure }, i) => (i ? ["→", figure] : [figure]))];
  return [el("div", { class: "gates" }, el("h2", {}, `Where g comes from: ${[...new Set(chain.slice(1).map((id) => aboutOf(data, data.nodes[id]).gate))].toReversed().join(", and ")}`), el("div", { class: "multiples" }, ...row))];
}

/** Contributions in the order in which they came, each below its picture: 0, and the running sum. */
export function fallOf({ parts, result }, e, high) {
  const boxes = [...parts, result].map(({ figure }) => figure);
  if (new Set(parts.map(({ figure }) => figure.offsetTop)).size > 1) return [];
  const steps = parts.map(({ array }) => numberOf(array.cells[e]));
  const ends = sumsOf(steps);
  if (!ends.every(Number.isFinite)) return [];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const height = Math.round(Math.max(LOWEST_FALL, Math.min(HIGHEST_FALL, high - 16)));
  const y = (value) => 6 + ((most - value) / (most - least || 1)) * (height - 12);
  const row = boxes[0].parentElement;
  const middle = (figure) => figure.offsetLeft - row.offsetLeft + figure.offsetWidth / 2;
  const [width, last] = [row.clientWidth, middle(boxes.at(-1))];
  const svg = svgEl("svg", { class: "fall", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "the contributions one after the other, from 0 to the sum" });
  svg.append(svgEl("path", { class: "nil", d: `M0 ${y(0)}H${width - 12}` }), svgEl("text", { x: width - 9, y: y(0) + 4 }, "0"));
  steps.forEach((value, i) => {
    const [x, next] = [middle(boxes[i]), i + 1 < steps.length ? middle(boxes[i + 1]) : last];
    const to = y(ends[i + 1]);
    svg.append(...arrowAt(x, y(ends[i]), to), svgEl("path", { class: "drop", d: `M${x} ${to}H${next}` }));
  });
  svg.append(svgEl("path", { class: "bar sum", d: `M${last} ${y(0)}V${y(ends.at(-1))}` }));
  return [svg];
}
