/*
 * What moves on a step: a number leaves its op, is multiplied half way and arrives; a part drops into its sum.
 *
 * What a step shows stands there at once. What moves is a copy, for a quarter of a second, and the
 * next key or step takes it away. Nothing else moves, and nothing where the system asks for less
 * motion.
 */

import { miniature, svgEl } from "./marks.js";

const LASTS = 250; // milliseconds
const STOPS = 12; // places along an edge

/** Whatever moves in a player is at its end. */
export function settle(root) {
  for (const each of root.getAnimations()) each.finish();
}

/** A copy moves through some places, and is gone. */
function pass(copy, frames) {
  const moving = copy.animate(frames, { duration: LASTS, easing: "ease-in-out" });
  moving.onfinish = moving.oncancel = () => copy.remove();
}

/** What a step adds to the one before it: of steps that were not gone through nothing moves. */
export function carry(player) {
  const { data, at, graph, proof: { scene } } = player;
  const step = data.steps[at];
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  if (["pull", "push"].includes(step?.kind)) for (const key of graph.lit) travel(graph.edges.get(key).path, step, data);
  if (step?.kind !== "accumulate" || !scene?.parts) return;
  const [from, to] = [scene.parts.at(-1).figure, scene.result.figure];
  const { offsetLeft: left, offsetTop: top } = from;
  const copy = from.cloneNode(true);
  copy.style.cssText = `position:absolute;left:${left}px;top:${top}px`;
  copy.ariaHidden = "true";
  from.offsetParent.append(copy);
  pass(copy, [{}, { transform: `translate(${to.offsetLeft - left}px,${to.offsetTop - top}px)`, opacity: 0.3 }]);
}

/** Along an edge: what comes in on its first half, what goes out on the other. */
function travel(path, { kind, cotangent, contribution, node, to }, { arrays, nodes }) {
  const length = path.getTotalLength();
  const ends = [[cotangent, kind === "pull" ? node : to], [contribution, kind === "pull" ? to : node]];
  ends.forEach(([place, id], half) => {
    const array = arrays[place];
    const copy = svgEl("g", { class: "moving" });
    if (array?.cells?.length === 1) copy.append(svgEl("text", { "text-anchor": "middle" }, array.text));
    else copy.append(...[miniature(array ?? {}, nodes[id].tiles, "cotangent", -18, -18, 36, 36)?.g].filter(Boolean));
    const frames = Array.from({ length: STOPS + 1 }, (_, i) => {
      const { x, y } = path.getPointAtLength((length * (kind === "pull" ? STOPS - i : i)) / STOPS);
      return { transform: `translate(${x}px,${y}px)`, opacity: Number(i < STOPS / 2 === !half) };
    });
    path.ownerSVGElement.append(copy);
    pass(copy, frames);
  });
}
