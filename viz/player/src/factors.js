/*
 * Factors on the edges of the graph, behind the last step: what each edge multiplies a cotangent by.
 *
 * Between two numbers the factor is the slope, with its sign. Elsewhere no one number is, so sizes
 * are compared (the largest elements), as in the bars of what arrives.
 */

import { largestOf, svgEl } from "./marks.js";
import { short } from "./numbers.js";
import { factorOf } from "./summary.js";

const MOST_FACTORS = 80; // edges of a picture; on more they could not be read
const MOST_USES = 4; // of one value: more edges to it run together, and none can be told from another
const FACTOR_HEIGHT = 17;
const FACTOR_LETTER = 7.3; // width of a character of 12 px
const BEFORE_OP = 42; // pixels; farther away many edges of one variable run together
const ALONG = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74]; // of an edge: where its factor may stand

/** The factor of an edge from the pulls along it: { text, said, at }; undefined where none can be said. */
function edgeFactor(graph, pulls) {
  const { data, index, nodes } = graph;
  const step = pulls.at(-1);
  const end = index.life[step.to];
  if (end.contributions.length > MOST_USES) return undefined;
  const { id, ids } = nodes.get(graph.box(step.node));
  const at = data.steps.indexOf(step);
  const exact = ids.length === 1 && pulls.length === 1 ? factorOf(data, step) : undefined;
  if (exact !== undefined) return { text: `× ${exact}`, said: `∂ is multiplied by ${exact} here`, quiet: exact === "1.0", at };
  // Several pulls are said as one where nothing else reached their end: its cotangent is what they bring.
  const whole = pulls.every(({ to }) => to === step.to) && end.contributions.length === pulls.length;
  if (pulls.length > 1 && !whole) return undefined;
  const before = data.arrays[ids.length > 1 ? index.life[id].cotangents.at(-1)?.array : step.cotangent];
  const after = data.arrays[pulls.length > 1 ? end.cotangents.at(-1)?.array : step.contribution];
  if (!before || !after) return undefined;
  const ratio = largestOf(after) / largestOf(before);
  if (!Number.isFinite(ratio)) return undefined;
  const said = `the largest element of ∂: ${short(largestOf(before))} in size before this edge, ${short(largestOf(after))} behind it`;
  return { text: `|∂| × ${short(ratio)}`, said, quiet: ratio === 1, at };
}

/** Write the factors on the edges of a graph; gives the labels. */
export function drawFactors(graph) {
  const { data, edges } = graph;
  if (data.carries || edges.size > MOST_FACTORS) return [];
  const pulls = new Map();
  for (const step of data.steps) {
    const keys = step.kind === "pull" ? graph.edgesAt(step.to, step.node, step.position) : [];
    for (const key of keys) pulls.set(key, [...(pulls.get(key) ?? []), step]);
  }
  const taken = [...graph.nodes.values()].map(({ place }) => place);
  const labels = [];
  const { full, window, pane } = graph;
  const [middle, half] = pane ? [window[0] + window[2] / 2, pane[0] / graph.scale() / 2] : [full[0], 0];
  const room = [Math.min(full[0], middle - half), Math.max(full[0] + full[2], middle + half)]; // the drawing, and what is seen beside it
  for (const [key, steps] of pulls) {
    const factor = edgeFactor(graph, steps);
    const place = factor && roomFor(edges.get(key).path, factor.text.length * FACTOR_LETTER + 8, taken, room[0], room[1]);
    if (!place) continue;
    taken.push(place);
    const [left, top, width] = place;
    const label = svgEl("g", { class: factor.quiet ? "slope quiet" : "slope", "data-of": key, "data-step": factor.at, transform: `translate(${left.toFixed(1)} ${top.toFixed(1)})` },
      svgEl("title", {}, `${factor.said}: click for its step`), svgEl("rect", { width, height: FACTOR_HEIGHT, rx: 4 }), svgEl("text", { x: width / 2, y: 12.5, "text-anchor": "middle" }, factor.text));
    graph.svg.append(label);
    labels.push(label);
  }
  return labels;
}

/** Where on an edge, or close beside it, a label within a range covers no box and no other label. */
function roomFor(path, width, taken, from, to) {
  const length = path.getTotalLength();
  const ways = [Math.max(length / 2, length - BEFORE_OP), ...ALONG.map((share) => length * share)];
  const points = ways.map((way) => path.getPointAtLength(way));
  for (const aside of [0, width / 2 + 3, -width / 2 - 3]) {
    for (const { x, y } of points) {
      const [left, top] = [x + aside - width / 2, y - FACTOR_HEIGHT / 2];
      const free = left >= from && left + width <= to && taken.every(([l, t, w, h]) => left + width < l || l + w < left || top + FACTOR_HEIGHT < t || t + h < top);
      if (free) return [left, top, width, FACTOR_HEIGHT];
    }
  }
  return undefined;
}
