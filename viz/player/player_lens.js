/*
 * What the microscope sees, written out: terms side by side, their products, and head to tail.
 *
 * The one fact to know: a zero deserves a sentence. Terms that are exactly zero are counted, not drawn.
 */
"use strict";

const TERM = 112; // the room of one term
const [NAMED, NUMBER] = [110, 103]; // the room of a term's name, and of each of its numbers, in a line
const MOST_TERMS = 24;
const MOST_ARROWS = 14;
const LONG = 48; // a title that leaves no room for a hint

/** The products of a term's factors. */
const productOf = ({ factors }) => factors.reduce((product, [, , text]) => product * numberOf(text), 1);

const isSimple = (found) => found.said || (found.terms.length === 1 && found.terms[0].factors.length === 1);

/** What an element is called: ∂W2[3, 0]. */
function elementName(result, e) {
  return `${result.caption.replace(/^to /, "∂")}${inBrackets(e, result.array.shape)}`;
}

function lensOf(found, scene, e, room) {
  const { result } = scene;
  const title = el("h2", {}, el("code", {}, elementName(result, e)), ` = ${found.total}: ${found.title}`);
  const hint = el("span", { class: "hint" }, "point, tap or arrow keys: another element");
  const parts = [el("div", { class: "lenshead" }, title, ...(result.array.cells.length > 1 && found.title.length < LONG ? [hint] : []))];
  const live = found.terms.filter((term) => productOf(term) !== 0);
  const quiet = found.terms.length - live.length;
  if (found.terms.length && !live.length) parts.push(el("p", { class: "zero" }, found.terms.length > 1 ? `All ${found.terms.length} products are zero, so this element is ${found.total}.` : `The product is zero, so this element is ${found.total}.`));
  else if (live.length && !isSimple(found)) parts.push(...sumOf(live, quiet, found, result, room));
  return [...parts, ...barsOf(scene, e, room)];
}

/** The sum: side by side if it fits, else in lines; then head to tail. */
function sumOf(live, quiet, found, result, room) {
  const fits = live.length * TERM + 250 <= room;
  if (!fits && live[0].factors.length === 1 && live.length <= MOST_ARROWS) return [headToTail(live.map(({ label, factors }) => ({ label: `${label}: ${factors[0][2]}`, factors })), found, result)];
  const parts = [fits ? acrossOf(live, found, result) : downOf(live, found, result, room)];
  if (quiet) parts.push(el("p", { class: "zero" }, `${quiet} more product${quiet > 1 ? "s are" : " is"} exactly zero.`));
  if (live.length > 1 && fits) parts.push(headToTail(live, found, result));
  return parts;
}

/** A cross entropy: rows of probabilities, the truth as a frame up to 1, what is left as an arrow. */
function barsOf({ matrices, result }, e, room) {
  const p = matrices.find(({ caption }) => caption.startsWith("softmax("));
  const truth = matrices[matrices.indexOf(p) + 1];
  if (!p?.array.cells || truth === result || !truth?.array.cells || !sameShape(p.array.shape, truth.array.shape)) return [];
  const classes = p.array.shape.at(-1);
  const rows = Math.min(p.array.cells.length / classes, 6);
  if (classes > 10) return [];
  const [wide, high, top] = [Math.max(34, Math.min(62, ((room - 8) / rows - 34) / classes)), 120, 26];
  const across = classes * wide + 34;
  const svg = svgEl("svg", { class: "bars", width: rows * across + 8, height: high + top + 40, viewBox: `0 0 ${rows * across + 8} ${high + top + 40}`, role: "img", "aria-label": "probabilities, the truth, and what is left" });
  const text = (x, y, what, name) => svg.append(svgEl("text", { x, y, class: name, "text-anchor": "middle" }, what));
  for (let row = 0; row < rows; row++) {
    const left = row * across + 8;
    const right = truth.array.cells.slice(row * classes, (row + 1) * classes).findIndex((text) => numberOf(text) === 1);
    const said = svgEl("text", { x: left, y: 14, class: "what" }, `example ${row}`);
    if (right >= 0) said.append(svgEl("tspan", { class: "truly", dx: 8 }, `truth: ${right}`));
    svg.append(said, svgEl("path", { class: "floor", d: `M${left} ${top + high}h${across - 24}` }));
    for (let c = 0; c < classes; c++) {
      const flat = row * classes + c;
      const [share, true_] = [numberOf(p.array.cells[flat]), numberOf(truth.array.cells[flat])];
      const x = left + c * wide + 4;
      const y = (value) => top + high * (1 - value);
      svg.append(svgEl("rect", { class: "probability", x, y: y(share), width: wide * 0.5, height: high * share }));
      if (true_ > 0) svg.append(svgEl("rect", { class: "truth", x: x - 2, y: y(true_), width: wide * 0.5 + 4, height: high * true_ }));
      const at = x + wide * 0.5 + 7;
      const head = Math.abs(true_ - share) * high > 9 ? (true_ > share ? 8 : -8) : 0;
      if (head) svg.append(svgEl("path", { class: "way", d: `M${at} ${y(true_)}V${y(share) - head}` }), svgEl("path", { class: "tip", d: `M${at} ${y(share)}l-4 ${-head}h8z` }));
      text(x + wide / 3, top + high + 15, p.array.cells[flat]);
      text(x + wide / 3, top + high + 32, `${share > true_ ? "+" : ""}${short(share - true_)}`, "left");
      if (flat === e) svg.append(svgEl("rect", { class: "pointed", x: x - 6, y: top - 6, width: wide, height: high + 44 }));
    }
  }
  return [svg];
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

function acrossOf(terms, found, result) {
  const table = el("table", { class: "terms" });
  const several = terms[0].factors.length > 1;
  if (terms.some(({ label }) => label)) table.append(el("tr", {}, el("td"), ...terms.flatMap(({ label }, i) => [...(i ? [el("td", { class: "plus" })] : []), el("td", { class: "label" }, label)])));
  terms[0].factors.forEach((_, i) => {
    const largest = largestFactor(terms, i);
    const name = several ? `${i ? "× " : ""}${factorName(terms, i)}` : "";
    table.append(el("tr", {}, head(name), ...terms.flatMap((term, at) => [...(at ? [el("td", { class: "plus" }, several ? "" : "+")] : []), numberCell(term.factors[i][2], kindOf(term.factors[i]), largest)])));
  });
  if (several) {
    const most = largestProduct(terms);
    const products = terms.flatMap((term, i) => [...(i ? [el("td", { class: "plus" }, "+")] : []), numberCell(short(productOf(term)), result.kind, most)]);
    table.append(el("tr", { class: "products" }, el("th", {}, "= product"), ...products));
  }
  table.lastChild.append(el("td", { class: "plus" }, "="), totalCell(found, result));
  return el("div", { class: "scroll" }, table);
}

/** One term a line, in as many columns as there is room for; what is too much is added up. */
function downOf(terms, found, result, room) {
  const shown = terms.slice(0, MOST_TERMS);
  const largest = shown[0].factors.map((_, i) => largestFactor(shown, i));
  const most = largestProduct(shown);
  const lines = shown.map((term) => {
    const cells = term.factors.flatMap((factor, i) => [...(i ? [el("td", { class: "plus" }, "×")] : []), numberCell(factor[2], kindOf(factor), largest[i])]);
    if (term.factors.length > 1) cells.push(el("td", { class: "plus" }, "="), numberCell(short(productOf(term)), result.kind, most));
    return el("tr", {}, head(term.label), ...cells);
  });
  const factors = terms[0].factors.length;
  const written = NAMED + NUMBER * (factors > 1 ? factors + 1 : 1);
  const columns = Math.max(1, Math.min(Math.floor(room / written), Math.ceil(lines.length / 4)));
  const height = Math.ceil(lines.length / columns);
  const tables = upTo(columns).map((i) => el("table", { class: "terms down" }, ...lines.slice(i * height, (i + 1) * height)));
  const rest = terms.slice(MOST_TERMS);
  const more = rest.length ? [el("span", { class: "zero" }, `${rest.length} more products: ${short(rest.reduce((sum, term) => sum + productOf(term), 0))} together`)] : [];
  const sum = el("table", { class: "terms products" }, el("tr", {}, el("th", {}, "sum"), totalCell(found, result)));
  return el("div", { class: "scroll lines" }, ...tables, el("div", { class: "sumrow" }, ...more, sum));
}

/** Arrows one after the other, from 0 to the sum: cancelling is seen. */
function headToTail(terms, found, result) {
  const steps = terms.map(productOf);
  const ends = steps.reduce((sums, value) => [...sums, sums.at(-1) + value], [0]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const [width, line] = [660, 20];
  const x = (value) => 60 + ((value - low) / (high - low || 1)) * (width - 260);
  const height = (terms.length + 1) * line + 22;
  const svg = svgEl("svg", { class: "walk", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "the products head to tail" });
  svg.append(svgEl("path", { class: "nil", d: `M${x(0).toFixed(1)} 2V${height - 4}` }));
  steps.forEach((value, i) => {
    const [from, to, y] = [x(ends[i]), x(ends[i + 1]), (i + 0.6) * line];
    const head = Math.abs(to - from) > 7 ? Math.sign(to - from) * 6 : 0;
    svg.append(svgEl("path", { class: "way", d: `M${from.toFixed(1)} ${y}H${(to - head).toFixed(1)}` }));
    if (head) svg.append(svgEl("path", { class: "tip", d: `M${to.toFixed(1)} ${y}l${-head * 1.3} -5v10z` }));
    svg.append(svgEl("path", { class: "drop", d: `M${to.toFixed(1)} ${y}v${line}` }));
    svg.append(svgEl("text", { x: (Math.max(from, to) + 8).toFixed(1), y: y + 4 }, terms[i].label));
  });
  const y = (terms.length + 0.6) * line;
  const total = numberOf(found.total);
  const end = Number.isFinite(total) ? Math.max(low, Math.min(high, total)) : ends.at(-1);
  svg.append(svgEl("path", { class: `bar ${result.kind}`, d: `M${x(0).toFixed(1)} ${y}H${x(end).toFixed(1)}` }));
  svg.append(svgEl("text", { class: "end", x: (Math.max(x(0), x(end)) + 8).toFixed(1), y: y + 4 }, found.total));
  return svg;
}

/** What a screen reader is told: "0.8536 times −0.2005 plus ... is −0.2521". */
function inWords(found, result, e) {
  const own = `${result.name(e)}: `;
  const live = found.terms.filter((term) => productOf(term) !== 0);
  if (!live.length || isSimple(found)) return `${own}${found.title}. It is ${found.total}.`;
  const said = live.slice(0, 8).map(({ factors }) => factors.map(([, , text]) => text).join(" times "));
  const more = live.length > 8 ? ` plus ${live.length - 8} more products` : "";
  return `${own}${said.join(" plus ")}${more} is ${found.total}.`;
}
