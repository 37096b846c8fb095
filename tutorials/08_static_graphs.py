# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slide="A training takes all night. One word above its step, `@tf.function`, and it is done by midnight. But it has learnt less, and the log has one line.\n\nThe step draws noise with NumPy, counts its calls, and prints. **Which of the three does it still do at its tenth call?**" notes="2 minutes. Take a vote for each of the three, and come back to it at the rule. Then ask what changes from one step of a training to the next: the numbers. And what does not: the program."
# # 8. What a compiler does with your step
#
# Your training takes all night. You write one word above its step, `@tf.function`, and it is done by midnight. But the network has learnt less, the log has a single line, and no error
# says why. The step draws noise with NumPy, counts its calls in a Python number, and prints. **Which of the three does it still do at its tenth call?** To answer, you have to know what the word did.
#
# Why use it then? One gradient of the throw in lesson 1 runs 600 lines of your Python and calls 9000 functions, most of them the engine's. A training repeats that thousands of times, and only the
# numbers change. So a compiler writes the step down once. Every large framework has one: `tf.function`, `jax.jit`, `torch.compile`. We watch one at work, and write three of its tricks ourselves.
#
# You need lesson 1. The lesson takes 50 minutes; the exercises, and the section before them, are homework. If you type along: a cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - predict when your Python runs, and when it is traced again,
# - read a trace, and say what its derivative looks like,
# - fold constants, drop what no result needs, and say what fusion saves,
# - write branches and loops that a compiler can see.

# %% tags=["setup"]
import contextlib
import io
import logging
import string
import sys
import timeit
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import compiling

viz.figures()
logging.getLogger("minitape").setLevel(logging.ERROR)  # its warnings would tell the answers

# %% [markdown] slide="## One word above a function changes what a call does\n\n`@tf.function`, or `tf.function(step)`, gives a compiled version of your Python function. **What does it do when you call it?**" notes="3 minutes. The ball flies straight into the wind, 1.5 m above the ground, for 0.02 s. v is its velocity."
# ## One step, five calls
#
# `tf.function(step)` gives a compiled version of the Python function `step`; with `@tf.function` above a definition you get the same. What happens when you call it? We take
# one step of the throw: a ball flies straight into the wind for 0.02 s, and `v` is its velocity.


# %% slide="One step of a ball, to be traced"
def step(v):
    """The velocity 0.02 s later, straight into the wind, 1.5 m above the ground."""
    print("Python runs, and v is", v)
    wind = 6.0 * tf.tanh(tf.constant(1.5) / 5.0)
    air = v + wind
    return v - 0.0004 * air * air


traced = tf.function(step)

# %% slide="Five velocities: how often does Python run? | Once, and v had no number" notes="2 minutes. Let them say what v is when Python runs."
with viz.predict(
    "The function prints a line. We call `traced` for five velocities. How many lines will there be: none, one, or five?",
    "One. `print` is Python, and Python ran once, with a `v` that has a shape but no number. The five results are right all the same: they come from a list that was written meanwhile.",
):
    for v in [10.0, 12.0, 14.0, 16.0, 18.0]:
        print(f"{v}: {float(traced(tf.constant(v))):.3f}")


# %% [markdown] slide="## Its operations were written down\n\n*Tracing*: Python runs once, with tensors that have no numbers.\n\n**Trace**: the list of the operations of that run. From then on only the list runs."
# `tf.function` called your Python once, with a tensor that has a shape and a dtype, but no number. Each operation was only written down. The list of these operations is a
# **trace**, and making it is *tracing*. From then on only the list runs. Here it is:


# %% tags=["setup", "needed"]
# Given.
class Line(NamedTuple):
    """A line of a trace: the letter of its result, its operation, and letters or numbers."""

    name: str
    op: str
    inputs: tuple

    def __str__(self):
        inputs = [each if isinstance(each, str) else f"{each:.5g}" for each in self.inputs]
        return f"{self.name} = {self.op}({', '.join(inputs)})"


OPS = {"AddV2": "add", "Mul": "mul", "Sub": "sub", "RealDiv": "div", "Tanh": "tanh"}


def trace_of(function):
    """The trace of a tf.function of one number v, as a list of lines."""
    graph = function.get_concrete_function(tf.TensorSpec([], tf.float32)).graph
    argument, *nodes = graph.nodes
    names, lines = {argument.outputs[0]: "v"}, []
    for node, letter in zip(nodes, string.ascii_lowercase, strict=False):
        inputs = [names.get(slot) or float(graph.captured[slot]) for slot in node.inputs]
        names[node.outputs[0]] = letter
        lines.append(Line(letter, OPS[node.op.type_name], tuple(inputs)))
    return lines


# %% slide="The trace is a list of seven lines"
lines = trace_of(traced)
print(*lines, sep="\n")

# %% [markdown] slide="## The list is the whole program\n\nYour names, your `print` and your comments are gone. Numbers that were there while tracing are in the list.\n\nJAX calls such a list a **jaxpr**." notes="3 minutes. Find the wind in the list: a, b and c. Where is air? It is d. Who uses d?"
# Each line has a letter for its result, as in JAX, where such a list is called a **jaxpr**. Your names, your `print` and your comments are gone. A number that
# was there while tracing, such as the height 1.5, is in the list. Nothing else is needed to run the step. Five lines of Python do it, without the function:

# %% slide="Five lines run the list"
DO = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
DO |= {"div": np.divide, "tanh": np.tanh}


def run(lines, v):
    """The values of all lines, for a number or an array v."""
    values = {"v": v}
    for name, op, inputs in lines:
        values[name] = DO[op](*[values.get(each, each) for each in inputs])
    return values


print("the list:", run(lines, 10.0)["g"].round(3))
print("traced:  ", traced(tf.constant(10.0)).numpy().round(3))

# %% [markdown] slide=""
# ## And the derivative?
#
# A training needs the derivative too. So we trace the tape as well:


# %% slide="The tape is inside the traced function"
@tf.function
def with_slope(v):
    """The new velocity, and its derivative with respect to the old one."""
    with tf.GradientTape() as tape:
        tape.watch(v)
        new = step(v)
    return new, tape.gradient(new, v)


# %% slide="After the seven lines: how many more? | Five lines of the same kind" notes="2 minutes. Python ran once more, for with_slope is another function. Let them find d and e in the new lines: they belong to the forward pass and are used again."
with viz.predict(
    "The trace begins with the seven lines of `step`. How many new lines come after them: 1, 5 or 14?",
    "5, and all are ordinary lines. The tape walked backward once, while tracing, and what it did is written down: g is the new velocity, and l its derivative. No tape is left. "
    "The new lines use d and e again, which the forward pass has computed. (Python ran once more: `with_slope` is another function, and calls `step`.)",
):
    both = trace_of(with_slope)
    print(*both[len(lines) :], sep="\n")

# %% tags=["picture", "given"] slide="The derivative is a second row of lines, and it uses d and e again" alt="Two rows of letters joined by arrows. Above, from left to right, the step in blue: a, b and c lead from the numbers to d, v leads to d and to g, and d, e, f and g follow each other; d leads to f too. Below, from right to left, the derivative in orange: h leads to j and on to k, i leads to k, and k to l, the last one on the left. Two thick arrows lead down from the upper row: from d to h, and from e to i."
# Given: this only draws.
spots = {name: (n, 1.0) for n, name in enumerate("abcdefg")} | {"v": (3.0, 1.8)}
spots |= {"h": (3, 0), "i": (4, 0), "j": (2, 0), "k": (1, 0), "l": (0, 0)}
_, panel = plt.subplots(figsize=(8.6, 3.0))
for row in both:
    for used in [each for each in row.inputs if isinstance(each, str)]:
        crosses = used in "de" and row.name in "hi"
        bend = -0.4 if (used, row.name) in {("d", "f"), ("v", "g"), ("i", "k")} else 0.0
        look = {
            "arrowstyle": "->",
            "shrinkA": 13,
            "shrinkB": 13,
            "linewidth": 3 if crosses else 1.4,
        }
        look |= {
            "connectionstyle": f"arc3,rad={bend}",
            "color": "C1" if row.name in "hijkl" else "C0",
        }
        panel.annotate("", spots[row.name], spots[used], arrowprops=look)
for name, spot in spots.items():
    look = {
        "boxstyle": "circle",
        "facecolor": "white",
        "edgecolor": "C1" if name in "hijkl" else "C0",
    }
    panel.text(*spot, name, ha="center", va="center", fontsize=12, bbox=look)
panel.text(6.5, 1.0, "the new velocity", va="center", color="C0")
panel.text(-0.4, 0.0, "the derivative", ha="right", va="center", color="C1")
panel.set(xlim=(-2.2, 8.2), ylim=(-0.9, 2.1))
panel.axis("off")
plt.show()

# %% [markdown] slide=""
# The thick arrows are what a tape would have saved for the backward pass: d and e. The 1 and the -1 in the new lines are the slopes of the subtraction in g. So a derivative is an ordinary
# part of the program. It can be differentiated again, and optimised along with the rest.

# %% [markdown] slide="## What never changes is computed once\n\n**Constant folding**: a line whose inputs are all numbers is computed now, and only its result stays."
# ## Fold
#
# The compiler has something that Python never had: the whole list, before it runs. Its first trick is **constant folding**. A line whose inputs
# are all numbers is computed now, once, and later lines get its result. Which of the lines a to g stay?


# %% slide="Folding in ten lines: the wind is gone" notes="3 minutes. Before you run it: which of the lines a to g need v? Only these stay."
def folded(lines):
    """Computes the lines that need no v, and puts their results into the others."""
    known, left = {}, []
    for name, op, inputs in lines:
        inputs = tuple(known.get(each, each) for each in inputs)
        if any(isinstance(each, str) for each in inputs):
            left.append(Line(name, op, inputs))
        else:
            known[name] = float(DO[op](*inputs))
    return left


print(*folded(lines), sep="\n")

# %% [markdown] slide="## What no result needs is never computed\n\n**Dead code elimination**: start from the results that are wanted, and keep only the lines that they need.\n\nYou write it in exercise 3." notes="1 minute. Ask: only the derivative is wanted. Is the new velocity still needed? Leave it open: it is exercise 3."
# The whole computation of the wind is gone, tanh included. Other lines are computed in vain: a loss that you no longer print, a gradient that you never use. **Dead code elimination**
# starts from the results that are wanted, and keeps only the lines that they need. You will write it in exercise 3.

# %% [markdown] slide="## Every line reads whole arrays and writes one\n\nFor a million balls, moving numbers takes longer than the arithmetic.\n\n**Fusion**: several operations become one loop. Results in between are never written to memory." notes="4 minutes. Draw memory and processor, and an arrow for each array that goes across."
# ## Fuse
#
# Let `v` hold a million balls. Each line now reads whole arrays from memory, and writes one back: for each ball, `d = add(v, 1.7479)` moves two numbers, and `f = mul(e, d)` three. A multiplication is so cheap that most of the time goes into
# moving numbers. The second trick is **fusion**: several operations become one loop. It takes one ball through all lines, then the next ball, and results between the lines
# are never written to memory.


# %% tags=["setup"]
# Given.
def moved(lines):
    """How many numbers are read and written for each ball, line by line."""
    return sum(len({each for each in row.inputs if isinstance(each, str)}) + 1 for row in lines)


SIGNS = {"add": "+", "sub": "-", "mul": "*"}


def loop_of(lines, results):
    """The text of a program: all lines in one loop."""
    body = []
    for name, op, inputs in lines:
        a, b = (each if isinstance(each, str) else f"{each:.6g}" for each in inputs)
        body.append(f"        {name} = {a} {SIGNS[op]} {b}")
    kept = [f"        {name}s[n] = {name}" for name in results]
    head = f"def fused(vs, {', '.join(name + 's' for name in results)}):"
    return "\n".join([head, "    for n, v in enumerate(vs):", *body, *kept])


# %% slide="Nine lines, a million balls: how many numbers move? | Three million in place of 21" notes="3 minutes. One is read: v. Two are written: the new velocity and the derivative."
with viz.predict(
    "Step and derivative have nine lines after folding. Line by line they move 21 million numbers for a million balls. How many move in one loop: 12, 9 or 3 million?",
    "3 million: v is read, the new velocity and the derivative are written. The arithmetic is the same.",
):
    short = folded(both)
    print("line by line:", moved(short), "million; in one loop:", 1 + len(["g", "l"]), "million")

# %% tags=["picture", "given"] minutes=1 slide="Up and down for each line, or once" alt="Memory is a bar above, the processor a bar below. Left, line by line: for each of the lines d to l one arrow comes down for each array that is read, and one goes up for the one that is written, 21 in all. Right, in one loop: one arrow down, for v, and two up, for g and l."
# Given: this only draws.
_, panel = plt.subplots(figsize=(8.6, 2.8))
reads = [(row.name, sum(isinstance(each, str) for each in set(row.inputs)), 1) for row in short]
for at, (name, down, up) in enumerate([*reads, ("loop", 1, 2)]):
    at += at == len(reads)
    for n in range(down + up):
        x, look = at + 0.22 * (n - (down + up - 1) / 2), {"arrowstyle": "->", "linewidth": 1.8}
        ends = ((x, 0.1), (x, 0.9)) if n < down else ((x, 0.9), (x, 0.1))
        panel.annotate("", *ends, arrowprops=look | {"color": "C0" if n < down else "C1"})
    panel.text(at, -0.42, name, ha="center")
for y, name in [(1.0, "memory"), (0.0, "processor")]:
    panel.plot([-0.6, 10.7], [y, y], "-", color="0.75", linewidth=7)
    panel.text(-0.8, y, name, ha="right", va="center")
panel.text(4.0, 1.25, f"line by line: {moved(short)} arrows", ha="center")
panel.text(10.0, 1.25, "in one loop: 3", ha="center")
panel.set(xlim=(-2.6, 11.4), ylim=(-0.6, 1.5))
panel.axis("off")
plt.show()

# %% tags=["picture"] minutes=1 slide="Written down, differentiated, folded, fused" notes="2 minutes. Let it run once without a word, then ask what happened at each stage."
compiling(
    [str(line) for line in lines],
    [str(line) for line in both[len(lines) :]],
    ["a", "b", "c"],
    loop_of(short, ["g", "l"]).split("\n"),
    "A list grows line by line. First seven lines, a to g: the step. Then five more, h to l: its derivative. Then the lines a, b and c are struck out: they are known. "
    "At last all other lines stand in one loop over the balls, which reads v and writes g and l.",
)

# %% [markdown] slide="## A compiler writes a program\n\nOurs has written Python. **XLA**, the compiler behind JAX, writes machine code: for this step one loop, with 1.7479 in it."
# Our compiler has written a program. Is it right? We run it on three balls, and the list too:

# %% slide=""
program = {}
exec(loop_of(short, ["g", "l"]), program)
balls, new, slopes = np.array([10.0, 12.0, 14.0]), np.zeros(3), np.zeros(3)
program["fused"](balls, new, slopes)
print("the loop:", new.round(3), slopes.round(4))
print("the list:", run(both, balls)["g"].round(3), run(both, balls)["l"].round(4))

# %% [markdown]
# Python is slow at such loops. A real compiler writes machine code. **XLA**, the compiler behind JAX, folds and fuses this very step into one loop, with the constant 1.7479 in it. minitape
# folds constants, too, and drops lines that no result needs. It does not fuse: NumPy runs one operation at a time.

# %% [markdown] slide=""
# ## When is it traced again?
#
# The list was written for a tensor of shape (). The next call may bring another number, another shape, or a Python number. Does the list fit?

# %% slide="Four more calls: how many traces? | One for the shape, one for each Python number" notes="2 minutes. Ask afterwards: a learning rate that falls a little at each of 10,000 steps, as a Python number?"
with viz.predict(
    "`traced` has one trace, for tensors of shape (). Four calls follow: with a vector of two, with `tf.constant(5.0)`, and with the Python numbers 6.0 and 7.0. How many "
    "traces are there then: 2, 3, 4 or 5?",
    "4: one more for the vector, none for the tensor 5.0, and one for each Python number. Pass tensors.",
):
    for argument in [tf.constant([1.0, 2.0]), tf.constant(5.0), 6.0, 7.0]:
        traced(argument)
    print(traced.experimental_get_tracing_count(), "traces")

# %% [markdown] slide="## A trace fits one shape and one dtype\n\n**Retracing**: for another shape or dtype, Python runs again and writes another list.\n\nA Python number is *written into* the list, so each new number needs a new list." notes="3 minutes. Tracing takes far longer than a run: a step that is traced each time is slower than plain Python."
# A trace fits one shape and one dtype. For another one, Python runs again and writes another list. This is called **retracing**.
# Tracing this step costs about as much as a hundred runs of it; tracing the whole throw, about as much as a thousand throws. A Python number is not a tensor. It is written into the list, so each new number needs a new list.

# %% [markdown] slide=""
# What about random numbers drawn in Python?


# %% slide="A gust drawn by NumPy, in a traced step"
draw = np.random.default_rng(3)


@tf.function
def gusty(v):
    """A step with a gust, which NumPy draws."""
    return v - 0.02 * draw.normal()


# %% slide="Five calls: how many different results? | One: the gust is in the list" notes="3 minutes. Whose training adds noise? In JAX it is the same; PyTorch draws anew."
with viz.predict(
    "We call `gusty` five times with the same velocity. How many different results: one, two or five?",
    "One. NumPy drew a number while tracing, and the number is in the list. A training would meet the same gust in every step, and no error would say so. "
    "`tf.random.normal` is an operation: it is written down, and draws at every call.",
):
    print(len({float(gusty(tf.constant(10.0))) for _ in range(5)}), "result")

# %% tags=["picture", "given"] slide="The noise has become a wind: ten balls, a hundred steps" alt="Two panels with the velocity of ten balls over a hundred steps, all beginning at 10 m/s. Left, in Python: ten rugged lines that spread, some up and some down. Right, traced: a single straight line, on which all ten balls lie; it leads steadily away from 10."
# Given: it runs the steps, and draws.
_, panels = plt.subplots(1, 2, figsize=(8.6, 2.8), sharey=True, layout="constrained")
for panel, a_step, name in [
    (panels[0], gusty.python_function, "in Python: ten balls"),
    (panels[1], gusty, "traced: ten balls, on one line"),
]:
    for _ in range(10):
        speeds = [10.0]
        for _ in range(100):
            speeds.append(float(a_step(tf.constant(speeds[-1]))))
        panel.plot(speeds, "-", linewidth=1.2, color="C0")
    panel.axhline(10.0, color="0.6", linewidth=1, linestyle=":")
    panel.set(xlabel="step", title=name)
panels[0].set_ylabel("velocity in m/s")
plt.show()

# %% [markdown] slide="## What has to happen at every call must be in the list\n\nAn operation, or an assignment to a `tf.Variable`. Nothing else: no print, no NumPy, no clock, no counter in Python."
# In Python the gusts nearly cancel. Traced, one of them blows at every step: noise has become a wind.
#
# **Rule.** What has to happen at every call must be an operation, or an assignment to a `tf.Variable`. Only these are in the list.
#
# **The answer to the first question: none of the three.** The step draws one noise for all calls, counts to one, and prints once. That is why its network has learnt less.

# %% [markdown] slide="## An if asks for a value, and there is none\n\nminitape gives up tracing, runs the Python at each call, and warns. JAX raises an error." notes="3 minutes. Ask before you show it: what could a tracer do here? Write down the first branch, both, none? In PyTorch the pieces before and after the if are compiled, and Python decides in between."
# ## Branches
#
# What about an `if`? It asks for a value, and while tracing there is none. So minitape gives up tracing. It runs the Python at every call, and warns. With `autograph=False` it raises an error.


# %%
@tf.function
def drag(v):
    if v > 0.0:
        return v * v
    return -v * v


print(float(drag(tf.constant(3.0))), float(drag(tf.constant(-3.0))))
print("runs its Python each time:", drag.runs_python is not None)

# %% [markdown] slide="## A graph break costs more than it seems\n\n**Graph break**: a place where the compiler hands over to Python, as PyTorch does at an `if`.\n\nNothing is folded or fused across it."
# In JAX you see a `TracerBoolConversionError`. In PyTorch you see the right numbers and no message: it cuts the trace into pieces, and lets Python decide in between. Such a place is a **graph break**. Nothing is folded or fused across it. With `tf.cond` a branch belongs to the trace. It takes two functions. Both are traced, and at each call one of them runs:


# %% slide="tf.cond: both branches are traced, one of them runs"
@tf.function
def branching(v):
    return tf.cond(v > 0.0, lambda: v * v, lambda: -v * v)


print(float(branching(tf.constant(3.0))), float(branching(tf.constant(-3.0))))
print("runs its Python each time:", branching.runs_python is not None)

# %% [markdown] slide="## tf.where computes both sides\n\nThen it picks, element by element."
# For an array, where each number has its own answer, use `tf.where`. It computes *both* sides, and then picks element by element.

# %% slide="A logarithm that is not picked at 0"
x = tf.constant([2.0, 0.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.where(x > 0.0, tf.math.log(x), 0.0)
print(y.numpy().round(3))

# %% slide="What is the gradient at 0? | Both sides are differentiated"
with viz.predict(
    "At 0 the value is 0. What is the gradient there: 0, 1 or nan?",
    "`nan`. The logarithm is not picked, so the gradient that arrives at it is 0. But its slope there is 1/0 = ∞, and 0 · ∞ is not a number. PyTorch and JAX give `nan` too.",
):
    print(tape.gradient(y, x).numpy())

# %% [markdown] slide=""
# So a number that is not picked must still be harmless *before* it goes into the logarithm. You will find the cure in exercise 2.

# %% [markdown] slide=""
# ## Loops
#
# A `for` over a `range` does not depend on any tensor, so it can be traced. But it runs while tracing, and each round is written down. Here is the whole throw, once with a
# Python loop and once with a loop that is an operation. `tf.while_loop` takes the condition, one round, and the values at the start.


# %% tags=["given"] slide=""
# Given.
def moment(x, y, vx, vy):
    """0.02 s of the throw."""
    air = vx + 6.0 * tf.tanh(y / 5.0)
    drag = 0.02 * tf.sqrt(air**2 + vy**2)
    vx, vy = vx - 0.02 * drag * air, vy - 0.02 * (drag * vy + 9.81)
    return x + 0.02 * vx, y + 0.02 * vy, vx, vy


@tf.function
def written_out(v):
    vx, vy = v[0], v[1]
    ball = 0.0 * vx, 1.5 + 0.0 * vy, vx, vy
    for _ in range(100):
        ball = moment(*ball)
    return (ball[0] - 20.0) ** 2 + (ball[1] - 2.0) ** 2


# %% slide="A loop that is an operation"
@tf.function
def looped(v):
    start = tf.constant(0), tf.constant(0.0), tf.constant(1.5), v[0], v[1]

    def more(n, *ball):
        return n + 1, *moment(*ball)

    _, x, y, *_ = tf.while_loop(lambda n, *_: n < 100, more, start)
    return (x - 20.0) ** 2 + (y - 2.0) ** 2


# %% slide="How long is the trace with the loop? | A dozen at most, and one of them is the loop" notes="2 minutes. For a compiler a long list is expensive: JAX takes its time for every line."
with viz.predict(
    "A hundred steps in a Python `for` make a trace of some two thousand lines. How many lines does the trace of `looped` have: about 1000, 100, or a dozen?",
    "A dozen at most. One of them is the loop, and it holds one hundredth of the throw, written down once. The list is short, so it is compiled quickly. "
    "The arithmetic is the same.",
):
    aim = tf.constant([10.0, 10.0])
    for function in (written_out, looped):
        nodes = function.get_concrete_function(aim).graph.nodes
        print(f"{len(nodes):5} lines, misses by {float(function(aim)) ** 0.5:.3f} m")

# %% [markdown] slide=""
# ## What is saved?
#
# How much does all this save? Here is one gradient of the throw: in plain Python, with a tape around the traced throw, and with everything traced.


# %% tags=["setup"]
# Given.
def gradient(throw, v):
    """The gradient of the squared distance, by a tape around a throw."""
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = throw(v)
    return tape.gradient(y, v)


def counted(a_round, v):
    """How many lines of the throw run, and how many functions of Python are called."""
    lines = calls = 0
    ours = {moment.__code__, written_out.python_function.__code__}

    def note(frame, event, _):
        nonlocal lines, calls
        calls += event == "call"
        lines += event == "line" and frame.f_code in ours
        return note if frame.f_code in ours else None

    before = sys.gettrace()
    with contextlib.redirect_stdout(io.StringIO()):
        a_round(v)  # the first time traces
        sys.settrace(note)
        try:
            a_round(v)
        finally:
            sys.settrace(before)
    return lines, calls


def fastest(a_round, v):
    """The milliseconds of the fastest of 20 rounds."""
    return 1000 * min(timeit.repeat(lambda: a_round(v), number=1, repeat=20))


def compared(found):
    """Bars for the calls and the milliseconds of each way; found has its lines, calls and time."""
    lines, calls, took = zip(*found.values(), strict=True)
    said = [
        f"{round(n, -2)} calls, {round(ran, -2)} lines" for n, ran in zip(calls, lines, strict=True)
    ]
    _, panels = plt.subplots(2, 1, figsize=(7.6, 3.6), layout="constrained")
    for panel, sizes, labels, title in [
        (panels[0], calls, said, "calls of functions, and lines of the throw that run"),
        (panels[1], took, [f"{each:.1f}" for each in took], "milliseconds"),
    ]:
        bars = panel.barh(list(found), sizes, color=["C0", "C0", "C1"], height=0.6)
        panel.bar_label(bars, labels, padding=5, fontsize=12)
        panel.set(xlim=(0, 1.35 * max(sizes)), xticks=[])
        panel.set_title(title, fontsize=13, loc="left")
        panel.spines["bottom"].set_visible(False)
        panel.invert_yaxis()
    plt.show()


# %% slide="Three ways to one gradient"
ways = {
    "in Python": lambda v: gradient(written_out.python_function, v),
    "tape around the trace": lambda v: gradient(written_out, v),
    "tape in the trace": tf.function(lambda v: gradient(written_out, v)),
}

# %% tags=["varies", "picture", "given"] minutes=1 slide="Trace the whole round, its tape included" notes="1 minute. The times are those of your machine. Ask why a tape around the trace saves nothing: it has to see each operation." alt="Two panels with three bars each. Calls of functions: about 9000 in Python, a few more with the tape around the trace, and about a tenth with the tape in the trace. Milliseconds, measured here: with the tape in the trace a fraction of the time in Python."
# Given: it measures on this machine, and draws.
found = {name: (*counted(way, aim), fastest(way, aim)) for name, way in ways.items()}
compared(found)

# %% [markdown] slide="## Tape or graph?\n\n| what | tape | trace |\n|:--|:--|:--|\n| written down | while it runs | before it runs |\n| `if`, `while`, `print` | at each run | while tracing |\n| the derivative | numbers | more lines |\n| good for | finding mistakes | running often |" notes="2 minutes. Develop without the decorator, and add it when the step is right."
# A trace runs none of your lines. But a tape around it has to see each operation, so minitape runs the list line by line, and makes even a few calls more.
# With the tape inside, the round is several times faster. **Trace the whole round, its tape included.** In JAX too you write `jax.jit(jax.grad(f))`, the gradient inside.
#
# | what | tape | trace, or graph |
# |:--|:--|:--|
# | written down | while the program runs | before it runs |
# | `if`, `while`, `print` | Python's, at each run | Python's, while tracing |
# | the derivative is | numbers | more lines |
# | good for | learning, finding mistakes | running the same step often |
#
# So write your step without the decorator, and find its mistakes there. When it is right, trace it.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `@tf.function` | `torch.compile(f)` | `jax.jit(f)` |\n| 5 Python numbers: 5 traces | 2 | 1 |\n| `print`: once | each call | once |\n| `if`: Python each time | a graph break | an error |\n| `tf.while_loop` | a Python loop | `lax.scan` |"
# ## The same elsewhere
#
# | here | PyTorch | JAX |
# |:--|:--|:--|
# | `@tf.function` | `torch.compile(f)` | `jax.jit(f)` |
# | its list: `get_concrete_function(x).graph` | `torch.fx.symbolic_trace(f).graph` | `jax.make_jaxpr(f)(x)` |
# | five Python numbers beside a tensor: five traces | two: the second fits any number | one: they count as tensors |
# | lengths 2, 3, 4, 5: four traces | two: the second fits any length | four |
# | `print` in it: once | at each call, by a graph break | once |
# | NumPy's random number: the same each time | a new one each time | the same each time |
# | `if` on a tensor: Python each time; with `autograph=False` an error | a graph break; with `fullgraph=True` "Data-dependent branching" | `TracerBoolConversionError` |
# | `tf.cond` | `torch.cond` | `jax.lax.cond` |
# | `tf.while_loop`, with a gradient | a Python loop, written out | `lax.scan`; `lax.while_loop` has no gradient in reverse |

# %% [markdown] slide=""
# ## Homework: whose turn is it?
#
# A compiler moves lines. Which moves are safe? A list runs forward, and is differentiated backward, if each line uses only
# what is above it. Such an order is called a **topological order**. In our step both `e` and `f` use `d`. What happens backward if the turn of `d` comes before that of `e`?


# %% tags=["setup"]
# Given.
RULES = {
    "add": lambda g, a, b: (g, g),
    "sub": lambda g, a, b: (g, -g),
    "mul": lambda g, a, b: (g * b, g * a),
}


def slope_by(order, lines, v):
    """The derivative of the first line of an order with respect to v, line by line."""
    values, rows = run(lines, v), {row.name: row for row in lines}
    arrived = dict.fromkeys(values, 0.0) | {order[0]: 1.0}
    for name in order:
        _, op, inputs = rows[name]
        numbers = [values.get(each, each) for each in inputs]
        for each, part in zip(inputs, RULES[op](arrived[name], *numbers), strict=True):
            if each in arrived:
                arrived[each] += part
    return float(arrived["v"])


# %% slide=""
for order in ("gfed", "gfde"):
    print("order", *order, " slope", round(slope_by(order, folded(lines), 10.0), 4))

# %% [markdown] slide=""
# In the second order, d is processed when only f has contributed. What e sends later is lost, which is half of the drag's slope, and no error says so.

# %% [markdown] slide=""
# So we count. A line is ready when everything that uses its result, on paths to the target, is done. Its *pending count* is the number of these uses. When a line is done, the count of each of its inputs goes down by one for
# each use. A line whose count is 0 is ready. This is **Kahn's algorithm**, and it brings shuffled lines into a topological order, forward or backward.

# %% tags=["picture"] slide="" alt="Four drawings of the step as a graph. Arrows lead from v to d and to g, from d to e and to f, from e to f, and from f to g; a circle at each letter holds its count. First g is ready with 0; d and v have 2, e and f have 1. When g is done, f is ready, and v has 1. When f is done, e is ready and d has 1: it still waits. When e is done, d is ready, and v has 1."
# Given: this only draws.
PLACES = {"v": (0, 0), "d": (1, 0.9), "e": (2, 1.6), "f": (3, 0.9), "g": (4, 0)}
USES = [("v", "d"), ("v", "g"), ("d", "e"), ("d", "f"), ("e", "f"), ("f", "g")]
figure, panels = plt.subplots(2, 2, figsize=(8.6, 4.6))
for panel, finished in zip(panels.flat, ("", "g", "gf", "gfe"), strict=True):
    waits = {name: sum(a == name and b not in finished for a, b in USES) for name in PLACES}
    for a, b in USES:
        look = {"arrowstyle": "->", "shrinkA": 13, "shrinkB": 13, "color": "gray"}
        panel.annotate("", PLACES[b], PLACES[a], arrowprops=look)
    for name, (across, up) in PLACES.items():
        done, ready = name in finished, waits[name] == 0
        fill, width = ("lightgray" if done else "white"), (3 if ready and not done else 1)
        look = {"boxstyle": "circle", "facecolor": fill, "linewidth": width}
        shown = "✓" if done else waits[name]
        panel.text(across, up, shown, ha="center", va="center", fontsize=12, bbox=look)
        panel.text(across, up + 0.5, name, ha="center", fontsize=12)
    panel.set(xlim=(-0.5, 4.5), ylim=(-0.5, 2.5))
    panel.set_title(f"done: {', '.join(finished)}" if finished else "at the beginning", fontsize=12)
    panel.axis("off")
figure.suptitle("gray: done; thick ring: ready; a number: uses that are not done", fontsize=12)
plt.tight_layout()
plt.show()

# %% [markdown] slide="## Exercises\n\n1. How often is it traced?\n2. A where without the trap\n3. What does a result need?\n4. A list in another order"
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** By hand: how often is each function traced? All four are `tf.function`s, called nowhere else.
#
#     for n in range(10):  a(tf.constant(0.1 * n))
#     for n in range(10):  b(0.1 * n)
#     for n in range(10):  c(0.1)
#     for epoch in range(5):
#         for size in [32, 32, 32, 17]:  d(tf.ones([size, 64]))

# %% nbgrader={"grade": false, "grade_id": "by-hand-traces", "locked": false, "schema_version": 3, "solution": true, "task": false}
traces = {"a": None, "b": None, "c": None, "d": None}
### BEGIN SOLUTION
traces = {"a": 1, "b": 10, "c": 1, "d": 2}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "by-hand-traces-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    calls = {
        "a": [tf.constant(0.1 * n) for n in range(10)],
        "b": [0.1 * n for n in range(10)],
        "c": [0.1] * 10,
        "d": [tf.ones([size, 64]) for _ in range(5) for size in [32, 32, 32, 17]],
    }
    hints = {
        ("a", 10): "a: these are tensors of one shape and dtype. Does their value matter?",
        ("b", 1): "b: these are Python numbers. Where does a Python number end up in a trace?",
        ("c", 10): "c: this is the same Python number again and again. Which list fits it?",
        ("d", 20): "d: a trace is kept. How many *different* shapes are there?",
        ("d", 10): "d: a trace is kept, also until the next epoch.",
        ("d", 4): "d: three of the four sizes are the same.",
        ("d", 1): "d: the last batch of each epoch is smaller.",
    }
    assert isinstance(traces, dict) and set(traces) == set(calls), "Keep the names a, b, c and d."
    assert None not in traces.values(), "Fill in four numbers."
    for name, arguments in calls.items():
        function = tf.function(lambda x: x + x)
        for argument in arguments:
            function(argument)
        hint = f"{name}: which of its calls find a list that fits?"
        hint = hints.get((name, traces[name]), hint)
        score.part(0.5, traces[name] == function.experimental_get_tracing_count(), hint)
    score.total("a new shape, dtype or Python number needs a new list, and lists are kept.")
score.earned

# %% [markdown]
# **Exercise 2.** An entropy is made of terms $p \log p$. Write `p_log_p(p)` for a vector `p`: $p \log p$ for each positive element, and 0 for the others. Its gradient must be
# $\log p + 1$ for the positive ones and 0 for the others, never `nan`. It must be traceable. Remember what `tf.where` computes: whatever goes into the logarithm has to be harmless.


# %% nbgrader={"grade": false, "grade_id": "p-log-p", "locked": false, "schema_version": 3, "solution": true, "task": false}
@tf.function
def p_log_p(p):
    """The terms of an entropy, with a gradient that is never nan."""
    ### BEGIN SOLUTION
    inside = tf.where(p > 0.0, p, 1.0)
    return tf.where(p > 0.0, p * tf.math.log(inside), 0.0)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "p-log-p-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    given = np.concatenate([draw.uniform(0.5, 3.0, 3), -draw.uniform(0.5, 3.0, 2), [0.0]])
    positive, p = given > 0, tf.constant(given, tf.float32)
    assert hasattr(p_log_p, "runs_python"), "Keep the line @tf.function above def p_log_p."
    fresh = tf.function(p_log_p.python_function)
    with tf.GradientTape() as tape:
        tape.watch(p)
        try:
            y = fresh(p)
        except (TypeError, ValueError) as error:
            raise AssertionError(f"It stops with: {str(error).splitlines()[0]}") from error
    assert y is not None, "Nothing is returned yet: a vector as long as p."
    assert np.shape(y) == (6,), f"The result has the shape of p, here (6,), not {np.shape(y)}."
    slopes = tape.gradient(y, p)
    assert slopes is not None, "No path leads from the result to p: is p used by operations only?"
    values, slopes = np.asarray(y, float), slopes.numpy()
    logs = np.log(np.abs(given[positive]))
    good = np.allclose(values[positive], given[positive] * logs, rtol=1e-5, atol=1e-6)
    hint = "For the positive elements the values are not p times its logarithm."
    if np.allclose(values[positive], logs, rtol=1e-5):
        hint = "That is the logarithm. The term is p times it."
    elif np.isnan(values).any():
        hint = "There is nan among the values: what goes into the logarithm?"
    elif good:
        hint = "The elements that are not positive must give 0."
    rest = np.allclose(values[~positive], 0.0, atol=1e-6)
    score.part(0.5, good and rest, hint)
    by_hand = logs + 1
    hint = "Where p is positive, the slope is not log p + 1."
    if np.allclose(slopes[positive], logs, rtol=1e-4):
        hint = "Where p is positive, a part of the slope is missing: does a path lead through the logarithm, too?"
    elif np.allclose(slopes[positive], 0.0):
        hint = "Where p is positive, nothing arrives."
    kept = score.part(0.5, np.allclose(slopes[positive], by_hand, rtol=1e-3, atol=1e-4), hint)
    hint = "For the other elements the slope must be 0: the result does not change there."
    if not np.isfinite(slopes[~positive]).all():
        hint = "There is nan or an infinity in the gradient: a logarithm is computed where it has no slope, and then not picked. Which numbers go into it?"
    if kept and score.part(2, np.allclose(slopes[~positive], 0.0), hint):
        hint = "It runs its Python at each call: an if or a loop asks for a value."
        score.part(1, fresh.runs_python is None, hint)
    score.total("both sides are computed, so both must be harmless.")
score.earned

# %% [markdown]
# **Exercise 3.** What does a result need? `both` computes the new velocity g *and* its derivative l. Write `needed(lines, wanted)`: the lines that the names in the list `wanted` need, in their
# old order, and no others. A line needs the lines whose results it uses, and so on, down to the start. Each line has `name`, `op` and `inputs`. An input that is not the name of a line, such as
# `"v"` or a number, is there from the start. Each line stands below those that it uses. **Before you run it**, take a pencil: of the lines a to l of `both`, which can go if only l is wanted? Put their
# letters into `dropped`. (And which could go if only g were?)


# %% nbgrader={"grade": false, "grade_id": "needed", "locked": false, "schema_version": 3, "solution": true, "task": false}
dropped = ""  # such as "abc"
### BEGIN SOLUTION
dropped = "fg"
### END SOLUTION


def needed(lines, wanted):
    """The lines that the wanted results need, in their old order."""
    ### BEGIN SOLUTION
    used, left = set(wanted), []
    for line in reversed(lines):
        if line.name in used:
            left.append(line)
            used.update(line.inputs)
    return left[::-1]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "needed-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other lists each time
    letters = "?"
    if isinstance(dropped, str | list | set | tuple):
        letters = "".join(sorted(set("".join(map(str, dropped))) - set(", ")))
    hint = "dropped: another set of letters. Go backward from l: what does it use, and what do these use?"
    if not letters:
        hint = "dropped is empty: is every line of both needed for l?"
    elif letters == "g":
        hint = "dropped: g goes. Which lines did g use, and does another line use them?"
    elif letters in ("hijkl", "hijk"):
        hint = "dropped: these would go if only g were wanted. Here only l is."
    elif set(letters) & set("hijkl"):
        hint = "dropped: l comes from the five new lines, each of which is used."
    elif set(letters) & set("de"):
        hint = "dropped: which lines of the step are used again by the new ones?"
    elif set(letters) & set("abc"):
        hint = "dropped: folding removes a, b and c. But d needs them, as long as nobody folds."

    def given(size, twice):
        """So many lines; each uses one or two of those above it."""
        names, rows = draw.permutation(list("abcdefghijklmnop")).tolist()[:size], []
        for n, name in enumerate(names):
            above = names[:n][-5:]
            count = min(len(above), int(draw.integers(0, 3)) if n % 4 else 0)
            used = draw.choice(above, count, replace=False).tolist() if count else []
            used = used[:1] * 2 if twice and used else used
            rows.append(Line(name, "mul", tuple([*used, "v", 2.0][:2])))
        return rows

    def behind(rows, names):
        """The names of all lines from which a path leads to one of the names, and these."""
        found = set(names)
        while True:
            more = {each for row in rows if row.name in found for each in row.inputs}
            more = (more & {row.name for row in rows}) - found
            if not more:
                return found
            found |= more

    uses = "a b:a c:b d:vc e:d f:ed g:vf h:d i:e j:h k:ij l:k"  # the lines of both
    both = [Line(each[0], "mul", tuple(each[2:])) for each in uses.split()]
    score.part(1, set(letters) == {row.name for row in both} - behind(both, ["l"]), hint)
    for count, twice in [(1, False), (2, False), (1, True)]:
        while True:
            rows = given(12, twice)
            results = draw.choice([row.name for row in rows[5:]], count, replace=False).tolist()
            right = behind(rows, results)
            direct = {each for row in rows if row.name in results for each in row.inputs}
            deep = right - set(results) - direct
            apart = count == 1 or all(behind(rows, [each]) < right for each in results)
            if deep and apart and len(right) < 10 and rows[-1].name not in right:
                break
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                found = needed(list(rows), list(results))
            except RecursionError:
                raise AssertionError(
                    "It calls itself forever: v and numbers are not lines."
                ) from None
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise AssertionError(
                    f"It stops with {type(error).__name__}: {error}. Inputs may be numbers or v, which are not lines."
                ) from None
        assert found is not None, "needed returns nothing yet: a list of lines."
        found = list(found)
        assert all(isinstance(row, Line) for row in found), "Return the lines, not their names."
        names = [row.name for row in found]
        hint = "These are other lines than a result needs."
        if len(set(names)) < len(names):
            hint = "A line comes twice: two others use it, and it is still one line."
        elif not set(names) & set(results):
            hint = "The wanted lines themselves are missing."
        elif count == 2 and any(set(names) == behind(rows, [each]) for each in results):
            hint = "Two results are wanted: you followed one of them."
        elif set(names) <= set(results) | direct:
            hint = "A wanted line needs those that it uses. What do *they* use?"
        elif set(names) > right:
            hint = f"Too many lines: no path leads from {min(set(names) - right)} to {' or '.join(results)}."
        elif set(names) < right:
            hint = f"Too few lines: a path leads from {min(right - set(names))} to {' or '.join(results)}."
        elif set(names) == right:
            hint = "These are the right lines, but not in their old order."
        score.part(1, found == [row for row in rows if row.name in right], hint)
    score.total("go backward from what is wanted: the derivative does not need the new velocity.")
score.earned

# %% [markdown]
# **Exercise 4.** A list has been shuffled, and `run` needs it in a topological order. Write `in_order(lines)`: the same lines, each after the lines whose results it uses. Use Kahn's algorithm,
# this time from the front: which lines can run first, and what may run when a line is done? A line may use a result twice.


# %% nbgrader={"grade": false, "grade_id": "in-order", "locked": false, "schema_version": 3, "solution": true, "task": false}
def in_order(lines):
    """The same lines, each after those that it uses."""
    ### BEGIN SOLUTION
    names = {line.name for line in lines}
    missing = {line: sum(each in names for each in line.inputs) for line in lines}
    ready = [line for line in lines if missing[line] == 0]
    for done in ready:  # it grows while we go through it
        for line in lines:
            uses = line.inputs.count(done.name)
            missing[line] -= uses
            if uses and missing[line] == 0:
                ready.append(line)
    return ready
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "in-order-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other lists each time

    def early(rows):
        """The first line that stands before a line that it uses."""
        place = {row.name: n for n, row in enumerate(rows)}
        for n, row in enumerate(rows):
            if any(place.get(each, -1) >= n for each in row.inputs):
                return row
        return None

    def shuffled(size, twice):
        """So many lines, in an order of chance that is not topological."""
        letters, rows = draw.permutation(list("abcdefghijklm")).tolist()[:size], []
        for n, letter in enumerate(letters):
            known = letters[max(n - 3, 0) : n]
            used = draw.choice(known, min(len(known), 1 if twice else 2), replace=False).tolist()
            used = used * 2 if twice else used
            rows.append(Line(letter, "mul", tuple([*used, "v", 2.0][:2])))
        while early(rows) is None:
            rows = [rows[int(n)] for n in draw.permutation(size)]
        return rows

    for twice in (False, True):
        rows = shuffled(9, twice)
        with contextlib.redirect_stdout(io.StringIO()):
            found = in_order(list(rows))
        assert found is not None, "Nothing is returned yet: a list of lines."
        found = list(found)
        assert all(isinstance(row, Line) for row in found), "Return the lines, not their names."
        hint = "These are not the lines that were given."
        if len(found) < len(rows):
            hint = f"{len(rows) - len(found)} of {len(rows)} lines are missing: a line becomes ready when others are done."
            if twice:
                hint += " Here each line uses a result twice: both uses are done at once."
        elif len(found) > len(rows):
            hint = "Some lines come more than once."
        whole = sorted(map(str, found)) == sorted(map(str, rows))
        wrong = early(found)
        if whole and wrong:
            hint = f"In this order the line {wrong} runs before something that it uses."
        score.part(2, whole and wrong is None, hint)
    score.total("a line runs when all that it uses is done.")
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points, graded by hand: a colleague makes her learning rate a little smaller at every step. It is a Python number, and an argument of her traced step.
# The training is slower than without `@tf.function`. So she takes the argument away, and lets the step read a global Python variable. Now it is fast, and learns badly. What happened, both times?
# What should she write?

# %% [markdown]
# ## What to remember
#
# - `tf.function` runs your Python once, and writes its operations into a list. What is not an operation does not happen again.
# - The derivative is more of the same list. So trace the whole round, its tape included.
# - Folding computes constants once. Dead code is dropped. Fusion makes one loop of many lines, so fewer numbers move.
# - A new shape, a new dtype or a new Python number needs a new trace.
# - Branches and loops on tensors must be operations: `tf.cond`, `tf.where`, `tf.while_loop`. What a `tf.where` does not pick is still computed.
# - A line is differentiated when its pending count is 0.
#
# **Read on.** Frostig, Johnson, Leary, *Compiling Machine Learning Programs via High-Level Tracing* (2018). Ansel and others, *PyTorch 2* (2024). Kahn, *Topological
# Sorting of Large Networks* (1962).

# %% [markdown]
# ## Further: placeholders and sessions
#
# Before 2019 you wrote the list yourself. A `placeholder` stands for a tensor whose value comes later, `tf.gradients` appends the lines of the derivative, and a `Session` runs the lines that are needed for a
# result. Every `tf.function` does this for you: the `v` that it gave to your Python was a placeholder.

# %%
graph = tf.Graph()

with graph.as_default():
    x = tf.compat.v1.placeholder(tf.float32, shape=[], name="x")
    p = x * x
    q = tf.sin(p)
    y = p * q + x
    before = len(graph.nodes)
    (slope,) = tf.gradients(y, x)
    after = len(graph.nodes)
    (bend,) = tf.gradients(slope, x)

print("lines:", before, "and", after - before, "more; y is", y)
with tf.compat.v1.Session(graph=graph) as session:
    print("y, slope and second derivative at 2:", session.run([y, slope, bend], feed_dict={x: 2.0}))

# %% [markdown]
# ## Further: the engine's own counts
#
# `tf.gradients` counts as the lesson did, in the module `minitape/graphs/schedule.py`. `viz.pending` shows it step by step; the small circles are the counts.


# %% tags=["picture"]
# Given: this only draws.
def program(x):
    p = x * x
    q = tf.sin(p)
    y = p * q + x
    return y


viz.pending(program, tf.constant(2.0), title="Pending counts")

# %% [markdown]
# minitape's tape needs no counts: an operation that uses a result runs after the result was made, so the reverse order is always a valid one. TensorFlow's own tape counts all the same.
#
# Only uses on paths to the target count. Take `q` as the target: the product uses `p` too, but it does not lead to `q` and sends nothing back. If its use were counted, `p` would wait forever. The derivative of $q = \sin x^2$ is
# $2x \cos x^2$, at 2 that is $4 \cos 4 \approx -2.6146$:

# %%
with graph.as_default():
    (slope_of_q,) = tf.gradients(q, x)

with tf.compat.v1.Session(graph=graph) as session:
    print(f"dq/dx by the graph: {session.run(slope_of_q, feed_dict={x: 2.0}):.4f}")

# %% [markdown]
# ## Further: total and partial derivatives
#
# Let $b = 2a$ and $y = a + b$. What is the derivative of $y$ with respect to $a$? There are two good
# answers.
#
# - The **total** derivative: if $a$ grows by 1, then $b$ grows by 2, and $y$ by 3.
# - The **partial** derivative: $b$ is held constant, and $y$ grows by 1.
#
# `tf.gradients` returns total derivatives: it follows both paths. With `stop_gradients=[b]` the backward pass stops at $b$,
# and nothing goes on from there to $a$.

# %% tags=["picture"] alt="Two drawings of a, b and y. Left, total: an arrow from a straight to y, marked 1, and a path from a over b to y, marked 2 and 1. Right, partial: the arrow from a to b is gray and crossed out; those from a and from b to y are as on the left."
# Given: this only draws.
figure, panels = plt.subplots(1, 2, figsize=(8, 2.4))
for panel, title, cut in [
    (panels[0], "total: 1 + 2 · 1 = 3", False),
    (panels[1], "partial: 1", True),
]:
    spots = {"a": (0, 0), "b": (1, 1), "y": (2, 0)}
    for begin, end, grows in [("a", "b", 2), ("b", "y", 1), ("a", "y", 1)]:
        crossed = cut and end == "b"
        look = {"arrowstyle": "->", "shrinkA": 13, "shrinkB": 13}
        look["color"] = "lightgray" if crossed else "black"
        panel.annotate("", spots[end], spots[begin], arrowprops=look)
        middle = [(u + w) / 2 for u, w in zip(spots[begin], spots[end], strict=True)]
        if crossed:
            panel.plot(*middle, "x", color="black", markersize=18)
        else:
            panel.text(*middle, f"{grows}\n", ha="center", va="center", fontsize=12)
    for name, spot in spots.items():
        look = {"boxstyle": "circle", "facecolor": "white"}
        panel.text(*spot, name, ha="center", va="center", fontsize=12, bbox=look)
    panel.set(xlim=(-0.4, 2.4), ylim=(-0.4, 1.4))
    panel.set_title(title, fontsize=13)
    panel.axis("off")
plt.tight_layout()
plt.show()


# %% tags=["given"]
# Given.
@tf.function
def derivatives(a):
    """The derivatives of a + b with respect to a, for b = 2 a: total, then partial."""
    b = 2.0 * a
    y = a + b
    (total,) = tf.gradients(y, a)
    (partial,) = tf.gradients(y, a, stop_gradients=[b])
    return total, partial


total, partial = derivatives(tf.constant(1.0))
print("total:  ", float(total))
print("partial:", float(partial))

# %% [markdown]
# The tensor `b` itself is held constant: a second `2.0 * a` would be another node, and would stop nothing.
#
# A tape returns total derivatives, too. For a partial one, use `tf.stop_gradient` while recording, or make `b` before the
# tape begins: what the tape has not recorded is held constant.

# %%
a = tf.Variable(1.0)

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    b = 2.0 * a
    with_path = a + b
    held_fast = a + tf.stop_gradient(b)

print("total:  ", tape.gradient(with_path, a).numpy())
print("partial:", tape.gradient(held_fast, a).numpy())
viz.step(tape, with_path, a, title="The total derivative has two paths")

# %% [markdown]
# ## Further: a loop as long as the data say
#
# The number of rounds may depend on the data. This function doubles its argument until it is at least
# 100. What is its derivative? Each doubling multiplies the slope by 2:


# %%
@tf.function
def grown(x):
    (value,) = tf.while_loop(lambda v: v < 100.0, lambda v: [v * 2.0], [x])
    return value


for number in [60.0, 3.0]:
    x = tf.Variable(number)
    with viz.recording(), tf.GradientTape() as tape:
        y = grown(x * 1.0)
    player = viz.step(tape, y, x, title=f"Doubling {number}")
    print(f"from {number} to {float(y)}: slope", tape.gradient(y, x).numpy())
player

# %% [markdown]
# minitape's tape around it sees the rounds that ran: one for 60, and six for 3.

# %% [markdown]
# ## Further: what if I write `if` all the same?
#
# TensorFlow has a tool, *AutoGraph*, that reads the source code of your function and rewrites it before tracing. An `if` or a
# `while` on a tensor becomes a `tf.cond` or a `tf.while_loop`. minitape does not rewrite your program. It runs your Python
# at every call, and names the line. Values and gradients are right, but nothing is saved. With `autograph=False` you say "never run it in Python", and such an `if` is
# an error. That is a good way to find out whether a function is really traced:


# %%
@tf.function(autograph=False)
def strict(x):
    if x > 0.0:
        return x * x
    return -x


try:
    strict(tf.constant(3.0))
except TypeError as error:
    message = str(error)
    print(type(error).__name__)
    print(message[message.index("Using") :])

# %% [markdown]
# ## Further: a tape around it
#
# The gradient of a traced function is the gradient of what runs inside. A tape outside it records the operations of the
# trace one by one.

# %%
x = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    y = traced(x * 2.0)

player = viz.step(tape, y, x, title="Through a traced function")
print(tape.gradient(y, x).numpy())
player
