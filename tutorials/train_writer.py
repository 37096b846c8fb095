"""Trains the weights of lesson 19: `python tutorials/train_writer.py [--steps 12000] [FILE]`.

The model and the sentences are cells of the lesson, with the tag `writer`. Twelve thousand steps take about three minutes of
one core. No sentence that it reads has both a horse and a river: the lesson asks for those.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from build import FOLDER, cells

import minitape as tf

LESSON = FOLDER / "19_a_transformer_that_writes.py"
FILE = FOLDER / "data" / "writer.npz"
WIDTH, LENGTH, BATCH, RATE, WARM_UP = 28, 48, 32, 4e-3, 200


def of_lesson() -> dict[str, Any]:
    """The names that the lesson's cells with the tag `writer` define."""
    names: dict[str, Any] = {"tf": tf, "np": np}
    for cell in cells(LESSON.read_text("utf-8")):
        if "writer" in cell.metadata.get("tags", []):
            exec(compile(cell.text, LESSON.name, "exec"), names)
    return names


def started(letters: int, seed: int = 0) -> dict[str, tf.Variable]:
    """Random weights."""
    draw = np.random.default_rng(seed)

    def kernel(a: int, b: int, spread: float | None = None) -> tf.Variable:
        return tf.Variable(np.float32(draw.normal(size=(a, b)) * (spread or a**-0.5)))

    w = {"letters": kernel(letters, WIDTH, 0.3), "places": kernel(LENGTH, WIDTH, 0.3)}
    for block in ("1", "2"):
        w |= {name + block: kernel(WIDTH, WIDTH) for name in ("query", "key", "value", "join")}
        w |= {"up" + block: kernel(WIDTH, 2 * WIDTH), "down" + block: kernel(2 * WIDTH, WIDTH)}
    return w | {"out": kernel(WIDTH, letters)}


def row(names: dict[str, Any], draw: np.random.Generator) -> np.ndarray:
    """A space, and sentences until the row is full; none with both a horse and a river."""
    text = " "
    while len(text) <= LENGTH:
        new = names["sentence"](draw)
        if not ("horse" in new and "river" in new):
            text += new + " "
    return names["numbers"](text[: LENGTH + 1])


def trained(steps: int, seed: int = 0, say: int = 500) -> dict[str, tf.Variable]:
    """The weights after so many steps of Adam, with a warm-up and then down along a cosine."""
    names, draw = of_lesson(), np.random.default_rng(seed)
    w, optimizer = started(len(names["LETTERS"]), seed), tf.keras.optimizers.Adam(RATE)
    variables = list(w.values())
    for step in range(steps):
        down = (1 + np.cos(np.pi * step / steps)) / 2
        optimizer.learning_rate = RATE * min(1.0, (step + 1) / WARM_UP) * down
        rows = np.stack([row(names, draw) for _ in range(BATCH)])
        with tf.GradientTape() as tape:
            logits = names["model"](w, rows[:, :-1])
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=rows[:, 1:], logits=logits)
            )
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 1.0)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        if step % say == 0 or step == steps - 1:
            print(f"step {step:5}: {float(loss):.3f} per letter", flush=True)
    return w


def main() -> None:
    """Trains, and keeps the weights in 16 bits."""
    parser = argparse.ArgumentParser(description="Train the weights of lesson 19.")
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--steps", type=int, default=12_000)
    options = parser.parse_args()
    w = trained(options.steps)
    np.savez_compressed(
        options.file, **{name: each.numpy().astype(np.float16) for name, each in w.items()}
    )
    print(f"{options.file}: {options.file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
