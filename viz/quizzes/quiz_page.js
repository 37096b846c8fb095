/*
 * A quiz in a page without a kernel: it looks answers up among those that Python has written down.
 *
 * The texts were escaped when they were written; an answer is read as JSON with a few liberties and
 * never run. Each change is said by an event `minitape-quiz`, whose detail has the state {at,
 * tries, points}, how many questions there are, and `restore`, which sets the state.
 */

import { readData } from "../player/src/reading.js";
import { readNumbers } from "./answers.js";

const alike = (a, b) => a.length === b.length && a.every((length, axis) => length === b[axis]);

/** Which numbers agree: to three digits, and near zero by the largest. */
function close(given, wanted, { relative, absolute }) {
  const right = wanted.map(Number);
  const largest = Math.max(0, ...right.filter(Number.isFinite).map(Math.abs));
  const near = Math.max(1e-4 * largest, absolute);
  return given.map((value, i) => Object.is(value, right[i]) || value === right[i] || Math.abs(value - right[i]) <= near + relative * Math.abs(right[i]));
}

const same = (given, wanted, data) => alike(given.shape, wanted.shape) && close(given.numbers, wanted.numbers, data).every(Boolean);

/** What is said about a wrong answer. */
function hintOf(given, question, data) {
  const known = question.mistakes.find((mistake) => same(given, mistake.is, data));
  if (known) return known.say;
  if (!alike(given.shape, question.expected.shape)) return given.shape.length || !question.one ? `The shape is [${given.shape.join(", ")}]; ${question.shape}` : question.one;
  const right = close(given.numbers, question.expected.numbers, data);
  const count = right.filter(Boolean).length;
  if (!count || right.length === 1) return question.else;
  const place = [];
  let flat = right.indexOf(false);
  for (const length of [...given.shape].reverse()) {
    place.unshift(flat % length);
    flat = Math.floor(flat / length);
  }
  return `${count} of ${right.length} elements are right. Look at element [${place.join(", ")}].`;
}

function start(host, data) {
  const part = (name) => host.querySelector(`.${name}`);
  const field = host.querySelector("input");
  const state = { at: 0, tries: 0, points: [] };
  const show = (said) => {
    const { at, points } = state;
    const question = data.questions[at];
    const score = Math.round((100 * points.reduce((sum, each) => sum + each, 0)) / data.questions.length);
    part("picture").innerHTML = data.pictures[at];
    part("question").innerHTML = question ? `Question ${at + 1} of ${data.questions.length}. ${question.text}` : `That was the last question. Your score is ${score} %.`;
    part("said").innerHTML = said;
    for (const each of host.querySelectorAll("input, button")) each.disabled = !question;
    host.dispatchEvent(new CustomEvent("minitape-quiz", { bubbles: true, detail: { state: { ...state }, count: data.questions.length, restore } }));
  };
  /** A state of before, as far as it fits the questions. */
  const restore = ({ at, tries, points }) => {
    if (at !== points.length || at > data.questions.length || !(tries < data.tries)) return;
    Object.assign(state, { at, tries, points });
    show("");
  };
  const next = (points, said) => {
    Object.assign(state, { at: state.at + 1, tries: 0, points: [...state.points, points] });
    field.value = "";
    show(said);
    field.focus();
  };
  host.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const question = data.questions[state.at];
    const given = readNumbers(field.value);
    if (typeof given === "string") return show(given);
    if (same(given, question.expected, data)) return next(0.5 ** state.tries, `✓ Right. ${question.solution}`);
    state.tries += 1;
    const said = `✗ ${hintOf(given, question, data)}`;
    return state.tries < data.tries ? show(said) : next(0, `${said} ${question.solution}`);
  });
  part("give").addEventListener("click", () => next(0, data.questions[state.at].solution));
  show("");
  host.dataset.ready = "yes"; // a deck of slides fits it in
}

async function startAll() {
  for (const host of document.querySelectorAll(".minitape-quiz")) {
    start(host, await readData(host.querySelector("script")));
  }
}

startAll();
