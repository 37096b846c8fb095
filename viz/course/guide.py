"""The examples of TensorFlow's autodiff guide, in our own words and code, with what the guide says.

An example is a small script, data like any other. The demo runs it with a recorder, so its tapes
appear by themselves, and compares the names in `says` with what came out.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Example(NamedTuple):
    """One example.

    Attributes:
        title: what it shows, in a few words.
        code: a script without its import line `import minitape as tf`.
        says: what the guide states or prints, by the name that holds it in `code`.
    """

    title: str
    code: str
    says: dict[str, Any]


EXAMPLES = (
    Example(
        "The slope of a square",
        """\
side = tf.Variable(3.0)
with tf.GradientTape() as tape:
    area = side**2
slope = tape.gradient(area, side)
""",
        {"slope": 6.0},
    ),
    Example(
        "A linear layer: a gradient for each of two variables",
        """\
weights = tf.Variable([[0.5, -1.0], [0.25, 0.0], [-0.5, 2.0]], name="weights")
bias = tf.Variable(tf.zeros(2), name="bias")
features = [[1.0, 2.0, 3.0]]
with tf.GradientTape() as tape:
    outputs = features @ weights + bias
    loss = tf.reduce_mean(outputs**2)
for_weights, for_bias = tape.gradient(loss, [weights, bias])
shapes = [tuple(for_weights.shape), tuple(for_bias.shape)]
""",
        {"shapes": [(3, 2), (2,)]},
    ),
    Example(
        "The same layer, asked with a dictionary",
        """\
weights = tf.Variable([[0.5, -1.0], [0.25, 0.0], [-0.5, 2.0]], name="weights")
bias = tf.Variable(tf.zeros(2), name="bias")
features = [[1.0, 2.0, 3.0]]
with tf.GradientTape() as tape:
    outputs = features @ weights + bias
    loss = tf.reduce_mean(outputs**2)
gradients = tape.gradient(loss, {"weights": weights, "bias": bias})
shape = tuple(gradients["bias"].shape)
""",
        {"shape": (2,)},
    ),
    Example(
        "All trainable variables of a model",
        """\
layer = tf.keras.layers.Dense(2, activation="relu", kernel_initializer="ones")
features = tf.constant([[1.0, 2.0, 3.0]])
with tf.GradientTape() as tape:
    outputs = layer(features)
    loss = tf.reduce_mean(outputs**2)
gradients = tape.gradient(loss, layer.trainable_variables)
pairs = zip(layer.trainable_variables, gradients)
named = [(variable.name, tuple(gradient.shape)) for variable, gradient in pairs]
""",
        {"named": [("kernel", (3, 2)), ("bias", (2,))]},
    ),
    Example(
        "Only a trainable variable is watched by itself",
        """\
trained = tf.Variable(3.0, name="trained")
frozen = tf.Variable(3.0, name="frozen", trainable=False)
shifted = tf.Variable(2.0, name="shifted") + 1.0
fixed = tf.constant(3.0)
with tf.GradientTape() as tape:
    total = trained**2 + frozen**2 + shifted**2
gradients = tape.gradient(total, [trained, frozen, shifted, fixed])
""",
        {"gradients": [6.0, None, None, None]},
    ),
    Example(
        "The list of what a tape watches",
        """\
trained = tf.Variable(3.0, name="trained")
frozen = tf.Variable(3.0, name="frozen", trainable=False)
with tf.GradientTape() as tape:
    total = trained**2 + frozen**2
watched = [variable.name for variable in tape.watched_variables()]
""",
        {"watched": ["trained:0"]},
    ),
    Example(
        "Watching a constant",
        """\
side = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(side)
    area = side**2
slope = tape.gradient(area, side)
""",
        {"slope": 6.0},
    ),
    Example(
        "Watching nothing but what is named",
        """\
left, right = tf.Variable(0.0), tf.Variable(10.0)
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(right)
    total = tf.reduce_sum(tf.math.sin(left) + tf.nn.softplus(right))
gradients = tape.gradient(total, [left, right])
""",
        {"gradients": [None, 0.9999546]},
    ),
    Example(
        "A result on the way as the source",
        """\
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    square = x * x
    fourth = square * square
slope = tape.gradient(fourth, square)
""",
        {"slope": 18.0},
    ),
    Example(
        "A persistent tape answers twice",
        """\
x = tf.constant([1.0, 3.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    square = x * x
    fourth = square * square
of_fourth = tape.gradient(fourth, x)
of_square = tape.gradient(square, x)
""",
        {"of_fourth": [4.0, 108.0], "of_square": [2.0, 6.0]},
    ),
    Example(
        "Two targets, one after the other",
        """\
x = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    square = x**2
    inverse = 1 / x
of_square = tape.gradient(square, x)
of_inverse = tape.gradient(inverse, x)
""",
        {"of_square": 4.0, "of_inverse": -0.25},
    ),
    Example(
        "Two targets at once are added up",
        """\
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    square = x**2
    inverse = 1 / x
slope = tape.gradient({"square": square, "inverse": inverse}, x)
""",
        {"slope": 3.75},
    ),
    Example(
        "The elements of a target are added up",
        """\
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    multiples = x * [3.0, 4.0]
slope = tape.gradient(multiples, x)
""",
        {"slope": 7.0},
    ),
    Example(
        "Element by element: the slope of the sigmoid",
        """\
x = tf.linspace(-10.0, 10.0, 200 + 1)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.sigmoid(x)
slopes = tape.gradient(y, x)
highest = tf.reduce_max(slopes)
""",
        {"highest": 0.25},
    ),
    Example(
        "Only the branch that ran was recorded",
        """\
switch = tf.constant(1.0)
taken, passed_by = tf.Variable(2.0), tf.Variable(2.0)
with tf.GradientTape() as tape:
    tape.watch(switch)
    result = taken if switch > 0.0 else passed_by**2
gradients = tape.gradient(result, [taken, passed_by])
""",
        {"gradients": [1.0, None]},
    ),
    Example(
        "The condition itself has no gradient",
        """\
switch, taken = tf.constant(1.0), tf.Variable(2.0)
with tf.GradientTape() as tape:
    tape.watch(switch)
    result = taken if switch > 0.0 else -taken
gradient = tape.gradient(result, switch)
""",
        {"gradient": None},
    ),
    Example(
        "None: no path from the target to the source",
        """\
x, y = tf.Variable(2.0), tf.Variable(3.0)
with tf.GradientTape() as tape:
    area = y * y
gradient = tape.gradient(area, x)
""",
        {"gradient": None},
    ),
    Example(
        "None: a variable was replaced by a tensor",
        """\
x = tf.Variable(2.0)
seen = []
for step in range(2):
    with tf.GradientTape() as tape:
        y = x + 1.0
    seen.append((type(x).__name__, tape.gradient(y, x)))
    x = x + 1.0  # x.assign_add(1.0) would have kept the variable
""",
        {"seen": [("ResourceVariable", 1.0), ("EagerTensor", None)]},
    ),
    Example(
        "None: a step was computed by NumPy",
        """\
import numpy as np
x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    squares = x**2
    means = np.mean(squares, axis=0)
    mean = tf.reduce_mean(means, axis=0)
gradient = tape.gradient(mean, x)
""",
        {"gradient": None},
    ),
    Example(
        "None: whole numbers have no derivative",
        """\
x = tf.constant(10)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
gradient = tape.gradient(y, x)
""",
        {"gradient": None},
    ),
    Example(
        "None: the path goes through a variable's state",
        """\
added, state = tf.Variable(3.0), tf.Variable(0.0)
with tf.GradientTape() as tape:
    state.assign_add(added)
    y = state**2
gradient = tape.gradient(y, added)
""",
        {"gradient": None},
    ),
    Example(
        "An op without a registered gradient is an error",
        """\
image, factor = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(0.1)
with tf.GradientTape() as tape:
    changed = tf.image.adjust_contrast(image, factor)
try:
    gradients = tape.gradient(changed, [image, factor])
except LookupError as error:
    message = f"{type(error).__name__}: {error}"
""",
        {"message": "LookupError: gradient registry has no entry for: AdjustContrastv2"},
    ),
    Example(
        "Zeros instead of None",
        """\
x, y = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
with tf.GradientTape() as tape:
    area = y**2
gradient = tape.gradient(area, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
""",
        {"gradient": [0.0, 0.0]},
    ),
)
