/*
 * What the player says about one step: rule, arithmetic, arrays, source lines, memory over time.
 *
 * The one fact to know: everything a learner named or computed goes in as text nodes. Markup is ours
 * alone, and MathML was checked when the data was written.
 */
"use strict";

const MATHML = "http://www.w3.org/1998/Math/MathML";

/** Make an element. Strings become text nodes: nothing a learner named is ever read as markup. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Text to an element of another language; null when it is not well-formed. */
function parse(text) {
  const root = new DOMParser().parseFromString(text, "text/xml").documentElement;
  return root.querySelector("parsererror") ? null : document.importNode(root, true);
}

/** What a node is, in one line: "y = multiply · float32 [2, 3]". */
function describe({ called, op, dtype, shape }) {
  return `${called}${op && op !== called ? ` = ${op}` : ""} · ${dtype} [${shape.join(", ")}]`;
}

/** A sentence with its `names` set as code; one with an odd backtick stays as it is. */
function spoken(sentence) {
  const parts = sentence.split("`");
  return parts.length % 2 ? parts.map((text, i) => (i % 2 ? el("code", {}, text) : text)) : [sentence];
}

function bytes(count) {
  for (const [unit, factor] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (count >= factor) return `${(count / factor).toFixed(1)} ${unit}`;
  }
  return `${count} B`;
}

/** Blue for negative, orange for positive, paper for zero: strength alone is readable in grey. */
function heatMap([rows, columns, means], shape) {
  const canvas = el("canvas", { width: columns, height: rows, role: "img", "aria-label": `heat map of ${shape.join(" by ")} elements` });
  const numbers = means.map(Number);
  const most = Math.max(...numbers.map((value) => Math.abs(value) || 0)) || 1;
  const colour = (value) => [...(value < 0 ? [0, 90, 178] : [213, 94, 0]), (230 * Math.abs(value)) / most];
  const pixels = new Uint8ClampedArray(numbers.flatMap((value) => (isFinite(value) ? colour(value) : [128, 128, 128, 255])));
  canvas.getContext("2d").putImageData(new ImageData(pixels, columns, rows), 0, 0);
  canvas.style.aspectRatio = `${columns} / ${Math.max(rows, columns / 8)}`;
  return canvas;
}

function cellTable({ shape, cells }) {
  // A long vector is written in rows, each with the index of its first element.
  const wraps = shape.length === 1 && cells.length > 8;
  const columns = wraps ? (cells.some((text) => text.length > 7) ? 4 : 8) : shape.at(-1) || 1;
  const table = el("table", { class: shape.length ? "matrix" : "scalar" });
  const block = shape.at(-2) * columns;
  for (let i = 0; i < cells.length; i += columns) {
    const starts = shape.length > 2 && i && i % block === 0; // the next matrix of a higher array
    const row = cells.slice(i, i + columns).map((text) => el("td", {}, text));
    table.append(el("tr", { class: starts ? "block" : "" }, ...(wraps ? [el("th", {}, `${i}:`)] : []), ...row));
  }
  // What may have to be scrolled can be reached by keyboard.
  return el("div", cells.length > 12 || columns > 4 ? { class: "many cells", tabindex: 0 } : { class: "cells" }, table);
}

/** One array with its caption: a table when whole, else a heat map and statistics. */
function arrayCard(caption, array, kind = "") {
  const card = el("figure", { class: `card ${kind}` }, el("figcaption", {}, caption));
  if (array?.cells?.length) card.append(cellTable(array));
  else if (array?.thumb) card.append(heatMap(array.thumb, array.shape));
  else card.append(el("p", {}, array?.text ?? "not kept"));
  if (!array?.shape?.length) return card;
  if (array.low !== undefined) card.append(el("small", {}, `${array.low} … ${array.high}`), el("small", {}, `mean ${array.mean}`));
  card.append(el("small", {}, `${array.dtype} [${array.shape.join(", ")}]`));
  return card;
}

/** The arithmetic of a step: [caption, array, kind] for cards, plain strings for signs between. */
function arithmetic(data, step, last) {
  const array = (at) => data.arrays[at];
  const node = data.nodes[step.node];
  const what = data.carries ? "tangent" : "cotangent";
  const own = `${what} of ${node.called}`;
  if (step.kind === "seed") return [[own, array(step.cotangent), "new"]];
  if (step.kind === "ready" && step.cotangent !== undefined) return [[`whole ${own}`, array(step.cotangent), "sum"]];
  if (step.kind === "count") {
    return Object.entries(step.pending ?? {}).map(([id, count]) => [`count of ${data.nodes[id].called}`, { text: `${count}` }, count ? "" : "new"]);
  }
  if (step.kind === "accumulate") {
    return [["so far", array(step.old)], "+", ["new term", array(step.contribution)], "=", [own, array(step.total), "sum"]];
  }
  if (step.kind === "pull" || step.kind === "push") {
    const ends = [node.called, data.nodes[step.to].called];
    const [from, to] = step.kind === "pull" ? ends : ends.reverse();
    const local = step.local === undefined ? ["→"] : ["×", ["local derivative", array(step.local)], "="];
    return [[`${step.kind === "pull" ? "g" : "t"}: ${what} of ${from}`, array(step.cotangent)], ...local, [`to ${to}`, array(step.contribution), "new"]];
  }
  if (step.kind === "forward") {
    // A graph's nodes have a dtype and a shape, and no value.
    const known = ({ value, label, shape }) => array(value) ?? (label && { text: [label, ...(shape.length ? [`[${shape.join(", ")}]`] : [])].join(" ") });
    const inputs = (node.inputs ?? []).slice(0, 4).map((id) => [data.nodes[id].called, known(data.nodes[id])]);
    return [...inputs, ...(inputs.length ? ["→"] : []), [node.called, known(node), "made"]];
  }
  if (last) {
    const result = (found) => (found ? [found, "sum"] : [{ text: "None" }, "missing"]);
    if (data.carries) return data.targets.map((id) => [`tangent of ${data.nodes[id].called}`, ...result(array(data.gradients[id]))]);
    return data.sources.slice(0, 12).map((id) => [`gradient for ${data.nodes[id].called}`, ...result(array(data.gradients[id]))]);
  }
  if (step.kind !== "release") return [];
  return [["the tape lets go of", { text: node.kept ? `${node.keeps || "values"} (${bytes(node.kept)})` : "its record" }, "gone"]];
}

/** Cards, each with the sign before it: a line never begins with a lonely equals sign. */
function terms(items) {
  let term = el("div", { class: "term" });
  return items.flatMap((item) => {
    const isSign = typeof item === "string";
    term.append(isSign ? el("span", { class: "sign" }, item) : arrayCard(...item));
    if (isSign) return [];
    const done = term;
    term = el("div", { class: "term" });
    return [done];
  });
}

function formula({ text, mathml }) {
  const math = mathml && parse(`<math xmlns="${MATHML}" displaystyle="true">${mathml}</math>`);
  return math || el("code", {}, text);
}

/** The timeline's decoration: phases, the places where paths meet, memory held. */
function decorateTime({ steps, kind, carries }, phases, memory) {
  const end = Math.max(steps.length - 1, 1);
  const forward = steps.filter((step) => step.kind === "forward").length;
  for (const [name, length] of [["forward", forward], ["backward", steps.length - forward]]) {
    const tangents = { forward: "forward values", backward: "tangents" };
    const called = carries ? tangents[name] : kind === "graph" && name === "forward" ? "written down" : name;
    if (length) phases.append(el("span", { class: name, style: `flex:${length}` }, called));
  }
  const sums = steps.flatMap((step, at) => (step.kind === "accumulate" ? [at] : []));
  for (const at of sums.slice(0, 60)) phases.append(el("i", { style: `left:${(100 * at) / end}%` }));
  const held = steps.map((step) => step.held ?? 0);
  const most = held.reduce((a, b) => Math.max(a, b), 1);
  const stride = Math.ceil(steps.length / 400);
  // Long tapes are thinned, but keep their peaks.
  const points = held.flatMap((_, i) => (i % stride ? [] : `L${i} ${(1 - Math.max(...held.slice(i, i + stride)) / most).toFixed(3)}`));
  const chart = memory.querySelector("svg");
  chart.setAttribute("viewBox", `0 0 ${end} 1`);
  chart.firstChild.setAttribute("d", `M0 1${points.join("")}L${end} 1Z`);
}

/** Fill the code pane; give back the element of each line by "block:line". */
function fillCode({ source }, pane) {
  const lines = new Map();
  source.forEach((block, which) => {
    const list = el("ol", { style: `counter-reset: line ${block.first - 1}` });
    block.lines.forEach((text, i) => {
      const line = el("li", {}, text);
      lines.set(`${which},${block.first + i}`, line);
      list.append(line);
    });
    pane.append(el("div", { class: "file" }, block.file), list);
  });
  pane.hidden = !source.length;
  return lines;
}
