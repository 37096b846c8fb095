/*
 * Computes a recorded tape again, forward and backward, for other numbers.
 *
 * This table is the engine's ops once more, so it offers nothing before it has given every recorded
 * number again (`proven`). It rounds where the engine rounds: `r` is the rounding of the op's
 * dtype. Gradients are summed in float64 and rounded once, when they are complete. No DOM.
 * Everything is allocated in `compile`; a run allocates next to nothing.
 */

const MOST_PRODUCTS = 1e6; // of one op: beyond that a drag would stutter
// Of the largest element: how far a replay may be off. In float16 this is five steps of its grid.
const MOST = { float16: 5e-3, float32: 1e-5, float64: 1e-12 };
const ROUNDED = { float16: half, float32: Math.fround };

/** The nearest number of float16, ties to even: its grid is 2 ** -10 of the power of two below, and ends at 65504. */
export function half(x) {
  if (!Number.isFinite(x)) return x;
  const [bits] = new Int32Array(Float32Array.of(x).buffer);
  const grid = 2 ** (Math.max(-14, ((bits >> 23) & 255) - 127) - 10);
  const near = x + 1.5 * 2 ** 52 * grid - 1.5 * 2 ** 52 * grid;
  return Math.abs(near) > 65504 ? Math.sign(x) * Infinity : near || 0 * x;
}

const round = (array, r) => r && array.forEach((x, i) => { array[i] = r(x); });

export const sizeOf = (shape) => shape.reduce((a, b) => a * b, 1);
const stridesOf = (shape) => shape.map((_, d) => sizeOf(shape.slice(d + 1)));

/** For each element of `shape`, in order, what `place` gives for its index. */
function mapped(shape, place) {
  const map = new Int32Array(sizeOf(shape));
  const index = shape.map(() => 0);
  for (let i = 0; i < map.length; i++) {
    map[i] = place(index);
    for (let d = shape.length - 1; d >= 0 && ++index[d] === shape[d]; d--) index[d] = 0;
  }
  return map;
}

const dot = (index, strides) => strides.reduce((sum, stride, d) => sum + stride * index[d], 0);

/** For each element of `shape`, the place of the element of `from` that broadcasting gives it. */
export function spread(from, shape) {
  const lead = shape.length - from.length;
  const strides = stridesOf(from);
  return mapped(shape, (index) => from.reduce((at, n, d) => at + (n === 1 ? 0 : index[lead + d] * strides[d]), 0));
}

const axesOf = (axis, shape) => (axis == null ? shape.map((_, d) => d) : [].concat(axis).map((d) => (d + shape.length) % shape.length));
/** For each element of `shape`, its place after `axes` were reduced. */
const folded = (shape, axis) => spread(shape.map((n, d) => (axesOf(axis, shape).includes(d) ? 1 : n)), shape);
const axisOf = (axis, shape) => (axis + shape.length) % shape.length;

/* Kinds of ops. Each gives [forward, backward]; `null` where it cannot compute this form of the op. */

/** Elementwise: f(x, r) and its slope d(x, y, r); `guarded`: no gradient where none comes in, whatever the slope. */
const ew1 = (f, d, guarded = false) => ({ o, go, a: [a], ga: [ga], r, get }) => [
  () => { for (let i = 0; i < o.length; i++) o[i] = f(a[i], r, get); },
  () => { for (let i = 0; i < o.length; i++) if (!guarded || go[i]) ga[i] += r(go[i] * d(a[i], o[i], r, get)); },
];

/** Elementwise with broadcasting: f(x, y, r) and both slopes (x, y, out, r); `masks`: a slope of 0 is no product, so no NaN. */
const ew2 = (f, du, dv, masks = false) => ({ o, go, a: [a, b], ga: [ga, gb], shapes: [s, t], shape, r }) => {
  const [m, n] = [spread(s, shape), spread(t, shape)];
  const send = (slope, i) => (masks && !slope ? 0 : r(go[i] * slope));
  return [
    () => { for (let i = 0; i < o.length; i++) o[i] = f(a[m[i]], b[n[i]], r); },
    () => {
      for (let i = 0; i < o.length; i++) {
        const [x, y] = [a[m[i]], b[n[i]]];
        if (ga) ga[m[i]] += send(du(x, y, o[i], r), i);
        if (gb) gb[n[i]] += send(dv(x, y, o[i], r), i);
      }
    },
  ];
};

/** Each result is one element, or `fill` where the map has -1. */
const moved = (map, fill = 0) => ({ o, go, a: [a], ga: [ga] }) => [
  () => { for (let i = 0; i < o.length; i++) o[i] = map[i] < 0 ? fill : a[map[i]]; },
  () => { if (ga) for (let i = 0; i < o.length; i++) if (map[i] >= 0) ga[map[i]] += go[i]; },
];

/** Each element goes to one place; what goes to the same adds up, times `by`. */
const gathered = (map, by = 1) => ({ o, go, a: [a], ga: [ga], r }) => {
  const sums = new Float64Array(o.length);
  return [
    () => {
      sums.fill(0);
      for (let i = 0; i < a.length; i++) if (map[i] >= 0) sums[map[i]] += a[i];
      for (let i = 0; i < o.length; i++) o[i] = r(sums[i]) * by;
    },
    () => { if (ga) for (let i = 0; i < a.length; i++) if (map[i] >= 0) ga[i] += r(go[map[i]] * by); },
  ];
};

const byMap = (make, fill) => (c) => {
  const map = make(c, c.shapes[0], c.shape);
  return map && moved(map, fill ? fill(c) : 0)(c);
};
const byPlaces = (make, by) => (c) => {
  const map = make(c, c.shapes[0], c.shape);
  return map && gathered(map, by?.(c))(c);
};

/** Several arguments side by side: `place(which, index)` is the place of an argument's element in the result. */
const joined = (place) => (c) => {
  const maps = c.shapes.map((shape, which) => mapped(shape, place(c, which)));
  return [
    () => maps.forEach((map, k) => { for (let i = 0; i < map.length; i++) c.o[map[i]] = c.a[k][i]; }),
    () => maps.forEach((map, k) => { if (c.ga[k]) for (let i = 0; i < map.length; i++) c.ga[k][i] += c.go[map[i]]; }),
  ];
};

/** Reductions that look at all elements of a group: f(elements) and their slopes, in terms that add up. */
const reduced = (f, back) => (c) => {
  const { o, go, a: [a], ga: [ga], shapes: [s], r, get } = c;
  const map = folded(s, get("axis"));
  const groups = Array.from(o, () => []);
  map.forEach((to, i) => groups[to].push(i));
  return [
    () => groups.forEach((places, k) => { o[k] = f(places.map((i) => a[i]), r, get); }),
    () => groups.forEach((places, k) => {
      if (go[k] === 0) return;
      const x = places.map((i) => a[i]);
      for (const slopes of back(x, o[k], r, get)) slopes.forEach((slope, j) => { ga[places[j]] += r(go[k] * slope); });
    }),
  ];
};

const sumOf = (x) => x.reduce((sum, value) => sum + value, 0);
const meanOf = (x, r) => r(sumOf(x) / x.length);
const spreadOf = (x, r) => { const mean = meanOf(x, r); return r(sumOf(x.map((value) => r(r(value - mean) ** 2))) / x.length); };
const lengthOf = (x, r) => r(Math.sqrt(r(sumOf(x.map((value) => r(value * value))))));
const largest = (x) => x.reduce((most, value) => (value <= most ? most : value), -Infinity);
const shared = (x, y) => { const ties = x.filter((value) => value === y).length; return x.map((value) => (value === y ? 1 / ties : 0)); };

/** Along one axis: f(line in), back(g, in, out) -> what is sent, in terms that add up. */
const along = (f, back, which = 0) => (c) => {
  const s = c.shapes[which];
  const axis = axisOf(c.get("axis") ?? -1, s);
  const [n, step] = [s[axis] ?? 1, sizeOf(s.slice(axis + 1))];
  const starts = mapped(s.map((length, d) => (d === axis ? 1 : length)), (index) => dot(index, stridesOf(s)));
  const line = (array, start) => Array.from({ length: n }, (_, j) => array[start + j * step]);
  return [
    () => starts.forEach((start) => f(line(c.a[which], start), c.r, c.get).forEach((value, j) => { c.o[start + j * step] = value; })),
    () => starts.forEach((start) => {
      for (const sent of back(line(c.go, start), line(c.a[which], start), line(c.o, start), c.r, c.get)) sent.forEach((value, j) => { c.ga[which][start + j * step] += value; });
    }),
  ];
};

const shifted = (x, r) => { const top = largest(x); return x.map((value) => r(value - top)); };
const normalised = (x, r) => { const e = shifted(x, r).map((value) => r(Math.exp(value))); const sum = r(sumOf(e)); return e.map((value) => r(value / sum)); };
const logNormalised = (x, r) => { const z = shifted(x, r); const log = r(Math.log(r(sumOf(z.map((value) => r(Math.exp(value))))))); return z.map((value) => r(value - log)); };

/** Cross entropy of rows of logits; `truth(i, j)` of row i and class j. */
const crossEntropy = (sparse) => ({ o, go, a: [t, a], ga: [gt, ga], shapes: [, s], r }) => {
  const n = s.at(-1);
  const row = (i) => Array.from(a.subarray(i * n, i * n + n));
  const truth = (i, j) => (sparse ? Number(t[i] === j) : t[i * n + j]);
  return [
    () => { for (let i = 0; i < o.length; i++) o[i] = sumOf(logNormalised(row(i), r).map((log, j) => (truth(i, j) ? -log * truth(i, j) : 0))); },
    () => {
      for (let i = 0; i < o.length; i++) {
        if (ga) normalised(row(i), r).forEach((p, j) => {
          ga[i * n + j] += r(go[i] * p);
          ga[i * n + j] -= r(go[i] * truth(i, j));
        });
        if (gt && !sparse) logNormalised(row(i), r).forEach((log, j) => { gt[i * n + j] -= r(go[i] * log); });
      }
    },
  ];
};

/** Sums of products: out[to[k]] += a[at[0][k]] · b[at[1][k]] …, for as many arguments as there are maps. */
function products(count, fill) {
  if (count > MOST_PRODUCTS) return null;
  return (c) => {
    const { to, at } = fill();
    const { o, go, a, ga, r } = c;
    const sums = new Float64Array(o.length);
    return [
      () => {
        sums.fill(0);
        for (let k = 0; k < to.length; k++) {
          let product = 1;
          for (let j = 0; j < at.length; j++) product *= a[j][at[j][k]];
          sums[to[k]] += product;
        }
        for (let i = 0; i < o.length; i++) o[i] = sums[i];
      },
      () => at.forEach((own, j) => {
        if (!ga[j]) return;
        const sum = new Float64Array(a[j].length);
        for (let k = 0; k < to.length; k++) {
          let product = go[to[k]];
          for (let other = 0; other < at.length; other++) if (other !== j) product *= a[other][at[other][k]];
          sum[own[k]] += product;
        }
        for (let i = 0; i < sum.length; i++) ga[j][i] += r(sum[i]);
      }),
    ];
  };
}

const byProducts = (plan) => (c) => {
  const planned = plan(c);
  return planned && products(planned.count, planned.fill)?.(c);
};

/** Letters for axes, as in einsum: which of them each argument and the result have. */
function byLetters(terms, result, shapes) {
  const size = new Map(terms.flatMap((term, k) => [...term].map((letter, d) => /** @type {[string, number]} */ ([letter, shapes[k][d]]))));
  const letters = [...new Set([...result, ...terms.flatMap((term) => [...term])])];
  const whole = letters.map((letter) => size.get(letter));
  const placed = (term, shape) => {
    const strides = letters.map(() => 0);
    [...term].forEach((letter, d) => { strides[letters.indexOf(letter)] += stridesOf(shape)[d]; });
    return () => mapped(whole, (index) => dot(index, strides));
  };
  return {
    count: sizeOf(whole),
    fill: () => ({ to: placed(result, [...result].map((letter) => size.get(letter)))(), at: terms.map((term, k) => placed(term, shapes[k])()) }),
  };
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

const matmul = byProducts(({ shapes: [s, t], shape }) => {
  if (s.length < 2 || t.length < 2) return null;
  const lead = shape.length - 2;
  const [n, m, k] = [shape[lead], shape[lead + 1], s.at(-1)];
  const whole = [...shape, k];
  const place = (from, row, column) => {
    const [strides, first] = [stridesOf(from), lead - (from.length - 2)];
    return () => mapped(whole, (index) => {
      let at = index[row] * strides.at(-2) + index[column] * strides.at(-1);
      for (let d = 0; d < from.length - 2; d++) if (from[d] !== 1) at += index[first + d] * strides[d];
      return at;
    });
  };
  return {
    count: sizeOf(shape.slice(0, lead)) * n * m * k,
    fill: () => ({ to: mapped(whole, (index) => dot(index, stridesOf(shape))), at: [place(s, lead, lead + 2)(), place(t, lead + 2, lead + 1)()] }),
  };
});

/** Where the cells of windows lie: for each window and cell the place in space, -1 in the padding. */
function windowsOf(space, number, window, strides, padding, dilations = window.map(() => 1)) {
  return mapped([...number, ...window], (index) => {
    let at = 0;
    for (let d = 0; d < space.length; d++) {
      const x = index[d] * strides[d] + index[number.length + d] * dilations[d] - padding[d][0];
      if (x < 0 || x >= space[d]) return -1;
      at = at * space[d] + x;
    }
    return at;
  });
}

const convolution = byProducts(({ shapes: [s, t], shape, get }) => {
  const [into, out] = t.slice(-2);
  if (s.at(-1) !== into) return null;
  const [space, number, window] = [s.slice(1, -1), shape.slice(1, -1), t.slice(0, -2)];
  const cells = sizeOf(window);
  const count = s[0] * sizeOf(number) * cells * into * out;
  const fill = () => {
    const places = windowsOf(space, number, window, get("strides"), get("padding"), get("dilations"));
    const [to, x, kernel] = [[], [], []];
    for (let b = 0; b < s[0]; b++) places.forEach((place, k) => {
      if (place < 0) return;
      const [p, w] = [Math.floor(k / cells), k % cells];
      for (let i = 0; i < into; i++) for (let j = 0; j < out; j++) {
        to.push((b * sizeOf(number) + p) * out + j);
        x.push((b * sizeOf(space) + place) * into + i);
        kernel.push((w * into + i) * out + j);
      }
    });
    return { to, at: [x, kernel] };
  };
  return { count, fill };
});

/** Pools: for each result the places of its window that lie inside. */
function poolsOf({ shapes: [s], shape, get }) {
  const [space, number, window] = [s.slice(1, -1), shape.slice(1, -1), get("window")];
  const places = windowsOf(space, number, window, get("strides"), get("padding"));
  const [cells, channels] = [sizeOf(window), s.at(-1)];
  return mapped(shape, (index) => dot(index, stridesOf(shape))).reduce((all, i) => {
    const [channel, p, b] = [i % channels, Math.floor(i / channels) % sizeOf(number), Math.floor(i / channels / sizeOf(number))];
    const inside = [...places.subarray(p * cells, p * cells + cells)].filter((place) => place >= 0);
    all.push(inside.map((place) => (b * sizeOf(space) + place) * channels + channel));
    return all;
  }, /** @type {number[][]} */ ([]));
}

const maxPool = (c) => {
  const pools = poolsOf(c);
  const { o, go, a: [a], ga: [ga] } = c;
  const winner = (places) => places.reduce((best, place) => (a[place] > a[best] ? place : best), places[0]);
  return [
    () => pools.forEach((places, i) => { o[i] = a[winner(places)]; }),
    () => pools.forEach((places, i) => { ga[winner(places)] += go[i]; }),
    () => pools.map((places) => winner(places)).join(),
  ];
};

const averagePool = (c) => {
  const pools = poolsOf(c);
  const { o, go, a: [a], ga: [ga], r } = c;
  return [
    () => pools.forEach((places, i) => { o[i] = r(sumOf(places.map((place) => a[place]))) / places.length; }),
    () => pools.forEach((places, i) => { for (const place of places) ga[place] += r(go[i] / places.length); }),
  ];
};

/** One of two by a condition: which one is seen by `third` where numbers move. */
const select = ({ o, go, a: [q, a, b], ga: [, ga, gb], shapes: [s, t, u], shape }) => {
  const [k, m, n] = [spread(s, shape), spread(t, shape), spread(u, shape)];
  return [
    () => { for (let i = 0; i < o.length; i++) o[i] = q[k[i]] ? a[m[i]] : b[n[i]]; },
    () => { for (let i = 0; i < o.length; i++) if (q[k[i]]) { if (ga) ga[m[i]] += go[i]; } else if (gb) gb[n[i]] += go[i]; },
  ];
};

const clip = ({ o, go, a: [a, low, high], ga: [ga, gl, gh], shapes: [s, t, u], shape }) => {
  const [k, m, n] = [spread(s, shape), spread(t, shape), spread(u, shape)];
  return [
    () => { for (let i = 0; i < o.length; i++) o[i] = Math.max(Math.min(a[k[i]], high[n[i]]), low[m[i]]); },
    () => {
      for (let i = 0; i < o.length; i++) {
        const [x, l, h] = [a[k[i]], low[m[i]], high[n[i]]];
        if (ga && x >= l && x <= h) ga[k[i]] += go[i];
        if (gl && Math.min(x, h) < l) gl[m[i]] += go[i];
        if (gh && x > h && h >= l) gh[n[i]] += go[i];
      }
    },
    () => Array.from(o, (_, i) => Math.sign(a[k[i]] - low[m[i]]) + Math.sign(a[k[i]] - high[n[i]])).join(),
  ];
};

/** Where a key of slices, numbers and new axes takes each element from. */
function keyed({ get }, from, shape) {
  const strides = stridesOf(from);
  const parts = [];
  let [start, axis] = [0, 0];
  for (const entry of get("key")) {
    if (entry === null) parts.push(0);
    else if (typeof entry === "number") start += entry * strides[axis++];
    else if (entry?.slice) {
      const [first, , step] = entry.slice;
      const by = step ?? 1;
      start += (first ?? (by < 0 ? from[axis] - 1 : 0)) * strides[axis];
      parts.push(by * strides[axis++]);
    } else return null;
  }
  for (; axis < from.length; axis++) parts.push(strides[axis]);
  return parts.length === shape.length ? mapped(shape, (index) => start + dot(index, parts)) : null;
}

/** An index array is constant: it was there before the tape. */
const indicesOf = (c, which) => (c.isLeaf[which] ? c.a[which] : null);

function taken(c, from, shape) {
  const { axis, count, batch } = { axis: c.get("axis") ?? 0, count: c.shapes[1].length, batch: c.get("batch_dims") ?? 0 };
  const indices = indicesOf(c, 1);
  if (!indices || axis < 0) return null;
  const [strides, inner] = [stridesOf(from), stridesOf(c.shapes[1])];
  const many = count - batch; // axes of the result that the indices made, at `axis`
  return mapped(shape, (index) => {
    const place = [...index.slice(0, batch), ...index.slice(axis, axis + many)];
    return dot([...index.slice(0, axis), indices[dot(place, inner)], ...index.slice(axis + many)], strides);
  });
}

function takenAt(c, from, shape) {
  const indices = indicesOf(c, 1);
  if (!indices) return null;
  const batch = c.get("batch_dims") ?? 0;
  const [strides, deep] = [stridesOf(from), c.shapes[1].at(-1)];
  const rows = c.shapes[1].length - 1;
  const lead = stridesOf(c.shapes[1].slice(0, -1));
  return mapped(shape, (index) => {
    const row = dot(index.slice(0, rows), lead) * deep;
    return dot([...index.slice(0, batch), ...indices.subarray(row, row + deep), ...index.slice(rows)], strides);
  });
}

const transposed = (order) => (c, from, shape) => {
  const [perm, strides] = [order(c, from), stridesOf(from)];
  return mapped(shape, (index) => perm.reduce((at, axis, d) => at + index[d] * strides[axis], 0));
};

const diagonal = (c, from, shape) => {
  const [low, high] = c.get("k") ?? [0, 0];
  if (low || high) return null;
  const strides = stridesOf(from);
  return mapped(shape, (index) => dot([...index, index.at(-1)], strides));
};

const toDiagonal = (c, from, shape) => {
  const [low, high] = c.get("k") ?? [0, 0];
  if (low || high || c.get("padding")) return null;
  const strides = stridesOf(shape);
  return mapped(from, (index) => dot([...index, index.at(-1)], strides));
};

const inBand = ({ get }, from) => {
  const [lower, upper] = [get("lower"), get("upper")];
  const strides = stridesOf(from);
  return mapped(from, (index) => {
    const offset = index.at(-1) - index.at(-2);
    return (lower < 0 || offset >= -lower) && (upper < 0 || offset <= upper) ? dot(index, strides) : -1;
  });
};

/** Order of values along an axis, or the first of them: which elements these are is found anew in each run. */
const sorted = (along, descending) => (c) => {
  const { o, go, a: [a], ga: [ga], shapes: [s], shape } = c;
  const axis = axisOf(along(c), s);
  const [strides, into, down] = [stridesOf(s), stridesOf(shape), descending(c)];
  const lines = [...mapped(s.map((n, d) => (d === axis ? 1 : n)), (index) => dot(index, strides))];
  const starts = mapped(s.map((n, d) => (d === axis ? 1 : n)), (index) => dot(index, into));
  const from = new Int32Array(o.length);
  return [
    () => lines.forEach((start, line) => {
      const places = Array.from({ length: s[axis] }, (_, j) => start + j * strides[axis]).sort((p, q) => (down ? a[q] - a[p] : a[p] - a[q]) || p - q);
      for (let j = 0; j < shape[axis]; j++) {
        const to = starts[line] + j * into[axis];
        o[to] = a[from[to] = places[j]];
      }
    }),
    () => { for (let i = 0; i < o.length; i++) ga[from[i]] += go[i]; },
    () => from.join(),
  ];
};

/** A choice that flips where numbers move: which `state` names, so that a curve can say where. */
const flipping = (op, state) => (c) => {
  const parts = op(c);
  return parts && [parts[0], parts[1], () => state(c)];
};
const positive = ({ a: [a] }) => Array.from(a, (x) => Number(x > 0)).join("");
const larger = ({ a: [a, b], shapes: [s, t], shape }) => {
  const [m, n] = [spread(s, shape), spread(t, shape)];
  return Array.from(m, (place, i) => Number(a[place] >= b[n[i]])).join("");
};
const winners = ({ o, a: [a], shapes: [s], get }) => {
  const map = folded(s, get("axis"));
  return Array.from(map, (to, i) => Number(a[i] === o[to])).join("");
};

const one = () => 1;
const none = () => 0;
const logistic = (x, r) => { const e = r(Math.exp(Math.min(x, 709))); return e === Infinity ? 1 : r(e / r(1 + e)); };
const hyperbolic = (x, y, r) => r(1 - r(y * y));
const power = (x, y) => (x === 1 ? 1 : x ** y);

/** erfc by its series near 0 and by its continued fraction farther out (Abramowitz and Stegun 7.1.6, 7.1.14). */
function erfc(x) {
  if (x < 0) return 2 - erfc(-x);
  if (x < 2.2) {
    let [term, sum] = [x, x];
    for (let n = 1; n < 80; n++) sum += term *= (2 * x * x) / (2 * n + 1);
    return 1 - (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  let fraction = 0;
  for (let n = 120; n > 0; n--) fraction = n / 2 / (x + fraction);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
}
function erf(x) {
  if (Math.abs(x) >= 1) return 1 - erfc(x);
  let [term, sum] = [x, x];
  for (let n = 1; n < 60; n++) sum += term *= (2 * x * x) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
const bell = (x) => (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x);
const [ALPHA, SCALE] = [1.6732632423543772, 1.0507009873554805]; // Klambauer et al. 2017, equation 14

/** The running op along an axis: exclusive or not, from either end. */
const running = (f, back) => along(
  (x, r, get) => (get("reverse") ? f(x.toReversed(), r, get("exclusive")).toReversed() : f(x, r, get("exclusive"))),
  (g, x, y, r, get) => [get("reverse") ? back(g.toReversed(), x.toReversed(), r, get("exclusive")).toReversed() : back(g, x, r, get("exclusive"))],
);
const cumulated = (x, r, exclusive) => { let sum = 0; return x.map((value) => { const before = sum; sum = r(sum + value); return exclusive ? before : sum; }); };

/** What the table is asked for: the name of an op of the engine -> how it computes. */
export const OPS = {
  add: ew2((x, y) => x + y, one, one),
  subtract: ew2((x, y) => x - y, one, () => -1),
  multiply: ew2((x, y) => x * y, (x, y) => y, (x) => x),
  divide: (c) => {
    const { o, go, a: [a, b], ga: [ga, gb], shapes: [s, t], shape, r } = c;
    const [m, n] = [spread(s, shape), spread(t, shape)];
    return [
      () => { for (let i = 0; i < o.length; i++) o[i] = a[m[i]] / b[n[i]]; },
      () => { for (let i = 0; i < o.length; i++) { if (ga) ga[m[i]] += r(go[i] / b[n[i]]); if (gb) gb[n[i]] -= r(r(go[i] * o[i]) / b[n[i]]); } },
    ];
  },
  negative: ew1((x) => -x, () => -1),
  gate: ew2((x, y) => x * y, (x, y) => y, none),
  tie: ew2((x) => x, one, none, true),
  maximum: flipping(ew2((x, y) => (x >= y || Number.isNaN(x) ? x : y), (x, y) => Number(x >= y), (x, y) => Number(!(x >= y)), true), larger),
  minimum: flipping(ew2((x, y) => (x <= y || Number.isNaN(x) ? x : y), (x, y) => Number(x <= y), (x, y) => Number(!(x <= y)), true), larger),
  pow: ew2(power, (x, y, o, r) => r(y * r(power(x, r(y - 1)))), (x, y, o, r) => r(o * r(Math.log(x > 0 ? x : 1)))),
  "slope of power": ew2((x, y, r) => y * r(power(x, r(y - 1))), (x, y, o, r) => r(y * r(r(y - 1) * r(power(x, r(y - 2))))), (x, y, o, r) => r(r(power(x, r(y - 1))) + r(o * r(Math.log(x > 0 ? x : 1))))),
  squared_difference: ew2((x, y, r) => { const d = r(x - y); return d * d; }, (x, y, o, r) => 2 * r(x - y), (x, y, o, r) => 2 * r(y - x)),
  hypot: ew2((x, y) => Math.hypot(x, y), (x, y, o, r) => r(x / o), (x, y, o, r) => r(y / o)),
  atan2: ew2((y, x) => Math.atan2(y, x), (y, x) => x / (x * x + y * y), (y, x) => -y / (x * x + y * y)),
  floormod: ew2((x, y) => x - Math.floor(x / y) * y, one, (x, y) => -Math.floor(x / y)),
  divide_no_nan: ew2((x, y) => (y === 0 ? 0 : x / y), (x, y) => (y === 0 ? 0 : 1 / y), (x, y, o) => (y === 0 ? 0 : -o / y)),
  multiply_no_nan: ew2((x, y) => (y === 0 ? 0 : x * y), (x, y) => y, (x) => x, true),
  xlogy: ew2((x, y, r) => (x === 0 ? 0 : x * r(Math.log(y))), (x, y) => (x === 0 ? 0 : Math.log(y)), (x, y) => (x === 0 ? 0 : x / y)),
  xlog1py: ew2((x, y, r) => (x === 0 ? 0 : x * r(Math.log1p(y))), (x, y) => (x === 0 ? 0 : Math.log1p(y)), (x, y, o, r) => (x === 0 ? 0 : x / r(1 + y))),
  xdivy: ew2((x, y) => (x === 0 ? 0 : x / y), (x, y) => (x === 0 ? 0 : 1 / y), (x, y, o) => (o === 0 ? 0 : -o / y)),
  "gated quotient": ew2((x, y) => (x === 0 ? 0 : x / y), (x, y) => 1 / y, (x, y, o) => -o / y),
  "gated product": ew2((x, y) => (x === 0 ? 0 : x * y), (x, y) => y, (x) => x),
  "back through tanh": ew2((x, y, r) => x * r(1 - r(y * y)), (x, y, o, r) => r(1 - r(y * y)), (x, y, o, r) => r(x * y) * -2),
  sigmoid_cross_entropy: ({ o, go, a: [t, x], ga: [gt, gx], r }) => [
    () => { for (let i = 0; i < o.length; i++) o[i] = r(r(Math.max(x[i], 0) - r(x[i] * t[i])) + r(Math.log1p(r(Math.exp(-Math.abs(x[i])))))); },
    () => {
      for (let i = 0; i < o.length; i++) {
        if (gt) gt[i] -= r(go[i] * x[i]);
        if (!gx) continue;
        gx[i] += r(go[i] * logistic(x[i], r));
        gx[i] -= r(go[i] * t[i]);
      }
    },
  ],
  exp: ew1((x) => Math.exp(x), (x, y) => y),
  expm1: ew1((x) => Math.expm1(x), (x, y, r) => r(Math.exp(x))),
  log: ew1((x) => Math.log(x), (x) => 1 / x),
  log1p: ew1((x) => Math.log1p(x), (x, y, r) => 1 / r(1 + x)),
  square: ew1((x) => x * x, (x) => 2 * x),
  sqrt: ew1((x) => Math.sqrt(x), (x, y) => 0.5 / y, true),
  rsqrt: ew1((x, r) => 1 / r(Math.sqrt(x)), (x, y, r) => -0.5 * r(r(y * y) * y), true),
  reciprocal: ew1((x) => 1 / x, (x, y, r) => -r(y * y), true),
  absolute: flipping(ew1((x) => Math.abs(x), (x) => Math.sign(x)), positive),
  sign: ew1((x) => Math.sign(x), none, true),
  sin: ew1((x) => Math.sin(x), (x, y, r) => r(Math.cos(x))),
  cos: ew1((x) => Math.cos(x), (x, y, r) => -r(Math.sin(x))),
  tan: ew1((x) => Math.tan(x), (x, y, r) => r(1 + r(y * y))),
  asin: ew1((x) => Math.asin(x), (x, y, r) => 1 / r(Math.sqrt(r(r(1 - x) * r(1 + x)))), true),
  acos: ew1((x) => Math.acos(x), (x, y, r) => -1 / r(Math.sqrt(r(r(1 - x) * r(1 + x)))), true),
  atan: ew1((x) => Math.atan(x), (x, y, r) => 1 / r(1 + r(x * x))),
  sinh: ew1((x) => Math.sinh(x), (x, y, r) => r(Math.cosh(x))),
  cosh: ew1((x) => Math.cosh(x), (x, y, r) => r(Math.sinh(x))),
  tanh: ew1((x) => Math.tanh(x), hyperbolic),
  asinh: ew1((x) => Math.asinh(x), (x, y, r) => 1 / r(Math.cosh(y))),
  acosh: ew1((x) => Math.acosh(x), (x, y, r) => 1 / r(Math.sinh(y))),
  atanh: ew1((x) => Math.atanh(x), (x, y, r) => 1 / r(r(1 - x) * r(1 + x)), true),
  one_minus_square: ew1((x, r) => r(1 - x) * r(1 + x), (x) => -2 * x),
  erf: ew1(erf, (x, y, r) => r(bell(x))),
  erfc: ew1(erfc, (x, y, r) => -r(bell(x))),
  sigmoid: ew1(logistic, (x, y, r) => r(y * r(1 - y))),
  softplus: ew1((x, r) => r(Math.max(x, 0)) + r(Math.log1p(r(Math.exp(-Math.abs(x))))), (x, y, r) => logistic(x, r)),
  log_sigmoid: ew1((x, r) => Math.min(x, 0) - r(Math.log1p(r(Math.exp(-Math.abs(x))))), (x, y, r) => logistic(-x, r)),
  relu: flipping(ew1((x) => (x > 0 || Number.isNaN(x) ? x : 0), (x, y) => Number(y > 0)), positive),
  relu6: flipping(ew1((x) => (Number.isNaN(x) ? x : Math.min(Math.max(x, 0), 6)), (x, y) => Number(y > 0 && y < 6)), ({ o }) => Array.from(o, (y) => Number(y > 0) + Number(y === 6)).join("")),
  leaky_relu: flipping(ew1((x, r, get) => (x > 0 ? x : x * get("alpha")), (x, y, r, get) => (x > 0 ? 1 : get("alpha"))), positive),
  elu: ew1((x) => (x > 0 ? x : Math.expm1(x)), (x, y, r) => (y < 0 ? r(y + 1) : 1)),
  selu: ew1((x, r) => (x > 0 ? x * SCALE : r(Math.expm1(x)) * r(SCALE * ALPHA)), (x, y, r) => (y < 0 ? r(y + r(SCALE * ALPHA)) : SCALE)),
  softsign: ew1((x, r) => x / r(1 + Math.abs(x)), (x, y, r) => { const below = r(1 + Math.abs(x)); return 1 / r(below * below); }),
  silu: ew1((x, r) => x * logistic(x, r), (x, y, r) => { const s = logistic(x, r); return r(s * r(1 + r(x * r(1 - s)))); }),
  cast: ew1((x) => x, one),
  identity: ew1((x) => x, one),
  real: ew1((x) => x, one),
  conj: ew1((x) => x, one),
  reshape: ew1((x) => x, one),
  check_numerics: ew1((x) => x, one),
  select,
  clip_by_value: clip,
  add_n: (c) => [
    () => { for (let i = 0; i < c.o.length; i++) c.o[i] = c.a.reduce((sum, each) => c.r(sum + each[i]), 0); },
    () => { for (const ga of c.ga) if (ga) for (let i = 0; i < c.o.length; i++) ga[i] += c.go[i]; },
  ],
  broadcast_to: byMap((c, from, shape) => spread(from, shape)),
  sum_to: byPlaces((c, from, shape) => spread(shape, from)),
  reduce_sum: byPlaces((c, from) => folded(from, c.get("axis"))),
  reduce_mean: byPlaces((c, from) => folded(from, c.get("axis")), ({ a: [a], o, r }) => r(o.length / a.length)),
  reduce_max: flipping(reduced(largest, (x, y) => [shared(x, y)]), winners),
  reduce_min: flipping(reduced((x) => -largest(x.map((value) => -value)), (x, y) => [shared(x, y)]), winners),
  reduce_prod: reduced((x, r) => x.reduce((product, value) => r(product * value), 1), (x, y, r) => [x.map((_, i) => x.reduce((product, value, j) => (i === j ? product : r(product * value)), 1))]),
  reduce_variance: reduced(spreadOf, (x, y, r) => { const mean = meanOf(x, r); return [x.map((value) => value * (2 / x.length)), x.map(() => -mean * (2 / x.length))]; }),
  reduce_std: reduced((x, r) => r(Math.sqrt(spreadOf(x, r))), (x, y, r) => { const mean = meanOf(x, r); return [x.map((value) => value / x.length / y), x.map(() => -mean / x.length / y)]; }),
  reduce_euclidean_norm: reduced(lengthOf, (x, y) => [x.map((value) => value / y)]),
  length: reduced(lengthOf, (x, y) => [x.map((value) => value / y)]),
  inverse_length: (c) => {
    const { o, go, a: [a], ga: [ga], shapes: [s], r, get } = c;
    const map = folded(s, get("axis"));
    const sums = new Float64Array(o.length);
    return [
      () => { sums.fill(0); for (let i = 0; i < a.length; i++) sums[map[i]] += r(a[i] * a[i]); for (let i = 0; i < o.length; i++) o[i] = 1 / r(Math.sqrt(Math.max(r(sums[i]), get("epsilon")))); },
      () => { for (let i = 0; i < a.length; i++) { const k = map[i]; if (go[k] && r(sums[k]) >= r(get("epsilon"))) ga[i] -= r(r(r(go[k] * o[k]) * r(o[k] * o[k])) * a[i]); } },
    ];
  },
  reduce_logsumexp: reduced(
    (x, r) => { const top = largest(x); const by = Number.isFinite(top) ? top : 0; return r(r(Math.log(r(sumOf(x.map((value) => r(Math.exp(r(value - by)))))))) + by); }, (x, y, r) => [normalised(x, r)]),
  cumsum: running(cumulated, (g, x, r, exclusive) => cumulated(g.toReversed(), r, exclusive).toReversed()),
  cumprod: running(
    (x, r, exclusive) => { let product = 1; return x.map((value) => { const before = product; product = r(product * value); return exclusive ? before : product; }); },
    (g, x, r, exclusive) => x.map((_, i) => sumOf(g.map((each, j) => (j > i || (j === i && !exclusive) ? each * x.slice(0, exclusive ? j : j + 1).reduce((product, value, k) => (k === i ? product : product * value), 1) : 0)))),
  ),
  matmul,
  broadcast_matmul: matmul,
  matvec: byProducts(({ shapes: [s, t], shape }) => (t.length > 1 && s.slice(0, -2).join() !== t.slice(0, -1).join() ? null
    : t.length > 1 ? byLetters([LETTERS.slice(0, s.length), LETTERS.slice(0, s.length - 2) + LETTERS[s.length - 1]], LETTERS.slice(0, s.length - 1), [s, t])
    : byLetters([LETTERS.slice(0, s.length), LETTERS[s.length - 1]], LETTERS.slice(0, shape.length), [s, t]))),
  einsum: byProducts(({ shapes, get }) => {
    const [left, result] = get("equation").split("->");
    return /^[a-zA-Z,]*$/.test(left) ? byLetters(left.split(","), result, shapes) : null;
  }),
  convolution,
  max_pool: maxPool,
  avg_pool: averagePool,
  transpose: byMap(transposed(({ get }, from) => get("perm") ?? [...from.keys()].reverse())),
  matrix_transpose: byMap(transposed((c, from) => [...from.keys()].slice(0, -2).concat(from.length - 1, from.length - 2))),
  getitem: byMap(keyed),
  take: byMap((c, from, shape) => mapped(shape, (index) => dot([c.get("index"), ...index], stridesOf(from)))),
  "slice put back": byPlaces((c, from, shape) => keyed(c, shape, from)),
  unstack: byMap(({ get, node }, from, shape) => {
    const axis = axisOf(get("axis"), from);
    return mapped(shape, (index) => dot(index.toSpliced(axis, 0, node.output ?? 0), stridesOf(from)));
  }),
  split: byMap(({ get, node }, from, shape) => {
    const axis = axisOf(get("axis"), from);
    const start = sumOf(get("sizes").slice(0, node.output ?? 0)) * stridesOf(from)[axis];
    return mapped(shape, (index) => start + dot(index, stridesOf(from)));
  }),
  concat: joined((c, which) => {
    const axis = axisOf(c.get("axis"), c.shape);
    const [strides, before] = [stridesOf(c.shape), sumOf(c.shapes.slice(0, which).map((shape) => shape[axis]))];
    return (index) => dot(index, strides) + before * strides[axis];
  }),
  stack: joined((c, which) => {
    const axis = axisOf(c.get("axis"), c.shape);
    return (index) => dot(index.toSpliced(axis, 0, which), stridesOf(c.shape));
  }),
  pad: byMap(({ get }, from, shape) => mapped(shape, (index) => {
    const place = index.map((at, d) => at - get("paddings")[d][0]);
    return place.every((at, d) => at >= 0 && at < from[d]) ? dot(place, stridesOf(from)) : -1;
  }), ({ get }) => Number(get("value") ?? 0)),
  tile: byMap((c, from, shape) => mapped(shape, (index) => dot(index.map((at, d) => at % from[d]), stridesOf(from)))),
  repeat: byMap(({ get }, from, shape) => {
    const [counts, axis] = [get("counts"), axisOf(get("axis") ?? 0, from)];
    const places = Array.from({ length: from[axis] }, (_, place) => Array(Array.isArray(counts) ? counts[counts.length > 1 ? place : 0] : counts).fill(place)).flat();
    return mapped(shape, (index) => dot(index.with(axis, places[index[axis]]), stridesOf(from)));
  }),
  reverse: byMap(({ get }, from, shape) => {
    const axes = axesOf(get("axis"), from);
    return mapped(shape, (index) => dot(index.map((at, d) => (axes.includes(d) ? from[d] - 1 - at : at)), stridesOf(from)));
  }),
  roll: byMap(({ get }, from, shape) => {
    const [shifts, axes] = [[].concat(get("shift")), axesOf(get("axis"), from)];
    return mapped(shape, (index) => {
      const place = [...index];
      axes.forEach((d, k) => { place[d] = (((place[d] - shifts[k]) % from[d]) + from[d]) % from[d]; });
      return dot(place, stridesOf(from));
    });
  }),
  gather: byMap(taken),
  gather_nd: byMap(takenAt),
  "rows put back": byPlaces((c, from, shape) => taken(c, shape, from)),
  scatter_nd: byPlaces((c, from, shape) => takenAt(c, shape, from)),
  matrix_diag_part: byMap(diagonal),
  matrix_diag: byPlaces(toDiagonal),
  band_part: byMap(inBand),
  trace: byPlaces((c, from, shape) => mapped(from, (index) => (index.at(-1) === index.at(-2) ? dot(index.slice(0, -2), stridesOf(shape)) : -1))),
  l2_loss: ({ o, go, a: [a], ga: [ga], r }) => [
    () => { o[0] = r(sumOf(Array.from(a, (x) => r(x * x)))) / 2; },
    () => { for (let i = 0; i < a.length; i++) ga[i] += r(go[0] * a[i]); },
  ],
  sort: sorted(({ get }) => get("axis"), ({ get }) => get("descending")),
  top_k: sorted(() => -1, () => true),
  softmax: along(normalised, (g, x, p, r) => { const w = g.map((each, j) => r(each * p[j])); const sum = r(sumOf(w)); return [w, p.map((each) => -r(each * sum))]; }),
  log_softmax: along(logNormalised, (g, x, y, r) => { const sum = r(sumOf(g)); return [g, y.map((each) => -r(r(Math.exp(each)) * sum))]; }),
  sparse_softmax_cross_entropy: crossEntropy(true),
  softmax_cross_entropy: crossEntropy(false),
};

const isFloat = (dtype) => dtype in MOST;
const exactly = (x) => x;

/**
 * A tape that can be run: write into `values`, run, read `result` and `gradients`; or {off: why}.
 * @param {{nodes: any[], seeds: [number, number[]][]}} tape
 * @param {number[]} [terms] By node, the largest term of its gradient, where that is wanted.
 */
export function compile({ nodes, seeds }, terms) {
  const [values, gradients, forward, backward, states] = [[], [], [], [], []];
  let rounding = 1; // of what is sent: how much larger the terms were that it is made of
  const remembering = (array, id) => new Proxy(array, {
    set(target, place, value) {
      terms[id] = Math.max(terms[id], rounding * Math.abs(value - target[place]) || 0);
      target[place] = value;
      return true;
    },
  });
  // Integers have no slope: made of integers alone they are what they were.
  const constant = nodes.map(({ op, dtype, inputs = [] }) => !op || (!isFloat(dtype) && !inputs.some((input) => isFloat(nodes[input].dtype))));
  for (const [id, node] of nodes.entries()) {
    const { op, shape, dtype, inputs = [], value } = node;
    const size = sizeOf(shape);
    values[id] = dtype === "float32" ? new Float32Array(size) : new Float64Array(size);
    const r = ROUNDED[dtype] ?? exactly;
    const stored = dtype === "float16" ? [() => round(values[id], half)] : []; // no array of JavaScript's rounds to it
    gradients[id] = isFloat(dtype) ? new Float64Array(size) : null;
    if (constant[id] || !isFloat(dtype)) {
      const used = !constant[id] && nodes.some((other) => other.inputs?.includes(id)); // the places of a sort
      if (used) return { off: `the integers of \`${node.called}\` depend on numbers that move` };
      if (value?.length !== size) return { off: `the numbers of \`${node.called}\` were cut` };
      values[id].set(value);
      forward.push(...stored);
      continue;
    }
    const make = OPS[op];
    if (!make) return { off: `the op \`${op}\` is not known here` };
    const parts = make({
      node, shape, r, o: values[id], go: gradients[id],
      a: inputs.map((input) => values[input]),
      ga: inputs.map((input) => (terms && gradients[input] ? remembering(gradients[input], input) : gradients[input])),
      shapes: inputs.map((input) => nodes[input].shape), isLeaf: inputs.map((input) => constant[input]),
      get: (name) => node.attributes?.[name],
    });
    if (!parts) return { off: `the op \`${op}\` is not known here in this form` };
    forward.push(parts[0], ...stored);
    if (inputs.some((input) => gradients[input])) backward.push([id, parts[1]]);
    if (parts[2]) states.push([id, parts[2]]);
  }
  backward.reverse();
  const arrive = (id) => round(gradients[id], ROUNDED[nodes[id].dtype]);
  const leaves = [...nodes.keys()].filter((id) => constant[id] && gradients[id]);
  const pull = () => {
    for (const g of gradients) g?.fill(0);
    for (const [id, seed] of seeds) seed.forEach((by, i) => { gradients[id][i] += by; });
    for (const [id, back] of backward) {
      arrive(id);
      const most = gradients[id].reduce((top, g) => Math.max(top, Math.abs(g) || 0), 0);
      if (terms) rounding = Math.max(1, most ? terms[id] / most : 1);
      if (most || gradients[id].some(Number.isNaN)) back();
    }
    leaves.forEach(arrive);
  };
  return {
    values, gradients, states, seeds, pull,
    /** The sum of the targets, each element times its seed. */
    get result() {
      return seeds.reduce((sum, [id, seed]) => seed.reduce((all, by, i) => all + (by ? by * values[id][i] : 0), sum), 0);
    },
    /** Forward, and backward unless only the result is wanted. */
    run(back = true) {
      for (const compute of forward) compute();
      if (back) pull();
    },
    /** As it was recorded: what comes back is computed at the recorded values. */
    rewind() {
      nodes.forEach(({ value }, id) => { if (value && constant[id]) values[id].set(value); });
      for (const compute of forward) compute(); // some ops remember what they found
      nodes.forEach(({ value }, id) => { if (value) values[id].set(value); });
      pull();
    },
  };
}

/** How far numbers are from recorded ones, in parts of the largest; infinite where one of two is NaN. */
export function distance(mine, recorded, least = 0) {
  let [gap, top] = [0, least];
  recorded.forEach((theirs, i) => {
    const own = mine[i];
    if (Number.isFinite(theirs)) top = Math.max(top, Math.abs(theirs));
    if (Object.is(own, theirs) || own === theirs) return;
    gap = Math.max(gap, Number.isFinite(own) && Number.isFinite(theirs) ? Math.abs(own - theirs) : Infinity);
  });
  return gap && gap / (top || 1e-30);
}

/**
 * Computes what was recorded again: only a tape that gives every number again may give others.
 *
 * Values are computed from the sources. What comes back is computed at the recorded values, for a last
 * digit of a saturated tanh is many digits of its slope; and where terms cancel, the largest of them
 * is what rounding is measured by. What arrived at a variable holds what arrived at its later values.
 * @param {{nodes: any[], seeds: [number, number[]][], gradients: [number, number[] | null][], versions: (id: number) => number[]}} tape
 */
export function proven(tape) {
  const terms = tape.nodes.map(() => 0);
  const tried = compile(tape, terms);
  if (tried.off) return tried;
  const made = compile(tape);
  let [checked, farthest] = [0, 0];
  const compare = (id, mine, recorded, what, least) => {
    const gap = distance(mine, recorded, least);
    checked += recorded.length;
    farthest = Math.max(farthest, gap);
    if (!(gap <= (MOST[tape.nodes[id].dtype] ?? 0))) made.off ??= `computed again, ${what} \`${tape.nodes[id].called}\` differs from what was recorded`;
  };
  tried.run(false);
  for (const [id, node] of tape.nodes.entries()) if (node.op && node.value && isFloat(node.dtype)) compare(id, tried.values[id], node.value, "the value of");
  tried.rewind();
  for (const [id, recorded] of tape.gradients) {
    if (recorded) compare(id, tape.versions(id).reduce((sum, each) => sum.map((g, i) => g + tried.gradients[each][i]), tried.gradients[id]), recorded, "the gradient of", Math.max(terms[id], ...tape.versions(id).map((each) => terms[each])));
    else if (tried.gradients[id]?.some((g) => g !== 0)) made.off ??= `computed again, \`${tape.nodes[id].called}\` has a gradient, and none was recorded`;
  }
  made.rewind();
  return Object.assign(made, { checked, farthest });
}
