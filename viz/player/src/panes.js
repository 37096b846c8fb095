/*
 * What the panes have in common: elements, sentences, formulas, source lines.
 *
 * Everything a learner named or computed goes in as text nodes. Markup is ours alone, and MathML
 * was checked when the data was written.
 */

const MATHML = "http://www.w3.org/1998/Math/MathML";

/**
 * Do what decorates. Where that fails it is left out: the console alone hears of it, and the scene
 * stands without it, or with what is done `instead`.
 */
export function adorn(act, instead = () => {}) {
  try {
    return act();
  } catch (error) {
    console.error("left out:", error);
    return instead();
  }
}

/** Make an element. Strings become text nodes: nothing a learner named is ever read as markup. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** An element of a tree that Python wrote: a text, or [name and class, attributes or none, trees …]. `made` are others by name. */
export function built(tree, made = {}) {
  if (typeof tree === "string") return tree;
  const [name, ...rest] = tree;
  const [tag, look = ""] = name.split(".");
  if (tag === "formula") return formula({ mathml: rest[0], text: rest[1] });
  if (made[tag]) return made[tag](look, ...rest);
  const given = rest[0]?.constructor === Object ? rest.shift() : {};
  return el(tag, { class: look, ...given }, ...rest.map((each) => built(each, made)));
}

/** Text to an element of another language; null when it is not well-formed. */
export function parse(text) {
  const root = new DOMParser().parseFromString(text, "text/xml").documentElement;
  return root.querySelector("parsererror") ? null : document.importNode(root, true);
}

/**
 * What a node is, in one line: "y = multiply · float32 [2, 3]".
 * @param {import("./data.d.ts").Node} node
 */
export function describe({ called, op, dtype, shape }) {
  return `${called}${op && op !== called ? ` = ${op}` : ""} · ${dtype} [${shape.join(", ")}]`;
}

/** A sentence with its `names` set as code; one with an odd backtick stays as it is. */
export function spoken(sentence) {
  const parts = sentence.split("`");
  return parts.length % 2 ? parts.map((text, i) => (i % 2 ? el("code", {}, text) : text)) : [sentence];
}

export function bytes(count) {
  for (const [unit, factor] of Object.entries({ GB: 1e9, MB: 1e6, kB: 1e3 })) {
    if (count >= factor) return `${(count / factor).toFixed(1)} ${unit}`;
  }
  return `${count} B`;
}

const TALL = "mfrac, msqrt, mtable, munderover"; // what signs around it have to be as high as

const hueOf = (word) => (word === "⊤" ? "turned" : /^[gt](_.*)?$/.test(word) ? "cotangent" : "value");

export function formula({ text, mathml }) {
  const math = mathml && parse(`<math xmlns="${MATHML}" displaystyle="true">${mathml}</math>`);
  if (!math) return el("code", {}, text);
  for (const sign of math.querySelectorAll("mo")) if (/^[()[\]|‖]$/.test(sign.textContent) && !sign.parentElement.querySelector(TALL)) sign.setAttribute("stretchy", "false");
  // What comes in has its hue, and so have the values that meet it; the names of functions have none.
  for (const word of math.querySelectorAll("mi, msup > mo")) word.setAttribute("class", hueOf(word.textContent));
  for (const word of math.querySelectorAll(".turned")) word.textContent = "T"; // few fonts have a sign for it that is low enough
  return math;
}

/** Fill the code pane; give back the element of each line by "block:line". */
export function fillCode({ source }, pane) {
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
