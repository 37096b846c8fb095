/*
 * Fused ops opened in place: elementary nodes and steps stand where the op and its steps stood.
 *
 * One op is open at a time. Opening exchanges the lists of nodes and steps that everything else
 * reads, and the picture; closing brings back those that came with the page.
 */

import { svgEl } from "./marks.js";
import { el } from "./panes.js";
import { walkOf } from "./time.js";

export class Opening {
  constructor(player) {
    const { nodes, steps, insides = [] } = player.data;
    Object.assign(this, { player, nodes, steps, inside: null, insides: new Map(insides.map((each) => [each.node, each])) });
  }

  /** The picture with the open op in its frame, if one is open. */
  get view() {
    return this.inside?.view;
  }

  /** How many steps more than the closed ones stand on the way there, and on the way back. */
  get more() {
    const { at: [, start, stop], forward, backward } = this.inside;
    return [forward.length - 1, backward.length - (stop - start)];
  }

  /** A step of the list that is shown, as the closed step that it belongs to and its place within. */
  closed(at) {
    if (!this.inside) return [at, null];
    const { at: [first, start, stop], forward, backward } = this.inside;
    const [ahead, back] = this.more;
    if (at < first) return [at, null];
    if (at < first + forward.length) return [first, at - first];
    if (at < start + ahead) return [at - ahead, null];
    if (at < start + ahead + backward.length) return [start, at - start - ahead];
    return [Math.max(at - ahead - back, stop), null];
  }

  /** The fold that shows a step beside the overview. */
  fold(at) {
    const [closed, within] = this.closed(at);
    const { views, folds } = this.player.data;
    return within === null ? views[folds[closed]] : this.view;
  }

  /** A closed step in the list that is shown. */
  shown(at) {
    if (!this.inside) return at;
    const { at: [first, start, stop] } = this.inside;
    const [ahead, back] = this.more;
    return at <= first ? at : at <= start ? at + ahead : at < stop ? start + ahead : at + ahead + back;
  }

  /** "10.3": the number of a step; steps within an open op are numbered within its own. */
  number(at) {
    const [closed, within] = this.closed(at);
    const place = this.walk.indexOf(closed) + 1;
    return within === null ? `${place}` : `${place}.${within + 1}`;
  }

  /** The steps that are walked through while nothing is open. */
  get walk() {
    if (!this.inside) return this.player.walk;
    return walkOf({ ...this.player.data, steps: this.steps }, this.player.main.classList.contains("remembering"));
  }

  /** The op that the step in view is about, if it can be opened or is. */
  get own() {
    const { at, data } = this.player;
    if (this.closed(at)[1] !== null) return this.inside;
    return this.insides.get(data.steps[at]?.node) ?? null;
  }

  /** Open an op, or close it; without one that of the step, else the only one there is. */
  toggle(node) {
    const [only] = this.insides.size === 1 ? this.insides.keys() : [];
    const wanted = node ?? this.own?.node ?? this.inside?.node ?? only;
    if (wanted === undefined) return;
    const [at] = this.closed(this.player.at);
    this.inside = this.inside?.node === wanted ? null : this.insides.get(wanted) ?? null;
    Object.assign(this.player.data, this.lists());
    this.player.relist();
    this.player.go(this.shown(this.inside && ![this.inside.at[0], this.inside.at[1]].includes(at) ? this.inside.at[1] : at));
    this.player.resize(); // an opened op is wider
  }

  lists() {
    const { nodes, steps, inside, player } = this;
    if (!inside) return { nodes, steps };
    const [first, start, stop] = inside.at;
    inside.view ??= { svg: inside.svg, members: inside.members };
    inside.view.depth = player.depth;
    const last = { ...nodes[inside.node], op: inside.last.op, inputs: inside.last.inputs, formula: inside.last.formula, numbers: inside.last.numbers };
    return {
      nodes: [...nodes.with(inside.node, last), ...inside.nodes],
      steps: [...steps.slice(0, first), ...inside.forward, ...steps.slice(first + 1, start), ...inside.backward, ...steps.slice(stop)],
    };
  }

  /** Beside the proof: the switch, and that both forms gave the same. */
  mark() {
    const { player, own } = this;
    const [button, said] = [player.root.querySelector("[data-do=open]"), player.part("same")];
    button.hidden = !own;
    said.hidden = !own || own !== this.inside;
    if (!own) return;
    const isOpen = own === this.inside;
    button.textContent = `${isOpen ? "close" : "open"} the op · O`;
    button.ariaPressed = isOpen;
    const exactly = own.difference === "0.0" ? "to the last digit" : `the largest difference is ${own.difference}`;
    said.replaceChildren(el("b", {}, "✓ same"), ` The op in ${own.forward.length} elementary steps: both forms gave the same gradient, ${exactly}.`);
  }
}

/** The sign of a box that can be opened; it is pressed apart from the box. */
export function openingSign(width, height) {
  const sign = svgEl("g", { class: "opens", transform: `translate(${width - 20} ${height - 20})` });
  sign.append(svgEl("rect", { width: 15, height: 15, rx: 3 }), svgEl("path", { d: "M3.5 7.5h8M7.5 3.5v8" }));
  return sign;
}
