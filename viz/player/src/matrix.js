/*
 * Matrices: an array as a grid of marks and digits, or as marks alone where digits do not fit.
 *
 * Pointing changes classes of the cells that it meets; no table is made anew.
 */

import { cellsOf, largestOf, mark, markPaths, numberOf, numbersOf, pictureIn, placeOf, placesIn, svgEl, tilesOf, turned, turnedFrom } from "./marks.js";
import { el } from "./panes.js";

const MOST_IN_TABLE = 64; // elements with digits; larger ones are one picture
const WIDEST_TABLE = 10;
const HIGHEST_TABLE = 12;
const LONGEST_ROW = 8; // of a vector
const LONG_CAPTION = 18; // characters: longer ones take no more room than their matrix
const NEAR = 30; // pixels a cell of a heat map that is zoomed

export class Matrix {
  /** `given`: array, caption, note, kind (value, cotangent, sum), form, transposed, look (a class), node, axes (words). */
  constructor(given) {
    Object.assign(this, given);
    this.cells = new Map();
    this.hits = [];
    this.tiles = this.array?.cells || this.array?.thumb ? tilesOf(this.array, this.form) : null;
    this.words = this.axes && this.axes.length < 3 && !this.compact ? this.named() : {};
    this.wrap();
    this.figure = el("figure", { class: `card ${this.look ?? ""}` }, this.head());
    this.figure.append(...this.body());
    if (this.small) this.figure.append(el("small", {}, this.small));
    if (this.share) this.figure.append(el("b", { class: "own" }));
  }

  /** Write an element's number below a small multiple. */
  say(flat) {
    const own = this.share && this.figure.querySelector(".own");
    if (own) own.textContent = this.array.cells?.[flat] ?? "";
  }

  /** A long vector is written in rows, each with the place of its first element. */
  wrap() {
    const { cells, shape } = this.array ?? {};
    if (!cells || shape.length !== 1 || cells.length <= LONGEST_ROW || cells.length > MOST_IN_TABLE) return;
    const columns = cells.some((text) => text.length > 7) ? LONGEST_ROW / 2 : LONGEST_ROW;
    this.tiles = { rows: Math.ceil(cells.length / columns), columns, count: 1, across: 1, at: (t, r, c) => r * columns + c, label: () => "" };
    this.wraps = true;
  }

  /** The words of rows and columns, as they are seen; rows have theirs before the first matrix alone. */
  named() {
    const axes = this.transposed ? this.axes.toReversed() : this.axes;
    const found = { columns: axes.at(-1), rows: axes.length > 1 ? axes[0] : "" };
    if (this.rows?.has(found.rows)) found.rows = "";
    this.rows?.add(found.rows);
    return found;
  }

  head() {
    const caption = el("figcaption", this.caption.length > LONG_CAPTION ? { class: "long", title: this.caption } : {}, this.caption);
    if (this.note) caption.append(el("small", {}, ` ${this.note}`));
    return caption;
  }

  body() {
    const { array } = this;
    if (!this.tiles) return [el("p", {}, array?.text ?? "not kept")];
    if (this.compact && array.shape.length) return [this.picture()];
    const inTable = array.cells && array.cells.length <= MOST_IN_TABLE && this.side("columns") <= WIDEST_TABLE && (this.wraps || this.side("rows") <= HIGHEST_TABLE);
    if (inTable && !array.cells.length) return [el("p", {}, array.text)];
    this.isTable = inTable;
    this.isBatch = !array.cells && this.tiles.count > 1;
    return inTable ? [this.tables()] : [this.picture(), this.statistics()];
  }

  side(name) {
    const other = { rows: "columns", columns: "rows" }[name];
    return this.tiles[this.transposed ? other : name];
  }

  tables() {
    const { tiles } = this;
    const grid = el("div", { class: "tiles", role: this.active ? "grid" : "img", "aria-label": this.spokenCaption() });
    grid.style.setProperty("--across", Math.min(tiles.count, tiles.across, 4));
    for (let t = 0; t < tiles.count; t++) grid.append(this.table(t));
    return grid;
  }

  spokenCaption() {
    const { shape, text } = this.array;
    return `${this.caption}: ${shape.length ? shape.join(" by ") : text}`;
  }

  table(t) {
    const label = this.tiles.label(t);
    const rows = this.side("rows");
    const columns = this.side("columns");
    const table = el("table", { class: this.array.shape.length ? "matrix" : "scalar", role: "presentation" });
    if (label) table.append(el("caption", {}, ...label.split(/([a-z]+ )/).map((part, i) => (i % 2 ? el("span", { class: "word" }, part) : part))));
    if (this.words.columns && !this.wraps) table.append(this.columnWords(columns));
    for (let r = 0; r < rows; r++) {
      const places = Array.from({ length: columns }, (_, c) => (this.transposed ? this.tiles.at(t, c, r) : this.tiles.at(t, r, c)));
      const cells = places.filter((flat) => flat < this.array.cells.length).map((flat) => this.cell(flat));
      if (this.wraps) cells.unshift(el("th", {}, `${places[0]}:`));
      else if (this.words.rows) cells.unshift(el("th", { class: "word", scope: "row" }, `${this.words.rows} ${r}`));
      table.append(el("tr", { role: this.active ? "row" : "presentation" }, ...cells));
    }
    return table;
  }

  /** A row of words above the columns; of narrow columns their numbers alone. */
  columnWords(columns) {
    const isNarrow = this.array.cells.every((text) => text.length < 3);
    const words = Array.from({ length: columns }, (_, c) => el("th", { class: "word", scope: "col" }, `${isNarrow ? "" : `${this.words.columns} `}${c}`));
    if (this.words.rows) words.unshift(el("th", { class: "word" }));
    return el("tr", { role: "presentation", "aria-hidden": "true" }, ...words);
  }

  cell(flat) {
    const text = this.array.cells[flat];
    const td = el("td", { role: this.active ? "gridcell" : "presentation" }, el("span", { class: "d" }, text));
    const number = numberOf(text);
    if (this.array.shape.length && !Number.isNaN(number)) td.prepend(mark(text, this.scale ?? largestOf(this.array), this.kind));
    if (number === 0) td.classList.add("nought");
    td.dataset.e = flat;
    if (this.active) {
      td.tabIndex = -1;
      td.setAttribute("aria-label", `${this.name(flat)}: ${text}`);
    }
    this.cells.set(flat, td);
    return td;
  }

  /** What an element is called: "row 3, column 0". */
  name(flat) {
    const place = placeOf(flat, this.array.shape);
    if (place.length && this.axes?.every(Boolean)) return place.map((at, axis) => `${this.axes[axis]} ${at}`).join(", ");
    if (place.length === 2) return `row ${place[0]}, column ${place[1]}`;
    return place.length === 1 ? `element ${place[0]}` : place.length ? `element ${place.join(", ")}` : "the number";
  }

  /** Many elements: marks alone, in one drawing. */
  picture() {
    const { array, tiles } = this;
    const [wide, side] = this.sides();
    const found = pictureIn(this.transposed ? turned(array) : array, this.form, wide, side, this.compact ? 18 : 26, this.compact ? undefined : 8);
    const cell = Math.max(found.cell, 2);
    const [width, height] = [found.width + 2, found.height + 2];
    const svg = svgEl("svg", { class: "marks", width, height, viewBox: `-1 -1 ${width} ${height}`, role: "img", "aria-label": this.spokenCaption() });
    const cells = [...cellsOf(found)];
    const numbers = numbersOf(this.transposed ? turned(array) : array);
    const [across, down] = [found.columns * found.cell, found.rows * found.cell];
    for (let t = 0; t < found.count; t++) {
      const [x, y] = found.corner(t);
      svg.append(svgEl("rect", { class: "sheet", x, y, width: across, height: down }, svgEl("title", {}, tiles.label(t))));
    }
    svg.append(...markPaths(cells.map(([flat]) => numbers[flat]), this.scale ?? largestOf(array), cell, (i) => cells[i].slice(1), this.kind));
    for (const [flat, x, y] of array.cells ? cells : []) this.cells.set(this.transposed ? turnedFrom(flat, tiles.rows, tiles.columns) : flat, { x, y, cell });
    svg.dataset.picture = "";
    Object.assign(this, { svg, step: cell });
    const scroll = el("div", { class: "heat" }, svg);
    if (this.active && array.cells) {
      scroll.tabIndex = 0;
      scroll.setAttribute("role", "application");
      scroll.setAttribute("aria-label", `${this.spokenCaption()}; arrow keys move through its elements`);
    }
    return scroll;
  }

  /** How wide and high a picture may be: a batch has a row of its own. */
  sides() {
    const room = this.room ?? 900;
    if (this.tiny) return [46, 38];
    if (this.compact) return [this.widest(), 76];
    const isNarrow = room < 500;
    return this.isBatch ? [room - (isNarrow ? 40 : 84), isNarrow ? 150 : 112] : [Math.min(460, Math.max(120, room / 2.6)), 250];
  }

  /** How wide one of several small multiples may be, so that all stand in a row, or on a phone in some. */
  widest() {
    const room = this.room ?? 900;
    return this.share ? Math.max(room < 500 ? 46 : 40, Math.min(110, (room - 200) / this.share - 24)) : 110;
  }

  /** What stands behind the caption goes into its tooltip where it would be wider than the matrix. */
  dropWideNote() {
    const note = this.figure.querySelector("figcaption small");
    const body = [...this.figure.querySelectorAll("table, svg.marks")].at(-1);
    if (!note || !body || note.getBoundingClientRect().right <= body.getBoundingClientRect().right + 16) return;
    note.remove();
    this.figure.firstChild.title = this.note;
  }

  /** A heat map large, with what is pointed at in the middle, or whole again. */
  zoom() {
    if (!this.svg || this.compact) return;
    const scroll = this.svg.parentElement;
    const zoomed = scroll.classList.toggle("zoomed");
    this.figure.querySelector("button").ariaPressed = zoomed;
    this.svg.style.width = zoomed ? `${(this.svg.viewBox.baseVal.width * NEAR) / this.step}px` : "";
    const ring = this.svg.querySelector(".ring.me, .ring, .window");
    if (!zoomed || !ring) return;
    const [box, pane] = [ring.getBoundingClientRect(), scroll.getBoundingClientRect()];
    scroll.scrollTo(box.left - pane.left + (box.width - pane.width) / 2, box.top - pane.top + (box.height - pane.height) / 2);
  }

  statistics() {
    const { low, high, mean, shape, cells, thumb } = this.array;
    const words = [low !== undefined ? `${low} … ${high}${mean === undefined ? "" : `, mean ${mean}`}` : this.array.text];
    if (!cells && thumb) {
      const [whole, { rows, columns, count }] = [tilesOf({ shape }, this.form), this.tiles];
      const [down, right] = [Math.ceil((whole.rows * (count > 1 ? 1 : whole.count)) / rows), Math.ceil(whole.columns / columns)];
      if (down * right > 1) words.push(`${down} × ${right} elements a square`);
      if (count > 1 && count < whole.count) words.push(`${count} of ${whole.count} tiles`);
    }
    const near = el("button", { type: "button", class: "near", title: "Zoom (Z)", "aria-pressed": "false" }, "zoom");
    near.addEventListener("click", () => this.zoom());
    return el("small", {}, `${words.join("; ")} `, near);
  }

  /** The element under a pointer, undefined if none. */
  under(event) {
    const td = event.target.closest?.("td[data-e]");
    if (td) return Number(td.dataset.e);
    if (!this.svg || !this.array.cells) return undefined;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    for (const [flat, place] of this.cells) if (x >= place.x && x < place.x + place.cell && y >= place.y && y < place.y + place.cell) return flat;
    return undefined;
  }

  /** Mark elements: [place, class] pairs, and frame windows of places; those of before are freed. */
  show(hits, framed = []) {
    for (const free of this.hits) free();
    this.hits = [...hits.map(([flat, name]) => this.hit(flat, name)), ...this.windows(framed).map((window) => this.frame(window))].filter(Boolean);
  }

  /** The smallest rectangle around places, in each tile: [tile, top, left, bottom, right]. */
  windows(flats) {
    const { tiles } = this;
    const found = new Map();
    const wanted = new Set(flats);
    for (const [flat, t, r, c] of wanted.size ? placesIn(tiles) : []) {
      if (!wanted.has(flat)) continue;
      const [top, left, bottom, right] = found.get(t) ?? [r, c, r, c];
      found.set(t, [Math.min(top, r), Math.min(left, c), Math.max(bottom, r), Math.max(right, c)]);
    }
    return /** @type {any} */ ([...found].map(([t, box]) => [t, ...box]));
  }

  /** Draw one window: as edges of cells, or as a rectangle in the drawing. */
  frame([t, top, left, bottom, right]) {
    const { tiles, cells } = this;
    const [first, last] = [cells.get(tiles.at(t, top, left)), cells.get(tiles.at(t, bottom, right))];
    if (!first || !last) return null;
    if (!(first instanceof Element)) {
      const rect = svgEl("rect", { class: "window", x: first.x, y: first.y, width: last.x + last.cell - first.x, height: last.y + last.cell - first.y });
      this.svg.append(rect);
      return () => rect.remove();
    }
    const edged = [];
    for (let r = top; r <= bottom; r++) {
      for (let c = left; c <= right; c++) {
        const sides = Object.entries({ top: r === top, left: c === left, bottom: r === bottom, right: c === right }).filter(([, on]) => on);
        const names = sides.map(([side]) => `edge-${side}`);
        const cell = cells.get(tiles.at(t, r, c));
        cell?.classList.add(...names);
        edged.push([cell, names]);
      }
    }
    return () => edged.forEach(([cell, names]) => cell?.classList.remove(...names));
  }

  hit(flat, name) {
    const cell = this.cells.get(flat);
    if (cell instanceof Element) {
      cell.classList.add(name);
      return () => cell.classList.remove(name);
    }
    if (!cell) return null;
    const ring = svgEl("rect", { class: `ring ${name}`, x: cell.x, y: cell.y, width: cell.cell, height: cell.cell });
    this.svg.append(ring);
    return () => ring.remove();
  }

  /** The neighbour of an element, as arrow keys move in the picture that is seen. */
  beside(flat, down, right) {
    const { tiles } = this;
    for (const [place, t, r, c] of placesIn(tiles)) {
      if (place !== flat) continue;
      const [dr, dc] = this.transposed ? [right, down] : [down, right];
      if (c + dc >= tiles.columns && t + 1 < tiles.count) return tiles.at(t + 1, r, 0);
      if (c + dc < 0 && t > 0) return tiles.at(t - 1, r, tiles.columns - 1);
      return tiles.at(t, Math.max(0, Math.min(tiles.rows - 1, r + dr)), Math.max(0, Math.min(tiles.columns - 1, c + dc))) % Math.max(this.array.cells.length, 1);
    }
    return flat;
  }
}
