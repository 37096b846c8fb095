/*
 * Numbers as texts, and the sign that may stand between what is worked out and what is printed.
 *
 * What the reader has are the printed digits. "=" stands only where these give the right side, "≈"
 * where they differ by no more than rounding; else there is an arrow. The twin of base/numbers.py
 * and base/quoting.py.
 */

import { numberOf } from "./marks.js";

const [ROUNDING, FINEST, RAISED] = [0.01, 2 ** -24, "⁰¹²³⁴⁵⁶⁷⁸⁹"];

/** A number with so many digits, as the trace writes it: ties go to the even digit, and what was rounded keeps its zeros. */
export function short(value, digits = 4) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : value > 0 ? "∞" : "NaN";
  if (value === 0) return "0.0";
  const size = Math.abs(value);
  let [mantissa, exponent] = size.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  const rest = size.toExponential(60).replace(".", "").slice(digits, 61);
  if (/^50*$/.test(rest) && Number(mantissa.at(-1)) % 2) mantissa = mantissa.slice(0, -1) + (Number(mantissa.at(-1)) - 1);
  const said = Number(`${mantissa}e${power}`);
  const exact = said === size || (digits < 7 && Math.fround(said) === size);
  const raised = power < -4 || power > 5;
  // So large a sum has no places, and its tie goes to the even digit.
  let text = raised ? mantissa : power < digits ? said.toFixed(digits - 1 - power) : String(size + 2 ** 52 - 2 ** 52);
  if (exact) text = String(Number(text));
  if (raised) text += `·10${String(power).replace(/./g, (digit) => RAISED[Number(digit)] ?? "⁻")}`;
  else if (exact && !text.includes(".")) text += ".0";
  return value < 0 ? `−${text}` : text;
}

/** The last place that a printed number claims: that of its fourth digit, or a lower one that it has. */
function unitOf(text) {
  const [digits] = text.split("·");
  const size = Math.abs(numberOf(text));
  const place = size / Math.abs(numberOf(digits)) / 10 ** (digits.split(".")[1] ?? "").length;
  return size ? Math.min(place, 10 ** (Math.floor(Math.log10(size) + 1e-12) - 3)) : 0;
}

/** The sign between a number that printed ones give, and the one that is printed beside them. */
export function signOf(mine, text, terms = []) {
  const said = numberOf(text);
  if (mine === said || (Number.isNaN(mine) && Number.isNaN(said))) return "=";
  const gap = Math.abs(mine - said);
  if (gap <= 0.5 * unitOf(text) * (1 + 1e-9)) return "=";
  const least = 4 * terms.length * FINEST * Math.max(0, ...terms.map(Math.abs));
  return Number.isFinite(gap) && gap <= Math.max(ROUNDING * Math.max(Math.abs(mine), Math.abs(said)), least) ? "≈" : "→";
}

/** The sign that is true of all elements; "=" where none is printed. */
export const worst = (signs) => ["→", "≈"].find((sign) => signs.includes(sign)) ?? "=";

/** The sign behind a row of arrays and signs, element by element; "=" where it is no such row. */
export function signOfRow(items, result) {
  if (result?.array?.cells?.some((text) => /\dj$/.test(text))) return "→"; // complex numbers are not worked out here
  if (items[0] === "−") items = [{ array: { cells: ["−1"] } }, "·", ...items.slice(1)];
  const signs = items.filter((item) => typeof item === "string");
  const arrays = items.filter((item) => typeof item !== "string");
  const plain = arrays.length === signs.length + 1 && items.every((item, i) => (typeof item === "string") === Boolean(i % 2));
  const cells = arrays.map(({ array, transposed }) => (transposed ? undefined : array?.cells));
  const count = result?.array?.cells?.length;
  if (!plain || !count || !signs.every((sign) => "·×/+−".includes(sign)) || !cells.every((each) => each && [1, count].includes(each.length))) return "=";
  return worst(result.array.cells.map((text, e) => {
    const numbers = cells.map((each) => numberOf(each[each.length === 1 ? 0 : e]));
    const terms = [numbers[0]];
    signs.forEach((sign, i) => {
      const next = numbers[i + 1];
      if (sign === "+" || sign === "−") terms.push(sign === "+" ? next : -next);
      else terms.push(sign === "/" ? terms.pop() / next : terms.pop() * next);
    });
    return signOf(terms.reduce((sum, term) => sum + term, 0), text, numbers);
  }));
}
