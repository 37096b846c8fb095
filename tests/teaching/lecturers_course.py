"""Writes the course of a lecturer with habits of her own: two notebooks, a table, pictures."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path

import nbformat
import numpy as np
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

LOGISTIC = "01 Logistic regression by hand.ipynb"
NETWORK = "week2/small_network.ipynb"

LOGISTIC_CELLS = [
    (
        "markdown",
        """# Logistic regression by hand

*Machine Learning I, week 1. Duration: 45 minutes.*

Students sat an exam after a number of **hours of study** and **hours of sleep**. Did they pass?

Today you will

* read the data from `exams.csv`,
* write down the model $p = \\sigma(w^\\top x + b)$ and its cross-entropy,
* train it **twice**: with a gradient by hand, and with `tf.GradientTape`.""",
    ),
    (
        "code",
        """%matplotlib inline
import csv
import numpy as np
import matplotlib.pyplot as plt
import minitape as tf

np.set_printoptions(precision=3, suppress=True)""",
    ),
    ("markdown", "## 1. The data"),
    (
        "code",
        """with open("exams.csv") as file:
    rows = list(csv.DictReader(file))
X = np.array([[float(row["study"]), float(row["sleep"])] for row in rows])
y = np.array([int(row["passed"]) for row in rows])
print(X.shape, y.mean())""",
    ),
    (
        "code",
        """fig, ax = plt.subplots(figsize=(5, 4))
ax.scatter(*X[y == 1].T, marker="o", label="passed")
ax.scatter(*X[y == 0].T, marker="x", label="failed")
ax.set_xlabel("hours of study")
ax.set_ylabel("hours of sleep")
ax.legend();""",
    ),
    (
        "markdown",
        """## 2. The model

With the **sigmoid** $\\sigma(z) = \\dfrac{1}{1 + e^{-z}}$ the loss is

$$
L(w, b) = -\\frac{1}{n} \\sum_{i=1}^{n} \\Big[ y_i \\log p_i + (1 - y_i) \\log (1 - p_i) \\Big]
$$

and its gradient (homework sheet 1!)

\\begin{align}
\\frac{\\partial L}{\\partial w} &= \\frac{1}{n} X^\\top (p - y) \\\\
\\frac{\\partial L}{\\partial b} &= \\frac{1}{n} \\sum_i (p_i - y_i)
\\end{align}""",
    ),
    (
        "code",
        """def sigmoid(z):
    return 1 / (1 + np.exp(-z))

Z = (X - X.mean(axis=0)) / X.std(axis=0)
w, b = np.zeros(2), 0.0
losses = []
for step in range(200):
    p = sigmoid(Z @ w + b)
    losses.append(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))
    w -= 0.5 * Z.T @ (p - y) / len(y)
    b -= 0.5 * np.mean(p - y)
plt.plot(losses)
plt.xlabel("step")
plt.ylabel("cross-entropy")
plt.show()
print(w, b)""",
    ),
    (
        "markdown",
        """## 3. The same with a tape

> **Question.** What is the gradient of $L$ with respect to $b$ at $w = 0, b = 0$?
> Think before you run the cell.""",
    ),
    (
        "code",
        """W = tf.Variable(np.zeros((2, 1)))
B = tf.Variable(0.0, dtype=tf.float64)
inputs = tf.constant(Z)
labels = tf.constant(y.reshape(-1, 1).astype(float))

with tf.GradientTape() as tape:
    logits = inputs @ W + B
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
dW, dB = tape.gradient(loss, [W, B])
print(float(loss), dW.numpy().ravel(), float(dB))""",
    ),
    (
        "code",
        """# compare with the formula
p = sigmoid(np.zeros(len(y)))
assert np.allclose(dW.numpy().ravel(), Z.T @ (p - y) / len(y))
assert np.allclose(float(dB), np.mean(p - y))""",
    ),
    (
        "markdown",
        """## Exercise 1 (3 points)

Write `train(steps, rate)` that trains `W` and `B` with the tape and returns the last loss.""",
    ),
    (
        "code",
        """def train(steps, rate):
    ### BEGIN SOLUTION
    W.assign(np.zeros((2, 1)))
    B.assign(0.0)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(
                tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=inputs @ W + B))
        dW, dB = tape.gradient(loss, [W, B])
        W.assign_sub(rate * dW)
        B.assign_sub(rate * dB)
    return float(loss)
    ### END SOLUTION""",
    ),
    (
        "code",
        """assert abs(train(200, 0.5) - losses[-1]) < 1e-6
assert train(1, 0.5) > train(50, 0.5)""",
    ),
    (
        "markdown",
        """Next week: [a small network](week2/small_network.ipynb). The data:
[exams.csv](exams.csv). Further reading: [Wikipedia](https://en.wikipedia.org/wiki/Logistic_regression).""",
    ),
]

NETWORK_CELLS = [
    (
        "markdown",
        """A small network
===============

![the network](images/network.png)

Two inputs, three hidden units, one output:

$$\\hat y = v^\\top \\tanh(W x + c) \\qquad \\text{with } W \\in \\mathbb{R}^{3 \\times 2}.$$

<img src="images/tanh.png" width="240" alt="tanh"/>""",
    ),
    (
        "code",
        """import sys
import numpy as np
import matplotlib.pyplot as plt
import minitape as tf
from minitape import viz

rng = np.random.default_rng(1)""",
    ),
    (
        "markdown",
        """### One forward and one backward pass

I drew this on the board:

![board](attachment:board.png)

| layer | shape of the weights |
|---|---|
| hidden | $3 \\times 2$ |
| output | $1 \\times 3$ |""",
    ),
    (
        "code",
        """x = tf.constant([[0.5], [-1.0]])
target = tf.constant([[1.0]])
W = tf.Variable(rng.normal(size=(3, 2)).astype("float32"), name="W")
c = tf.Variable(tf.zeros([3, 1]), name="c")
v = tf.Variable(rng.normal(size=(1, 3)).astype("float32"), name="v")

with viz.recording(), tf.GradientTape() as tape:
    hidden = tf.tanh(W @ x + c)
    output = v @ hidden
    loss = tf.reduce_sum((output - target) ** 2)

viz.step(tape, loss, [W, c, v])""",
    ),
    (
        "code",
        """gradients = tape.gradient(loss, [W, c, v])
for name, gradient in zip("Wcv", gradients):
    print(name, gradient.numpy().shape)
    print(gradient.numpy().round(3))""",
    ),
    (
        "markdown",
        """### XOR

A single layer cannot learn XOR (why not?). Two can:""",
    ),
    (
        "code",
        """X = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.float32)
Y = np.array([[0, 1, 1, 0]], dtype=np.float32)

shapes = [(4, 2), (4, 1), (1, 4), (1, 1)]
parameters = [tf.Variable(rng.normal(size=s).astype(np.float32)) for s in shapes]

def predict(X):
    W1, b1, W2, b2 = parameters
    return tf.sigmoid(W2 @ tf.tanh(W1 @ X + b1) + b2)

history = []
for epoch in range(500):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((predict(X) - Y) ** 2)
    for parameter, g in zip(parameters, tape.gradient(loss, parameters)):
        parameter.assign_sub(2.0 * g)
    history.append(float(loss))

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
left.semilogy(history); left.set_title("loss")
xs = np.linspace(-0.5, 1.5, 40, dtype=np.float32)
grid = np.stack(np.meshgrid(xs, xs)).reshape(2, -1)
right.contourf(xs, xs, predict(grid).numpy().reshape(40, 40), levels=20)
right.scatter(*X, c=Y.ravel(), edgecolor="w")
fig.tight_layout()""",
    ),
    ("code", "predict(X).numpy().round(2)"),
    ("markdown", """**Exercise 2.** How many numbers has the network in `parameters`?"""),
    (
        "code",
        """answer = sum(int(np.prod(p.shape)) for p in parameters)
answer""",
    ),
    (
        "markdown",
        """### For those who are faster

<details><summary>Hint</summary>

Look at $\\tanh'(z) = 1 - \\tanh^2(z)$.

</details>

Back to [the first week](../01%20Logistic%20regression%20by%20hand.ipynb).""",
    ),
]


def write(folder: Path) -> None:
    """Writes the course into `folder`, as Jupyter would have saved it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "week2" / "images").mkdir(parents=True, exist_ok=True)
    (folder / "exams.csv").write_text(_table())
    (folder / "week2" / "images" / "network.png").write_bytes(_picture(320, 160, (70, 120, 200)))
    (folder / "week2" / "images" / "tanh.png").write_bytes(_picture(480, 320, (200, 120, 70)))
    board = base64.b64encode(_picture(200, 100, (60, 90, 60))).decode()
    _notebook(folder / LOGISTIC, LOGISTIC_CELLS, {})
    _notebook(folder / NETWORK, NETWORK_CELLS, {"board.png": {"image/png": board}})


def _table() -> str:
    rng = np.random.default_rng(7)
    study, sleep = rng.uniform(0, 10, 60).round(1), rng.uniform(3, 9, 60).round(1)
    passed = study + 0.7 * sleep + rng.normal(0, 1.5, 60) > 9
    rows = [f"{a},{b},{int(c)}" for a, b, c in zip(study, sleep, passed, strict=True)]
    return "\n".join(["study,sleep,passed", *rows]) + "\n"


def _picture(width: int, height: int, colour: tuple[int, int, int]) -> bytes:
    """A PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + bytes(colour) * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _notebook(
    path: Path, cells: list[tuple[str, str]], attachments: dict[str, dict[str, str]]
) -> None:
    made, count = [], 0
    for kind, source in cells:
        if kind == "markdown":
            made.append(new_markdown_cell(source))
            if "attachment:" in source:
                made[-1]["attachments"] = attachments
        else:
            count += 1
            printed = (
                [new_output("stream", name="stdout", text="what it printed on her machine\n")]
                if "print(" in source
                else []
            )
            made.append(new_code_cell(source, execution_count=count, outputs=printed))
    book = new_notebook(cells=made)
    book.metadata["kernelspec"] = {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    }
    book.metadata["language_info"] = {"name": "python", "version": "3.12.4"}
    nbformat.write(book, path)
