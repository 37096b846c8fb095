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

# %% [markdown] slide="A network trained for hundreds of rounds to learn to aim. In each round Python ran all steps of the throw again.\n\n**Must it do so again and again?**\n\n**And if not: what is left to do?**"
# # 8. Static graphs
#
# In lesson 5 a network learned to aim. In every round of its training Python ran all steps of the throw again, 50 there,
# 100 here and in lesson 1. **Must it do so again and again? And if not, what is left to do?** Guess now: at the end you
# will know what is saved, and what is not.
#
# Until now a program ran, and a tape recorded what it did. You can also turn that around: write the program down first,
# look at it, and run it later, many times. The program that was written down is called a **graph**. This lesson shows how a
# graph is differentiated, what `tf.function` does when it traces, and how branches and loops get into a graph. The numbers
# are always those of the tape. You need lesson 1. The lesson takes 50 minutes; the exercises are homework, for about 40
# more, and the sections named *Further* are for those who want more. If you type along: a cell that begins with *Given* is
# only run.
#
# Afterwards you can
#
# - say why an operation has to wait until its pending count is zero,
# - predict when a `tf.function` runs its Python, and when it traces again,
# - write branches and loops that a graph can hold,
# - say what a trace saves in a round of training, and what it does not.

# %% tags=["setup"]
import contextlib
import io
import logging
import re
import sys

import matplotlib.pyplot as plt

import minitape as tf
from minitape import viz

viz.figures()

# %% [markdown] slide="## The throw, written down\n\n`@tf.function` runs your Python once for tensors of one shape and dtype, writes down what it would compute, and from then on runs only that."
# ## The throw, written down
#
# `@tf.function` runs your Python **once** for all tensors of one shape and dtype. The tensors have no numbers yet, and each
# operation is only written down. That is *tracing*. From then on only the graph runs. A `for` over a `range` asks no tensor
# anything, so it runs while tracing, and each of its hundred rounds is written down.


# %% tags=["given"] slide="A traced throw"
# Given.
@tf.function
def miss(v):
    """The squared distance to the ring of lesson 1."""
    print("Python throws the ball")
    vx, vy, dt = v[0], v[1], 0.02
    x, y = 0.0 * vx, 1.5 + 0.0 * vy
    for _ in range(100):
        air = vx + 6.0 * tf.tanh(y / 5.0)
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx, vy = vx - dt * drag * air, vy - dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
    return (x - 20.0) ** 2 + (y - 2.0) ** 2


# %% slide="A traced throw"
with viz.predict(
    "The function prints a line, and we call it for five throws. How many lines will there be?",
    "One. `print` is Python, and Python ran once, while it was traced. The five throws were right all the "
    "same: they ran from the graph.",
):
    for across in [10.0, 12.0, 14.0, 15.646, 18.0]:
        print(f"{across}: {float(miss(tf.constant([across, 11.733]))) ** 0.5:.2f} m")

# %% [markdown]
# What does that save? And what does it save in training, which needs the derivative too? We count it at the end. First:
# what was written down, how it is differentiated, and how branches and loops get into it.

# %% [markdown]
# ## A program that is written down
#
# What did `tf.function` write down? Let us do by hand, once and with a smaller program, what it does. The tools for that
# are old: graph, placeholder and session. Hardly anybody writes programs with them now, but every trace makes such a graph.
# You can look at it, cut it, differentiate it and send it to another machine, before anything is computed.
#
# Inside `with graph.as_default():` no operation computes anything. Each one becomes a **node** in a list: its type, where
# its inputs come from, and where its result goes. A `placeholder` stands for a tensor whose value comes later.

# %%
graph = tf.Graph()

with graph.as_default():
    x = tf.compat.v1.placeholder(tf.float32, shape=[], name="x")
    p = x * x
    q = tf.sin(p)
    y = p * q + x

print(y)

# %% [markdown]
# `y` has a shape and a dtype, but no value. Such a tensor is called *symbolic*. In minitape each result has a number, its
# **slot**; that of `y` is `y.value`. A node lists the slots that it reads, `node.inputs`, and those that it fills,
# `node.outputs`. If `x` fills slot 1 and `p` slot 2, then the node of `p` reads (1, 1), and that of `q` reads (2,).
#
# So the slots say which node uses which result. We look the nodes up by their slots, and print the list with names. The
# graph names its nodes itself, such as `mul_1`; for the first five we print our names.


# %% tags=["setup"]
# Given.
OURS = {"mul": "p", "Sin": "q", "mul_1": "pq", "add": "y"}


def called(node):
    """Our name of a node, where it has one; a slot that no node fills is a constant."""
    return OURS.get(node.name, node.name) if node else "a constant"


def node_of(slot):
    """The node that fills a slot, or None."""
    return next((node for node in graph.nodes if slot in node.outputs), None)


def inputs_of(node):
    """The nodes whose results a node uses, without constants: these have no node."""
    return [node_of(slot) for slot in node.inputs if node_of(slot)]


def show(nodes):
    """Prints nodes: name, type, and the names of the inputs."""
    for node in nodes:
        inputs = ", ".join(called(node_of(slot)) for slot in node.inputs)
        print(f"{called(node):6} {node.op.type_name:12} ({inputs})")


# %%
show(graph.nodes)

# %% [markdown]
# To compute something, give a `Session` what you want to know and the values that it depends on. It runs the nodes that
# matter, and no others:

# %% slide=""
with tf.compat.v1.Session(graph=graph) as session:
    print("y at 2:", session.run(y, feed_dict={x: 2.0}))
    print("q at 2:", session.run(q, feed_dict={x: 2.0}), "(no need for the addition)")

# %% [markdown] slide="## The derivative is more nodes\n\n`tf.gradients` computes no number. It appends nodes that *will* compute the derivative."
# ## The derivative is more nodes
#
# `tf.gradients` differentiates a graph. It computes no number. It appends nodes that *will* compute the
# derivative:

# %%
before = len(graph.nodes)

with graph.as_default():
    (slope,) = tf.gradients(y, x)

show(graph.nodes[before:])

# %% slide=""
with tf.compat.v1.Session(graph=graph) as session:
    print("by the graph:", session.run(slope, feed_dict={x: 2.0}))

# %% [markdown]
# Now the same with a tape:

# %% tags=["given"]
# Given.
eager_x = tf.constant(2.0)

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(eager_x)
    eager_p = eager_x * eager_x
    eager_q = tf.sin(eager_p)
    eager_y = eager_p * eager_q + eager_x

player = viz.step(tape, eager_y, eager_x, title="The same program on a tape")
print("by the tape: ", tape.gradient(eager_y, eager_x).numpy())
player

# %% [markdown]
# **Compare the player with the list above.** The backward pass computes, step by step, what the new nodes describe: `Cos`
# and the `Mul` after it come from `Sin`, the other `Mul`s from `Mul`, and each `AddV2` is a place where two paths meet. (*a
# constant* is the seed, 1.) In minitape both come from the same rules: on a tape they run on numbers, in a graph on
# symbolic tensors.
#
# The derivative is an ordinary part of the graph, so you can differentiate it again:

# %% tags=["given"] slide=""
# Given.
with graph.as_default():
    (bend,) = tf.gradients(slope, x)

with tf.compat.v1.Session(graph=graph) as session:
    print("second derivative:", session.run(bend, feed_dict={x: 2.0}))

# %% [markdown] slide="## Whose turn is it? Pending counts\n\n**A node is ready when everything that uses its result, on paths to the target, is done.**\n\nThe *pending count*: how many uses are not done yet."
# ## Whose turn is it? Pending counts
#
# A tape walks back in the reverse order of what happened. In a graph nothing has happened yet. Our list has an order, since
# we wrote it down line by line, but graphs are also loaded, merged and rewritten. You can always rely on one thing: which
# node uses which result. Which node may be differentiated next?
#
# Look at `p`. It is used twice: by `sin`, and by the product. Both will send a cotangent to `p`. If we pulled through `p =
# x * x` after the first one only, a part would be missing, and the derivative would be wrong. *Further* shows it. So:
#
# > **A node is ready when everything that uses its result, on paths to the target, is done.**
#
# To know that, we count. The **pending count** of a node is the number of uses of its result, on paths to the target, that
# have not been differentiated yet. Other uses send nothing back, so no node may wait for them (*Further: a target in the
# middle*). So we need two walks. The first goes back from the target and marks every node with a path to it. The second
# counts how often the marked nodes use one another.
#
# Here they are:


# %% tags=["given"] slide="Two walks: what leads to the target, and how often it is used"
# Given.
def pending_counts(target):
    """For each node that leads to the target: how many uses of its result lead there."""
    leading = [target]  # the first walk: what leads to the target?
    for node in leading:  # it grows while we go through it
        for each in inputs_of(node):
            if each not in leading:
                leading.append(each)

    pending = dict.fromkeys(leading, 0)
    for node in leading:  # the second: each use counts
        for each in inputs_of(node):
            pending[each] += 1
    return pending


# %% [markdown]
# The target starts with 0, so it is ready. When a node is done, the count of an input goes down by one for each use; a
# node whose count reaches 0 is ready:


# %% tags=["given"] slide="A node whose count reaches 0 is ready"
# Given.
def backward_order(target):
    """The nodes in an order in which they can be differentiated, by pending counts."""
    pending, ready, order = pending_counts(target), [target], []
    while ready:
        node = ready.pop(0)
        order.append(node)
        counts = {called(each): count for each, count in pending.items()}
        print(f"{called(node):2} is ready; counts: {counts}")
        for each in inputs_of(node):
            pending[each] -= 1
            if pending[each] == 0:
                ready.append(each)
    return order


# %% slide="In which order? The counts of each turn"
order = backward_order(node_of(y.value))

# %% [markdown]
# Follow `p` in the output: it starts with 2, since the product `pq` and the sine `q` both use it. The product
# comes first, and `p` still has to wait for the sine.
#
# Here is a picture of four moments. Each node has its count in a circle; a filled circle is done, a thick ring is ready.

# %% tags=["picture"] slide="Four moments: done, ready, waiting" alt="Four drawings of the graph. Arrows lead from x to p twice, from p to the sine q and to the product pq, from q to pq, from pq and x to y; a circle at each node holds its count. First y is ready with 0; x has 3, p has 2, q and pq have 1. When y is done, pq is ready and x has 2. When pq is done, q is ready and p has 1: it still waits. When q is done, p is ready with 0 and x still has 2."
# Given: this only draws.
PLACES = {"x": (0, 0), "p": (1, 0), "q": (2, 0.8), "pq": (3, 0), "y": (4, -0.8)}
USES = [("x", "p"), ("x", "p"), ("p", "q"), ("p", "pq"), ("q", "pq"), ("pq", "y"), ("x", "y")]
figure, panels = plt.subplots(2, 2, figsize=(9, 4.9))
for panel, finished in zip(panels.flat, ([], ["y"], ["y", "pq"], ["y", "pq", "q"]), strict=True):
    waits = {name: sum(a == name and b not in finished for a, b in USES) for name in PLACES}
    for a, b in USES:
        bend = {("x", "p"): 0.35 * (-1) ** len(panel.texts), ("x", "y"): 0.25}.get((a, b), 0.0)
        look = {"arrowstyle": "->", "shrinkA": 13, "shrinkB": 13, "color": "gray"}
        look["connectionstyle"] = f"arc3,rad={bend}"
        panel.annotate("", PLACES[b], PLACES[a], arrowprops=look)
    for name, (across, up) in PLACES.items():
        done, ready = name in finished, waits[name] == 0
        fill, width = ("lightgray" if done else "white"), (3 if ready and not done else 1)
        look = {"boxstyle": "circle", "facecolor": fill, "linewidth": width}
        shown = "✓" if done else waits[name]
        panel.text(across, up, shown, ha="center", va="center", fontsize=12, bbox=look)
        panel.text(across, up + 0.45, name, ha="center", fontsize=12)
    panel.set(xlim=(-0.5, 4.5), ylim=(-1.4, 1.6))
    panel.set_title(f"done: {', '.join(finished)}" if finished else "at the beginning", fontsize=12)
    panel.axis("off")
figure.suptitle(
    "gray: done; thick ring: ready; a number: uses that are still waited for", fontsize=12
)
plt.tight_layout()
plt.show()

# %% [markdown]
# At the end `x` still waits for 2 contributions: both come from `p`, which is $x \cdot x$.

# %% [markdown]
# In such an order the chain rule is short: cotangents start with 1 at the target, each node adds what it passes to its
# inputs, and at its turn a node's cotangent is complete. (*Further* does it with plain numbers.)

# %% [markdown]
# That is how TensorFlow 1 differentiated, and how `tf.gradients` still does. In minitape it is the module
# `minitape/graphs/schedule.py`. `viz.pending` shows step by step what that module does. It takes a graph, or a function
# that it traces first:


# %% tags=["picture"]
# Given: this only draws.
def program(x):
    p = x * x
    q = tf.sin(p)
    y = p * q + x
    return y


viz.pending(program, eager_x, title="Pending counts")

# %% [markdown]
# **Look at the small circles.** They are the counts, and the order is the one that our lines found. The engine leaves out
# `x`, for the walk ends there.
#
# minitape's tape needs no counts: an operation that uses a result runs after the result was made, so the reverse order is
# always a valid one. TensorFlow's own tape counts all the same. The line below the player compares the two.

# %% [markdown] slide="## `tf.function`: tracing\n\nTracing: Python runs once, with placeholders instead of numbers. What is not a tensor operation happens *then*, and never again."
# ## `tf.function`: tracing
#
# Nobody wants to write placeholders and sessions. `@tf.function` makes the graph for you, as it did with the
# throw: the tensors without numbers, with which it runs your Python, are placeholders.


# %%
@tf.function
def square(x):
    print("Python runs, x is", x)
    return x * x


print(float(square(tf.constant(2.0))))
print(float(square(tf.constant(3.0))))
print(float(square(tf.constant(4.0))))

# %% [markdown]
# Python ran once, and now we see what `x` was then. `print` is not in the graph. The same is true of everything that is not
# a tensor operation: appending to a list, counting in a Python number, asking the time. Such *side effects* happen while
# tracing, and never again:

# %% tags=["given"]
# Given.
calls = 0
counter = tf.Variable(0)


@tf.function
def count():
    global calls
    calls += 1  # Python: when tracing
    counter.assign_add(1)  # TensorFlow: at every call


for _ in range(5):
    count()
print("Python counted", calls, "and the variable counted", counter.numpy())

# %% [markdown]
# **Rule.** What has to happen at every call must be a tensor operation or an assignment to a `tf.Variable`.
#
# ### When is it traced again?
#
# A graph is made for shapes and dtypes. Another shape or dtype needs another graph. A Python number becomes a constant of
# the graph, so each new number needs a new graph. minitape warns of that, and says why.


# %% tags=["setup"]
# Given.
class InTheNotebook(logging.Handler):
    """Prints what minitape warns of, with the line of the cell; advice only once."""

    def emit(self, record):
        said = re.sub(r"at \S+?:(\d+)", r"at line \1 of the cell", record.getMessage())
        print("minitape:", said.split(" Tracing runs the Python")[0])


log = logging.getLogger("minitape")
log.handlers, log.propagate = [InTheNotebook()], False

# %%
with viz.predict(
    "`square` was traced once, for tensors of shape (). Four calls follow: with a vector, with `tf.constant(5.0)`, "
    "and with the Python numbers 6.0 and 7.0. How many traces are there then?",
    "Four: one more for the vector's shape, none for the constant, and one for each Python number.",
):
    for argument in [tf.constant([1.0, 2.0]), tf.constant(5.0), 6.0, 7.0]:
        square(argument)
    print("traced", square.experimental_get_tracing_count(), "times")

# %% [markdown]
# `tf.constant(5.0)` needed no new trace: its shape was known. But 6.0 and 7.0 needed one each. In a
# training loop with a thousand different Python numbers that would be a thousand graphs. **Pass tensors.**

# %% [markdown] slide="## Branches: `tf.cond`\n\nAn `if` on a tensor asks for a value, and while tracing there is none.\n\n`tf.cond`: both branches are **traced**, one of them **runs**."
# ## Branches: `tf.cond`
#
# An `if` on a tensor asks for a value, and a symbolic tensor has none. Such a function cannot be traced, and minitape runs
# its Python at every call. TensorFlow's AutoGraph would rewrite the `if`; minitape does not, so you see what has to be
# written. With `@tf.function(autograph=False)` such an `if` is an error, which tells you whether a function is really
# traced (*Further*).
#
# A graph has a node for branches. `tf.cond` takes two functions. Both are **traced**, and at each call one of them
# **runs**. The loop in the next section is written with functions in the same way.


# %% tags=["given"]
# Given.
@tf.function
def bent(x):
    """x squared for positive x, else -x; and its derivative."""
    print("tracing the function")

    def positive():
        print("tracing the first branch")
        return x * x

    def other():
        print("tracing the second branch")
        return -x

    y = tf.cond(x > 0.0, positive, other)
    return y, tf.gradients(y, x)[0]


for number in [3.0, -3.0]:
    y, slope = bent(tf.constant(number))
    print(f"at {number}: value {float(y)}, slope {float(slope)}")

# %% [markdown]
# `viz.graph` shows what was written down: a box for the branches, and in it a box for each of them.


# %% tags=["picture"]
# Given: this only draws.
def only_the_value(x):
    return tf.cond(x > 0.0, lambda: x * x, lambda: -x)


viz.graph(only_the_value, tf.constant(3.0), title="Two branches are one node")

# %% [markdown]
# The gradient is a branch as well: it goes back through the one that ran.

# %% [markdown] slide="## Loops: `tf.while_loop`\n\nA condition and a body. The body is written down once; how often it runs is decided when it runs."
# ## Loops: `tf.while_loop`
#
# A loop node has a condition and a body. The body takes the loop's variables and returns new ones. Here is $x^n$ by $n$
# multiplications, with its first and second derivative:


# %% tags=["given"]
# Given.
@tf.function
def power(x, n):
    """x to the n by a loop, and its first two derivatives."""
    _, result = tf.while_loop(
        cond=lambda i, value: i < n,
        body=lambda i, value: (i + 1, value * x),
        loop_vars=[tf.constant(0), tf.ones_like(x)],
    )
    (first,) = tf.gradients(result, x)
    (second,) = tf.gradients(first, x)
    return result, first, second


# %%
for n in [3, 10]:
    print(f"n = {n}:", [float(each) for each in power(tf.constant(2.0), tf.constant(n))])
print("traced", power.experimental_get_tracing_count(), "time")

# %% [markdown]
# The closed forms are $x^n$, $n x^{n-1}$ and $n (n-1) x^{n-2}$, so for $n = 3$ we expect 8, 12, 12. One trace
# was enough for both: how often the body runs is decided when it runs.
#
# A Python loop does the same work. But on a tape, as in a trace, it is *unrolled*: each round is written down by itself,
# and a longer loop makes a longer tape. In the graph each loop is one node, however long it is. Here there are three:

# %% tags=["given"] slide=""
# Given.
x = tf.constant(2.0)

for n in [3, 10]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.constant(1.0)
        for _ in range(n):
            value = value * x
    recorded = len(tape.recording.records)
    print(f"n = {n}: {recorded} records on the tape, gradient {float(tape.gradient(value, x))}")

concrete = power.get_concrete_function(tf.constant(2.0), tf.constant(3))
print(
    "loops and branches in the graph:",
    sum(node.op.type_name == "Run" for node in concrete.graph.nodes),
)

# %% [markdown]
# They are the loop, its backward pass for the first derivative, and the backward pass through both for the second.


# %% tags=["picture"]
# Given: this only draws.
def only_the_power(x, n):
    """x to the n by the same loop, without derivatives."""
    _, result = tf.while_loop(
        cond=lambda i, value: i < n,
        body=lambda i, value: (i + 1, value * x),
        loop_vars=[tf.constant(0), tf.ones_like(x)],
    )
    return result


viz.graph(only_the_power, tf.constant(2.0), tf.constant(3), title="A loop is one node")

# %% [markdown]
# The body is written down once. The dashed arrows lead from the end of a round to the beginning of the next. No gradient
# passes along a dotted arrow: it begins at a constant, or at an integer. The number of rounds may depend on the data, too.

# %% [markdown]
# Back to the throw. In `miss` each of its hundred steps was written down; here it is the loop:


# %% tags=["given"] slide="The loop as one node"
# Given.
@tf.function
def looped(v):
    """The same throw, with a loop that is written down."""

    def step(i, x, y, vx, vy):
        air = vx + 6.0 * tf.tanh(y / 5.0)
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx, vy = vx - 0.02 * drag * air, vy - 0.02 * (drag * vy + 9.81)
        return i + 1, x + 0.02 * vx, y + 0.02 * vy, vx, vy

    start = [tf.constant(0), tf.constant(0.0), tf.constant(1.5), v[0], v[1]]
    _, x, y, _, _ = tf.while_loop(lambda i, *_: i < 100, step, start)
    return (x - 20.0) ** 2 + (y - 2.0) ** 2


# %% slide="The loop as one node"
with viz.predict(
    "The first graph has some two thousand nodes. How many has the one with the loop?",
    "A handful, and one of them is the loop: a box with the step in it, written down once. That makes the graph small "
    "and quick to trace. It is not quicker to run than the first graph, in minitape even slower: the hundred steps are still "
    "done, one after the other, and the backward pass still needs what each of them has computed.",
):
    aim = tf.constant([10.0, 10.0])
    for function in (miss, looped):
        nodes, off = function.get_concrete_function(aim).graph.nodes, float(function(aim)) ** 0.5
        print(f"{function.__name__:7} {len(nodes):5} nodes, misses by {off:.3f} m")

# %% [markdown] slide="## A round of training\n\nTraining asks for the derivative, too. A tape *around* the traced throw, or a trace of throw *and* tape?"
# ## A round of training
#
# Now we count what tracing saves. Training needs the derivative too. You can put a tape around the traced throw, or
# `@tf.function` around both. (`python_function` is the function as you wrote it.)


# %% tags=["given"]
# Given.
def gradient(throw, v):
    """The gradient of the squared distance, by a tape around a throw."""
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = throw(v)
    return tape.gradient(y, v)


def in_python(v):
    return gradient(miss.python_function, v)


def around(v):
    return gradient(miss, v)


all_traced = tf.function(around)

# %% [markdown]
# A clock says something else on each machine. So we count how many lines of the throw run in one round, and how many Python
# functions are called, minitape's own included:


# %% tags=["setup"]
# Given.
def counted(a_round, v):
    """How many lines of the throw run, and how many functions of Python are called."""
    lines = calls = 0
    ours = miss.python_function.__code__

    def note(frame, event, _):
        nonlocal lines, calls
        calls += event == "call"
        lines += event == "line" and frame.f_code is ours
        return note if frame.f_code is ours else None

    before = sys.gettrace()
    with contextlib.redirect_stdout(io.StringIO()):  # Python's throw prints its line each time
        a_round(v)  # the first time traces
        sys.settrace(note)
        try:
            a_round(v)
        finally:
            sys.settrace(before)
    return lines, calls


# %% slide="A tape around the trace, or inside?"
with viz.predict(
    "In Python a round runs some 500 lines of the throw, 5 for each step, and calls some 9000 functions. How many are left with a "
    "tape around the traced throw, and how many when the tape is traced, too? Are fewer numbers computed?",
    "No line is left either way. But around the trace no call is saved: the tape has to record each operation, so minitape runs  "
    "the graph node by node. Inside, less than a fifth is left: the derivative is more nodes, written down with "
    "the others. The steps are still computed, each root and each tanh: a trace saves Python, and hardly any arithmetic.",
):
    lines, calls = counted(in_python, aim)
    print("in Python: about", round(lines, -2), "lines and", round(calls, -3), "calls")
    for name, way in [("around", around), ("inside", all_traced)]:
        lines, left = counted(way, aim)
        print(f"tape {name} the trace: {lines} lines and {left / calls:.1f} times the calls")

# %% [markdown]
# **Rule.** Trace the whole round, the tape included. In TensorFlow a tape records a traced function as *one* operation, so
# there a tape outside it is fast too. A small graph is not the fastest: with the loop of `looped` inside, a round makes
# three tenths of Python's calls, more than with the steps written out. Measure the time as well: `%timeit in_python(aim)`
# and `%timeit all_traced(aim)`. On one machine it fell to a third or less with everything traced; with the tape outside it
# hardly changed.

# %% [markdown] slide="## Tape or graph?\n\n| what | tape | graph |\n|---|---|---|\n| written down | while it runs | before it runs |\n| backward pass | reverse order | pending counts |\n| `if`, `while` that ask a tensor | Python's own | `cond`, `while_loop` |\n| side effects | at every call | when tracing |\n| the derivative | numbers | more nodes |"
# ## Tape or graph?
#
# | what | tape | graph |
# |---|---|---|
# | written down | while the program runs | before it runs |
# | order of the backward pass | reverse order of the records (minitape's tape) | pending counts |
# | `if` and `while` that ask a tensor | Python's own; the tape sees what ran | `tf.cond` and `tf.while_loop` |
# | side effects of Python | at every call | when tracing |
# | the derivative is | numbers | more nodes |
# | good for | learning, finding mistakes | running the same thing often |
#
# Both use the same chain rule. And a program that is written down can be improved before it runs. minitape and TensorFlow
# skip the nodes that nobody asks for, except assignments in a `tf.function`, and compute constants once. TensorFlow also
# joins small operations.
#
# And the question of the beginning? Python need not run the steps again and again: it ran them once, and none of your lines
# is left. But the round has to be traced as a whole, the derivative with the throw, or minitape saves your lines and no
# more. Nearly all of the arithmetic is left in any case: a hundred steps, and the backward pass through them, in every
# round.

# %% [markdown] slide="## Exercises\n\nPending counts; total and partial; huber; savings"
# ## Exercises
#
# Replace each `...` with your code, run the cell, and run the check below it. A check says "Right:" and why, or what is
# probably wrong.

# %% [markdown]
# **Exercise 1.** By hand: a graph computes $u = \sin x$, $v = u \cdot x$, $w = u + v$, $y = w \cdot u$ and $z = v \cdot v$.
# The target is $y$. Which pending counts do `u`, `v`, `w` and `y` have at the beginning of the backward pass?

# %% nbgrader={"grade": false, "grade_id": "counts", "locked": false, "schema_version": 3, "solution": true, "task": false}
counts = {"u": None, "v": None, "w": None, "y": None}
### BEGIN SOLUTION
counts = {"u": 3, "v": 1, "w": 1, "y": 0}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "counts-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    with tf.Graph().as_default() as exercise:
        x = tf.compat.v1.placeholder(tf.float32, shape=[])
        u = tf.sin(x)
        v = u * x
        w = u + v
        y = w * u
    uses = [slot for node in exercise.nodes for slot in node.inputs]
    assert set(counts) == {"u", "v", "w", "y"}, "Keep the four names u, v, w and y."
    assert None not in counts.values(), "Fill in four counts."
    for name, tensor in [("y", y), ("w", w), ("v", v), ("u", u)]:
        said = f"{name}: how many uses of it lead to y?"
        if name == "u":
            said += " It stands in three lines: those of v, w and y."
        if name == "y" and counts["y"] == 1:
            said = "y is the target: nobody uses its result, so how long does it wait?"
        if name == "v" and counts["v"] in (2, 3):
            said = "v: z uses it, too, but z does not lead to y, and sends nothing back."
        score.part(0.5, counts[name] == uses.count(tensor.value), said)
    score.total("each use sends one share back, and a node waits for all of them.")
score.earned

# %% [markdown]
# **Exercise 2.** For $b = a^2$ and $y = a b$ write a `tf.function` that returns the total derivative of $y$ with respect to
# $a$, and the partial one (with $b$ held constant), in this order. Ask `tf.gradients` for both. *Further: total and partial
# derivatives* says what they are, and how to ask for them.


# %% nbgrader={"grade": false, "grade_id": "total-and-partial", "locked": false, "schema_version": 3, "solution": true, "task": false}
@tf.function
def both(a):
    """The total and the partial derivative of a * b with respect to a, where b = a ** 2."""
    ### BEGIN SOLUTION
    b = a**2
    y = a * b
    total = tf.gradients(y, a)[0]
    partial = tf.gradients(y, a, stop_gradients=b)[0]
    return total, partial
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "total-and-partial-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    from unittest import mock

    found = {}
    assert hasattr(both, "python_function"), "Keep the line @tf.function above def both."
    for a in (3.0, -2.0):
        pair = both(tf.constant(a))
        assert pair is not None, "both returns nothing yet: return two derivatives."
        assert isinstance(pair, tuple | list) and len(pair) == 2, "Return a pair: total, partial."
        pair = [each[0] if isinstance(each, list) else each for each in pair]
        assert pair[0] is not None and pair[1] is not None, (
            "One of them is None: does a path lead from y to a, or is a itself inside tf.stop_gradient?"
        )
        found[a] = [float(each) for each in pair]
    assert not all(abs(p[0] - a**2) + abs(p[1] - 3 * a**2) < 1e-3 for a, p in found.items()), (
        "The other order: first the total, then the partial one."
    )
    total = all(abs(pair[0] - 3 * a**2) < 1e-3 for a, pair in found.items())
    score.part(1, total, "Total: y is a**3, so 3 a**2, which is 27 at 3. Is a path cut?")
    said = "Partial: with b held constant y grows by b, which is 9 at 3."
    same = all(abs(pair[1] - 3 * a**2) < 1e-3 for a, pair in found.items())
    if same:
        said = "The partial one is the total again: hold b constant."
    elif all(abs(pair[1] - a) < 1e-3 for a, pair in found.items()):
        said = "That is the derivative with respect to b. The partial one is with respect to a, too, with b held constant."
    partial = all(abs(pair[1] - a**2) < 1e-3 for a, pair in found.items())
    with (
        mock.patch.object(tf, "gradients", wraps=tf.gradients) as asked,
        mock.patch.object(tf, "GradientTape", wraps=tf.GradientTape) as taped,
    ):
        again = tf.function(getattr(both, "python_function", both))
        again.get_concrete_function(tf.TensorSpec([], tf.float32))
    if same and any(call.kwargs.get("stop_gradients") is not None for call in asked.mock_calls):
        said = (
            "The partial one is the total again: is what stands in stop_gradients the tensor b itself, from which y was made? "
            "Neither a nor a second a**2 cuts that path."
        )
    if total and partial and not (asked.call_count > 1 or taped.called):
        said = "Both numbers are right, but by a formula: ask tf.gradients for each of them."
        partial = False
    score.part(1, partial, said)
    score.total("27 along both paths, 9 along the direct one.")
score.earned

# %% [markdown]
# **Exercise 3.** In minitape this function runs its Python at every call. Write it so that it is traced once and returns
# the same values.
#
#     @tf.function
#     def huber(x):
#         if abs(x) < 1.0:
#             return 0.5 * x**2
#         return abs(x) - 0.5


# %% nbgrader={"grade": false, "grade_id": "huber", "locked": false, "schema_version": 3, "solution": true, "task": false}
@tf.function
def huber(x):
    """A parabola near 0, straight lines farther away."""
    ### BEGIN SOLUTION
    return tf.cond(abs(x) < 1.0, lambda: 0.5 * x**2, lambda: abs(x) - 0.5)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "huber-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    results = []
    assert hasattr(huber, "runs_python"), "Keep the line @tf.function above def huber."
    fresh = tf.function(huber.python_function)  # without the traces of your own calls
    for number in [0.5, -3.0, -0.5, 3.0, -0.9375, 1.0625, 0.9375, -1.0625]:
        x = tf.constant(number)
        with tf.GradientTape() as tape:
            tape.watch(x)
            try:
                y = fresh(x)
            except TypeError as error:
                wanted = " tf.cond wants two functions, such as lambda: 0.5 * x**2."
                said = wanted if "callable" in str(error) else ""
                raise AssertionError(f"It stops with {error}{said}") from error
        assert y is not None, (
            "huber returns nothing yet: return what tf.cond returns. (Do both of its functions return a value?)"
        )
        slope = tape.gradient(y, x)
        assert slope is not None, f"No path leads from huber({number}) to x: is x in both branches?"
        results.append((float(y), float(slope)))
    assert fresh.runs_python is None, "It still runs its Python: write tf.cond in place of the if."
    score.part(1, True, "")
    near = [results[0] == (0.125, 0.5), results[2] == (0.125, -0.5)]
    far = [results[1] == (2.5, -1.0), results[3] == (2.5, 1.0)]
    inside = results[4] == (0.439453125, -0.9375) and results[6] == (0.439453125, 0.9375)
    outside = results[5] == (0.5625, 1.0) and results[7] == (0.5625, -1.0)
    sides = "Right on one side of 0 only: the branch is chosen by |x|."
    border = "Right at 0.5 and at 3, and not at all of 0.9375, 1.0625 and their negatives: where is the border?"
    said = "At 0.5 it should be 0.5 * x**2, with the slope x."
    said = border if all(near) else sides if any(near) else said
    score.part(1, all(near) and inside, said)
    said = "At -3 it should be |x| - 0.5, with the slope -1: which branch ran, and is |x| in it?"
    score.part(1, all(far) and outside, border if all(far) else said)
    nodes = fresh.get_concrete_function(tf.constant(0.5)).graph.nodes
    branched = any(node.op.type_name == "Run" for node in nodes)
    score.total(
        "both branches are in the graph, and one of them runs."
        if branched
        else "it is traced once. No branch is in the graph, so all of it is computed each time."
    )
score.earned

# %% [markdown]
# **Exercise 4.** A savings account: every year the money is multiplied by $1 + r$. Write a `tf.function` that takes the
# rate `r` and the number of years `n` (both tensors). It returns what 100 become **and** the derivative with respect to
# `r`, not by a formula. Use `tf.while_loop`, so that a new `n` needs no new trace.


# %% nbgrader={"grade": false, "grade_id": "savings", "locked": false, "schema_version": 3, "solution": true, "task": false}
@tf.function
def savings(r, n):
    """What 100 become in n years at the rate r, and how that grows with r."""
    ### BEGIN SOLUTION
    _, money = tf.while_loop(
        lambda year, money: year < n,
        lambda year, money: (year + 1, money * (1.0 + r)),
        [tf.constant(0), tf.constant(100.0)],
    )
    return money, tf.gradients(money, r)[0]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "savings-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    from unittest import mock

    assert hasattr(savings, "runs_python"), "Keep the line @tf.function above def savings."
    fresh = tf.function(savings.python_function)  # without the traces of your own calls
    loop = tf.while_loop

    def at_most(*arguments, **named):
        """A loop that gives up after 1000 rounds."""
        return loop(*arguments, **{"maximum_iterations": 1000} | named)

    def advice(error):
        """What to do about a loop that stops."""
        if "callable" in str(error):
            return "Condition and body are functions: lambda year, money: year < n."
        if "positional argument" in str(error):
            return "Condition and body take all the variables: lambda year, money: ..."
        return (
            "Do the variables begin with whole years and 100.0, and does the body give both? "
            "(n is a whole number: tf.cast(n, tf.float32) before it meets a float.)"
        )

    with mock.patch.object(tf, "while_loop", at_most):
        try:
            trial = tf.function(savings.python_function)(tf.constant(0.1), tf.constant(2))
        except RuntimeError:
            trial = None  # a Python loop, of which more is said below
        except (TypeError, ValueError) as error:
            raise AssertionError(
                f"{advice(error)} It stops with {str(error).splitlines()[0]}"
            ) from error
    first = trial[0] if isinstance(trial, tuple | list) and trial else None
    if isinstance(first, tuple | list):
        assert len(first) == 1, (
            "tf.while_loop gives all of its variables back, the year too: write _, money = tf.while_loop(...)."
        )
        first = first[0]
    assert first is None or float(first) < 1000, (
        "The loop does not end: does its body give year + 1?"
    )
    rich, steep, factors, exchanged = [], [], [], []
    slope_hint = "The derivative by r should be 100 n (1 + r)**(n - 1)."

    def grown(years, rate):
        """What savings says that the money becomes."""
        return float(fresh(tf.constant(rate), tf.constant(years))[0])

    for years, rate in [(2, 0.1), (5, 0.1), (3, 0.25)]:
        try:
            found = fresh(tf.constant(rate), tf.constant(years))
        except RuntimeError as error:
            raise AssertionError(
                "Not traced: is there a Python loop over n? Use tf.while_loop."
            ) from error
        assert found is not None, (
            "savings returns nothing yet: return the money and the derivative."
        )
        assert isinstance(found, tuple | list) and len(found) == 2, (
            "Return a pair: money, derivative."
        )
        money, slope = (each[0] if isinstance(each, list) else each for each in found)
        rich.append(abs(float(money) / (100 * (1 + rate) ** years) - 1) < 1e-4)
        if slope is None:
            slope_hint = "The derivative is None: is it by r, is r used in the loop's body, and does a tape begin before the loop?"
        right = 100 * years * (1 + rate) ** (years - 1)
        factors.append(0.0 if slope is None else float(slope) / right)
        own = (
            grown(years, rate + 0.01) - grown(years, rate - 0.01)
        ) / 0.02  # of your money, right or not
        is_own = slope is not None and own != 0 and abs(float(slope) / own - 1) < 5e-3
        steep.append(abs(factors[-1] - 1) < 1e-4 or is_own)
        exchanged.append(abs(float(money) / right - 1) < 1e-4)
    assert not all(exchanged), "The other order: first the money, then its derivative."
    assert fresh.runs_python is None, (
        "Its Python runs at every call: is there a Python loop over n?"
    )
    nodes = fresh.get_concrete_function(tf.constant(0.1), tf.constant(2)).graph.nodes
    loops = sum(node.op.type_name == "Run" for node in nodes)

    def doubled(*arguments, **named):
        """A loop that gives twice its floats."""
        found = loop(*arguments, **named)
        return tf.nest.map_structure(
            lambda each: each + each if each.dtype.is_floating else each, found
        )

    def going_round(rate):
        """What the loops give at a rate: for each loop the list of its floats."""
        given = []

        def noted(*arguments, **named):
            found = loop(*arguments, **named)
            floats = [each for each in tf.nest.flatten(found) if each.dtype.is_floating]
            given.append(
                [float(one) for each in floats for one in tf.unstack(tf.reshape(each, [-1]))]
            )
            return found

        with mock.patch.object(tf, "while_loop", noted):
            savings.python_function(tf.constant(rate), tf.constant(2))
        return given

    def depend_on_the_rate():
        """In how many ways the floats of a loop change with the rate; the years and the rate do not count."""
        pairs = zip(going_round(0.1), going_round(0.25), strict=True)
        changes = [{round(b - a, 3) for a, b in zip(*pair, strict=True)} for pair in pairs]
        return max((len(each - {0.0, 0.15}) for each in changes), default=0)

    with (
        mock.patch.object(tf, "while_loop", doubled),
        mock.patch.object(tf, "gradients", wraps=tf.gradients) as asked,
        mock.patch.object(tf, "GradientTape", wraps=tf.GradientTape) as taped,
        mock.patch.object(
            tf.autodiff, "ForwardAccumulator", wraps=tf.autodiff.ForwardAccumulator
        ) as pushed,
    ):
        other = tf.function(savings.python_function)(tf.constant(0.1), tf.constant(2))[0]
    of_the_loop = abs(float(other[0] if isinstance(other, list) else other) - float(first)) > 1e-3
    derived = asked.called or taped.called or pushed.called
    by_hand = loops > 0 and not derived and depend_on_the_rate() < 2
    slips = {
        120.0: "That is interest on the first 100 only: each year multiplies all the money by 1 + r.",
        1.0: "That is the interest alone: each year multiplies the money by 1 + r, not by r.",
        100.2: "That adds r itself: each year multiplies the money by 1 + r.",
        133.1: "The loop runs once too often: at the beginning no year is over.",
        110.0: "The loop runs once too seldom: for n = 2 there are two years.",
        1.21: "That is what 1 becomes: it should be 100.",
    }
    said = "The money should be 100 (1 + r)**n: at the rate 0.1 it is 121 after two years."
    for money, slip in slips.items():
        if first is not None and abs(float(first) - money) < 1e-3:
            said = slip
    score.part(1, all(rich), said)
    if all(abs(factor - 0.01) < 1e-4 for factor in factors):
        slope_hint = (
            "The derivative lacks a factor of 100: is it that of the money, or of (1 + r)**n?"
        )
    if all(steep) and by_hand:
        slope_hint = (
            "The derivative has the right numbers, by a formula or a difference: ask tf.gradients for it, or let it go "
            "along in the loop."
        )
    score.part(1, all(steep) and not by_hand, slope_hint)
    said = "There is no loop in the graph. Use tf.while_loop."
    if loops:
        said = "There is a loop, but the money is not made of what it gives: let the money go round in it."
    elif score.earned == 2:
        said = "The numbers are right, but by a formula: there is no loop in the graph. Use tf.while_loop."
    score.part(1, loops > 0 and of_the_loop, said)
    score.total(
        "one node holds the loop, and its derivative was asked for."
        if derived
        else "one node holds the loop, and the derivative goes along in it."
    )
score.earned

# %% [markdown] slide="**To think about.** Which of your Python lines would you not want to lose in a trace? And how would you notice?"
# **To think about.** Which of your Python lines would you not want to lose in a trace? And how would you notice?
#
# <details><summary>An answer</summary> All that do more than compute: a line in a log, a counter, a random number of NumPy,
# which is drawn once while tracing and never changes. Call the function twice, and you notice: what should change does not.
# </details>

# %% [markdown]
# ## What to remember
#
# - A graph is a program as a list of nodes. Its derivative is more nodes, made by the same rules.
# - A node is differentiated when its pending count is 0: when all nodes that use its result on a path to the target are
#   done.
# - `tf.function` runs your Python when it traces: once for each shape and dtype, and for each Python number.
# - `tf.cond` and `tf.while_loop` bring branches and loops into a graph, and both can be differentiated.
# - A trace saves Python and hardly any arithmetic in minitape; TensorFlow also joins operations. Trace a round of training
#   as a whole, its tape included.
#
# **Read on.** Abadi et al., *TensorFlow: A System for Large-Scale Machine Learning* (2016). Yu et al., *Dynamic
# Control Flow in Large-Scale Machine Learning* (2018). Moldovan et al., *AutoGraph: Imperative-style Coding with
# Graph-based Performance* (2019).
#
# Next: what the gradient of a simulation costs, and when it lies.

# %% [markdown]
# ## Further: the chain rule by pending counts, in plain numbers
#
# Here it is for `y`, with the order found above and three rules:

# %%
with tf.compat.v1.Session(graph=graph) as session:
    slots = [node.outputs[0] for node in graph.nodes[:before]]
    numbers = session.run(
        [graph.tensor(slot) for slot in slots], feed_dict={graph.tensor(slots[0]): 2.0}
    )
values = dict(zip(slots, map(float, numbers), strict=True))

rules = {
    "AddV2": lambda g, a, b: (g, g),
    "Mul": lambda g, a, b: (g * b, g * a),
    "Sin": lambda g, a: (g * float(tf.cos(a)),),
    "Placeholder": lambda g: (),
}
cotangents = dict.fromkeys(slots, 0.0)
cotangents[order[0].outputs[0]] = 1.0  # the target
for node in order:
    pull = rules[node.op.type_name]
    shares = pull(cotangents[node.outputs[0]], *[values[slot] for slot in node.inputs])
    for slot, share in zip(node.inputs, shares, strict=True):
        cotangents[slot] += share

print(f"by pending counts: {cotangents[slots[0]]:.4f}")

# %% [markdown]
# And if `p` does not wait for the sine? Then its turn comes with a part of its cotangent only:

# %%
too_early = [order[0], order[1], order[3], order[2], order[4]]  # p before q
cotangents = dict.fromkeys(slots, 0.0)
cotangents[order[0].outputs[0]] = 1.0
for node in too_early:
    pull = rules[node.op.type_name]
    shares = pull(cotangents[node.outputs[0]], *[values[slot] for slot in node.inputs])
    for slot, share in zip(node.inputs, shares, strict=True):
        cotangents[slot] += share

print(f"without waiting:   {cotangents[slots[0]]:.4f}, which is wrong")

# %% [markdown]
# ## Further: a target in the middle
#
# Now take `q` as the target. It is the sine, and the product that uses it comes *after* it.

# %%
with viz.predict(
    "How many uses does `p` wait for now?",
    "One: the sine. The product does not lead to `q`.",
):
    order_of_q = backward_order(graph.nodes[2])

# %% [markdown]
# The product does not lead to `q`, so it has no count at all. If we had counted its use of `p`, `p` would wait forever, and
# nothing would arrive at `x`. The engine agrees: at 2 the derivative of $q = \sin x^2$ is $2x \cos x^2 = 4 \cos 4 \approx
# -2.6146$.

# %%
first, _, middle = (graph.tensor(node.outputs[0]) for node in graph.nodes[:3])

with graph.as_default():
    (slope_of_q,) = tf.gradients(middle, first)

with tf.compat.v1.Session(graph=graph) as session:
    print(f"dq/dx by the graph: {session.run(slope_of_q, feed_dict={first: 2.0}):.4f}")

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
# ## Further: where, and its trap
#
# `tf.cond` is safer than `tf.where`, which computes *both* sides and then chooses. (It spares only what is computed inside
# its two functions: what stands before it always runs.) At $x = 0$ the unwanted logarithm has the slope $1/0 = \infty$. In
# the backward pass `tf.where` sends it a cotangent of 0, and $0 \cdot \infty$ is not a number:


# %%
@tf.function
def log_or_zero(x):
    """The logarithm where there is one, else 0: by where and by cond, with derivatives."""
    by_where = tf.where(x > 0.0, tf.math.log(x), 0.0)
    by_cond = tf.cond(x > 0.0, lambda: tf.math.log(x), lambda: tf.zeros_like(x))
    return tf.gradients(by_where, x)[0], tf.gradients(by_cond, x, unconnected_gradients="zero")[0]


for number in [2.0, 0.0]:
    of_where, of_cond = log_or_zero(tf.constant(number))
    print(f"at {number}: by where {float(of_where)}, by cond {float(of_cond)}")

# %% [markdown]
# There is a cure, and it works with a tape and with vectors as well. Choose *before* the logarithm, too: give it a safe
# number where you do not want its value. Then no infinity arises.

# %%
x = tf.constant([2.0, 0.0])

with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    trap = tf.where(x > 0.0, tf.math.log(x), 0.0)
    safe = tf.where(x > 0.0, x, 1.0)
    cured = tf.where(x > 0.0, tf.math.log(safe), 0.0)

print("where, once: ", tape.gradient(trap, x).numpy())
print("where, twice:", tape.gradient(cured, x).numpy())

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
# TensorFlow has a tool, *AutoGraph*, that reads the source code of your function and rewrites it before tracing, so that an
# `if` or a `while` that asks a tensor becomes a `tf.cond` or a `tf.while_loop`. minitape does not rewrite your program.
# When the Python asks a symbolic tensor for its value, the function cannot be traced. minitape tells you at which line, and
# from then on runs your Python at every call. Values and gradients are right, but nothing is saved.


# %%
@tf.function
def bent_in_python(x):
    if x > 0.0:
        return x * x
    return -x


for number in [3.0, -3.0]:
    x = tf.Variable(number)
    with tf.GradientTape() as tape:
        y = bent_in_python(x)
    print(f"at {number}: value {float(y)}, slope {float(tape.gradient(y, x))}")

# %% [markdown]
# The numbers are those of `bent` above. With `autograph=False` you say "never run it in Python", and such an `if` becomes
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
# The gradient of a traced function is the gradient of what runs inside. You can use a tape, as ever. It records the
# operations of the graph, one by one, so it saves no calls, as *A round of training* has shown.

# %%
x = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    y = square(x * 2.0)

player = viz.step(tape, y, x, title="Through a traced function")
print(tape.gradient(y, x).numpy())
player
