/*
 * How the matrices of a step fit: into one row, and above the fold.
 *
 * What gives way first is what is said twice (notes, words of axes), then the digits of elements
 * that nothing points at; those of the sum itself, and the result's, go last.
 */

// Classes of the row, from all digits to none; the first with which nothing wraps is taken.
const LEVELS = [
  "", "terse", "terse fine", "terse plain fine", "terse stack small", "terse plain stack small", "terse marks small", "terse plain marks fine small",
  "terse plain marks stack small", "terse plain marks all small", "terse plain marks all stack small", "terse plain marks all fine small",
  "terse plain marks all stack fine small",
  "terse plain marks bare fine small", "terse plain marks bare stack small", "terse plain marks all bare fine small",
  "terse plain marks all bare stack small", "terse plain marks all bare barest smaller",
];
const SEVERAL = ["terse several", "terse several fine marks", "terse several fine marks all", "terse several smaller marks all", "terse several smaller wrapped marks all"];
const LEAST_LINES = 3; // of terms
// Batches of images stand below each other; the digits of a kernel between them go where they are too wide.
const STACKED = ["stacked", "stacked bare", "stacked low", "stacked bare lowest"];
// Classes of the side, from all of it to the least: the program to one line, no gates, lower rows, no walk from 0 to the sum.
const LOWER = ["", "tight", ...["", "low", "low tighter", "low lowest tighter"].map((more) => `tight gateless ${more}`)];

const LOWERED = ["tight", "tight low", "tight low lowest"]; // of a summary, and of a way through gates

export class Fit {
  constructor(player) {
    const [row, pane] = [player.part("cards"), player.part("panes")];
    Object.assign(this, { player, row, pane, side: pane.parentElement, taken: {} });
  }

  /** Into one row: if all digits do not fit, those of the pointed row, column and element stay. */
  across({ matrices, parts }) {
    this.matrices = matrices;
    this.levels = matrices.some(({ isBatch }) => isBatch) ? STACKED : parts?.[2] ? SEVERAL : LEVELS;
    // What the last step of such shapes came to: a search makes two dozen layouts.
    this.place = [this.levels[0], innerWidth, innerHeight, ...matrices.map(({ array }) => array?.shape)].join();
    this.last = this.taken[this.place];
    this.begin(...(this.last ?? [0, "side"]));
  }

  /** With what stands around the row as many digits as fit into one, from a level on. */
  begin(level, side) {
    Object.assign(this, { level, lowered: 0 });
    this.side.className = side;
    this.row.className = `cards ${this.levels[level]}`;
    if (!this.wraps()) return;
    for (const matrix of this.matrices) matrix.dropWideNote();
    this.widen(level);
  }

  /** Take the first level, from one on, with which the row does not wrap. */
  widen(from) {
    for (let level = from; level < this.levels.length; level++) {
      this.row.className = `cards ${this.levels[level]}`;
      this.level = level;
      if (!this.wraps()) return;
    }
  }

  isLow() {
    return this.pane.scrollHeight > this.pane.clientHeight;
  }

  /** All that is there, but lower. */
  lower() {
    for (const lower of LOWERED) if (this.isLow()) this.side.className = `side ${lower}`;
  }

  /** More gradients than there is room for: they are a list that scrolls, and what is said of all stays in view. */
  list(gradients) {
    this.side.className = "side tight";
    this.row.className = "cards scrolls";
    gradients.previousSibling.append(": scroll the list");
    gradients.tabIndex = 0; // or keys could not reach its end
  }

  /**
   * Into the room that is left beside the terms, and above the fold: by lower parts around, then by fewer digits.
   * Another element may have more digits, or more terms: nothing comes back before the next step.
   */
  down(isNew) {
    if (this.wraps()) this.widen(this.level + 1);
    if (this.player.main.clientWidth < 700) return;
    if (isNew && this.last && this.isLow()) this.begin(0, "side");
    if (!this.lowered && this.pane.querySelector(".gates")) this.keepGates();
    while (this.isLow() && this.lowered + 1 < LOWER.length) {
      this.side.className = `side ${LOWER[++this.lowered]}`;
      if (this.lowered === 1 && this.player.main.classList.contains("strip")) this.widen(0); // the program went aside
    }
    this.fewer();
    if (this.isLow()) this.row.classList.add("smallest");
    const { proof } = this.player;
    while (this.isLow() && proof.lines > LEAST_LINES) proof.write(proof.lines - 1);
    if (isNew) this.taken[this.place] = [this.level, this.side.className];
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

  wraps() {
    const figures = this.matrices.map(({ figure }) => figure);
    return [this.row, ...this.row.querySelectorAll(".card, .tiles")].some((each) => each.scrollWidth > each.clientWidth + 1)
      || (this.levels !== STACKED && figures.some((each) => each.offsetTop >= figures[0].offsetTop + figures[0].offsetHeight));
  }
}
