/*
 * How the matrices of a step fit: into one row, and above the fold.
 *
 * The one fact to know: what gives way first is what is said twice (notes, words of axes), then the
 * digits of elements that nothing points at; those of the sum itself, and the result's, go last.
 */
"use strict";

// Classes of the row, from all digits to none; the first with which nothing wraps is taken.
const MARKED = ["fine", "stack", "all", "all stack", "all fine", "all stack fine", "bare fine", "bare stack", "all bare fine", "all bare stack"];
const LEVELS = [
  "", "terse", "terse fine", "terse plain fine", "terse stack small", "terse plain stack small", "terse marks small",
  ...MARKED.map((more) => `terse plain marks ${more} small`), "terse plain marks all bare barest smaller",
];
const SEVERAL = ["", "fine marks", "fine marks all", "smaller marks all", "smaller wrapped marks all"].map((more) => `terse several ${more}`);
const STACKED = ["stacked", "stacked low", "stacked low lowest"]; // batches of images stand below each other
// Classes of the side, from all of it to the least: the program to one line, no gates, lower rows, no walk from 0 to the sum.
const LOWER = ["", "tight", ...["", "low", "low tighter", "low lowest tighter"].map((more) => `tight gateless ${more}`)];

const LOWERED = ["tight", "tight low", "tight low lowest"]; // of a summary, and of a way through gates

class Fit {
  constructor(player) {
    const [row, pane] = [player.part("cards"), player.part("panes")];
    Object.assign(this, { player, row, pane, side: pane.parentElement, taken: new Map() });
  }

  /** Into one row: if all digits do not fit, those of the pointed row, column and element stay. */
  across({ step, matrices, parts }) {
    const { row, side } = this;
    const { main, data } = this.player;
    this.figures = matrices.map(({ figure }) => figure);
    this.place = [main.clientWidth, main.clientHeight, step.kind, data.nodes[step.node]?.op, parts?.length, ...matrices.map(({ array }) => array?.shape)].join();
    const isStacked = matrices.some(({ isBatch }) => isBatch);
    this.levels = isStacked ? STACKED : parts?.[2] ? SEVERAL : LEVELS;
    row.className = "cards";
    // What the last step of such shapes came to: a search makes two dozen layouts.
    const last = this.taken.get(this.place);
    const drop = () => (isStacked ? [] : matrices).forEach((matrix) => matrix.dropWideNote());
    this.drops = last?.drops;
    if (last) {
      if (last.drops) drop();
      [row.className, side.className, this.level, this.lowered] = last.found;
      if (!this.wraps() && !this.isLow()) return;
      row.className = "cards";
    }
    side.className = "side";
    this.lowered = 0;
    this.level = this.levels.length - 1;
    if (!this.drops && (this.drops = this.wraps())) drop();
    this.widen(0);
  }

  /** Down, for a new step: what it comes to is where the next of such shapes begins. */
  settle() {
    this.down();
    const { row, side, level, lowered, drops } = this;
    this.taken.set(this.place, { drops, found: [row.className, side.className, level, lowered] });
  }

  /** Take the first level, from one on, with which the row does not wrap. */
  widen(from) {
    for (let level = from; level < this.levels.length; level++) {
      this.row.className = `cards ${this.levels[level]}`;
      this.level = level;
      if (!this.wraps()) return true;
    }
    return false;
  }

  isLow() {
    return this.pane.scrollHeight > this.pane.clientHeight;
  }

  /** All that is there, but lower. */
  lower() {
    for (const lower of LOWERED) if (this.isLow()) this.side.className = `side ${lower}`;
  }

  /** Bring what would be below the fold above it: by lower parts around, then by fewer digits. */
  down() {
    if (this.player.main.clientWidth < 700) return;
    if (!this.lowered && this.pane.querySelector(".gates")) this.keepGates();
    const isStrip = this.player.main.classList.contains("strip");
    while (this.isLow() && this.lowered + 1 < LOWER.length) {
      this.side.className = `side ${LOWER[++this.lowered]}`;
      if (isStrip && this.lowered === 1) this.widen(0); // the program went aside
    }
    this.fewer();
  }

  /** Fewer digits, until all of it is above the fold. */
  fewer() {
    while (this.isLow() && this.level + 1 < this.levels.length) this.widen(this.level + 1);
  }

  /** The way of g through gates goes last: before it digits that the terms say again. */
  keepGates() {
    this.lower();
    this.fewer();
    if (!this.isLow()) return;
    this.side.className = "side";
    this.widen(0);
  }

  /** Another element may have more digits, or more terms: nothing comes back before the next step. */
  again() {
    if (this.wraps()) this.widen(this.level + 1);
    this.down();
  }

  wraps() {
    const { figures, row } = this;
    if (this.levels === STACKED) return false;
    const { offsetTop, offsetHeight } = figures[0] ?? {};
    return row.scrollWidth > row.clientWidth + 1 || figures.some((each) => each.offsetTop >= offsetTop + offsetHeight || each.scrollWidth > each.clientWidth + 1);
  }
}
