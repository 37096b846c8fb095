/*
 * Used by test_evaluator.py: reads the data of players, one a line, and proves each tape.
 *
 * What is asked besides comes as `touched`, [[node, element, value], ...].
 */

import { proven } from "../../../../viz/player/src/evaluate.js";
import { tapeOf } from "../../../../viz/player/src/recorded.js";
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { nodes, touch, touched = [] } = JSON.parse(line);
  const made = proven(tapeOf({ nodes, touch }));
  const { off, checked, farthest } = made;
  const found = { off, checked, farthest };
  if (!off && touched.length) {
    for (const [node, element, value] of touched) made.values[node][element] = value;
    made.run();
    Object.assign(found, { result: made.result, gradients: made.gradients.map((each) => each && Array.from(each)) });
  }
  console.log(JSON.stringify(found));
}
