/*
 * A gradient that is None: what breaks the way, at its line, and what to write instead.
 *
 * The one fact to know: a correction is in the data only after it was run and gave a gradient. Where
 * there is none, the cause stands alone.
 */
"use strict";

/** The findings that an `unconnected` step is about: those at its line, else all. */
function findingsOf(player, step) {
  const { findings = [] } = player.data;
  const own = findings.filter(({ line }) => line === step.line?.[1]);
  return own.length ? own : findings;
}

/** The panes of a None: cause and correction side by side. */
function noneOf(player, step) {
  return findingsOf(player, step).flatMap(({ kind, line, cause, correction = "" }) => {
    const rows = correction.split("\n");
    const changed = rows.filter((row) => /^[-+] /.test(row));
    const [said] = rows.filter((row) => row.startsWith("Tried"));
    const code = changed.length ? changed : codeAt(player, step.line).map((text) => `  ${text.trim()}`);
    const broken = el("section", { class: "reason" }, el("h2", {}, `✕ ${kind}`, line ? el("small", {}, ` line ${line}`) : ""), el("p", {}, ...spoken(cause)), rowsOf(code.filter((row) => !row.startsWith("+"))));
    if (!changed.length) return [broken];
    return [broken, el("section", { class: "reason mended" }, el("h2", {}, "✓ The same, corrected"), el("p", {}, said ?? ""), rowsOf(changed.filter((row) => row.startsWith("+"))))];
  });
}

function rowsOf(rows) {
  return el("pre", {}, ...rows.map((row) => el("span", { class: { "-": "out", "+": "in" }[row[0]] ?? "" }, `${row}\n`)));
}

/** The line of the program that a step is about. */
function codeAt({ data }, place) {
  const block = place && data.source[place[0]];
  return block ? [block.lines[place[1] - block.first]] : [];
}

/** The first sentence of a step that ends without a gradient; the rest stands beside the cause. */
function firstSentence(sentence) {
  return /^.*?(None|zeros, as asked for)\. /.exec(sentence)?.[0].trim() ?? sentence;
}
