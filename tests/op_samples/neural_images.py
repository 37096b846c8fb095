"""Samples of convolution, pooling and image ops, with references that loop over every cell."""

import numpy as np

from op_samples import Sample


def windows(sizes, window, strides, padding, dilations=None):
    """(output place, offset, input place) of every cell that is inside of the input."""
    dilations = dilations or (1,) * len(window)
    axes = zip(sizes, padding, window, strides, dilations, strict=True)
    number = [(n + sum(p) - (k - 1) * d - 1) // s + 1 for n, p, k, s, d in axes]
    for place in np.ndindex(*number):
        for offset in np.ndindex(*window):
            rows = zip(place, offset, strides, dilations, padding, strict=True)
            source = tuple(o * s + i * d - p[0] for o, i, s, d, p in rows)
            if all(0 <= i < n for i, n in zip(source, sizes, strict=True)):
                yield place, offset, source


def outputs(sizes, window, strides, padding, dilations=None):
    dilations = dilations or (1,) * len(window)
    axes = zip(sizes, padding, window, strides, dilations, strict=True)
    return tuple((n + sum(p) - (k - 1) * d - 1) // s + 1 for n, p, k, s, d in axes)


def at(place):
    return (slice(None), *place)


def convolution(x, kernel, strides, padding, dilations):
    window, sizes = kernel.shape[:-2], x.shape[1:-1]
    number = outputs(sizes, window, strides, padding, dilations)
    out = np.zeros((x.shape[0], *number, kernel.shape[-1]), x.dtype)
    for place, offset, source in windows(sizes, window, strides, padding, dilations):
        out[at(place)] += x[at(source)] @ kernel[offset]
    return out


def input_gradient(y, kernel, sizes, strides, padding, dilations):
    out = np.zeros((y.shape[0], *sizes, kernel.shape[-2]), y.dtype)
    for place, offset, source in windows(sizes, kernel.shape[:-2], strides, padding, dilations):
        out[at(source)] += y[at(place)] @ kernel[offset].T
    return out


def kernel_gradient(x, y, window, strides, padding, dilations):
    out = np.zeros((*window, x.shape[-1], y.shape[-1]), x.dtype)
    for place, offset, source in windows(x.shape[1:-1], window, strides, padding, dilations):
        out[offset] += x[at(source)].T @ y[at(place)]
    return out


def max_pool(x, window, strides, padding):
    sizes = x.shape[1:-1]
    number = outputs(sizes, window, strides, padding)
    out = np.full((x.shape[0], *number, x.shape[-1]), -np.inf, x.dtype)
    for place, _, source in windows(sizes, window, strides, padding):
        out[at(place)] = np.maximum(out[at(place)], x[at(source)])
    return out


def winners(x, out, window, strides, padding):
    found = np.full(out.shape, -1)
    for place, offset, source in windows(x.shape[1:-1], window, strides, padding):
        hit = (x[at(source)] == out[at(place)]) & (found[at(place)] < 0)
        found[at(place)][hit] = np.ravel_multi_index(offset, window)
    return found


def unpool(y, winners, sizes, window, strides, padding):
    out = np.zeros((y.shape[0], *sizes, y.shape[-1]), y.dtype)
    for place, offset, source in windows(sizes, window, strides, padding):
        out[at(source)] += y[at(place)] * (
            winners[at(place)] == np.ravel_multi_index(offset, window)
        )
    return out


def pick(x, winners, window, strides, padding):
    out = np.zeros(winners.shape, x.dtype)
    for place, offset, source in windows(x.shape[1:-1], window, strides, padding):
        out[at(place)] += x[at(source)] * (
            winners[at(place)] == np.ravel_multi_index(offset, window)
        )
    return out


def cell_counts(sizes, window, strides, padding):
    found = np.zeros(outputs(sizes, window, strides, padding))
    for place, _, _ in windows(sizes, window, strides, padding):
        found[place] += 1
    return found[..., np.newaxis]


def avg_pool(x, window, strides, padding):
    sizes = x.shape[1:-1]
    total = np.zeros((x.shape[0], *outputs(sizes, window, strides, padding), x.shape[-1]))
    for place, _, source in windows(sizes, window, strides, padding):
        total[at(place)] += x[at(source)]
    return total / cell_counts(sizes, window, strides, padding)


def avg_unpool(y, sizes, window, strides, padding):
    out = np.zeros((y.shape[0], *sizes, y.shape[-1]))
    share = y / cell_counts(sizes, window, strides, padding)
    for place, _, source in windows(sizes, window, strides, padding):
        out[at(source)] += share[at(place)]
    return out


def contrast(images, contrast_factor):
    mean = images.mean((-3, -2), keepdims=True)
    return (images - mean) * contrast_factor + mean


def halved(x, size):
    return x.reshape(2, 2, 2, 3, 2, 1).mean((2, 4))


def unchanged(x, size):
    return x


def made(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape).round(3)


# note, spatial sizes, window, strides, padding, dilations
GEOMETRIES = [
    ("valid", (4, 4), (2, 2), (1, 1), ((0, 0), (0, 0)), (1, 1)),
    ("same, extra after", (4, 3), (2, 2), (1, 1), ((0, 1), (0, 1)), (1, 1)),
    ("strides", (5, 4), (3, 2), (2, 2), ((1, 1), (0, 0)), (1, 1)),
    ("stride beyond the window", (5, 5), (1, 2), (3, 3), ((0, 0), (0, 0)), (1, 1)),
    ("dilated", (5, 6), (2, 2), (1, 2), ((0, 1), (1, 1)), (2, 3)),
    ("wide padding", (2, 3), (2, 2), (2, 1), ((3, 2), (2, 3)), (1, 1)),
    ("one by one", (2, 3), (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1)),
    ("sequence", (6,), (3,), (2,), ((1, 1),), (1,)),
    ("volume", (3, 2, 3), (2, 2, 2), (1, 1, 2), ((0, 0), (0, 1), (1, 0)), (1, 1, 1)),
]


def convolutions(note, sizes, window, strides, padding, dilations, examples=2):
    geometry = {"strides": strides, "padding": padding, "dilations": dilations}
    number = outputs(sizes, window, strides, padding, dilations)
    x, y, k = made(examples, *sizes, 2), made(examples, *number, 3, seed=1), made(*window, 2, 3)
    yield Sample("convolution", [x, k], geometry, convolution, note=note)
    sized = {"sizes": sizes, **geometry}
    yield Sample("convolution_input_gradient", [y, k], sized, input_gradient, note=note)
    windowed = {"window": window, **geometry}
    yield Sample("convolution_kernel_gradient", [x, y], windowed, kernel_gradient, note=note)


def pools(note, sizes, window, strides, padding, examples=2):
    geometry = {"window": window, "strides": strides, "padding": padding}
    sized = {"sizes": sizes, **geometry}
    x = np.random.default_rng(5).permutation(examples * int(np.prod(sizes)) * 2) / 10.0
    x = x.reshape(examples, *sizes, 2) - 2.0  # all different: no step of a difference makes a tie
    out = max_pool(x, **geometry)
    best = winners(x, out, **geometry).astype(np.uint8)
    y = made(*out.shape)
    yield Sample("max_pool", [x], geometry, max_pool, note=note)
    yield Sample(
        "max_pool_winners", [x, out], geometry, winners, dtypes="fixed", order=0, note=note
    )
    yield Sample("unpool", [y, best], sized, unpool, note=note)
    yield Sample("pick_winners", [x, best], geometry, pick, note=note)
    yield Sample("avg_pool", [x], geometry, avg_pool, dtypes="float", note=note)
    yield Sample("avg_unpool", [y], sized, avg_unpool, note=note)


POOLS = [
    ("apart", (4, 4), (2, 2), (2, 2), ((0, 0), (0, 0))),
    ("overlapping, same", (3, 4), (3, 3), (1, 2), ((1, 1), (0, 1))),
    ("cells left over", (5, 3), (2, 2), (3, 2), ((0, 0), (0, 0))),
    ("sequence", (5,), (2,), (1,), ((0, 0),)),
]
TIES = {"window": (2, 2), "strides": (1, 1), "padding": ((0, 0), (0, 0))}

SAMPLES = [
    *(sample for geometry in GEOMETRIES for sample in convolutions(*geometry)),
    *convolutions("no examples", *GEOMETRIES[0][1:], examples=0),
    *(sample for geometry in POOLS for sample in pools(*geometry)),
    Sample("max_pool", [np.ones((1, 3, 3, 1))], TIES, max_pool, order=0, note="ties"),
    Sample(
        "max_pool_winners",
        [np.ones((1, 3, 3, 1)), np.ones((1, 2, 2, 1))],
        TIES,
        winners,
        dtypes="fixed",
        order=0,
        note="ties",
    ),
    Sample("adjust_contrast_op", [made(2, 3, 2, 2), 1.5], {}, contrast, dtypes="float", order=0),
    Sample("adjust_contrast_op", [made(2, 2, 3), 0.0], {}, contrast, dtypes="float", order=0),
    Sample("resize_area", [made(2, 4, 6, 1)], {"size": (2, 3)}, halved, dtypes="float", order=0),
    Sample("resize_area", [made(1, 1, 2)], {"size": (1, 1)}, unchanged, dtypes="float", order=0),
]
