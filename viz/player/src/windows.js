/*
 * Windows that move over images: convolutions and their transposes, and pools.
 *
 * A convolution is one set of triples, image[p] · kernel[a] · map[o] with p · spread = o · stride +
 * a · dilation − before. Whichever of the three is the result, the triples that have its element
 * say which elements of the other two meet. Places are counted with the channels last; an array
 * that has them first is read so. Groups of channels are those that the shapes say.
 */

import { elementOf, productOf, sameShape, upTo } from "./elements.js";
import { flatOf, numberOf, placeOf } from "./marks.js";

const ROLES = {
  convolution: ["image", "kernel", "map"],
  conv_general_dilated: ["image", "kernel", "map"], // JAX
  convolution_input_gradient: ["map", "kernel", "image"],
  convolution_kernel_gradient: ["image", "map", "kernel"],
};

/** What each input of a convolution is, and its result; another program's op says so itself. */
export const rolesOf = ({ op, attributes }) => attributes?.roles ?? ROLES[op];

/** Along one axis: every place of image, kernel and map that meet, with one of them fixed. */
function alongAxis(fixed, at, sizes, stride, dilation, before, spread = 1) {
  const found = [];
  for (let map = 0; map < sizes.map; map++) {
    for (let kernel = 0; kernel < sizes.kernel; kernel++) {
      const met = { map, kernel, image: (map * stride + kernel * dilation - before) / spread };
      if (met.image >= 0 && met.image < sizes.image && met.image % 1 === 0 && met[fixed] === at) found.push(met);
    }
  }
  return found;
}

/** All combinations of one entry from each list. */
const combined = (lists) => lists.reduce((rows, list) => rows.flatMap((row) => list.map((each) => [...row, each])), [[]]);

/** The matrices of a step by the part that they play. */
function cast({ data, step, result, g, values }) {
  const roles = rolesOf(data.nodes[step.node]);
  const pulled = step.kind === "pull";
  const own = pulled ? roles.slice(0, -1)[step.position] : roles.at(-1); // nothing where it is a bias
  const parts = Object.fromEntries(roles.map((role, at) => [role, role === own ? result : at + 1 < roles.length ? values[at] : g]));
  return { parts, own, other: roles.filter((role) => role && role !== own) };
}

/** A place with the channels behind rows and columns, and as it is in an array that has them first. */
const channelsLast = (role, [a, b, ...middle]) => (role === "kernel" ? [...middle, b, a] : [a, ...middle, b]);
const channelsFirst = (role, place) => (role === "kernel" ? [place.at(-1), place.at(-2), ...place.slice(0, -2)] : [place[0], place.at(-1), ...place.slice(1, -1)]);

/** A convolution: the products of the window that an element stands in, or that stands on it. */
export function windowed(scene, e) {
  const { strides, padding, dilations, layout, windows = strides?.map((stride, axis) => [stride, padding[axis][0], dilations[axis]]) } = scene.data.nodes[scene.step.node].attributes ?? {};
  const { parts, own, other } = cast(scene);
  delete parts[""]; // an input that is no part of it, such as a size
  if (!windows || !own || !Object.values(parts).every((matrix) => matrix?.array?.cells)) return null;
  const [read, found] = layout ? [channelsLast, channelsFirst] : [(_, place) => place, (_, place) => place];
  const shapes = Object.fromEntries(Object.entries(parts).map(([role, { array }]) => [role, read(role, array.shape)]));
  const place = read(own, placeOf(e, parts[own].array.shape));
  const middle = (role, axis) => (role === "kernel" ? axis : axis + 1);
  const axes = windows.map(([stride, before, dilation, spread], axis) => {
    const sizes = Object.fromEntries(Object.keys(shapes).map((role) => [role, shapes[role][middle(role, axis)]]));
    return alongAxis(own, place[middle(own, axis)], sizes, stride, dilation, before, spread);
  });
  const batches = own === "kernel" ? upTo(shapes.map[0]) : [place[0]];
  const [within, maps] = shapes.kernel.slice(-2);
  const share = (maps * within) / shapes.image.at(-1); // of the maps, for each group of channels
  const channel = (c, q) => c + within * Math.floor(q / share);
  const spot = (c, q) => (shapes.map.at(-1) > maps ? c * maps + q : q); // depthwise: each channel has maps of its own
  const channels = combined([upTo(within), upTo(maps)]).filter(([c, q]) => ({ map: spot(c, q) === place.at(-1), kernel: c === place.at(-2) && q === place.at(-1), image: channel(c, q) === place.at(-1) })[own]);
  const terms = combined([batches, channels, ...axes]).map(([b, [c, q], ...met]) => {
    const all = { image: [b, ...met.map(({ image }) => image), channel(c, q)], kernel: [...met.map(({ kernel }) => kernel), c, q], map: [b, ...met.map(({ map }) => map), spot(c, q)] };
    const at = (role) => found(role, all[role]);
    const label = own === "map" ? `[${at("kernel").join(", ")}]` : `${parts.map.caption}[${at("map").slice(shapes.map[0] > 1 ? 0 : 1).join(", ")}]`;
    return { label, factors: other.map((role) => elementOf(parts[role], flatOf(at(role), parts[role].array.shape))) };
  });
  const framed = other.map((role, which) => [parts[role], terms.map(({ factors }) => factors[which][1])]);
  return { title: windowTitle(terms, own, scene), terms, windows: framed, lit: [], total: scene.result.array.cells[e] };
}

function windowTitle(terms, own, { g, step }) {
  const isZero = ({ factors }) => step.kind === "pull" && factors.some(([matrix, , text]) => matrix === g && numberOf(text) === 0);
  const zeros = g ? terms.filter(isZero).length : 0;
  const left = terms.filter((term) => productOf(term) !== 0).length;
  const where = { kernel: "the image under the moved window meets g", map: "the window on the image meets the kernel", image: "the kernel, at every place of the map that saw this" }[own];
  const products = (count) => `${count} product${count === 1 ? "" : "s"}`;
  if (!zeros) return `${where}: ${products(terms.length)}`;
  const others = terms.length - zeros - left;
  return `${zeros} of the ${terms.length} places of g are zero${others ? `, ${others} of the others meet${others === 1 ? "s" : ""} a zero` : ""}, so ${products(left)}`;
}

/** The windows of a pool that an element of its result, or one of its input, stands in. */
export function poolWindows({ data, step, result, matrices }, e) {
  const { window, strides, padding } = data.nodes[step.node].attributes ?? {};
  const wide = step.kind === "pull" ? result : matrices.find((m) => m !== result);
  const small = step.kind === "pull" ? matrices.find((m) => m !== result && m.carries) : result;
  if (!window || !wide?.array?.cells || !small?.array?.cells) return [];
  const [image, map] = [wide.array.shape, small.array.shape];
  const place = placeOf(e, result.array.shape);
  const axes = window.map((length, axis) => {
    const sizes = { image: image[axis + 1], kernel: length, map: map[axis + 1] };
    const held = result === wide ? alongAxis("image", place[axis + 1], sizes, strides[axis], 1, padding[axis][0]).map((met) => met.map) : [place[axis + 1]];
    return held.flatMap((at) => alongAxis("map", at, sizes, strides[axis], 1, padding[axis][0]).map((met) => met.image));
  });
  const flats = combined(axes).map((spot) => flatOf([place[0], ...spot, place.at(-1)], image));
  return matrices.filter((m) => m.array?.cells && sameShape(m.array.shape, image)).map((m) => [m, flats]);
}
