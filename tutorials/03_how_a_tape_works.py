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

# %% [markdown] slide="At the heart of a tape is a loop. Ours has seven lines, nine with broadcasting. A first attempt runs without an error, and its slope is wrong.\n\n**Can you find the mistake with a pencil?**" notes="2 minutes. Ask who has ever read the source of a library that they use. At the end of the hour they have written this one."
# # 3. How a tape works: build one
#
# A gradient tape looks like magic until you have written one. It takes about 70 lines without comments and docstrings, and
# its heart is a loop of seven, or of nine with broadcasting. Our first attempt at that loop runs without an error, and its
# slope is wrong. **Can you find the mistake with a pencil?** At the end your tape throws the ball of lesson 1, beside
# minitape's.
#
# You need lesson 1, NumPy, and Python's classes. The exercises are homework, for about 40 minutes without the optional one.
# If you type along: a cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - say what a value, a record and a rule are, and write a rule,
# - write the backward loop,
# - explain why contributions are added up, and how a broadcast is undone,
# - explain why second derivatives need nothing more,
# - find the same lines in minitape's source.

# %% tags=["setup"]
# Given.
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from IPython.display import HTML

import minitape as tf
from minitape import viz
from minitape.viz.adapters import own
from minitape.viz.course.motion import INKS, Motion, meeting

# %% [markdown] slide="## The plan\n\n$y = x \\cdot x + 3x$ at $x = 2$ is three operations:\n\n| step | operation | inputs | output |\n|:--|:--|:--|:--|\n| 1 | multiply | $x$, $x$ | $a = 4$ |\n| 2 | multiply | $x$, 3 | $b = 6$ |\n| 3 | add | $a$, $b$ | $y = 10$ |\n\nWritten down while the program runs, this table is a *tape*."
# ## The plan
#
# Take $y = x \cdot x + 3x$ at $x = 2$. A computer does not see this formula. It sees three operations,
# one after the other:
#
# | step | operation | inputs | output |
# |:--|:--|:--|:--|
# | 1 | multiply | $x$, $x$ | $a = 4$ |
# | 2 | multiply | $x$, 3 | $b = 6$ |
# | 3 | add | $a$, $b$ | $y = 10$ |
#
# If we write down this table while the program runs, we have a *tape*. Drawn with arrows, from what goes in to what comes
# out, it is a **computational graph**. And if we know the derivative of each single operation, we can walk through the
# table from the bottom to the top, and the chain rule does the rest. So we need: values, operations with their
# derivatives, a table, and a loop.


# %% tags=["setup", "given"]
# Given: this only draws.
WRITTEN = (
    "On the left the three operations as boxes, on the right the tape. The values 2 and 3 are there first. Then a, 4, appears below x, with two arrows from x, and the first line of the "
    "tape is written: multiply, x, x, a. Then b, 6, with an arrow from x and one from 3, and the second line; at last y, 10, with arrows from a and b, and the third line."
)


def written():
    """The graph grows, operation by operation, and the tape gets a line for each."""
    made, line = Motion(640, 290, WRITTEN), 'text-anchor="middle"'
    steps = [  # what appears together: the boxes, the arrows, the line of the tape
        ([("x = 2", 100, 30), ("3", 260, 30)], [], "the tape"),
        (
            [("a = x · x = 4", 100, 140)],
            ["M90,48 Q60,84 88,118", "M110,48 Q140,84 112,118"],
            "1  multiply   x, x  →  a",
        ),
        (
            [("b = 3 x = 6", 260, 140)],
            ["M124,46 L234,118", "M260,48 L260,118"],
            "2  multiply   x, 3  →  b",
        ),
        (
            [("y = a + b = 10", 180, 250)],
            ["M110,158 L158,228", "M250,158 L202,228"],
            "3  add   a, b  →  y",
        ),
    ]
    for moment, (boxes, arrows, words) in enumerate(steps):
        comes = made.appearing(moment, 6, 1.4)
        for path in arrows:
            end = path.split()[-1].lstrip("L")
            ink = INKS["value"] if "M90" in path or "M110,48" in path or "M124" in path else "#999"
            made.add(
                f'<g class="comes"><path d="{path}" fill="none" stroke="{ink}" stroke-width="2"/>'
                f'<circle cx="{end.split(",")[0]}" cy="{end.split(",")[1]}" r="4" fill="{ink}"/>{comes}</g>'
            )
        for name, x, y in boxes:
            wide = 22 + 8 * len(name)
            made.add(
                f'<g class="comes"><rect x="{x - wide / 2}" y="{y - 18}" width="{wide}" height="36" rx="9" '
                f'fill="none" stroke="currentColor"/><text x="{x}" y="{y + 5}" {line}>{name}</text>{comes}</g>'
            )
        look = "font-weight:bold" if not moment else "font:17px monospace"
        made.add(
            f'<text class="comes" x="372" y="{60 + 46 * moment}" xml:space="preserve" style="{look}">{words}{comes}</text>'
        )
    return made


# %% tags=["picture"] slide="Three arrows leave x, and the tape gets three lines"
written()

# %% [markdown] slide="## A box around an array\n\nAn array does not tell a tape what happens to it. So it goes into a box whose operators call `apply`."
# ## Values
#
# An array does not tell a tape what happens to it. So we put it into a box. The box has the operators, and each of them asks
# a function `apply` to do the work, which comes in a moment. Giving `+` and `*` your own meaning is called
# **operator overloading**. PyTorch and TensorFlow work in this way. Other tools read your program's text and write a second
# program for the derivative. That is **source transformation**.


# %% tags=["needed", "given"] slide=""
# Given.
class Value:
    """An array that tapes can follow."""

    __array_ufunc__ = None  # array * Value: NumPy leaves it to us

    def __init__(self, array):
        self.array = np.asarray(array, np.float64)

    def __add__(self, other):
        return apply(add, self, other)

    def __mul__(self, other):
        return apply(multiply, self, other)

    def __matmul__(self, other):
        return apply(matmul, self, other)

    __radd__, __rmul__ = __add__, __mul__  # for 3.0 * x, where the Value stands right

    @property
    def T(self):
        return apply(transpose, self)

    def __repr__(self):
        return f"Value({self.array.round(4).tolist()})"


# %% [markdown] slide="## An operation has a rule for each input\n\nForward: a function of arrays. Backward: a **rule** for each input.\n\n- $x + y$: each contribution is $g$\n- $x \\cdot y$: $g \\cdot y$ and $g \\cdot x$\n- matrices: $g\\, y^T$ and $x^T g$"
# ## Operations and their rules
#
# An operation has two parts. Forward, it is a function of arrays. Backward, it has one **rule** for each input. A rule gets
# $g$, the cotangent of the output: how much the target changes when the output does. It returns what this operation
# adds to the input's cotangent, its *contribution*. (In the code it is called `share`.)
#
# - $out = x + y$: if $x$ grows by a bit, $out$ grows by the same bit. The contribution is $g$.
# - $out = x \cdot y$: if $x$ grows by a bit, $out$ grows by $y$ times the bit. The contribution is $g \cdot y$.
# - $out = x \, y$ for matrices: $out_{ij}$ is the sum of all $x_{ik} \, y_{kj}$, so from each $j$ the element $x_{ik}$ gets
#   $g_{ij} \, y_{kj}$. Their sum is the element $ik$ of $g \, y^T$, and that is the
#   contribution to $x$. That to $y$ is $x^T g$.
#
# (A `NamedTuple` is a tuple whose elements have names.)


# %% tags=["needed"] slide="Four operations, in ten lines"
class Op(NamedTuple):
    """An operation: a name, a function of arrays, and a rule for each input."""

    name: str
    forward: Callable
    rules: tuple


add = Op("add", np.add, (lambda g, x, y: g, lambda g, x, y: g))
multiply = Op("multiply", np.multiply, (lambda g, x, y: g * y, lambda g, x, y: g * x))
matmul = Op("matmul", np.matmul, (lambda g, x, y: g @ y.T, lambda g, x, y: x.T @ g))
transpose = Op("transpose", np.transpose, (lambda g, x: g.T,))

# %% [markdown] slide=""
# Look closely at one thing: the rules compute with `Value`s, not with arrays. It makes no difference
# now. It will be worth a lot at the end of this lesson.

# %% [markdown] slide="## A tape keeps what it follows\n\n**Record**: one line of the table. A tape keeps it if it follows one of the inputs, and then it follows the output, too."
# ## Records and the tape
#
# `apply` runs an operation, and tells every tape that is listening. A tape keeps a **record**, which
# is one line of the table above. It does so only if it *follows* one of the inputs, and from then on
# it follows the output too (the method `record`). That is how "being watched" spreads through a program.
#
# Follow one line, `a = x * x` at 2. Python calls `x.__mul__(x)`, which calls `apply(multiply, x, x)`. This computes 4, puts it
# into a new `Value`, and shows the record to the tape. The tape follows `x`, so it keeps the record, and follows `a` from now on.


# %% tags=["needed"] slide="One line of a tape | apply tells every tape that listens"
class Record(NamedTuple):
    """One line of a tape."""

    op: Op
    inputs: tuple
    output: Value


listening = []  # the tapes that record now


def apply(op, *inputs):
    """Runs an operation and tells the tapes."""
    inputs = tuple(x if isinstance(x, Value) else Value(x) for x in inputs)
    output = Value(op.forward(*[x.array for x in inputs]))
    for tape in listening:
        tape.record(Record(op, inputs, output))
    return output


# %% tags=["needed", "given"] slide=""
# Given.
class Tape:
    """Records what happens to the values that it follows."""

    def __init__(self):
        # A set finds objects by identity: two values that both hold 2.0 are two things.
        self.records, self.followed = [], set()

    def __enter__(self):  # called where a `with` block begins
        listening.append(self)
        return self

    def __exit__(self, *error):  # called where it ends
        listening.remove(self)

    def watch(self, value):
        self.followed.add(value)

    def record(self, record):
        if self.followed.intersection(record.inputs):
            self.records.append(record)
            self.followed.add(record.output)

    def gradient(self, target, source, seed=1.0):
        cotangents = {target: Value(seed * np.ones_like(target.array))}
        backward(self.records, cotangents)
        return cotangents.get(source)


# %% [markdown]
# `gradient` begins with what is known, the target's own cotangent: 1, for each of its elements. So a target of several
# elements counts as their sum, in minitape too. (Another `seed` would weigh the elements.) All else is done by
# `backward`, which does not exist yet. Recording works already:

# %% slide="Recording works already"
x = Value(2.0)

with Tape() as tape:
    tape.watch(x)
    y = x * x + 3.0 * x

print(f"{'op':9}{'inputs':28}    output")
for op, inputs, output in tape.records:
    print(f"{op.name:9}{str(inputs):28} -> {output}")

# %% [markdown]
# That is the table from the beginning.

# %% [markdown] slide="## A first attempt at the loop\n\nFrom the last record to the first: take the cotangent, run the rules, store the contributions."
# ## The backward pass
#
# Here is a first attempt. Go through the records from the last to the first. Take the cotangent of the output; if there is
# none, the target does not depend on this record. Otherwise let each rule compute the contribution to its input, and
# store it.


# %% slide="Runs without an error"
def backward_1(records, cotangents):
    """First attempt."""
    for op, inputs, output in reversed(records):
        g = cotangents.get(output)
        if g is None:
            continue
        for x, rule in zip(inputs, op.rules, strict=True):
            cotangents[x] = rule(g, *inputs)


backward = backward_1  # what `gradient` runs

# %% minutes=1.5 slide="Its slope at 2: 2, 3, 4 or 5? | 2: two contributions were replaced" notes="4 minutes with a pencil. Follow the records from the last to the first, and write down what x has after each line. Nobody runs anything."
with viz.predict(
    "The derivative of `x * x + 3 * x` is `2 x + 3`, so 7 is right at 2. Follow the loop with a pencil: does it give 2, 3, 4 "
    "or 5?",
    "2. Three contributions arrive at `x`, and each one replaces the one before.",
):
    print(tape.gradient(y, x))

# %% [markdown] slide=""
# **Who stole the 5?** Here is the table, walked backward, one record after the other. On the right stands what the
# dictionary holds for `x`.


# %% tags=["setup", "given"]
# Given: this only draws.
def walked_back(adding):
    """The contributions on their way back, and what is written down for x: replaced, or added."""
    a, b = (record.output for record in tape.records[:2])
    boxes = {"x = 2": (120, 30), "3": (300, 30), "a = x · x = 4": (120, 130)}
    boxes |= {"b = 3 x = 6": (300, 130), "y = a + b = 10": (210, 230)}
    names = dict(
        zip([x, a, b, y], ["x = 2", "a = x · x = 4", "b = 3 x = 6", "y = a + b = 10"], strict=True)
    )
    cotangents, turns, brought, lines = {y: 1.0}, [], [], []
    for op, inputs, output in reversed(tape.records):
        moves = []
        for place, (value, rule) in enumerate(zip(inputs, op.rules, strict=True)):
            share = float(rule(Value(cotangents[output]), *inputs).array)
            cotangents[value] = cotangents.get(value, 0.0) + share
            bend = (40 * place - 20) if inputs[0] is inputs[1] else 0
            moves.append((names[output], names.get(value, "3"), f"{share:g}", bend))
        for turn in [moves] if inputs[0] is not inputs[1] else [[move] for move in moves]:
            turns.append(turn)
            brought += [share for _, end, share, _ in turn if end == names[x]]
            total = f" = {float(cotangents[x]):g}" if adding and len(brought) == 3 else ""
            lost = [(share, True) for share in brought[:-1]] + [(s, False) for s in brought[-1:]]
            lines.append([(" + ".join(brought) + total, False)] if adding else lost)
    said = "x: add" if adding else "x: replace"
    left = (
        "together, 3 + 2 + 2 = 7"
        if adding
        else "the last 2, for the 3 and the first 2 are struck out"
    )
    alt = (
        "The three operations as boxes, y below. Orange numbers walk back along the arrows: 1 from y to a and to b, 3 from b to x "
        f"and 2 to the constant, then 2 and again 2 from a to x. On the right, what x has: first 3, and in the end {left}."
    )
    return meeting(boxes, turns, (said, lines), alt)


# %% tags=["picture"] minutes=1 slide="Who stole the 5?"
walked_back(adding=False)

# %% [markdown] slide=""
# `x` is used three times: once by the second record, twice by the first. Each use brings a contribution: 3, then 2
# and 2. The 3 and the first 2 are struck out: they were **replaced**, and that is the stolen 5. But a
# change of `x` reaches `y` along all three paths, and what arrives adds up. So we must **add**. To add what arrives to what
# is there is to **accumulate**. Two new lines for the last one of your loop:


# %% tags=["given"] minutes=0.5 slide="Second attempt: add"
# Given: your loop, with the new lines.
def backward_2(records, cotangents):
    """Second attempt: contributions add up."""
    for op, inputs, output in reversed(records):
        g = cotangents.get(output)
        if g is None:
            continue
        for x, rule in zip(inputs, op.rules, strict=True):
            share = rule(g, *inputs)  # new
            cotangents[x] = cotangents[x] + share if x in cotangents else share  # new


backward = backward_2
print(tape.gradient(y, x))

# %% tags=["picture"] minutes=1 slide="Added, nothing is lost: seven"
walked_back(adding=True)

# %% [markdown] slide="## Why once is enough\n\nA value is made before it is used: the list is in **topological order**.\n\nWalked backward, all uses of a value come before the record that made it. Then its cotangent is complete."
# Seven. Such a loop is at the heart of deep learning libraries. Why is it enough to go through the list
# once, backward? Because a value is computed before it is used: the list is in **topological order**. So when the loop comes to the record
# that *made* a value, it has been through all records that *used* it, and the cotangent is complete. (Walked
# forward, the first records find no $g$, and `x` gets nothing at all.)
#
# And without another line, our tape returns `None` where there is no path. It does more than it must: a rule runs for each input
# of a record, so the constant 3 got a contribution of 2, too. Minitape runs only the rules of inputs that it follows.

# %% tags=["given"] slide=""
# Given.
z = Value(5.0)

with Tape() as tape:
    tape.watch(x)
    tape.watch(z)
    y = x * x

print(tape.gradient(y, x), tape.gradient(y, z))

# %% [markdown] slide="## One row of two numbers is used in four rows\n\n$x\\,w$ has 4 rows, $b$ is a single row of two numbers: NumPy repeats it for each row. What does our loop make of it?"
# ## Shapes: undoing a broadcast
#
# A layer computes $x \, w + b$. With four examples, $x \, w$ has 4 rows and $b$ is a single row of two numbers, and NumPy
# repeats $b$ for each row. This is called **broadcasting**. What does our loop make of it?

# %% tags=["given"] slide=""
# Given.
rng = np.random.default_rng(0)
data = Value(rng.normal(size=(4, 3)))
weights, bias = Value(rng.normal(size=(3, 2))), Value([0.5, -0.5])

with Tape() as tape:
    tape.watch(bias)
    outputs = data @ weights + bias

# %% slide="Which shape does the bias's gradient get? | It gets eight numbers, and it has two"
with viz.predict(
    "The bias has two elements, the outputs 4 rows of 2. Which shape does our loop give the bias's "
    "gradient: (2,), (4,) or (4, 2)?",
    "(4, 2): eight numbers for two elements. A gradient should have the shape of its source.",
):
    print(bias.array.shape, tape.gradient(outputs, bias).array.shape)

# %% [markdown]
# The reason: `b[0]` was used four times, once per row. It has four paths to the target, and by now you know what to do with
# several paths: add up. **Undoing a broadcast is a sum** over the axes along which the value was repeated. The bias, of
# shape (2,), became (4, 2): sum over axis 0, which is new. A column of shape (2, 1) that becomes (2, 3) is repeated along
# axis 1: sum over it, and keep it with size 1. So we need a sum, as an operation with its own rule: each element that was
# added up gets the whole $g$. (Multiplying by ones repeats $g$: the backward pass of a sum is a broadcast.)

# %% tags=["setup", "given"]
# Given: this only draws.
ROWS = (
    "Two tables of four rows and two columns, each with the bias above it. Left, forward: the row 0.5, -0.5 of the bias is copied into each of the four rows. Right, backward: a row of ones "
    "goes up to the bias from each of the four rows, one after the other, and the sum there grows: 1, 2, 3, and at last 4 and 4."
)


def repeated():
    """A row that is copied into four rows, and four rows that are added up into one."""
    made, forward, backward = Motion(640, 290, ROWS), ["0.5", "-0.5"], ["1", "1"]

    def cell(x, y, words, ink="currentColor", comes=""):
        made.add(
            f'<rect x="{x}" y="{y}" width="90" height="34" fill="none" stroke="#999"/><text class="comes" '
            f'x="{x + 45}" y="{y + 22}" text-anchor="middle" style="fill:{ink};font-size:17px">{words}{comes}</text>'
        )

    times = ";".join(f"{n / 11:.3f}" for n in range(11))

    def seen(moments):
        shown = ";".join(str(int(n in moments)) for n in range(11))
        return (
            f'<animate attributeName="opacity" values="{shown}" keyTimes="{times}" '
            f'calcMode="discrete" {made.timed(11.0)}/>'
        )

    def carried(x, start, end, words, ink, moment):
        when = f"0;{moment / 11:.3f};{(moment + 0.9) / 11:.3f};1"
        made.add(
            f'<text class="moves" x="{x + 45}" y="{start + 22}" text-anchor="middle" '
            f'style="fill:{ink};font-size:17px">{words}{seen([moment])}<animateTransform '
            f'attributeName="transform" type="translate" keyTimes="{when}" '
            f'values="0,0;0,0;0,{end - start};0,{end - start}" {made.timed(11.0)}/></text>'
        )

    for left, name, row, ink in [
        (40, "forward: the bias is repeated", forward, INKS["value"]),
        (380, "backward: the rows are added up", backward, INKS["gradient"]),
    ]:
        made.add(
            f'<text x="{left + 90}" y="20" text-anchor="middle" style="font-weight:bold">{name}</text>'
        )
        made.add(f'<text x="{left - 22}" y="58" style="font-style:italic">b</text>')
        for line in range(4):  # forward an arrow into each row, backward one out of each
            y = 121 + 42 * line
            end = y if row is forward else 53
            made.add(
                f'<path d="M{left + 184},53 h22 V{y} h-22" fill="none" stroke="{ink}"/>'
                f'<path d="M0,0 l-9,-4 v8 z" fill="{ink}" '
                f'transform="translate({left + 184},{end}) rotate(180)"/>'
            )
        for column, words in enumerate(row):
            x = left + 90 * column
            for line in range(4):
                y, moment = 104 + 42 * line, line + (0 if row is forward else 5)
                start, end = (36, y) if row is forward else (y, 36)
                comes = made.appearing(moment + 1, 11, 1.0) if row is forward else ""
                cell(x, y, words, ink, comes)
                carried(x, start, end, words, ink, moment)
            if row is forward:
                cell(x, 36, words, ink)
                continue
            cell(x, 36, "")
            for total in range(1, 5):
                stays = seen(range(9, 11) if total == 4 else [total + 5])
                made.add(
                    f'<text class="{"comes" if total == 4 else "moves"}" x="{x + 45}" y="58" '
                    f'text-anchor="middle" style="fill:{INKS["sum"]};font-size:17px;'
                    f'font-weight:bold">{total}{stays}</text>'
                )
    return made


# %% tags=["picture", "given"] slide="A broadcast, forward and backward"
repeated()


# %% tags=["needed", "given"] minutes=0.5 slide=""
# Given: read it with the two shapes above.
def summed_to(x, shape):
    """The sum of x over what broadcasting repeated, so that it has `shape`."""

    def forward(array):
        array = array.sum(axis=tuple(range(array.ndim - len(shape))))  # new axes in front
        stretched = tuple(i for i, size in enumerate(shape) if size == 1)
        return array.sum(axis=stretched, keepdims=True)  # axes of size 1

    ones = Value(np.ones_like(x.array))
    return apply(Op("sum", forward, (lambda g, x: g * ones,)), x)


# %% [markdown]
# Your loop gets two new lines, after the one with the rule:


# %% tags=["needed", "given"] minutes=0.5 slide="Two new lines, in the loop, once"
# Given: your loop, with the new lines.
def backward(records, cotangents):
    """The chain rule, once through the records from the last to the first."""
    for op, inputs, output in reversed(records):
        g = cotangents.get(output)
        if g is None:
            continue
        for x, rule in zip(inputs, op.rules, strict=True):
            share = rule(g, *inputs)
            if share.array.shape != x.array.shape:  # new
                share = summed_to(share, x.array.shape)  # new
            cotangents[x] = cotangents[x] + share if x in cotangents else share


# %% tags=["given"] slide=""
# Given.
column = Value([[1.0], [2.0]])
with Tape() as other:
    other.watch(column)
    grown = column * [1.0, 2.0, 3.0]

print(tape.gradient(outputs, bias), other.gradient(grown, column))

# %% [markdown]
# Each bias counts once in four outputs, so 4 and 4 are right; and each element of the column 1 + 2 + 3 times.
#
# Note *where* we fixed this: in the loop, once. No rule has to know about broadcasting. A contribution has the shape of its
# input, or that of the output. If it is not that of its input, the input was broadcast.
#
# (Our `matmul` is for matrices: write a vector as a row, of shape (1, 3).)
#
# ## It throws the ball
#
# That is all you need. With three more operations, a line each, your tape can do the throw of lesson 1: a root, a tanh, and a
# reciprocal, which the root's rule needs. (`Value` has no minus yet, so $a - b$ is written $a + (-1) b$.) Compare with
# minitape, digit by digit.

# %% tags=["given"] slide="Three more ops, and your tape throws"
# Given.
reciprocal = Op("1/x", np.reciprocal, (lambda g, x: -1.0 * g * apply(reciprocal, x * x),))
root = Op("sqrt", np.sqrt, (lambda g, x: 0.5 * g * apply(reciprocal, apply(root, x)),))
tanh = Op("tanh", np.tanh, (lambda g, x: g * (1.0 + -1.0 * apply(tanh, x) * apply(tanh, x)),))


def miss(vx, vy, tanh, sqrt, steps=100):
    """The squared distance to the ring; `tanh` and `sqrt` are yours, or minitape's."""
    x, y, dt = 0.0 * vx, 1.5 + 0.0 * vy, 2.0 / steps
    for _ in range(steps):
        air = vx + 6.0 * tanh(0.2 * y)
        drag = 0.02 * sqrt(air * air + vy * vy)
        vx, vy = vx + -dt * drag * air, vy + -dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
    return (x + -20.0) * (x + -20.0) + (y + -2.0) * (y + -2.0)


# %% tags=["given"] slide=""
# Given.
vx, vy = Value(10.0), Value(10.0)
with Tape() as tape:
    tape.watch(vx)
    tape.watch(vy)
    far = miss(vx, vy, lambda x: apply(tanh, x), lambda x: apply(root, x))

v = tf.Variable([10.0, 10.0], dtype=tf.float64)
with tf.GradientTape() as theirs:
    their_far = miss(v[0], v[1], tf.tanh, tf.sqrt)

# %% slide="In how many digits do both tapes agree? | In all that are printed"
with viz.predict(
    "Your tape has about 70 lines, minitape tens of thousands. In how many of ten digits do both gradients agree: 3, 6 or all?",
    "In all. Both run the same operations forward. Backward, yours multiplies in another order here and there, so the last of "
    "16 digits could differ. What minitape has in addition is speed, checks, shapes, and hundreds of operations.",
):
    print(f"yours:    {tape.gradient(far, vx).array:.8f} {tape.gradient(far, vy).array:.8f}")
    print("minitape: {:.8f} {:.8f}".format(*theirs.gradient(their_far, v).numpy()))
    print(len(tape.records), "records on your tape")

# %% tags=["given"] slide="Your own lines: after six steps within 1 cm, as in lesson 1"
# Given.
vx, vy = Value(10.0), Value(10.0)
for _ in range(7):
    with Tape() as tape:
        tape.watch(vx)
        tape.watch(vy)
        far = miss(vx, vy, lambda x: apply(tanh, x), lambda x: apply(root, x))
    print(f"({vx.array:.2f}, {vy.array:.2f}) misses by {far.array**0.5:.3f} m")
    by_vx, by_vy = tape.gradient(far, vx), tape.gradient(far, vy)
    vx, vy = Value(vx.array - 0.3 * by_vx.array), Value(vy.array - 0.3 * by_vy.array)

# %% [markdown] slide=""
# A hit: the loop of lesson 1, with nothing but your own code. A step makes new values, which each new tape watches. And the
# loop walks back twice, once for each component of the velocity, although one walk has both cotangents in its dictionary.

# %% [markdown] slide=""
# **Look into your own tape.** The step player can listen to it: your own `backward` runs, turn by turn, and
# each contribution, and the gradient at the end, is compared with minitape's. Here it listens to the first attempt. The steps show
# what should happen. All contributions are right there, so the first difference comes only where they should
# have been added up. Then write `right` where the cell says so.

# %% tags=["given"] slide="Your own tape | The player finds what the first attempt lost"
# Given.
right = backward
backward = backward_1  # or right
x = Value(2.0)
with Tape() as tape:
    tape.watch(x)
    y = x * x + 3.0 * x

player = own.step_tape(tape, y, x, title="Your own tape")
backward = right  # for all that follows
player

# %% [markdown] slide="## A tape records another tape\n\nThe rules compute with `Value`s, so an outer tape records them. Second derivatives work, without a line for them."
# ## Tapes that listen to tapes
#
# Now the reward for writing the rules with values. While our loop runs, it computes products and sums. It computes with
# `Value`s, so `apply` tells every tape that is listening. If an outer tape is listening, it records the backward pass of
# the inner one. Second derivatives work, and we have not written a line for them. So call the inner tape *inside* the outer
# tape's `with`: after it, the outer tape no longer listens. At $x = 3$ the derivatives of $x^3$ are $3x^2 = 27$ and $6x =
# 18$:


# %% tags=["setup", "given"]
# Given: this only draws.
def layered(inner, outer):
    """The lines of the outer tape: those that the inner one has as well, and its backward pass."""
    made = Motion(640, 40 + 30 * len(outer.records), LAYERED)
    for n, (op, inputs, output) in enumerate(outer.records):
        mine = n < len(inner.records)
        ink, comes = INKS["value" if mine else "gradient"], made.appearing(n + mine, 11, 1.0)
        numbers = ", ".join(f"{float(each.array):g}" for each in inputs)
        made.add(
            f'<g class="comes"><rect x="250" y="{24 + 30 * n}" width="370" height="26" fill="{ink}" fill-opacity="0.15"/>'
            f'<text x="262" y="{43 + 30 * n}" style="font-size:16px">{op.name}   {numbers}  →  '
            f"{float(output.array):g}</text>{comes}</g>"
        )
    half = len(inner.records)
    made.add('<text x="250" y="14" style="font-weight:bold">the outer tape</text>')
    for first, end, key, words in [
        (0, half, "value", "what you wrote"),
        (half, n + 1, "gradient", "the inner tape's backward pass"),
    ]:
        made.add(
            f'<path d="M236,{26 + 30 * first} v{30 * (end - first) - 6}" stroke="{INKS[key]}" stroke-width="3"/>'
            f'<text x="226" y="{40 + 15 * (first + end - 1)}" text-anchor="end" style="fill:{INKS[key]}">{words}</text>'
        )
    return made


LAYERED = (
    "The lines of the outer tape below each other. The first two, the multiplications, are those that you wrote. The next six are the inner tape's backward pass: products by the rules, and "
    "two sums where contributions meet. In the last line stands the first derivative, 27."
)

# %% slide="Two tapes, and the cube of 3"
x = Value(3.0)

with Tape() as outer:
    outer.watch(x)
    with Tape() as inner:
        inner.watch(x)
        y = x * x * x
    slope = inner.gradient(y, x)  # 3 x**2
curvature = outer.gradient(slope, x)  # 6 x


# %% slide="How many records has the outer tape? | Eight lines, and six are the backward pass | The outer tape hears the inner one's loop"
with viz.predict(
    "The inner tape has 2 records. How many does the outer one have: 2, 4 or 8?",
    "8: the two multiplications that you wrote, and then the inner tape's backward pass: four products by "
    "the rules and two sums where contributions meet. If the rules had computed with plain arrays, the outer tape would have recorded nothing of that.",
) as asked:
    print(slope, curvature)
    print("records: inner", len(inner.records), "outer", len(outer.records))
    asked.show(layered(inner, outer))

# %% [markdown] slide="## Now open minitape\n\nOne loop runs for every gradient. Here it is, next to yours:"
# ## Now open minitape
#
# Its engine is written to be read. This loop runs whenever you ask a tape for a gradient or a picture. Here are
# the two loops side by side: a line of yours, and what minitape writes for it. The lines are looked up in the two sources,
# so this is the loop that runs.

# %% tags=["picture"] slide="Your loop, and minitape's"
# Given: this only makes a table.
from minitape.backward import backward as minitape_backward


def line_of(function, part):
    """The one line of a function's source that holds `part`."""
    (line,) = [each.strip() for each in inspect.getsource(function).splitlines() if part in each]
    return line


pairs = {
    "the records, the last one first": (["for op,"], ["for record in"]),
    "the cotangent of the output": (["g ="], ["g = take("]),
    "nothing came in": (["continue"], ["continue  # the targets"]),
    "for each input": (["for x, rule"], ["for slot, pull"]),
    "its rule gives a contribution": (["share = rule"], ["value = g if"]),
    "the contributions are added up": (["cotangents[x] ="], ["cotangents[key] = add("]),
}


def cell(function, parts):
    lines = (line_of(function, part) for part in parts)
    text = "\n".join(lines)
    for place in (" if ", " else pull", " in reversed", " zip", " add", " # "):  # long lines
        text = text.replace(place, f"\n {place}")
    return f"<code>{text.replace('<', '&lt;')}</code>"


def table(heads, rows):
    """A table in HTML."""
    first = "".join(f"<th>{head}</th>" for head in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    looks = (
        "<style>.loops * { text-align: left !important; white-space: pre; font-size: 14px }</style>"
    )
    return (
        f'{looks}<table class="loops"><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>'
    )


rows = [
    [what, cell(backward, ours), cell(minitape_backward, theirs)]
    for what, (ours, theirs) in pairs.items()
]
HTML(table(["what it does", "yours", "minitape's"], rows))

# %% [markdown]
# Six ideas, and they are the same. `take` removes a cotangent from
# the dictionary once it has been used, because no other record will need it; the cotangent of a source stays. A `pull` runs
# the rule of one followed input, with `g` and what the record saves for it, and undoes a broadcast, as `summed_to` does in
# your loop. Where `g` is only passed on, there is no `pull` at all.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| a record | `y.grad_fn`, `next_functions` | a line of `jax.make_jaxpr(f)(x)` |\n| `persistent=True` | `retain_graph=True` | `y, pull = jax.vjp(f, x)` |\n| a tape around a tape | `create_graph=True` | `jax.grad(jax.grad(f))` |" notes="1 minute. Show y.grad_fn.next_functions in a terminal: it is the record that they have written."
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | a record of the tape | `y.grad_fn`; its inputs are `y.grad_fn.next_functions` | a line of `jax.make_jaxpr(f)(x)` |
# | the loop adds what arrives | the same, and it adds to `x.grad` as well | the same |
# | `GradientTape(persistent=True)` | `y.backward(retain_graph=True)`; else "a second time" raises | `y, pull = jax.vjp(f, x)`: pull as often as you like |
# | a tape around a tape | `torch.autograd.grad(y, x, create_graph=True)` | `jax.grad(jax.grad(f))` |
# | a broadcast is summed in the engine | in the engine | the broadcast is an operation of its own, with a rule |

# %% [markdown] slide="## Exercises\n\n1. Be the loop\n2. Write the loop\n3. The sine\n4. A division (optional)\n5. A stop\n6. A Jacobian"
# ## Exercises
#
# Replace each `...` with your code, run the cell, and run the check below it. A check says "Right:" and why, or what is
# probably wrong. From the second exercise on they continue with *your* tape.

# %% [markdown]
# **Exercise 1.** Be the loop. A tape has recorded three operations, with $x = 2$ and $y = 5$:

# %%
x, y = tf.Variable(2.0), tf.Variable(5.0)

with viz.recording(), tf.GradientTape() as tape:
    p = x * y
    q = p * x
    z = q + y

quiz = viz.quiz(tape, z, [x, y])
for number, question in enumerate(quiz.questions, 1):
    product = "q = p x" if number < 5 else "p = x y"
    print(number, question.brief.replace("`multiply`", f"`multiply` ({product})"))

# %% [markdown]
# Answer the ten questions with pencil and paper, and fill in ten numbers.

# %% nbgrader={"grade": false, "grade_id": "by-hand-loop", "locked": false, "schema_version": 3, "solution": true, "task": false}
answers = []
### BEGIN SOLUTION
answers = [1, 1, 2, 10, 10, 20, 4, 5, 20, 5]
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "by-hand-loop-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
with viz.Score(5) as score:
    x, y = tf.Variable(2.0), tf.Variable(5.0)
    with viz.recording(), tf.GradientTape() as tape:
        p = x * y
        q = p * x
        z = q + y
    quiz = viz.quiz(tape, z, [x, y])
    assert isinstance(answers, list | tuple | np.ndarray) and len(answers) == 10, (
        "Ten answers in a list, one for each question."
    )
    for answer in answers:
        asked = quiz.ask()
        try:
            said = quiz.answer(answer)
            right, hint = said.correct, f"Not {answer}. {said.hint}"
        except ValueError:
            right, hint = False, f"{answer!r} is no number."
        first = score.hints[0] if score.hints else f"{asked} {hint} What follows builds on it."
        score.part(0.5, right, first)
        if not right:
            quiz.give_up()
    score.total("take g, run the rules, add the contributions, ten times.")
score.earned

# %% [markdown]
# **Exercise 2.** Write the loop, from memory. `gradients(tape, target, sources)` gives a list: the gradient of each source,
# and `None` where no path leads. One walk has to do for all sources. A source may also lie in the middle, such as a product.
# Gradients are `Value`s, and an outer tape should be able to hear how they are computed. And do less than the loop
# of the lesson: run no rule for an input that is not in `tape.followed`. You may use `summed_to`.


# %% nbgrader={"grade": false, "grade_id": "write-the-loop", "locked": false, "schema_version": 3, "solution": true, "task": false}
def gradients(tape, target, sources):
    """The gradient of the target with respect to each source, from one walk."""
    ### BEGIN SOLUTION
    cotangents = {target: Value(np.ones_like(target.array))}
    for op, inputs, output in reversed(tape.records):
        g = cotangents.get(output)
        if g is None:
            continue
        for x, rule in zip(inputs, op.rules, strict=True):
            if x in tape.followed:
                share = summed_to(rule(g, *inputs), x.array.shape)
                cotangents[x] = cotangents[x] + share if x in cotangents else share
    return [cotangents.get(source) for source in sources]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "write-the-loop-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    from contextlib import contextmanager

    @contextmanager
    def no_loop_but_yours():
        """While it lasts, the lesson's loop and the tape's `gradient` refuse."""
        global backward

        def refuse(*args, **named):
            raise AssertionError(
                "Write the loop here: do not ask the tape's gradient, or backward."
            )

        kept = Tape.gradient, backward
        Tape.gradient = backward = refuse
        try:
            yield
        finally:
            Tape.gradient, backward = kept

    def arrays(tape, target, *sources):
        """What `gradients` gives, as arrays."""
        kept = list(tape.records)
        try:
            with no_loop_but_yours():
                found = gradients(tape, target, list(sources))
        except KeyError:
            raise AssertionError(
                "A value has no cotangent yet: ask with cotangents.get(...), which gives None then."
            ) from None
        except (TypeError, ValueError, AttributeError) as error:
            raise AssertionError(
                f"{error}. A rule wants g, a Value, and the inputs of its record: rule(g, *inputs). Where no g has "
                "come in, go on to the next record."
            ) from None
        assert isinstance(found, list | tuple) and len(found) == len(sources), (
            "gradients should return a list, with one gradient for each source."
        )
        assert tape.records == kept, (
            "The records have changed: for another walk they have to stay. reversed(tape.records) leaves them alone."
        )
        return [
            each if each is None else np.asarray(getattr(each, "array", each)) for each in found
        ]

    def noting(op, ran):
        """The op, with rules that note for which input they run."""
        run = [lambda g, *xs, i=i: ran.append(xs[i]) or op.rules[i](g, *xs) for i in range(2)]
        return op._replace(rules=tuple(run))

    x, unused = Value(2.0), Value(5.0)
    with Tape() as tape:
        tape.watch(x)
        tape.watch(unused)
        y = x * x + 3.0 * x
        aside = x * unused  # leads to no target
    by_x, by_unused = arrays(tape, y, x, unused)
    said = (
        f"x * x + 3 x has the slope 7 at 2, and not {by_x}. What arrives at x has to be added up."
    )
    if by_x is None:
        said = "Nothing comes to x: begin with the target's cotangent, and walk from the last record to the first."
    elif np.isnan(by_x).any():
        said = "nan comes to x. Where no g has come in, go on to the next record: the record of `aside` has none."
    elif by_x.tolist() in (2.0, 3.0):
        said = f"Only one contribution is left at x, {by_x}: add them up."
    adds = score.part(1, by_x is not None and by_x.tolist() == 7.0, said)
    said = (
        f"No path leads from the target to a value that it does not use: None, and not {by_unused}."
    )
    score.part(0.5, adds and by_unused is None, said if adds else score.hints[0])

    x = Value(3.0)
    with Tape() as outer:
        outer.watch(x)
        with Tape() as tape:
            tape.watch(x)
            y = x * x * x
        with no_loop_but_yours():
            (slope,) = gradients(tape, y, [x])
    curvature = outer.gradient(slope, x) if isinstance(slope, Value) else None
    said = "The second derivative of x**3 at 3 is 18, and not {}. Add contributions as Values, with +, and give Values: an outer tape hears those."
    second = curvature is not None and curvature.array == 18.0
    score.part(0.5, adds and second, said.format(curvature) if adds else score.hints[0])

    draw = np.random.default_rng()
    rows, bias, column = (Value(draw.normal(size=shape)) for shape in [(4, 2), (2,), (4, 1)])
    with Tape() as tape:
        tape.watch(bias)
        tape.watch(column)
        table_of_eight = (rows + bias) * column
    found = arrays(tape, table_of_eight, bias, column)
    wanted = [
        column.array.sum() * np.ones(2),
        (rows.array + bias.array).sum(axis=1, keepdims=True),
    ]
    said = "Numbers of a target with 8 elements: begin with a one for each, np.ones_like(target.array), and let summed_to find the axes."
    large = [
        (gradient.shape, right.shape)
        for gradient, right in zip(found, wanted, strict=True)
        if gradient is not None and gradient.size > right.size
    ]
    if large:
        said = "A gradient of shape {} for a source of shape {}: undo the broadcast, with summed_to.".format(
            *large[0]
        )
    fits = all(
        gradient is not None and gradient.shape == right.shape and np.allclose(gradient, right)
        for gradient, right in zip(found, wanted, strict=True)
    )
    score.part(1, fits, said if adds else score.hints[0])

    ran, x, z = [], Value(2.0), Value(4.0)
    with Tape() as tape:
        tape.watch(x)
        tape.watch(z)
        product = apply(noting(multiply, ran), x, z)
        y = apply(noting(multiply, ran), product, 3.0)
        aside = apply(noting(multiply, ran), x, x)
    found = arrays(tape, y, x, z, product)
    said = f"Rules ran {len(ran)} times, where 3 are enough: one walk brings the cotangents of all sources."
    if any(each not in tape.followed for each in ran):
        said = "A rule ran for the constant 3: is the input in tape.followed?"
    found = [each if each is None else each.tolist() for each in found]
    right = found == [12.0, 6.0, 3.0]
    others = found[:2] == [12.0, 6.0]
    if others and not right:
        said = f"A source may lie in the middle: the product's gradient is 3, and not {found[2]}. Do not remove its cotangent."
    score.part(1, right and len(ran) == 3, said if others else (*score.hints, said)[0])
    score.total("one walk fills a dictionary, and each source takes its own cotangent from it.")
score.earned

# %% [markdown]
# **Exercise 3.** Add the sine to your tape: an `Op` named `sine`. Its rule needs the cosine, so make an
# `Op` named `cosine` as well. Second derivatives should work.

# %% nbgrader={"grade": false, "grade_id": "sine", "locked": false, "schema_version": 3, "solution": true, "task": false}
sine = cosine = None
### BEGIN SOLUTION
sine = Op("sin", np.sin, (lambda g, x: g * apply(cosine, x),))
cosine = Op("cos", np.cos, (lambda g, x: -1.0 * g * apply(sine, x),))
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "sine-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    for each in (sine, cosine):
        assert isinstance(each, Op), "Make both: sine = Op(...) and cosine = Op(...)."
        assert isinstance(each.rules, tuple | list), (
            "Rules are a tuple: is the comma after the rule missing?"
        )
    x = Value(np.random.default_rng().uniform(0.3, 1.2))
    sin, cos = np.sin(x.array), np.cos(x.array)
    try:
        with Tape() as outer:
            outer.watch(x)
            with Tape() as inner:
                inner.watch(x)
                y = 5.0 * apply(sine, x)
            slope = inner.gradient(y, x)
        curvature = outer.gradient(slope, x)
        with Tape() as outer:
            outer.watch(x)
            with Tape() as inner:
                inner.watch(x)
                z = apply(cosine, x)
            of_cosine = inner.gradient(z, x)
        bend_of_cosine = outer.gradient(of_cosine, x)
    except (TypeError, ValueError, AttributeError) as error:
        raise AssertionError(
            f"{error}. A rule computes with Values: write apply(cosine, x), and not np.cos(x) or "
            "cosine(x). Value has no minus sign: write -1.0 * ... And each Op needs its rule."
        ) from None
    assert np.isclose(y.array, 5 * sin), "Forward, sine should be np.sin."
    said = "The rule forgets g: the target is 5 times the sine, and 5 has to come through."
    if not np.isclose(slope.array, cos):
        said = "The rule of sine should give g * cos(x), and g comes first: lambda g, x."
    score.part(1, np.isclose(slope.array, 5 * cos), said)
    heard = score.part(
        1,
        curvature is not None,
        "The second derivative is lost: in the rule use apply(cosine, x), which tapes hear, not np.cos.",
    )
    right = heard and np.isclose(curvature.array, -5 * sin)
    said = "The derivative of cos(x) is -sin(x): the sign?"
    if of_cosine is not None and np.isclose(of_cosine.array, -sin):
        said = "Fix the rule of sine first, and then look again: the two rules use each other."
    if heard and np.isclose(slope.array, 5 * cos) and np.isclose(curvature.array, -sin):
        said = "The rule of cosine forgets g: what comes back has to come through there, too."
    twice = bend_of_cosine is not None and np.isclose(bend_of_cosine.array, -cos)
    if right and not twice:
        said = "The second derivative of the cosine should be -cos(x): in its rule use apply(sine, x), which tapes hear, not np.sin."
    score.part(1, right and twice, said if heard else score.hints[-1])
    score.total("g * cos(x), written with recorded operations, so tapes record the backward pass.")
score.earned

# %% [markdown]
# **Exercise 4.** (Optional: it is like the third, with two inputs.) Add the division $x / y$: an `Op` named `divide` with two
# rules. The derivatives are
# $1 / y$ and $-x / y^2$. You may use `apply(divide, ...)` in the rules: the name is looked up when a rule
# runs, and by then it is there. Second derivatives should work.

# %% nbgrader={"grade": false, "grade_id": "divide", "locked": false, "schema_version": 3, "solution": true, "task": false}
divide = None
### BEGIN SOLUTION
divide = Op(
    "divide",
    np.divide,
    (lambda g, x, y: apply(divide, g, y), lambda g, x, y: -1.0 * apply(divide, g * x, y * y)),
)
### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "divide-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:

    def difference(f, at, h=1e-6):
        """The derivative by finite differences."""
        return (f(at + h) - f(at - h)) / (2 * h)

    assert isinstance(divide, Op), (
        "Make it: divide = Op('divide', np.divide, (rule for x, rule for y))."
    )
    assert len(divide.rules) == 2, "One rule for each input: two of them."
    up, down = np.random.default_rng().uniform(2.0, 6.0, 2)
    x, y = Value(up), Value(down)
    try:
        with Tape() as outer:
            outer.watch(x)
            outer.watch(y)
            with Tape() as tape:
                tape.watch(x)
                tape.watch(y)
                part = apply(divide, x, y)
                z, squared = 5.0 * part, part * part
            by_x, by_y = tape.gradient(z, x), tape.gradient(z, y)
            slopes = tape.gradient(squared, x), tape.gradient(squared, y)
        seconds = [None if s is None else outer.gradient(s, end) for s in slopes for end in (x, y)]
    except (TypeError, AttributeError) as error:
        raise AssertionError(
            f"{error}. A rule gets g, x and y, and gives a Value. Value has no / and no minus sign: "
            "use apply(divide, ...), and -1.0 * ..."
        ) from None
    assert np.isclose(z.array, 5 * up / down), "Forward, divide should be np.divide."
    of_x = difference(lambda a: 5 * a / down, up)
    of_y = difference(lambda a: 5 * up / a, down)
    for name, slope, at, f in [
        ("x", by_x, up, lambda a: 5 * a / down),
        ("y", by_y, down, lambda a: 5 * up / a),
    ]:
        assert slope is not None, (
            f"No contribution comes to {name}: the rule for {name} gives None."
        )
        found, expected = slope.array, difference(f, at)
        said = f"The rule for {name} gives {found}, but differences say {expected:.4f}."
        if np.isclose(found, {"x": of_y, "y": of_x}[name]):
            said = f"The rule for {name} is that of the other input: the rule for x comes first."
        if np.isclose(found, -expected):
            said = f"The rule for {name} has the wrong sign."
        if np.isclose(found, expected / 5):
            said = f"The rule for {name} forgets to multiply by g."
        score.part(1, np.isclose(found, expected), said)
    mixed = -4 * up / down**3
    wanted = (2 / down**2, mixed, mixed, 6 * up**2 / down**4)  # of (x / y)**2
    right = all(
        found is not None and np.isclose(found.array, number)
        for found, number in zip(seconds, wanted, strict=True)
    )
    said = (
        "A second derivative is lost: write the rules with g, x and y as they come, and with apply."
    )
    score.part(1, right, score.hints[-1] if score.hints else said)
    score.total("g / y for x, and -g x / y**2 for y, written with recorded operations.")
score.earned

# %% [markdown]
# **Exercise 5.** Write `stopped(x)`, the `stop_gradient` of your tape: it returns the same number, no gradient passes
# through it, and no record is made of it. One line is enough.


# %% nbgrader={"grade": false, "grade_id": "stopped", "locked": false, "schema_version": 3, "solution": true, "task": false}
def stopped(x):
    """The value of x as a constant."""
    ### BEGIN SOLUTION
    return Value(x.array)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "stopped-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    draw = np.random.default_rng()
    for numbers in (draw.uniform(1, 4), [*draw.uniform(1, 4, 2)]):
        x = Value(numbers)
        with Tape() as tape:
            tape.watch(x)
            try:
                constant = stopped(x)
            except TypeError as error:
                raise AssertionError(
                    f"{error}. A Value is made of an array: which one is in x?"
                ) from None
            assert isinstance(constant, Value), "stopped should return a Value."
            y = x * constant
        assert np.array_equal(y.array, x.array**2), (
            f"The number should stay the same: here {numbers}."
        )
        try:
            share = tape.gradient(y, x)
        except (TypeError, ValueError, AttributeError) as error:
            raise AssertionError(
                f"{error}. An Op needs a rule for each input. Here no rule is wanted: make a Value without an operation."
            ) from None
        assert share is not None, "The path through the plain x should be left, and nothing is."
        said = "your Value was made by an operation, which the tape has recorded: make one without."
        if constant is x:
            said = "x itself must not be returned. Which object is new?"
        assert not np.allclose(share.array, 2 * x.array), f"{2 * x.array} still comes back: {said}"
        assert np.allclose(share.array, x.array), (
            f"Only the path through the plain x should be left: {x.array}."
        )
        made = any(output is constant for _, _, output in tape.records)
        said = (
            "Nothing comes back, but a record is there. Without an operation there would be none."
        )
        score.part(0.5, True, "")  # the number is the same, and nothing comes back through it
        score.part(0.5, not made, said)
    score.total("a new Value has the number, and no record leads to it.")
score.earned

# %% [markdown]
# **Exercise 6.** The **Jacobian** is the table of all slopes: a row for each element of the target, a column for each element of
# the source. Write `jacobian(tape, y, x)` for vectors `y` and `x`, where `y` depends on `x`. The argument `seed` of
# `tape.gradient` is the key: what does a seed with a 1 at place $i$ and 0 elsewhere give?


# %% nbgrader={"grade": false, "grade_id": "jacobian", "locked": false, "schema_version": 3, "solution": true, "task": false}
def jacobian(tape, y, x):
    """An array of shape (elements of y, elements of x)."""
    ### BEGIN SOLUTION
    return np.array([tape.gradient(y, x, seed).array for seed in np.eye(len(y.array))])
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "jacobian-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    drawn = np.random.default_rng()
    for n, m in [(2, 3), (4, 2)]:
        matrix, some = drawn.normal(size=(n, m)), Value(drawn.normal(size=m))
        mix = Op("mix", lambda a, P=matrix: P @ a, (lambda g, x, P=matrix: g @ Value(P),))
        with Tape() as tape:
            tape.watch(some)
            results = apply(mix, some)
        try:
            found = jacobian(tape, results, some)
        except ValueError as error:
            raise AssertionError(
                f"{error} A seed has as many elements as y: np.eye(n)[i]."
            ) from None
        except (TypeError, AttributeError) as error:
            raise AssertionError(
                f"{error}. A Value is a box: y.array has a length, elements and a size. A seed is an array, "
                "such as np.eye(n)[i]."
            ) from None
        assert found is not None, "jacobian should return the array."
        found = getattr(found, "array", found)
        found, wanted = np.array([getattr(row, "array", row) for row in found]), matrix
        said = "Row i should be the gradient with the seed np.eye(n)[i], n elements in y."
        if found.shape == (m, n) and np.allclose(found, matrix.T):
            said = "Rows and columns are exchanged: row i belongs to element i of y."
        elif found.shape != (n, m):
            said = f"One row per element of y: {(n, m)}, not {found.shape}."
        elif np.allclose(found, matrix.sum(axis=0)):
            said = "All rows are the gradient of the sum: seeds!"
        right = found.shape == (n, m) and np.allclose(found, wanted)
        score.part(1.5, right, said)
    score.total("a seed with one 1 asks for the gradient of one element, which is one row.")
score.earned

# %% [markdown]
# **To think about.** Your tape keeps all inputs of every record. Which of them does `add` need? How could a rule say so, so
# that the tape can free the rest? *Further* answers it.

# %% [markdown]
# ## What to remember
#
# - A tape is a list of records: operation, inputs, output.
# - Backward through the list: take the output's cotangent, run the rules, **add** the contributions.
# - A broadcast is undone by a sum, since repeating is one more way of being used several times.
# - Rules that are written with recorded operations give derivatives of any order without another line. (Each order has a longer
#   tape. Where a slope is no longer computed from x, its derivative is 0, and comes as `None`.)
#
# **Read on.** Wengert, *A Simple Automatic Derivative Evaluation Program* (1964; its list, walked forward). Maclaurin, Duvenaud, Adams,
# *Autograd: Effortless Gradients in NumPy* (2015). Karpathy, *micrograd* (2020).

# %% [markdown]
# ## Further: an operation for lesson 12
#
# The larger of $x$ and 0, a *relu*. Its rule lets $g$ through where $x$ is above 0.

# %% tags=["needed", "given"]
# Given.
relu = Op("relu", lambda x: np.maximum(x, 0.0), (lambda g, x: g * Value(x.array > 0.0),))

# %% [markdown]
# ## Further: minitape's rules, and what a record keeps
#
# This function prints a piece of minitape's source, from one line to another: looked up, not copied. (For the commonest
# rules, such as the two of the product, a fast layer computes the same without calling them. With `MINITAPE_PLAIN=1` they are
# what runs.)


# %%
def file_of(thing):
    """The file of a function or class, from the project's folder on."""
    file = Path(inspect.getsourcefile(thing))
    return file.relative_to(Path(tf.__file__).parent.parent).as_posix()


def show(thing, first="", last=""):
    """Prints the source of a function or class: from the line with `first` to that with `last`."""
    lines = inspect.getsource(thing).splitlines()
    start = next(i for i, line in enumerate(lines) if first in line)
    stop = next(i for i, line in enumerate(lines) if i >= start and last in line) if last else None
    indent = len(lines[start]) - len(lines[start].lstrip())
    print("#", file_of(thing))
    for line in lines[start : None if stop is None else stop + 1]:
        print(line[indent:] if not line[:indent].strip() else line)


# %% [markdown]
# ### Rules
#
# Our `multiply` had two lambdas. Minitape's is a block: the forward, then the rules. The functions
# below are the two rules; `g` is the cotangent, as in ours.

# %% slide="minitape's rules of multiply"
from minitape.op import registry

for name in ("x", "y"):
    show(registry["multiply"].op.rules[name].function)

# %% [markdown]
# There is one difference, and it is clever. Our rules take *all* inputs, so our records must hold all of them. Minitape's
# rule for `x` asks for `y` only, and the rules of `add` ask for nothing. A record saves what the rules ask for by name, and
# frees the rest:

# %%
for op in ("add", "multiply", "exp"):
    rules = registry[op].op.rules
    print(op, {name: [needed for needed, _ in rule.needs] for name, rule in rules.items()})

# %% [markdown]
# The derivative of `exp` is `exp` itself, so its rule asks for the result, `out`. What does a tape
# keep alive? A sum of three vectors with a million elements each. (Your program holds most of it in any case: it is the sum
# `a + b`, 8 MB, that lives for our tape alone.)

# %%
vectors = [np.ones(1_000_000) for _ in range(3)]

a, b, c = map(Value, vectors)
with Tape() as tape:
    tape.watch(a)
    total = a + b + c
held = {id(v): v.array.nbytes for _, inputs, output in tape.records for v in (*inputs, output)}
print(f"our tape holds   {sum(held.values()):>10,} bytes")

a, b, c = map(tf.Variable, vectors)
with tf.GradientTape() as tape:
    total = a + b + c
kept = sum(node.kept for node in viz.step(tape, total, a).trace.nodes)
print(f"minitape's holds {kept:>10,} bytes")

# %% [markdown]
# ### Where to find what

# %%
from minitape import call, interpreter
from minitape.recording import Recording
from minitape.tensor import EagerTensor

pairs = {
    "Value": EagerTensor,
    "Op": type(registry["multiply"].op),
    "apply": call.call,
    "listening": interpreter.push,
    "Tape": Recording,
    "gradient": tf.GradientTape.gradient,
    "backward": minitape_backward,
    "summed_to": registry["sum_to"].op.forward,
}
for ours, theirs in pairs.items():
    print(f"{ours:14}{theirs.__qualname__:24}{file_of(theirs)}")

# %% [markdown]
# Rules that compute with values are there too: when an outer tape listens, minitape runs its rules on
# tensors, otherwise on bare arrays, because that is faster.
