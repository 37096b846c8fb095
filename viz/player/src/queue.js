/*
 * Pending counts: the count on each op, the queue of ready ops, and the orders beside each other.
 *
 * Counts and queues come with the steps; here they are looked up and shown.
 */

import { el } from "./panes.js";

const SHOWN_OPS = 14; // of an order, around the op that is being done

/** Notes for each node when its count changes; gives the queue from each step on that sets one. */
export function indexQueue({ steps }, life) {
  const queues = [];
  let taken = -1;
  steps.forEach(({ kind, pending, queue }, at) => {
    for (const [id, count] of Object.entries(pending ?? {})) (life[id].counts ??= []).push({ at, count });
    if (kind === "ready") taken += 1;
    if (queue) queues.push({ at, queue, taken });
  });
  return queues;
}

export const queueAt = (index, at) => index.queues.findLast((found) => found.at <= at) ?? { queue: [], taken: -1 };

/** Fill the strip: the queue, and of each order what is done, what is next, and where they differ. */
export function fillOrders(strip, { data, index, at }, pick) {
  strip.hidden = !data.orders;
  strip.getRootNode().querySelector(".uses").hidden = !data.orders;
  if (strip.hidden) return;
  const { queue, taken } = queueAt(index, at);
  const chip = (id, kind) => {
    const made = el("button", { type: "button", class: `chip ${kind}`, tabindex: -1 }, data.nodes[id].called);
    made.addEventListener("click", () => pick(id));
    return made;
  };
  const row = (name, chips) => el("div", {}, el("span", { class: "row" }, name), ...chips);
  const waiting = queue.slice(0, SHOWN_OPS).map((id) => chip(id, "queued"));
  if (queue.length > SHOWN_OPS) waiting.push(`… and ${queue.length - SHOWN_OPS} more`);
  const rows = data.orders.map(({ name, nodes }) => {
    const first = Math.max(0, Math.min(nodes.length - SHOWN_OPS, taken - SHOWN_OPS / 2));
    const chips = nodes.slice(first, first + SHOWN_OPS).map((id, i) => {
      const state = first + i < taken ? "done" : first + i === taken ? "now" : "";
      return chip(id, nodes[first + i] === data.orders[0].nodes[first + i] ? state : `${state} other`);
    });
    return row(name, [...(first ? ["… "] : []), ...chips, ...(first + SHOWN_OPS < nodes.length ? [" …"] : [])]);
  });
  strip.replaceChildren(row("queue of ready ops", waiting.length ? waiting : ["empty"]), ...rows);
}
