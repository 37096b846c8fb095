/*
 * A quiz to be given away: it draws a learner's variant by her name, checks answers by their hashes,
 * and ends with a code. `sealed.py` makes the page and reads the codes; both write an answer in the
 * same way (`inWords`), and the code is signed with the right answers, which the page does not have.
 */

import { readData } from "../player/src/reading.js";
import { readNumbers } from "../quizzes/answers.js";

const WIDTH = 0.012; // of a bucket, in logarithms: about one percent
const OFFSETS = 8;
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const POINTS = [4, 2, 1]; // quarters, for the first, second and third try
const encoder = new TextEncoder();

/** The first 32 bits of the fractions of roots of primes, as SHA-256 needs them. */
function fractions(count, root) {
  const primes = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);
  return primes.map((prime) => Math.floor((prime ** (1 / root) % 1) * 2 ** 32) | 0);
}
const ROUND = fractions(64, 3);
const START = fractions(8, 2);

const turn = (x, n) => (x >>> n) | (x << (32 - n));

/** One block of SHA-256: `state` is changed by the 16 words of `block`. */
function mix(state, block) {
  const w = new Int32Array(64);
  w.set(block);
  for (let i = 16; i < 64; i += 1) {
    const [a, b] = [w[i - 15], w[i - 2]];
    w[i] = (w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10))) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i] + w[i]) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((each, i) => { state[i] = (state[i] + each) | 0; });
}

/** SHA-256 of bytes, after `before` bytes that made `state`; eight words. */
function hash(bytes, state = Int32Array.from(START), before = 0) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, 8 * (before + bytes.length));
  for (let at = 0; at < padded.length; at += 64) {
    mix(state, Int32Array.from({ length: 16 }, (_, i) => view.getInt32(at + 4 * i)));
  }
  return state;
}

const bytesOf = (words) => {
  const view = new DataView(new ArrayBuffer(4 * words.length));
  words.forEach((word, i) => view.setInt32(4 * i, word));
  return new Uint8Array(view.buffer);
};
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** PBKDF2 with HMAC of SHA-256, one block: slow, so that trying all numbers takes long. */
function slow(text, salt, rounds) {
  let key = encoder.encode(text);
  if (key.length > 64) key = bytesOf(hash(key));
  const pad = (byte) => {
    const block = new Uint8Array(64).fill(byte);
    key.forEach((each, i) => { block[i] ^= each; });
    const state = Int32Array.from(START);
    const view = new DataView(block.buffer);
    mix(state, Int32Array.from({ length: 16 }, (_, i) => view.getInt32(4 * i)));
    return state;
  };
  const [inner, outer] = [pad(0x36), pad(0x5c)];
  const sign = (bytes) => bytesOf(hash(bytesOf(hash(bytes, inner.slice(), 64)), outer.slice(), 64));
  let last = sign(Uint8Array.from([...encoder.encode(salt), 0, 0, 0, 1]));
  const sum = last.slice();
  for (let i = 1; i < rounds; i += 1) {
    last = sign(last);
    for (let j = 0; j < 32; j += 1) sum[j] ^= last[j];
  }
  return hex(sum);
}

/** An answer as sealed.py writes it: its shape, and for each number the bucket that it lies in. */
function inWords({ shape, numbers }, offsets) {
  const sizes = numbers.filter(Number.isFinite).map(Math.abs);
  const tiny = Math.max(1e-4 * Math.max(0, ...sizes), 1e-12);
  const buckets = numbers.map((value, i) => {
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    if (Math.abs(value) <= tiny) return "0";
    return `${value < 0 ? "-" : "+"}${Math.floor(Math.log(Math.abs(value)) / WIDTH + (offsets[i] ?? 0) / OFFSETS)}`;
  });
  return `${shape.join("x")}:${buckets.join(",")}`;
}

const plainName = (name) => name.normalize("NFC").trim().split(/\s+/).join(" ").toLowerCase();
const digest = (text) => bytesOf(hash(encoder.encode(text)));

/** The code's last part: 50 bits of a hash of all that it says, and of the answers that were right. */
function signature(parts) {
  const bits = Array.from(digest(parts.join("\n")).slice(0, 7), (byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = Array.from({ length: 10 }, (_, i) => LETTERS[parseInt(bits.slice(5 * i, 5 * i + 5), 2)]);
  return `${letters.slice(0, 5).join("")}-${letters.slice(5).join("")}`;
}

function ask(host, data, name) {
  const part = (kind) => host.querySelector(`.${kind}`);
  const which = new DataView(digest(`${data.quiz}/${plainName(name)}`).buffer).getUint32(0) % data.variants.length;
  const variant = data.variants[which];
  const points = [];
  const answers = [];
  let tries = 0;
  const [form, field] = [part("asked"), part("asked").querySelector("input")];
  const show = (said) => {
    const question = variant.questions[points.length];
    part("said").textContent = said;
    form.hidden = !question;
    if (question) {
      part("picture").innerHTML = variant.pictures[question.picture];
      part("question").innerHTML = `Question ${points.length + 1} of ${variant.questions.length}. ${question.text}`;
      field.focus();
      return;
    }
    const total = points.reduce((a, b) => a + b, 0) / 4;
    const parts = [data.quiz, which, plainName(name), points.join(""), ...answers];
    part("question").textContent = `${total} of ${points.length} points. Hand in this code:`;
    part("code").textContent = `${name.trim().split(/\s+/).join(" ")}/${points.join("")}/${signature(parts)}`;
  };
  const next = (quarters, answer, said) => {
    points.push(quarters);
    answers.push(answer);
    tries = 0;
    field.value = "";
    show(said);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const question = variant.questions[points.length];
    const given = readNumbers(field.value);
    if (typeof given === "string") return show(given);
    const shape = question.shape.join("x");
    if (given.shape.join("x") !== shape) return show(`The answer has the shape [${question.shape.join(", ")}]; that was not counted.`);
    const answer = inWords(given, question.offsets);
    const salt = `${data.quiz}/${which}/${points.length}`;
    if (slow(answer, salt, data.rounds).slice(0, 32) === question.seal) return next(POINTS[tries], answer, "✓ Right.");
    tries += 1;
    if (tries === POINTS.length) return next(0, "-", "✗ That was the third try; this question gives no points.");
    const left = POINTS.length - tries;
    return show(`✗ Not yet. ${left} ${left === 1 ? "try is" : "tries are"} left.`);
  });
  show("");
}

async function start() {
  for (const host of document.querySelectorAll(".minitape-sealed")) {
    const data = await readData(host.querySelector("script"));
    const [form, field] = [host.querySelector(".named"), host.querySelector(".named input")];
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!plainName(field.value) || field.value.includes("/")) {
        host.querySelector(".said").textContent = "Write your name as your lecturer knows it, without a slash.";
        return;
      }
      form.hidden = true;
      ask(host, data, field.value);
    });
    host.dataset.ready = "yes";
  }
}

start();
