"""How a tape works."""

from __future__ import annotations

from tutorial_answers import Wrong

COSINE = "cosine = Op('cos', np.cos, (lambda g, x: {} * g * apply(sine, x),))\n"
DIVIDE = "divide = Op('divide', np.divide, (lambda g, x, y: {}, lambda g, x, y: {}))"
STOPPED = "def stopped(x):\n    return "
JACOBIAN = "def jacobian(tape, y, x):\n    return "

WRONG = {
    "the shares of the first turn forgotten": Wrong(
        "be-the-loop",
        "answers = [1, 1, 2, 10, 10, 20, 4, 5, 20, 4]",
        r"Not 4\.",
    ),
    "the sign of the sine's own rule": Wrong(
        "sine",
        COSINE.format("-1.0")
        + "sine = Op('sin', np.sin, (lambda g, x: -1.0 * g * apply(cosine, x),))",
        "should give g",
    ),
    "what arrives at the sine forgotten": Wrong(
        "sine",
        COSINE.format("-1.0") + "sine = Op('sin', np.sin, (lambda g, x: apply(cosine, x),))",
        "forgets g",
    ),
    "the other factor taken for its own": Wrong(
        "be-the-loop",
        "answers = [1, 1, 10, 2, 10, 20, 4, 5, 20, 5]",
        r"What does `multiply` pass on to `p`\? Not 10\. \w+",
    ),
    "the last share instead of the sum": Wrong(
        "be-the-loop",
        "answers = [1, 1, 2, 10, 10, 10, 4, 5, 20, 5]",
        r"What is the cotangent of `x` now\? Not 10\. .*(add|sum|path)",
    ),
    "the rule computes with arrays": Wrong(
        "sine",
        COSINE.format("-1.0") + "sine = Op('sin', np.sin, (lambda g, x: g * np.cos(x.array),))",
        "The second derivative is lost",
    ),
    "the sign of the cosine's derivative": Wrong(
        "sine",
        COSINE.format("1.0") + "sine = Op('sin', np.sin, (lambda g, x: g * apply(cosine, x),))",
        "the sign",
    ),
    "the cotangent forgotten": Wrong(
        "divide",
        DIVIDE.format("apply(divide, 1.0, y)", "-1.0 * apply(divide, g * x, y * y)"),
        "rule for x forgets to multiply by g",
    ),
    "the minus forgotten": Wrong(
        "divide",
        DIVIDE.format("apply(divide, g, y)", "apply(divide, g * x, y * y)"),
        "rule for y has the wrong sign",
    ),
    "the square forgotten": Wrong(
        "divide",
        DIVIDE.format("apply(divide, g, y)", "-1.0 * apply(divide, g * x, y)"),
        r"rule for y gives -10\.0, but differences say -3\.3333",
    ),
    "a sum in place of the square": Wrong(
        "divide",
        DIVIDE.format("apply(divide, g, y)", "-1.0 * apply(divide, g * x, y + y)"),
        "rule for y gives -5",
    ),
    "rules on bare arrays": Wrong(
        "divide",
        DIVIDE.format("Value(g.array / y.array)", "Value(-g.array * x.array / y.array**2)"),
        "No second derivative",
    ),
    "a value in a value": Wrong("stopped", STOPPED + "Value(x)", "A Value is made of an array"),
    "the value itself": Wrong("stopped", STOPPED + "x", "x itself must not be returned"),
    "a recorded copy": Wrong("stopped", STOPPED + "1.0 * x", r"6\.0 still comes back"),
    "the bare array": Wrong("stopped", STOPPED + "x.array", "should return a Value"),
    "a fixed number": Wrong("stopped", STOPPED + "Value(3.0)", "here \\[4.0, -1.0\\]"),
    "a fixed jacobian": Wrong("jacobian", JACOBIAN + "np.eye(3)", "One row per element of y"),
    "seeds of a fixed size": Wrong(
        "jacobian",
        JACOBIAN + "np.array([tape.gradient(y, x, s).array for s in np.eye(3)])",
        "A seed has as many elements as y",
    ),
    "NumPy in a rule": Wrong(
        "sine",
        COSINE.format("-1.0") + "sine = Op('sin', np.sin, (lambda g, x: g * np.cos(x),))",
        "A rule computes with Values",
    ),
    "an op that is called": Wrong(
        "sine",
        COSINE.format("-1.0") + "sine = Op('sin', np.sin, (lambda g, x: g * cosine(x),))",
        "A rule computes with Values",
    ),
    "the cosine forgets what comes back": Wrong(
        "sine",
        "cosine = Op('cos', np.cos, (lambda g, x: -1.0 * apply(sine, x),))\n"
        "sine = Op('sin', np.sin, (lambda g, x: g * apply(cosine, x),))",
        "rule of cosine forgets g",
    ),
    "a sign that Values have not": Wrong(
        "divide", DIVIDE.format("g / y", "-1.0 * apply(divide, g * x, y * y)"), "has no /"
    ),
    "bare arrays for x alone": Wrong(
        "divide",
        DIVIDE.format("Value(g.array / y.array)", "-1.0 * apply(divide, g * x, y * y)"),
        "No second derivative",
    ),
    "the comma forgotten": Wrong(
        "sine",
        "sine = Op('sin', np.sin, (lambda g, x: g * apply(cosine, x)))\n" + COSINE.format(-1.0),
        "is the comma after the rule missing",
    ),
    "no seeds": Wrong(
        "jacobian",
        JACOBIAN + "np.array([tape.gradient(y, x).array for _ in y.array])",
        "gradient of the sum",
    ),
    "as many seeds as inputs": Wrong(
        "jacobian",
        JACOBIAN + "np.array([tape.gradient(y, x, s).array for s in np.eye(len(x.array))])",
        "A seed has as many elements as y",
    ),
    "a matrix of zeros": Wrong(
        "jacobian",
        JACOBIAN + "np.zeros((len(y.array), len(x.array)))",
        "with the seed np.eye",
    ),
    "one gradient": Wrong(
        "jacobian", JACOBIAN + "tape.gradient(y, x).array", "One row per element"
    ),
    "rows and columns exchanged": Wrong(
        "jacobian",
        JACOBIAN + "np.array([tape.gradient(y, x, s).array for s in np.eye(len(y.array))]).T",
        "Rows and columns are exchanged",
    ),
    "an answer left out": Wrong(
        "be-the-loop", "answers = [1, 1, 2, 10, 10, 20, 4, 5, 20, None]", "None is no number"
    ),
    "an answer in words": Wrong(
        "be-the-loop", "answers = [1, 1, 2, 10, 10, 20, 4, 5, 20, 'five']", "'five' is no number"
    ),
    "answers by their number": Wrong(
        "be-the-loop", "answers = dict(enumerate([1] * 10))", "Ten answers in a list"
    ),
    "the two rules exchanged": Wrong(
        "divide",
        DIVIDE.format("-1.0 * apply(divide, g * x, y * y)", "apply(divide, g, y)"),
        "is that of the other input",
    ),
    "a rule that gives an array": Wrong(
        "divide",
        DIVIDE.format("g.array / y.array", "-1.0 * apply(divide, g * x, y * y)"),
        "and gives a Value",
    ),
    "the length of a Value": Wrong(
        "jacobian",
        JACOBIAN + "np.array([tape.gradient(y, x, s).array for s in np.eye(len(y))])",
        "A Value is a box",
    ),
    "an element of a Value": Wrong(
        "jacobian", JACOBIAN + "[tape.gradient(y[i], x) for i in range(3)]", "A Value is a box"
    ),
    "a Value as a seed": Wrong(
        "jacobian",
        JACOBIAN + "[tape.gradient(y, x, Value(s)) for s in np.eye(len(y.array))]",
        "A seed is an array",
    ),
}
