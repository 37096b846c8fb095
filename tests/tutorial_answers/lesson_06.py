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
CAREFUL = "abs(x) + np.log1p(np.exp(-2.0 * abs(x))) - LOG_2"

LIAR = """
def liar(g, x):
    return {}

unmasking = {}
"""
ROOT = """
@tf.custom_gradient
def kepler(M, e):
    def rule(g):
        E = {}
        steep = 1.0 - e * tf.cos(E)
        return {}
    return angle(M, e), rule
"""

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
        r"another dtype[^?]*1\.5 of 2 points",
    ),
    "the logarithm of 2 forgotten": Wrong(
        "log-cosh",
        LOG_COSH.format(forward="abs(x) + np.log1p(np.exp(-2 * abs(x)))", rule="g * tanh(x)"),
        "Are all three terms there",
    ),
    "what arrives forgotten": Wrong(
        "log-cosh", LOG_COSH.format(forward=CAREFUL, rule="tanh(x)"), "multiply by g"
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
    "a number of 32 bits": Wrong(
        "liar",
        LIAR.format("2.0 * g * x * tf.where(x > 4.0, 0.5, 1.0)", "[5.0]"),
        "numbers are float64",
    ),
    "the right rule": Wrong(
        "liar", LIAR.format("2.0 * g * x", "[-1.0]"), "she is right(.|\n)*1 of 3 points"
    ),
    "a lie that is seen": Wrong("liar", LIAR.format("3.0 * g * x", "[1.0]"), "with two numbers"),
    "a lie that forgets g": Wrong("liar", LIAR.format("2.0 * x", "[1.0, 2.0]"), "with two numbers"),
    "a lie that an if tells": Wrong(
        "liar",
        "def liar(g, x):\n    if x > 0:\n        return 2.0 * g * x\n    return 0.0 * g\n"
        "unmasking = [-1.0]",
        "an if cannot look",
    ),
    "a lie that is not unmasked": Wrong(
        "liar", LIAR.format("2.0 * g * tf.abs(x)", "[0.5, 4.0]"), "where is it wrong(.|\n)*2 of 3"
    ),
    "no number to unmask it": Wrong(
        "liar", LIAR.format("2.0 * g * tf.abs(x)", "[]"), "Now the cure"
    ),
    "a lie too small to matter": Wrong(
        "liar", LIAR.format("2.0 * g * x + 1e-9 * g", "[1.0]"), "she is right"
    ),
    "a root whose rule forgets g": Wrong(
        "root", ROOT.format("kepler(M, e)", "1.0 / steep, tf.sin(E) / steep"), "multiply by g"
    ),
    "the sign of a root": Wrong(
        "root",
        ROOT.format("kepler(M, e)", "-g / steep, g * tf.sin(E) / steep"),
        "A sign: f stays 0",
    ),
    "the gradients of a root exchanged": Wrong(
        "root",
        ROOT.format("kepler(M, e)", "g * tf.sin(E) / steep, g / steep"),
        "The two gradients are exchanged",
    ),
    "no denominator": Wrong(
        "root", ROOT.format("kepler(M, e)", "g, g * tf.sin(E)"), "The denominator is missing"
    ),
    "a root upside down": Wrong(
        "root", ROOT.format("kepler(M, e)", "g * steep, g * tf.sin(E) * steep"), "Upside down"
    ),
    "the fraction of a root upside down": Wrong(
        "root", ROOT.format("kepler(M, e)", "g * steep, g * steep / tf.sin(E)"), "Upside down"
    ),
    "a rule of one gradient": Wrong(
        "root", ROOT.format("kepler(M, e)", "g / steep, None"), "A gradient is None"
    ),
    "a root that is right once": Wrong(
        "root",
        ROOT.format("angle(M, e)", "g / steep, g * tf.sin(E) / steep"),
        r"The first derivative is right, the second is not(.|\n)*3 of 4 points",
    ),
    "the slope of a root with respect to e forgotten": Wrong(
        "root",
        ROOT.format("kepler(M, e)", "g / steep, 0.0 * g"),
        r"Its slope with respect to e: f_e = -sin E.*\n2\.5 of 4 points",
    ),
    "the slope of a root with respect to M forgotten": Wrong(
        "root",
        ROOT.format("kepler(M, e)", "0.0 * g, g * tf.sin(E) / steep"),
        r"\AIts slope with respect to M: f_M = -1.*\n1\.5 of 4 points",
    ),
    "another slope of the root": Wrong(
        "root", ROOT.format("kepler(M, e)", "g * E, g * E"), "Which function stays 0 here"
    ),
    "another angle": Wrong(
        "root",
        ROOT.replace("return angle(M, e)", "return 2.0 * angle(M, e)").format(
            "kepler(M, e)", "g / steep, g * tf.sin(E) / steep"
        ),
        "That is not the angle",
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
        "A tape outside records nothing",
    ),
    "no custom gradient": Wrong(
        "reversal", "def reversing(strength):\n    return tf.identity", "is there a custom_gradient"
    ),
    "what arrives inside of tanh": Wrong(
        "log-cosh", LOG_COSH.format(forward=CAREFUL, rule="tanh(g * x)"), "g is inside tanh"
    ),
    "NumPy in the rule": Wrong(
        "log-cosh",
        LOG_COSH.format(forward=CAREFUL, rule="g * np.tanh(x)"),
        "The first derivative is right, the second is not",
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
        "The function inside takes x alone, and returns a pair",
    ),
    "a gradient's function of nothing": Wrong(
        "reversal",
        "def reversing(strength):\n    @tf.custom_gradient\n    def reverse(x):\n"
        "        return tf.identity(x), lambda: -strength\n    return reverse",
        "a function of what arrives",
    ),
}

IN_ANOTHER_STYLE = {
    "slopes of a root by a tape": Right(
        "root",
        """
@tf.custom_gradient
def kepler(M, e):
    def rule(g):
        E = kepler(M, e)
        with tf.GradientTape() as tape:
            tape.watch([E, M, e])
            f = E - e * tf.sin(E) - M
        by_E, by_M, by_e = tape.gradient(f, [E, M, e])
        return -g * by_M / by_E, -g * by_e / by_E
    return angle(M, e), rule
""",
    ),
    "logaddexp": Right(
        "log-cosh",
        LOG_COSH.format(forward="np.logaddexp(x, -x) - 0.6931471805599453", rule="tanh(x) * g"),
    ),
    "a careful fraction": Right(
        "log-cosh",
        LOG_COSH.format(forward=CAREFUL, rule="g * (2.0 * sigmoid(2.0 * x) - 1.0)"),
    ),
    "a lie for negative numbers": Right(
        "liar", LIAR.format("2.0 * g * tf.nn.relu(x)", "[-1.0, 3.0]")
    ),
    "a parabola through both": Right("liar", LIAR.format("g * (x * x - 3.0 * x + 6.0)", "[1.0]")),
    "a lie far from there": Right(
        "liar",
        LIAR.format("tf.where(x < -4.0, 0.0 * g, 2.0 * g * x)", "[-4.5]"),
    ),
    "a lie for a large g": Right(
        "liar", LIAR.format("2.0 * x * tf.clip_by_value(g, -9.0, 9.0)", "[1.0]")
    ),
    "stop_gradient": Right(
        "reversal",
        "def reversing(strength):\n"
        "    return lambda x: tf.stop_gradient(x + strength * x) - strength * x",
    ),
}
