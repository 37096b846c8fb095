/*
 * A gradient that is None: what breaks the way, at its line, and what to write instead.
 *
 * The one fact to know: a correction was run and gave a gradient, and then says so, or it is known
 * from the line alone. Where there is none, the cause stands alone.
 */

import { el, spoken } from "./panes.js";

const NEIGHBOURS = 1; // lines above and below those that a correction changes

/** The findings that an `unconnected` step is about: those at its line, else all. */
export function findingsOf(player, step) {
  const { findings = [] } = player.data;
  const own = findings.filter(({ line }) => line === step.line?.[1]);
  return own.length ? own : findings;
}

/** The panes of a None: what breaks the way, what to write instead, and the graph which that gives. */
export function noneOf(player, step) {
  return findingsOf(player, step).map(({ kind, line, cause, correction = "", corrected }) => {
    const rows = correction.split("\n");
    const changed = rows.filter((row) => /^[-+] /.test(row));
    const [said = ""] = rows.filter((row) => row.startsWith("Tried"));
    const [before, after] = bothSides(player, line, changed);
    if (!before.length) before.push(...codeAt(player, step.line).map((text) => `  ${text.trim()}`));
    const broken = el("section", { class: "reason" }, el("h2", {}, `✕ ${kind}`, line ? el("small", {}, ` line ${line}`) : ""), el("p", {}, ...spoken(cause)), rowsOf(before));
    if (!changed.length) return broken;
    const mended = el("section", { class: `reason ${said ? "mended" : "known"}` }, el("h2", {}, `${said && "✓ "}What to write instead`), el("p", {}, said || "Read from the line alone; it was not run."), rowsOf(after));
    return corrected ? el("div", { class: "compared" }, broken, mended, afterwards(corrected, said)) : el("div", { class: "reasons" }, broken, mended);
  });
}

/** The graph of the run with the correction, beside that of the tape. */
function afterwards(drawing, said) {
  const picture = el("img", { src: `data:image/svg+xml,${encodeURIComponent(drawing)}`, alt: `The graph with the correction. ${said}` });
  return el("figure", { class: "corrected" }, el("figcaption", {}, "✓ The same, corrected"), picture);
}

/** The changed lines before and after, each between its neighbours where all stand together in the program. */
function bothSides({ data }, line, changed) {
  const [out, put] = ["-", "+"].map((sign) => changed.filter((row) => row.startsWith(sign)));
  const block = data.source.find(({ first, lines }) => line >= first && line < first + lines.length);
  const from = block && out.length ? block.lines.findIndex((_, at) => out.every((row, i) => block.lines[at + i] === row.slice(2))) : -1;
  if (from < 0) return [out, put].map(flushed);
  const near = (start, stop) => block.lines.slice(Math.max(start, 0), stop).map((text) => `  ${text}`);
  const [above, below] = [near(from - NEIGHBOURS, from), near(from + out.length, from + out.length + NEIGHBOURS)];
  return [out, put].map((rows) => flushed([...above, ...rows, ...below]));
}

/** Lines without the indentation that all of them have. */
function flushed(rows) {
  const indents = rows.filter((row) => row.slice(2).trim()).map((row) => /^. ( *)/.exec(row)[1].length);
  const common = Math.min(...indents);
  return rows.map((row) => row.slice(0, 2) + row.slice(2 + common));
}

function rowsOf(rows) {
  return el("pre", {}, ...rows.map((row) => el("span", { class: { "-": "out", "+": "in" }[row[0]] ?? "" }, row)));
}

/** The line of the program that a step is about. */
function codeAt({ data }, place) {
  const block = place && data.source[place[0]];
  return block ? [block.lines[place[1] - block.first]] : [];
}

/**
 * What an `unconnected` step says: where the way ends; the rest stands beside the cause.
 * @param {any} player
 * @param {import("./data.d.ts").Step} step
 */
export function endSentence(player, step) {
  const [first] = findingsOf(player, step);
  const said = /^.*?(None|zeros, as asked for)\. /.exec(step.sentence)?.[0].trim() ?? step.sentence;
  return first.line ? said.replace(/\.$/, `, for the way ends at line ${first.line} (${first.kind}).`) : said;
}
