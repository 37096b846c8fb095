"""Write your own op."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

LOG_COSH = """
@primitive("log_cosh", elementwise=True, latex=r"\\log \\cosh {{x:3}}")
def log_cosh(x: Array) -> Array:
    return {forward}

@log_cosh.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return {rule}
"""
CAREFUL = "abs(x) + np.log1p(np.exp(-2.0 * abs(x))) - 0.6931471805599453"

CULPRIT = """
culprit = "{}"
def mended_rule(g, x):
    return {}
"""

SMOOTH = """
@primitive("smooth_hat")
def smooth_hat(y: Array, height: float) -> Array:
    u = (y - height) / 2.0
    return {forward}

@smooth_hat.vjp("y")
def _(g: Tensor, y: Tensor, height: float) -> Tensor:
    u = (y - height) / 2.0
    return {rule}
"""
SQUARED, SLOPE = "np.maximum(0.0, 1.0 - u * u) ** 2", "-2.0 * g * u * tf.nn.relu(1.0 - u * u)"

REVERSAL = """
def reversing(strength):
    @tf.custom_gradient
    def reverse(x):
        return {}, lambda g: {}
    return reverse
"""

WRONG = {
    "the formula that overflows": Wrong(
        "log-cosh",
        LOG_COSH.format(forward="np.log(np.cosh(x))", rule="g * tanh(x)"),
        "it overflows at x = 1000",
    ),
    "no abs": Wrong(
        "log-cosh",
        LOG_COSH.format(
            forward="x + np.log1p(np.exp(-2.0 * x)) - 0.6931471805599453", rule="g * tanh(x)"
        ),
        "overflows at x = 1000 or -1000",
    ),
    "cut off": Wrong(
        "log-cosh",
        LOG_COSH.format(forward="np.log(np.cosh(np.clip(x, -50.0, 50.0)))", rule="g * tanh(x)"),
        "Nothing may be cut off",
    ),
    "a rule that overflows": Wrong(
        "log-cosh",
        LOG_COSH.format(
            forward=CAREFUL, rule="g * (tf.exp(x) - tf.exp(-x)) / (tf.exp(x) + tf.exp(-x))"
        ),
        "a careful forward pass needs a careful rule",
    ),
    "NumPy's float64 in the forward": Wrong(
        "log-cosh",
        LOG_COSH.format(
            forward="abs(x) + np.log1p(np.exp(-2 * abs(x))) - np.log(2.0)", rule="g * tanh(x)"
        ),
        r"another dtype[^?]*3 of 4 points",
    ),
    "the logarithm of 2 forgotten": Wrong(
        "log-cosh",
        LOG_COSH.format(forward="abs(x) + np.log1p(np.exp(-2 * abs(x)))", rule="g * tanh(x)"),
        "Are all three terms there",
    ),
    "what arrives forgotten": Wrong(
        "log-cosh", LOG_COSH.format(forward=CAREFUL, rule="tanh(x)"), "multiply with g"
    ),
    "NumPy's array in the rule": Wrong(
        "log-cosh",
        LOG_COSH.format(forward=CAREFUL, rule="g * np.tanh(x.numpy())"),
        r"no \.numpy\(\) in it, use the op tanh",
    ),
    "the sign of the rule": Wrong(
        "log-cosh", LOG_COSH.format(forward=CAREFUL, rule="-g * tanh(x)"), "wrong sign"
    ),
    "another derivative": Wrong(
        "log-cosh",
        LOG_COSH.format(forward=CAREFUL, rule="g * tanh(x) * tanh(x)"),
        r"not the derivative.\n(.|\n)*log_cosh.vjp",
    ),
    "an innocent accused": Wrong(
        "culprit", CULPRIT.format("bend", "g"), "The rule of bend is right"
    ),
    "a slip in the name": Wrong("culprit", CULPRIT.format("sqash", "g"), "one of three names"),
    "found, not mended": Wrong(
        "culprit", CULPRIT.format("squash", "g / (1.0 + x * x) ** 2"), "the rule as it was"
    ),
    "a rule that asks for the result": Wrong(
        "culprit",
        CULPRIT.format("squash", "g * out").replace("(g, x)", "(g, x, out)"),
        "a function of g and x alone",
    ),
    "the two products exchanged": Wrong(
        "culprit",
        CULPRIT.format("squash", "g * (x * x - 1.0) / (1.0 + x * x) ** 2"),
        "products are exchanged",
    ),
    "the two products added": Wrong(
        "culprit",
        CULPRIT.format("squash", "g * (1.0 + 3.0 * x * x) / (1.0 + x * x) ** 2"),
        "products are added",
    ),
    "a denominator that is not squared": Wrong(
        "culprit",
        CULPRIT.format("squash", "g * (1.0 - x * x) / (1.0 + x * x)"),
        "quotient rule is squared",
    ),
    "mended without g": Wrong(
        "culprit",
        CULPRIT.format("squash", "(1.0 - x * x) / (1.0 + x * x) ** 2"),
        "Multiply with g",
    ),
    "a hat that rises again": Wrong(
        "smooth-hat", SMOOTH.format(forward="(1.0 - u * u) ** 2", rule=SLOPE), "rises again there"
    ),
    "a hat that is not squared": Wrong(
        "smooth-hat",
        SMOOTH.format(forward="np.maximum(0.0, 1.0 - u * u)", rule=SLOPE),
        r"the square around the bracket(?!(.|\n)*Right once)",
    ),
    "the forward of ops": Wrong(
        "smooth-hat",
        SMOOTH.format(forward="tf.nn.relu(1.0 - u * u) ** 2", rule=SLOPE),
        "Forward, compute with NumPy",
    ),
    "what arrives at the hat forgotten": Wrong(
        "smooth-hat",
        SMOOTH.format(forward=SQUARED, rule="-2.0 * u * tf.nn.relu(1.0 - u * u)"),
        "multiply with g",
    ),
    "the sign of the hat": Wrong(
        "smooth-hat",
        SMOOTH.format(forward=SQUARED, rule="2.0 * g * u * tf.nn.relu(1.0 - u * u)"),
        "wrong sign",
    ),
    "the slope of u forgotten": Wrong(
        "smooth-hat",
        SMOOTH.format(forward=SQUARED, rule="-4.0 * g * u * tf.nn.relu(1.0 - u * u)"),
        "u has a slope by y",
    ),
    "the slope of the bracket forgotten": Wrong(
        "smooth-hat",
        SMOOTH.format(forward=SQUARED, rule="2.0 * g * tf.nn.relu(1.0 - u * u)"),
        "by u it is -2 u",
    ),
    "both inner slopes forgotten but a half": Wrong(
        "smooth-hat",
        SMOOTH.format(forward=SQUARED, rule="g * tf.nn.relu(1.0 - u * u)"),
        "by y it is -u",
    ),
    "a slope that does not end": Wrong(
        "smooth-hat",
        SMOOTH.format(forward=SQUARED, rule="-2.0 * g * u * (1.0 - u * u)"),
        "on the slope is 0",
    ),
    "a hat's rule by NumPy": Wrong(
        "smooth-hat",
        SMOOTH.format(
            forward=SQUARED, rule="g * np.array(-2.0 * u * np.maximum(0.0, 1.0 - u * u))"
        ),
        "Right once, not twice",
    ),
    "a rule with a root of 0": Wrong(
        "smooth-hat",
        SMOOTH.format(forward=SQUARED, rule="-2.0 * g * u * tf.sqrt(smooth_hat(y, height))"),
        r"does it divide by 0 somewhere \(a root at 0\)",
    ),
    "a mask in a product": Wrong(
        "smooth-hat",
        SMOOTH.format(forward=SQUARED, rule="-2.0 * g * u * (1.0 - u * u) * (abs(u) < 1.0)"),
        r"tf\.cast\(mask, y\.dtype\)",
    ),
    "an if on values": Wrong(
        "smooth-hat",
        SMOOTH.format(
            forward=SQUARED, rule="-2.0 * g * u * (1.0 - u * u) if abs(u) < 1.0 else 0.0 * g"
        ),
        "In a rule, no `if` on values",
    ),
    "an if on values in the forward": Wrong(
        "smooth-hat",
        SMOOTH.format(forward="(1.0 - u * u) ** 2 if abs(u) < 1.0 else 0.0", rule=SLOPE),
        "Forward: .*No `if` on values: np.maximum",
    ),
    "a hat's array": Wrong(
        "smooth-hat", SMOOTH.format(forward=SQUARED, rule="g * u.numpy()"), r"no \.numpy\(\) in it"
    ),
    "another slope of the hat": Wrong(
        "smooth-hat", SMOOTH.format(forward=SQUARED, rule="g * u * u"), "not the derivative"
    ),
    "no decorator": Wrong(
        "reversal",
        REVERSAL.replace("    @tf.custom_gradient\n", "").format("tf.identity(x)", "-strength * g"),
        "is @tf.custom_gradient above",
    ),
    "a gradient's function without return": Wrong(
        "reversal",
        REVERSAL.format("tf.identity(x)", "None"),
        "does the gradient's function return something",
    ),
    "not turned around": Wrong(
        "reversal",
        REVERSAL.format("tf.identity(x)", "strength * g"),
        r"not turned around\.\n(.*\n)?0\.5 of 2 points",
    ),
    "turned around, the strength forgotten": Wrong(
        "reversal",
        REVERSAL.format("tf.identity(x)", "-g"),
        r"is the strength used\?\n1 of 2 points",
    ),
    "the value turned around too": Wrong(
        "reversal", REVERSAL.format("-strength * x", "-strength * g"), "return x, or tf.identity"
    ),
    "what arrives ignored": Wrong(
        "reversal",
        REVERSAL.format("tf.identity(x)", "-strength * tf.ones_like(g)"),
        "the gradient that arrives",
    ),
    "a strength of its own": Wrong(
        "reversal", REVERSAL.format("tf.identity(x)", "-0.5 * g"), "is it used"
    ),
    "NumPy's array of it": Wrong(
        "reversal",
        REVERSAL.format("tf.identity(x)", "tf.constant(-strength * np.array(g))"),
        "A tape outside hears nothing",
    ),
    "no custom gradient": Wrong(
        "reversal", "def reversing(strength):\n    return tf.identity", "is there a custom_gradient"
    ),
    "what arrives inside of tanh": Wrong(
        "log-cosh", LOG_COSH.format(forward=CAREFUL, rule="tanh(g * x)"), "g stands inside of tanh"
    ),
    "NumPy in the rule": Wrong(
        "log-cosh",
        LOG_COSH.format(forward=CAREFUL, rule="g * np.tanh(x)"),
        "Right once, not twice",
    ),
    "tf in the forward": Wrong(
        "log-cosh",
        LOG_COSH.format(forward="tf.abs(x) - 0.6931471805599453", rule="g * tanh(x)"),
        "Forward, compute with NumPy",
    ),
    "no pair": Wrong(
        "reversal",
        "def reversing(strength):\n    @tf.custom_gradient\n    def reverse(x):\n"
        "        return -strength * x\n    return reverse",
        "The function inside takes x alone, and gives a pair",
    ),
    "a gradient's function of nothing": Wrong(
        "reversal",
        "def reversing(strength):\n    @tf.custom_gradient\n    def reverse(x):\n"
        "        return tf.identity(x), lambda: -strength\n    return reverse",
        "a function of what arrives",
    ),
}

IN_ANOTHER_STYLE = {
    "logaddexp": Right(
        "log-cosh",
        LOG_COSH.format(forward="np.logaddexp(x, -x) - 0.6931471805599453", rule="tanh(x) * g"),
    ),
    "a careful fraction": Right(
        "log-cosh",
        LOG_COSH.format(forward=CAREFUL, rule="g * (2.0 * sigmoid(2.0 * x) - 1.0)"),
    ),
    "two terms": Right(
        "culprit",
        CULPRIT.format("squash", "g / (1 + x * x) - 2 * g * x * x / (1 + x * x) ** 2"),
    ),
    "where in place of relu": Right(
        "smooth-hat",
        SMOOTH.format(
            forward="np.where(abs(u) < 1.0, (1.0 - u**2) ** 2, 0.0)",
            rule="tf.where(abs(u) < 1.0, -2.0 * u * (1.0 - u**2), 0.0) * g",
        ),
    ),
    "the 0 in front of the array": Right(
        "smooth-hat",
        SMOOTH.format(forward=SQUARED, rule="-2.0 * g * u * tf.maximum(0.0, 1.0 - u * u)"),
    ),
    "where with a 0 in front": Right(
        "smooth-hat",
        SMOOTH.format(
            forward=SQUARED,
            rule="g * tf.where(tf.abs(u) >= 1.0, 0.0, -2.0 * u * (1.0 - u * u))",
        ),
    ),
    "a mask that was cast": Right(
        "smooth-hat",
        SMOOTH.format(
            forward=SQUARED, rule="-2.0 * g * u * (1.0 - u * u) * tf.cast(abs(u) < 1.0, y.dtype)"
        ),
    ),
    "the hat in metres": Right(
        "smooth-hat",
        SMOOTH.format(
            forward="np.clip(1.0 - ((y - height) / 2.0) ** 2, 0.0, None) ** 2",
            rule="-g * (y - height) * tf.maximum(1.0 - (y - height) ** 2 / 4.0, 0.0)",
        ),
    ),
    "stop_gradient": Right(
        "reversal",
        "def reversing(strength):\n"
        "    return lambda x: tf.stop_gradient(x + strength * x) - strength * x",
    ),
}
