"""Samples of the ops on strings."""

from __future__ import annotations

import numpy as np

from op_samples import Sample


def numbers(x, dtype):
    return np.asarray(x, object).astype(float).astype(dtype)


TEXTS = np.array([[b"1.5", b"-2"], [b"3e2", b"0"]], object)


def each(function, dtype=object):
    """A reference that takes every element of the first input on its own."""

    def reference(x, *others, **attributes):
        flat = [function(t, *others, **attributes) for t in np.asarray(x).reshape(-1)]
        out = np.empty(len(flat), dtype)
        out[:] = flat
        return out.reshape(np.shape(x))

    return reference


def fixed(name, *inputs, numpy, note="", **attributes):
    return Sample(name, list(inputs), attributes, numpy, "fixed", order=0, note=note)


WORDS = np.array([[" Ab", b"\xc3\xa4x "], ["", "c1d22"]], object)
WORDS = np.array([[t.encode() if isinstance(t, str) else t for t in row] for row in WORDS], object)
LONG = np.array([b"hello", b"world"], object)


def joined(*inputs, separator=b""):
    return np.array([separator.join(pair) for pair in zip(*inputs, strict=True)], object)


SAMPLES = [
    Sample("string_to_number", [TEXTS], {"dtype": np.dtype("f4")}, numbers, "fixed", order=0),
    Sample(
        "string_to_number",
        [np.array([b"7", b"-8"], object)],
        {"dtype": np.dtype("i8")},
        numbers,
        "fixed",
        order=0,
        note="whole",
    ),
    fixed(
        "number_to_string",
        np.array([[1, -2], [30, 4]]),
        form="%d",
        numpy=each(lambda x, form: b"%d" % x),
    ),
    fixed(
        "number_to_string",
        np.array([True, False]),
        form="%d",
        numpy=each(lambda x, form: str(bool(x)).lower().encode()),
        note="bools",
    ),
    fixed(
        "number_to_string",
        np.array([1.5, -0.25]),
        form="%.2f",
        numpy=each(lambda x, form: f"{x:.2f}".encode()),
        note="fractions",
    ),
    fixed(
        "number_to_string",
        np.array([1.5 - 2j]),
        form="%f",
        numpy=each(lambda x, form: f"({x.real:f},{x.imag:f})".encode()),
        note="complex",
    ),
    fixed("join_texts", LONG, LONG[::-1], separator=b"-", numpy=joined),
    fixed(
        "join_along",
        WORDS,
        axis=1,
        separator=b",",
        numpy=lambda x, **a: np.array([b",".join(row) for row in x], object),
    ),
    fixed(
        "join_along",
        WORDS,
        axis=0,
        keepdims=True,
        numpy=lambda x, **a: np.array([[b"".join(column) for column in x.T]], object),
        note="kept",
    ),
    fixed("text_length", WORDS, numpy=each(len, np.int32)),
    fixed(
        "text_length",
        WORDS,
        characters=True,
        numpy=each(lambda t, characters: len(t.decode()), np.int32),
        note="characters",
    ),
    fixed("lower_text", WORDS, numpy=each(bytes.lower)),
    fixed("upper_text", WORDS, numpy=each(bytes.upper)),
    fixed(
        "upper_text",
        WORDS,
        unicode=True,
        numpy=each(lambda t, unicode: t.decode().upper().encode()),
        note="unicode",
    ),
    fixed("strip_text", WORDS, numpy=each(bytes.strip)),
    fixed(
        "part_of_text",
        LONG,
        np.array([1, -2]),
        np.array([2, 5]),
        numpy=lambda x, position, length: np.array([b"el", b"ld"], object),
    ),
    fixed(
        "replace_pattern",
        WORDS,
        pattern=rb"(\d)\d*",
        rewrite=rb"<\1>",
        numpy=each(lambda t, **a: t.replace(b"1", b"<1>").replace(b"22", b"<2>")),
    ),
    fixed(
        "matches_pattern",
        WORDS,
        pattern=rb"\w\d\w\d+",
        numpy=each(lambda t, pattern: t == b"c1d22", np.bool_),
    ),
]
