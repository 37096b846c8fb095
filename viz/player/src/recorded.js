/*
 * The tape of a player's data in full precision, as touch.py wrote it for the evaluator.
 *
 * One row of bytes holds all numbers: values in the order of nodes, then what arrived, then the
 * seeds; each array as wide as the dtype of its node (float16 is as float32). No DOM.
 */

import { sizeOf } from "./evaluate.js";

/** @type {Record<string, any>} */
const KINDS = { float16: Float32Array, float32: Float32Array, float64: Float64Array, bool: Uint8Array };

/**
 * Nodes with all their numbers, the seeds, and what arrived in the end.
 * @param {Pick<import("./data.d.ts").Data, "nodes" | "touch">} data
 */
export function tapeOf({ nodes, touch }) {
  const { numbers = "", gradients = [], none = [], seeds, missing = [], outputs = {}, assigned = {} } = touch;
  const bytes = Uint8Array.from(atob(numbers), (character) => character.charCodeAt(0));
  let at = 0;
  const next = (id) => {
    const Kind = KINDS[nodes[id].dtype] ?? Int32Array;
    const length = sizeOf(nodes[id].shape) * Kind.BYTES_PER_ELEMENT;
    return new Kind(bytes.slice(at, (at += length)).buffer);
  };
  const whole = nodes.map((node, id) => ({ ...node, output: outputs[id] ?? 0, value: missing.includes(id) ? undefined : next(id) }));
  const arrived = [...gradients.map((id) => /** @type {[number, number[]]} */ ([id, next(id)])), ...none.map((id) => /** @type {[number, null]} */ ([id, null]))];
  const first = (id) => assigned[id] ?? id;
  /** The later values of the same variable, which was assigned to. */
  const versions = (id) => Object.keys(assigned).map(Number).filter((each) => each > id && first(each) === first(id));
  return { versions, nodes: whole, gradients: arrived, seeds: seeds.map((id) => /** @type {[number, number[]]} */ ([id, next(id)])) };
}
