/* What a learner types, as numbers: read as JSON with a few liberties, and never run. */

/** Numbers as {shape, numbers}; a string says why it is none. */
export function readNumbers(text) {
  const plain = text.trim().replaceAll("−", "-").replaceAll("(", "[").replaceAll(")", "]");
  const json = plain.replace(/\bnan\b/g, '"NaN"').replace(/-?\binf\b/g, (word) => `"${word.replace("inf", "Infinity")}"`)
    .replace(/(^|[^\d.])\+/g, "$1").replace(/(\d)\.(?!\d)/g, "$1.0").replace(/(^|[^\d])\.(\d)/g, "$10.$2").replace(/,\s*\]/g, "]");
  let value;
  try {
    value = JSON.parse(json);
  } catch {
    return "This is no number and no list of numbers; write for instance 6.0 or [1.0, -2.5].";
  }
  const shape = [];
  for (let inner = value; Array.isArray(inner); [inner] = inner) shape.push(inner.length);
  const numbers = [value].flat(Infinity).map(Number);
  const even = (part, axis) => (axis === shape.length ? !Array.isArray(part) : Array.isArray(part) && part.length === shape[axis] && part.every((each) => even(each, axis + 1)));
  return even(value, 0) ? { shape, numbers } : "The rows of the answer have different lengths.";
}
