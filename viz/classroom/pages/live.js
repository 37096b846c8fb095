/*
 * A live page: the editor, its buttons, and the link that carries a program.
 *
 * The text of the editor is run on the stage, in a frame of its own. A program that came with the
 * address is read as text, and first runs when its reader presses Run.
 */
"use strict";

const part = (id) => document.getElementById(id);
const programs = JSON.parse(part("programs").textContent);
const WAIT = 40; // milliseconds without a key before an edit runs
const SHORT = 4, LONG = 30; // seconds for a run after an edit, and for one that was asked for
const LONGEST = 100_000; // characters of a program in a link
const texts = programs.map(({ text }) => text);
let at = 0;
let held = false; // a program from a link waits for its reader
let count = 0;
let timer = 0;
let isReady = false;
let editedAt = 0;

// ---- the editor

const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const { tags } = CM;
const colours = dark
  ? { keyword: "#c792ea", string: "#a5d6a7", comment: "#9e9e9e", number: "#ffcc80", name: "#90caf9" }
  : { keyword: "#7b1fa2", string: "#22661f", comment: "#616161", number: "#a84300", name: "#0b4f9e" };
const look = CM.HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.bool, tags.null], color: colours.keyword },
  { tag: [tags.string, tags.special(tags.string)], color: colours.string },
  { tag: tags.comment, color: colours.comment, fontStyle: "italic" },
  { tag: tags.number, color: colours.number },
  { tag: tags.definition(tags.variableName), color: colours.name }, // after def and class
]);

/** What an error has marked: its line, and from where on. */
const setFault = CM.StateEffect.define();
const faults = CM.StateField.define({
  create: () => CM.Decoration.none,
  update: (marks, { changes, effects }) => effects.find((each) => each.is(setFault))?.value ?? marks.map(changes),
  provide: (field) => CM.EditorView.decorations.from(field),
});

const extensions = [
  CM.lineNumbers(), CM.history(), CM.drawSelection(), CM.bracketMatching(), CM.indentOnInput(),
  CM.indentUnit.of("    "), CM.pythonLanguage, CM.syntaxHighlighting(look), CM.highlightActiveLine(), faults,
  CM.EditorView.lineWrapping,
  CM.EditorView.contentAttributes.of({ "aria-label": "Program, in Python. Escape, then Tab leaves the editor." }),
  CM.EditorView.theme({}, { dark }),
  CM.keymap.of([{ key: "Mod-Enter", run: () => { press(); return true; } }, ...CM.defaultKeymap, ...CM.historyKeymap, CM.indentWithTab]),
  CM.EditorView.updateListener.of((update) => { if (update.docChanged) edited(); }),
];
const view = new CM.EditorView({ parent: part("editor") });

function open(place, text) {
  at = place;
  part("which").value = String(place);
  view.setState(CM.EditorState.create({ doc: text ?? texts[place], extensions }));
}

function edited() {
  texts[at] = view.state.doc.toString();
  if (held) return;
  editedAt ||= performance.now();
  clearTimeout(timer);
  timer = setTimeout(() => run(SHORT), WAIT);
}

function mark(error) {
  const found = [];
  if (error) {
    const line = view.state.doc.line(Math.min(Math.max(error.line, 1), view.state.doc.lines));
    const from = Math.min(line.from + Math.max(error.column - 1, 0), line.to);
    found.push(CM.Decoration.line({ class: "fault", attributes: { title: error.text } }).range(line.from));
    if (from < line.to) found.push(CM.Decoration.mark({ class: "from-here" }).range(from, line.to));
  }
  view.dispatch({ effects: setFault.of(CM.Decoration.set(found)) });
}

// ---- running

const frame = document.createElement("iframe");
frame.title = "Output of the program";
frame.setAttribute("sandbox", "allow-scripts allow-downloads");
frame.srcdoc = part("stage").innerHTML;
part("frame").append(frame);

function program(limit) {
  count += 1;
  return { source: view.state.doc.toString(), limit, id: count };
}

function run(limit) {
  clearTimeout(timer);
  frame.contentWindow.postMessage(program(limit), "*");
}

function press() {
  held = false;
  tell("");
  run(LONG);
}

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place += 1) bytes[place] = letters.charCodeAt(place);
  return bytes;
}

/** The files of Python leave this page's text for the stage's memory. */
function handOver() {
  const files = [...document.querySelectorAll("script[data-file]")].map((script) => {
    const bytes = bytesOf(script.textContent.trim());
    script.remove();
    return [script.dataset.file, bytes];
  });
  const { packages } = part("which").dataset;
  const message = { files, worker: part("worker").textContent, packages: JSON.parse(packages), first: held ? null : program(LONG) };
  frame.contentWindow.postMessage(message, "*", files.map(([, bytes]) => bytes.buffer));
}

const words = {
  open: () => "Python is unpacked …",
  starting: () => (isReady ? "Python starts again …" : "Python starts …"),
  ready: () => "Ready",
  running: () => "Running …",
  done: ({ error, seconds }) => (error ? `Error in line ${error.line}` : `Done in ${seconds.toFixed(2)} s`),
  stopped: ({ limit }) => `Stopped after ${limit} s`,
  failed: ({ text }) => `Python cannot start: ${text}`,
};

addEventListener("message", ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  if (Number.isFinite(data.height)) frame.style.setProperty("--tall", `${Math.min(data.height + 4, 20_000)}px`);
  if (!Object.hasOwn(words, data.state)) return;
  if (data.state === "open") setTimeout(handOver, 0);
  if (data.state === "ready") isReady = true;
  if (data.state === "done") mark(data.id === count ? data.error : null);
  const state = part("state");
  state.textContent = data.state === "ready" && held ? "Ready: read the program, then press Run" : words[data.state](data);
  state.dataset.state = data.error ? "error" : data.state;
  if (data.state === "done" && data.id === count) {
    state.dataset.after = String(Math.round(performance.now() - editedAt)); // milliseconds since the edit
    editedAt = 0;
  }
});

// ---- links

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function packed(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text) {
  if (text.length > LONGEST) throw new Error("it is too long");
  const bytes = bytesOf(text.replaceAll("-", "+").replaceAll("_", "/").padEnd(Math.ceil(text.length / 4) * 4, "="));
  // Read piece by piece: a short link may hold a text of any length.
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let found = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    found += decoder.decode(piece.value, { stream: true });
    if (found.length > LONGEST) throw new Error("its program is too long");
  }
  return found + decoder.decode();
}

async function fromAddress() {
  const carried = /^#code=(.*)$/.exec(location.hash);
  const named = /^#program=(\d+)$/.exec(location.hash);
  if (named && Number(named[1]) < programs.length) open(Number(named[1]));
  if (!carried) return;
  held = true;
  try {
    const text = await unpacked(carried[1]);
    addProgram("from the link", text);
    open(programs.length - 1);
    tell("This program came with the link, and did not run yet. Read it, then press Run.");
  } catch (error) {
    held = false;
    tell(`The link's program cannot be read (${error.message}). Was the link cut? Here is the page's own program.`);
  }
}

function addProgram(name, text) {
  programs.push({ name, text });
  texts.push(text);
  const option = Object.assign(document.createElement("option"), { value: programs.length - 1 });
  option.textContent = name;
  part("which").append(option);
}

function tell(text) {
  part("told").textContent = text;
  part("told").hidden = !text;
}

part("share").addEventListener("click", async () => {
  const address = `${location.href.split("#")[0]}#code=${await packed(view.state.doc.toString())}`;
  try {
    await navigator.clipboard.writeText(address);
    tell(`The link is in the clipboard (${address.length} characters).`);
  } catch {
    tell(`Copy this link: ${address}`);
  }
  part("share").dataset.address = address;
});

part("save").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([view.state.doc.toString()], { type: "text/x-python" }));
  link.download = programs[at].name.replace(/[^\w.-]+/g, "_").replace(/(\.py)?$/, ".py");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});

part("run").addEventListener("click", press);
part("reset").addEventListener("click", () => { texts[at] = programs[at].text; open(at); if (!held) run(SHORT); });
part("which").addEventListener("change", () => { held = false; tell(""); open(Number(part("which").value)); mark(null); run(SHORT); });

open(0);
fromAddress();
