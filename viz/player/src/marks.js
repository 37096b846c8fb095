/*
 * Marks: one square for each number, on nodes, in matrices and in terms.
 *
 * Hue says what a number is (value, cotangent, sum), filled or hollow its sign, area how much; a
 * dot is exactly zero. So a sign survives grey, print and every colour blindness.
 */

const SVG = "http://www.w3.org/2000/svg";
const [SEEN, BLOCK] = [2, 4]; // pixels: smaller cells of a miniature are taken together, to such blocks
const MOST_ACROSS = 16; // tiles
const SMALLEST = 0.16; // of the full side of a mark: what is not zero stays to be seen

export function svgEl(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The number that a text of the trace is; NaN for what is none, such as a complex number. */
export const numberOf = (text) => (text === "True" ? 1 : text === "False" ? 0 : Number(String(text).normalize("NFKC").replaceAll("−", "-").replace("∞", "Infinity").replace("·10", "e")));

/** The peaks of a thumbnail, [rows, columns, the largest, a character each]: see payload.py. */
function peaksOf([, , largest, text] = [0, 0, 0, ""]) {
  return [...text].map((character) => {
    const level = character.charCodeAt(0) - 80;
    return character === "~" ? NaN : Math.sign(level) * (level / 45) ** 2 * largest;
  });
}

/** The numbers of an array, read once: its elements, or the peaks of its blocks. */
export function numbersOf(array) {
  array.numbers ??= array.cells ? array.cells.map(numberOf) : peaksOf(array.thumb);
  return array.numbers;
}

/** The largest number of an array: its mark is full. */
export function largestOf(array) {
  array.largest ??= numbersOf(array).reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
  return array.largest;
}

/**
 * The tiles of a thumbnail; which images and channels they are of is told as of the whole.
 * @param {any[]} thumb
 * @param {string | undefined} form
 */
function tilesOfThumb([rows, columns, , , down = 1, across = 1], form) {
  const shape = form === "kernel" ? [rows, columns, down, across] : form === "image" ? [down, rows, columns, across] : [down, across, rows, columns];
  const { count, label } = tilesOf({ shape }, form);
  return { rows, columns, count, across, label, at: (t, r, c) => (t * rows + r) * columns + c };
}

/**
 * How the elements of an array lie in tiles of rows and columns: images and kernels as such.
 * @param {Partial<import("./data.d.ts").Array>} array
 */
export function tilesOf({ shape, thumb, cells }, form) {
  if (!cells && thumb) return tilesOfThumb(thumb, form);
  if (form === "image" && shape.length === 4) {
    const [batch, rows, columns, channels] = shape;
    return {
      rows, columns, count: batch * channels, across: channels,
      at: (t, r, c) => ((Math.floor(t / channels) * rows + r) * columns + c) * channels + (t % channels),
      label: (t) => [batch > 1 && `image ${Math.floor(t / channels)}`, channels > 1 && `channel ${t % channels}`].filter(Boolean).join(", "),
    };
  }
  if (form === "kernel" && shape.length === 4) {
    const [rows, columns, into, out] = shape;
    return {
      rows, columns, count: into * out, across: out,
      at: (t, r, c) => (r * columns + c) * into * out + t,
      label: (t) => (into * out > 1 ? (into > 1 ? `${Math.floor(t / out)} → ${t % out}` : `channel ${t % out}`) : ""),
    };
  }
  const [rows, columns] = shape.length > 1 ? shape.slice(-2) : [1, shape[0] ?? 1];
  const outer = shape.slice(0, -2);
  const count = outer.reduce((product, length) => product * length, 1);
  return {
    rows, columns, count, across: outer.at(-1) ?? 1,
    at: (t, r, c) => (t * rows + r) * columns + c,
    label: (t) => (count > 1 ? `[${placeOf(t, outer).join(", ")}]` : ""),
  };
}

/** The index of an element from its place in the flat array. */
export function placeOf(flat, shape) {
  const place = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    place.unshift(flat % shape[axis]);
    flat = Math.floor(flat / shape[axis]);
  }
  return place;
}

export const flatOf = (place, shape) => place.reduce((flat, at, axis) => flat * shape[axis] + at, 0);

/** The outline of one mark in a cell of side `cell` at (x, y), as [which path, its data]. */
function markPath(value, largest, x, y, cell) {
  const [middleX, middleY] = [x + cell / 2, y + cell / 2];
  if (value === 0 || Number.isNaN(value) || !largest) {
    const dot = Math.max(0.5, cell * 0.06);
    return ["zero", `M${(middleX - dot).toFixed(1)} ${(middleY - dot).toFixed(1)}h${(2 * dot).toFixed(1)}v${(2 * dot).toFixed(1)}h${(-2 * dot).toFixed(1)}z`];
  }
  const share = Number.isFinite(value) ? Math.sqrt(Math.abs(value) / largest) : 1;
  const side = Math.max(SMALLEST, Math.min(1, share)) * (cell - Math.max(1, cell * 0.16));
  const hollow = value < 0 ? Math.min(1.6, side / 4) : 0; // its line lies inside the same square
  const inner = side - hollow;
  return [value < 0 ? "hollow" : "filled", `M${(middleX - inner / 2).toFixed(1)} ${(middleY - inner / 2).toFixed(1)}h${inner.toFixed(1)}v${inner.toFixed(1)}h${(-inner).toFixed(1)}z`];
}

/** Marks of many numbers as three paths; `place(i)` gives the corner of number i. */
export function markPaths(numbers, largest, cell, place, kind) {
  const found = { filled: [], hollow: [], zero: [] };
  numbers.forEach((value, i) => {
    const [name, path] = markPath(value, largest, ...place(i), cell);
    found[name].push(path);
  });
  return Object.entries(found).filter(([, paths]) => paths.length).map(([name, paths]) => svgEl("path", { class: `k ${kind} ${name}`, d: paths.join("") }));
}

/** Where an element of a transposed matrix, or of a batch of them, lies in the matrix itself. */
export function turnedFrom(flat, rows, columns) {
  const inner = flat % (rows * columns);
  return flat - inner + (inner % rows) * columns + Math.floor(inner / rows);
}

export const turnedShape = (shape) => [...shape.slice(0, -2), shape.at(-1), shape.at(-2)];

/** A matrix transposed, or each of a batch. */
export function turned(array) {
  const [rows, columns] = array.shape.slice(-2);
  return array.cells ? { ...array, numbers: undefined, shape: turnedShape(array.shape), cells: array.cells.map((_, i) => array.cells[turnedFrom(i, rows, columns)]) } : array;
}

/** One mark beside its digits. */
export function mark(text, largest, kind, side = 14) {
  const svg = svgEl("svg", { class: "mark", width: side, height: side, viewBox: `0 0 ${side} ${side}`, "aria-hidden": "true" });
  svg.append(...markPaths([numberOf(text)], largest, side, () => [0, 0], kind));
  return svg;
}

/** Where the cells of an array's small picture lie within a box, as large as they can be; tiles of one image stand together. */
export function pictureIn(array, form, width, height, most = 11, between = 3, first = Infinity) {
  const tiles = tilesOf(array, form);
  const { rows, columns } = tiles;
  const count = Math.min(tiles.count, first);
  const gap = count > 1 ? between : 0;
  const group = tiles.across > 1 && tiles.across < count ? tiles.across : count;
  let best = { cell: 0 };
  for (let across = 1; across <= Math.min(count, MOST_ACROSS); across++) {
    if (group < count && across % group && group % across) continue;
    const down = Math.ceil(count / across);
    const gaps = [across - 1 + Math.floor((across - 1) / group), down - 1 + (across < group ? count / group - 1 : 0)];
    const cell = Math.min((width - gap * gaps[0]) / (across * columns), (height - gap * gaps[1]) / (down * rows), most);
    if (cell > best.cell) best = { cell, across, size: [across * columns * cell + gap * gaps[0], down * rows * cell + gap * gaps[1]] };
  }
  const { cell, across, size = [0, 0] } = best;
  const corner = (t) => {
    const [x, y, image] = [t % across, Math.floor(t / across), Math.floor(t / group)];
    return [x * (columns * cell + gap) + (across > group ? Math.floor(x / group) * gap : 0), y * (rows * cell + gap) + (across < group ? image * gap : 0)];
  };
  return { ...tiles, count, cell, corner, width: size[0], height: size[1] };
}

/** Every element of tiles: its place in the flat array, its tile, row and column. */
export function* placesIn({ rows, columns, count, at }) {
  for (let t = 0; t < count; t++) for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) yield [at(t, r, c), t, r, c];
}

/** Every element of a picture: its place in the flat array and the corner of its cell. */
export function* cellsOf(picture) {
  const { corner, cell } = picture;
  for (const [flat, t, r, c] of placesIn(picture)) yield [flat, corner(t)[0] + c * cell, corner(t)[1] + r * cell];
}

/** Cells of one matrix taken together: the largest element of each block, with so few blocks that they are seen. */
function blocksOf({ rows, columns, at }, numbers, width, height) {
  const [down, right] = [Math.ceil(rows / Math.max(1, Math.floor(height / BLOCK))), Math.ceil(columns / Math.max(1, Math.floor(width / BLOCK)))];
  const [tall, wide] = [Math.ceil(rows / down), Math.ceil(columns / right)];
  const members = Array.from({ length: tall * wide }, () => []);
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) members[Math.floor(r / down) * wide + Math.floor(c / right)].push(at(0, r, c));
  const size = (flat) => Math.abs(numbers[flat]) || 0;
  const largest = members.map((flats) => numbers[flats.reduce((most, flat) => (size(flat) > size(most) ? flat : most))]);
  return { array: { shape: [tall, wide], cells: largest, numbers: largest }, members };
}

/** A small picture of an array for a node; nothing where a cell would be too small to see. */
export function miniature(array, form, kind, x, y, width, height, most = 11) {
  const { count, across } = tilesOf(array, form);
  // Of a batch that is too large to be seen here the first image, or its first channel.
  let picture = [count, across, 1].map((first) => pictureIn(array, form, width - 4, height - 4, most, 3, first)).find(({ cell }, i) => cell >= [1.4, SEEN, 0][i]);
  let [shown, members] = [array, undefined];
  if (picture.count === 1 && picture.cell < SEEN && picture.rows * picture.columns) {
    ({ array: shown, members } = blocksOf(picture, numbersOf(array), width - 4, height - 4));
    picture = pictureIn(shown, "", width - 4, height - 4, most);
  }
  if (!(picture.cell >= 1.4)) return null;
  const g = svgEl("g", { class: "mini", transform: `translate(${x} ${y})` });
  g.append(svgEl("rect", { class: "sheet", width: (picture.width + 4).toFixed(1), height: (picture.height + 4).toFixed(1), rx: 2 }));
  const cells = [...cellsOf(picture)];
  const numbers = numbersOf(shown);
  g.append(...markPaths(cells.map(([flat]) => numbers[flat]), largestOf(array), picture.cell, (i) => [cells[i][1] + 2, cells[i][2] + 2], kind));
  g.dataset.cell = picture.cell;
  return { g, cells, picture, members };
}

/** Frames around cells of a miniature: one each, or one around all of a tile's. */
export function framesIn({ g, cells, picture, members }, wanted, together) {
  const { cell, rows, columns } = picture;
  const boxes = new Map();
  cells.forEach(([flat, x, y], i) => {
    if (!(members?.[flat].some((each) => wanted.has(each)) ?? wanted.has(flat))) return;
    const key = together ? Math.floor(i / (rows * columns)) : i;
    const [left, top, right, bottom] = boxes.get(key) ?? [x, y, x, y];
    boxes.set(key, [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)]);
  });
  return [...boxes.values()].map(([left, top, right, bottom]) => {
    const ring = svgEl("rect", { class: "ring", x: left + 2, y: top + 2, width: right - left + cell, height: bottom - top + cell });
    g.append(ring);
    return ring;
  });
}
