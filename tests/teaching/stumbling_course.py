# ruff: noqa: E501 (lines of a course, as its author wrote them)
"""Writes a course of six lessons with 29 faults, and with what looks like one and is none.

It was written before its author had read what looks for faults.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook


class Planted(NamedTuple):
    """A fault: its kind, its lesson, and words of the source cell in which it stands."""

    kind: str
    lesson: str
    words: str


PLANTED: list[Planted] = []


def planted(kind: str, lesson: str, words: str) -> None:
    PLANTED.append(Planted(kind, lesson, words))


TOML = """title = "Optimisation for engineers"
language = "en"
order = ["01_slopes", "02_fitting", "03_networks", "04_physics", "05_sequences", "06_at_home"]
homework = ["06_at_home"]

[minutes]
01_slopes = 40
02_fitting = 40
04_physics = 3
05_sequences = 40
06_at_home = 60
"""

SLOPES = """# %% [markdown]
# # Slopes
#
# 12 students of last year asked for more pictures, so here they are. Mail [me](mailto:anna@example.org).
#
# ![](images/slope.png)

# %%
import minitape as tf
from minitape import viz

# %%
start = 3.0
x = tf.Variable(start, name="x")
with tf.GradientTape() as tape:
    y = x * x * x
slope = tape.gradient(y, x)

# %% [markdown]
# ## Where it stands still
#
# At 2 the derivative of the cube is 3 times 2 squared, which makes 12.

# %%
with viz.predict("What is the gradient of x * x * x at x = 2?", "12: three times two squared."):
    x.assign(2.0)
    with tf.GradientTape() as tape:
        y = x * x * x
    print(float(tape.gradient(y, x)))

# %%
print("first guess:", rate * float(slope))

# %%
rate = 0.1

# %% [markdown]
# The *division by zero* below is meant:

# %% tags=["raises-exception"]
1 / 0

# %% [markdown]
# On we go to [fitting](02_fitting.md), and then to [sequences](05_sequence.ipynb). A coffee is $2 and a cake is $3.
"""
planted("no words", "01_slopes", "images/slope.png")
planted("answer above", "01_slopes", "viz.predict(")
planted("raises", "01_slopes", "first guess")
planted("dead link", "01_slopes", "05_sequence.ipynb")

FITTING = """---
jupyter:
  jupytext:
    text_representation:
      extension: .md
      format_name: markdown
  kernelspec:
    display_name: Python 3
    language: python
    name: python3
---

# Fitting

See [the handout][hand] and [the section below](#least-squares-the-old-way).

[hand]: handout.txt

```python
!pip install scipy
import csv
import numpy as np
import minitape as tf
```

```python
with open("data/heights.csv") as file:
    heights = np.array([float(row["height"]) for row in csv.DictReader(file)])
```

```python
with open("Data/weights.csv") as file:
    weights = np.array([float(row["weight"]) for row in csv.DictReader(file)])
```

## Least squares, the *old* way

<div style="width: 1500px; background: #eef">The whole derivation on one wide board</div>

The minimum is where $\\frac{1}{n \\sum_i (h_i - m) = 0$.

```python
m = tf.Variable(0.0, dtype=tf.float64)
with tf.GradientTape() as tape:
    loss = tf.reduce_mean((tf.constant(heights) - m) ** 2)
print(float(tape.gradient(loss, m)))
```

The slides are [here](slides.pdf), and the picture is ![a line through points](Images/line.png).
"""
planted("installs", "02_fitting", "pip install scipy")
planted("missing file", "02_fitting", "Data/weights.csv")
planted("over the edge", "02_fitting", "width: 1500px")
planted("formula", "02_fitting", "\\frac{1}{n \\sum")
planted("dead link", "02_fitting", "slides.pdf")
planted("missing picture", "02_fitting", "Images/line.png")

LONG = " ".join(
    [
        "A network is a chain of layers, and a gradient runs through all of them backwards, one after the other."
    ]
    * 18
)
NETWORKS = [
    (
        "markdown",
        """# Networks

*Time: 10 minutes. Level: beginner.*

* [Layers](#layers)
* [Training](#traning)""",
    ),
    (
        "code",
        "import numpy as np\nimport minitape as tf\nfrom minitape import viz\ntf.random.set_seed(0)",
    ),
    *[("markdown", f"## Part {n}\n\n{LONG}") for n in ("one", "two", "three")],
    ("markdown", "## Layers\n\nIf you are at home, `pip install minitape` first."),
    (
        "code",
        """name = input("Who is there? ")
print("Hello", name)""",
    ),
    (
        "code",
        """W = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
x = tf.constant([[1.0], [-1.0]])
with tf.GradientTape() as tape:
    out = tf.reduce_sum(tf.nn.relu(W @ x))
gradient = tape.gradient(out, W)""",
    ),
    ("code", "again = tape.gradient(out, [W])"),
    ("markdown", "## Training"),
    (
        "code",
        "weights = tf.Variable([0.5, 0.25])\nwith tf.GradientTape() as tape:\n    loss = tf.reduce_sum(weights ** 2)\nprint('loss is', float(loss))",
    ),
    (
        "code",
        """with viz.predict("How large is the loss at the start?", "0.3125: a quarter and a sixteenth"):
    print(float(loss))""",
    ),
]
planted("too long", "03_networks", "Time: 10 minutes")
planted("dead link", "03_networks", "#traning")
planted("raises", "03_networks", "input(")
planted("raises", "03_networks", "again = ")
planted("answer above", "03_networks", "How large is the loss")

COLUMNS = 16
PHYSICS = f"""# %% [markdown]
# # Physics
#
# {LONG}
#
# <img src="images/pendulum.jpg" alt="a pendulum">

# %%
import sklearn.linear_model
import numpy as np

# %%
import minitape as tf

# %% [markdown]
# ## Measurements
#
# |{"|".join(f" measurement {n} " for n in range(COLUMNS))}|
# |{"|".join(["---"] * COLUMNS)}|
# |{"|".join(["0.123456"] * COLUMNS)}|

# %% [markdown]
# ## Energy
#
# TODO: ask Peter whether 9.81 or 9.80665.

# %% [markdown]
# ### Exercise 1
#
# Write the gradient of the energy `0.5 * m * v ** 2` with respect to `v`. (It is simply `m * v`, is it not?)

# %%
def momentum(m, v):
    ### BEGIN SOLUTION
    return m * v
    ### END SOLUTION

# %% tags=["check"]
assert momentum(2.0, 3.0) == 6.0
assert momentum(1.0, 0.5) == 0.25

# %% [markdown]
# ### Exercise 2
#
# And the height energy, with respect to `h`?

# %%
def weight(m):
    ### BEGIN SOLUTION
    return m * 9.81
    ### END SOLUTION

# %% tags=["check"]
for mass in (0.0, 1.0, 2.0):
    assert callable(weight), mass
"""
planted("too long", "04_physics", "# Physics")
planted("missing picture", "04_physics", "pendulum.jpg")
planted("missing package", "04_physics", "sklearn")
planted("over the edge", "04_physics", "measurement 0")
planted("to do", "04_physics", "TODO")
planted("answer above", "04_physics", "def momentum")
planted("check fails", "04_physics", "momentum(1.0, 0.5)")
planted("check passes", "04_physics", "callable(weight)")

TERMS = " + ".join(
    f"\\frac{{\\partial L}}{{\\partial h_{{{n}}}}} \\frac{{\\partial h_{{{n}}}}}{{\\partial W}}"
    for n in range(16)
)
SEQUENCES = [
    (
        "markdown",
        "Sequences are lists of numbers that come one after the other. We look at three of them.",
    ),
    ("code", "import numpy as np\nimport minitape as tf\nfrom minitape import viz"),
    ("markdown", f"## The sum over time\n\n$$\n\\frac{{\\partial L}}{{\\partial W}} = {TERMS}\n$$"),
    ("code", 'words = open("/Users/anna/teaching/words.txt").read().split()'),
    ("code", 'url = "https://example.org/Users/anna/words.txt"  # for later'),
    ("markdown", "## Practice"),
    (
        "code",
        """h = tf.Variable(1.0, name="h")
w = tf.Variable(2.0, name="w")
with viz.recording(), tf.GradientTape(persistent=True) as tape:
    step = h * w
    loss = step * step
print(tape.gradient(loss, [h, w]))""",
    ),
    ("code", "viz.quiz(tape, loss, [h, w])"),
    ("markdown", "## Practice\n\nThe [first lesson](01_slopes.py) has more."),
]
planted("no title", "05_sequences", "Sequences are lists")
planted("own path", "05_sequences", "/Users/anna/teaching")
planted("answer above", "05_sequences", "viz.quiz(")
planted("same name", "05_sequences", "The [first lesson]")

HOME = """# %% [markdown]
# # At home
#
# ![a cat](https://example.org/cat.png)
#
# ## Task 1
#
# Write a function `descend(x, rate)` that makes one step down the parabola `x ** 2`.

# %%
import minitape as tf

# %%
def descend(x, rate):
    ### BEGIN SOLUTION
    return x - rate * 2 * x

# %% tags=["check"]
assert abs(descend(1.0, 0.25) - 0.5) < 1e-9

# %% [markdown]
# ## Task 2
#
# Run this and explain it in two sentences.

# %%
try:
    tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])
except Exception as error:
    print(type(error).__name__)

# %%
table = [("a very long name of a thing that nobody has ever measured before", 1.0, 2.0), ("another very long name of a thing that nobody will measure", 3.0, 4.0), ("and the last of them", 5.0, 6.0)]
print(len(table))
"""
planted("far picture", "06_at_home", "cat.png")
planted("solution open", "06_at_home", "def descend")


def write(folder: Path) -> None:
    """Writes the course into `folder`."""
    for name in ("data", "images"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "course.toml").write_text(TOML)
    (folder / "handout.txt").write_text("One page.\n")
    (folder / "data" / "heights.csv").write_text("height\n1.70\n1.82\n1.65\n")
    (folder / "data" / "weights.csv").write_text("weight\n70\n82\n65\n")
    for name in ("slope", "line"):
        (folder / "images" / f"{name}.png").write_bytes(_DOT)
    (folder / "01_slopes.py").write_text(SLOPES)
    (folder / "02_fitting.md").write_text(FITTING)
    _notebook(folder / "03_networks.ipynb", NETWORKS)
    (folder / "04_physics.py").write_text(PHYSICS)
    _notebook(folder / "05_sequences.ipynb", SEQUENCES)
    (folder / "06_at_home.py").write_text(HOME)


_DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def _notebook(path: Path, cells: list[tuple[str, str]]) -> None:
    make = {"markdown": new_markdown_cell, "code": new_code_cell}
    nbformat.write(new_notebook(cells=[make[kind](source) for kind, source in cells]), path)
