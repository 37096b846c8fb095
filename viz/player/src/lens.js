/*
 * What the microscope sees, written out: terms side by side, their products, and head to tail.
 *
 * A zero deserves a sentence. Terms that are exactly zero are counted, not drawn.
 */

import { barsOf, fallOf, gatesOf } from "./bars.js";
import { inBrackets, productOf, sumsOf, upTo } from "./elements.js";
import { mark, numberOf, svgEl } from "./marks.js";
import { short, signOf } from "./numbers.js";
import { el } from "./panes.js";

const TERM = 112; // the room of one term
const [LETTER, NUMBER, ALONE] = [5.6, 92, 125]; // the room of the name of a term, of each of its numbers, of its only one
const BETWEEN = 20; // columns of terms
export const MOST_LINES = 10; // of terms, in each column, where nothing may be below the fold
export const MOST_TERMS = 24;
const MOST_ARROWS = 14;

/** The products of a term's factors. */

/** The products as they are printed, and the sign between their sum and the total. */
const printedOf = (term) => (term.factors.length > 1 ? numberOf(short(productOf(term))) : productOf(term));
const signOfSum = (terms, found) => (terms.length > 1 ? signOf(terms.reduce((sum, term) => sum + printedOf(term), 0), found.total, terms.map(printedOf)) : signOf(productOf(terms[0]), found.total));

const isSimple = (found) => found.said || (found.terms.length === 1 && found.terms[0].factors.length === 1);

/** What an element is called: ∂W2[3, 0]. */
function elementName(result, e) {
  return `${result.caption.replace(/^to /, "∂")}${inBrackets(e, result.array.shape)}`;
}

/** `room` is its width, `high` what is left below the matrices. */
export function lensOf(found, scene, e, room, high) {
  const { result } = scene;
  const title = el("h2", {}, el("code", {}, elementName(result, e)), ` = ${found.total}: ${found.title}`);
  const parts = [title];
  const live = found.terms.filter((term) => productOf(term) !== 0);
  const quiet = found.terms.length - live.length;
  if (found.terms.length && !live.length) parts.push(el("p", { class: "zero" }, `${found.terms.length > 1 ? `All ${found.terms.length} products are` : "The product is"} zero, so this element is ${found.total}.`));
  else if (live.length && !isSimple(found)) {
    parts.push(...(scene.parts?.[2]?.share ? fallOf(scene, e, high) : sumOf(live, quiet, found, result, room))); // each of several has its number below it
  }
  return [...parts, ...barsOf(scene, e, room), ...gatesOf(scene)];
}

/** The sum: side by side if it fits, else in lines; then head to tail. */
function sumOf(live, quiet, found, result, room) {
  const fits = live.length * TERM + 250 <= room;
  const written = fits ? acrossOf(live, found, result) : downOf(live, found, result, room);
  if (quiet && !found.title.includes("zero")) (written.querySelector(".sumrow") ?? written).append(el("p", { class: "zero" }, `${quiet} more product${quiet > 1 ? "s are" : " is"} exactly zero.`));
  if (!live.every((term) => Number.isFinite(productOf(term)))) return [written]; // no arrow is as long as NaN
  if (fits) return live.length > 1 ? [written, headToTail(live, found, result)] : [written];
  if (live[0].factors.length > 1 || live.length > MOST_ARROWS) return [written];
  // Terms of one number each are written at their arrows, or in columns where that would be too high.
  written.classList.add("instead");
  return [headToTail(live.map(({ label, factors }) => ({ label: `${label}: ${factors[0][2]}`, factors })), found, result), written];
}

function numberCell(text, kind, largest, tag = "td") {
  return el(tag, {}, mark(text, largest, kind), el("span", {}, text));
}

/** The name of a factor in the terms: the operand's, with k where the sum runs. */
function factorName(terms, i) {
  const [matrix, , , name] = terms[0].factors[i];
  return matrix ? matrix.caption : (name ?? "");
}

const kindOf = ([matrix]) => matrix?.kind ?? "value";

function largestFactor(terms, i) {
  return Math.max(...terms.map(({ factors }) => Math.abs(numberOf(factors[i][2])) || 0));
}

function totalCell(found, result) {
  return el("td", { class: `total ${result.look}` }, mark(found.total, Math.abs(numberOf(found.total)), result.kind), el("span", {}, found.total));
}

/** The head of a row; an empty one is no head. */
const head = (text) => (text ? el("th", {}, text) : el("td"));

const largestProduct = (terms) => Math.max(...terms.map((term) => Math.abs(productOf(term))));

/** Cells of a row, with a sign between each two. */
const signed = (cells, sign = "") => cells.flatMap((cell, i) => (i ? [el("td", { class: "plus" }, sign), cell] : [cell]));

function acrossOf(terms, found, result) {
  const table = el("table", { class: "terms" });
  const several = terms[0].factors.length > 1;
  if (terms.some(({ label }) => label)) table.append(el("tr", {}, el("td"), ...signed(terms.map(({ label }) => el("td", { class: "label" }, label)))));
  terms[0].factors.forEach((_, i) => {
    const largest = largestFactor(terms, i);
    const name = several ? `${i ? "× " : ""}${factorName(terms, i)}` : "";
    table.append(el("tr", {}, head(name), ...signed(terms.map((term) => numberCell(term.factors[i][2], kindOf(term.factors[i]), largest)), several ? "" : "+")));
  });
  const sign = signOfSum(terms, found);
  const alone = terms.length === 1 && sign !== "→"; // its product is the total
  if (several) {
    const most = largestProduct(terms);
    const products = terms.map((term) => numberCell(alone ? found.total : short(productOf(term)), result.kind, most));
    table.append(el("tr", { class: "products" }, el("th", {}, `${alone ? sign : "="} product`), ...signed(products, "+")));
  }
  table.lastChild.append(el("td", { class: "plus" }, alone && several ? "=" : sign), totalCell(found, result));
  return el("div", { class: "scroll across" }, table);
}

/** How many columns of terms there is room for; a few terms stand in one. */
function columnsOf(terms, room) {
  const factors = terms[0].factors.length;
  const name = 8 + LETTER * Math.max(...terms.map(({ label }) => label.length));
  const written = name + (factors > 1 ? NUMBER * (factors + 1) : ALONE);
  return Math.max(1, Math.min(Math.floor((room + BETWEEN) / (written + BETWEEN)), Math.ceil(Math.min(terms.length, MOST_TERMS) / 4)));
}

/** One term a line, in as many columns as there is room for; what is too much is added up. */
function downOf(terms, found, result, room) {
  const columns = columnsOf(terms, room);
  const shown = terms.slice(0, Math.min(MOST_TERMS, columns * found.lines));
  const largest = shown[0].factors.map((_, i) => largestFactor(shown, i));
  const most = largestProduct(shown);
  const lines = shown.map((term) => {
    const cells = signed(term.factors.map((factor, i) => numberCell(factor[2], kindOf(factor), largest[i])), "×");
    if (term.factors.length > 1) cells.push(el("td", { class: "plus" }, "="), numberCell(short(productOf(term)), result.kind, most));
    return el("tr", {}, head(term.label), ...cells);
  });
  const height = Math.ceil(lines.length / columns);
  const tables = upTo(columns).map((i) => el("table", { class: "terms down" }, ...lines.slice(i * height, (i + 1) * height)));
  const rest = terms.slice(shown.length);
  const more = rest.length ? [el("span", { class: "zero" }, `${rest.length} more products: ${short(rest.reduce((sum, term) => sum + productOf(term), 0))} together`)] : [];
  const sum = el("table", { class: "terms products" }, el("tr", {}, el("th", {}, rest.length || signOfSum(shown, found) === "=" ? "sum" : `sum ${signOfSum(shown, found)}`), totalCell(found, result)));
  return el("div", { class: "scroll lines" }, ...tables, el("div", { class: "sumrow" }, ...more, sum));
}

/** 0, and the sums of the first one, two, ... of all numbers. */

/** Arrows one after the other, from 0 to the sum: cancelling is seen. */
function headToTail(terms, found, result) {
  const steps = terms.map(productOf);
  const ends = sumsOf(steps);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const [width, line] = [660, 20];
  const x = (value) => 60 + ((value - low) / (high - low || 1)) * (width - 260);
  const height = (terms.length + 1) * line + 22;
  const svg = svgEl("svg", { class: "walk", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "the products head to tail" });
  svg.append(svgEl("path", { class: "nil", d: `M${x(0)} 2V${height - 4}` }));
  steps.forEach((value, i) => {
    const [from, to, y] = [x(ends[i]), x(ends[i + 1]), (i + 0.6) * line];
    const head = Math.abs(to - from) > 7 ? Math.sign(to - from) * 6 : 0;
    svg.append(svgEl("path", { class: `way ${result.look}`, d: `M${from} ${y}H${to - head}` }));
    if (head) svg.append(svgEl("path", { class: `tip ${result.look}`, d: `M${to} ${y}l${-head * 1.3} -5v10z` }));
    svg.append(svgEl("path", { class: "drop", d: `M${to} ${y}v${line}` }));
    svg.append(svgEl("text", { x: Math.max(from, to) + 8, y: y + 4 }, terms[i].label));
  });
  const y = (terms.length + 0.6) * line;
  const total = numberOf(found.total);
  const end = Number.isFinite(total) ? Math.max(low, Math.min(high, total)) : ends.at(-1);
  svg.append(svgEl("path", { class: `bar ${result.look}`, d: `M${x(0)} ${y}H${x(end)}` }));
  svg.append(svgEl("text", { class: "end", x: Math.max(x(0), x(end)) + 8, y: y + 4 }, found.total));
  return svg;
}

/** What a screen reader is told: "0.8536 times −0.2005 plus ... is −0.2521". */
export function inWords(found, result, e) {
  const own = `${result.name(e)}: `;
  const live = found.terms.filter((term) => productOf(term) !== 0);
  if (!live.length || isSimple(found)) return `${own}${found.title}. It is ${found.total}.`;
  const said = live.slice(0, 8).map(({ factors }) => factors.map(([, , text]) => text).join(" times "));
  const more = live.length > 8 ? ` plus ${live.length - 8} more products` : "";
  return `${own}${said.join(" plus ")}${more} is ${found.total}.`;
}
