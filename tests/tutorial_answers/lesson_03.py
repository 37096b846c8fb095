"""How a tape works."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

COSINE = "cosine = Op('cos', np.cos, (lambda g, x: {} * g * apply(sine, x),))\n"
DIVIDE = "divide = Op('divide', np.divide, (lambda g, x, y: {}, lambda g, x, y: {}))"
STOPPED = "def stopped(x):\n    return "
JACOBIAN = "def jacobian(tape, y, x):\n    return "
LOOP = """
def gradients(tape, target, sources):
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
"""


def loop(old: str, new: str) -> str:
    """The loop with one piece replaced."""
    assert LOOP.count(old) == 1, old
    return LOOP.replace(old, new)


WRONG = {
    "the shares of the first turn forgotten": Wrong(
        "by-hand-loop",
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
        r"\AThe rule forgets g[^\n]*\n(?!The rule of cosine)",
    ),
    "the other factor taken for its own": Wrong(
        "by-hand-loop",
        "answers = [1, 1, 10, 2, 10, 20, 4, 5, 20, 5]",
        r"What does `multiply` pass on to `p`\? Not 10\. \w+",
    ),
    "the y for the p": Wrong(
        "by-hand-loop",
        "answers = [1, 1, 2, 5, 10, 20, 4, 5, 20, 5]",
        r"Not 5\. `multiply` swaps: each input gets what comes in, times the other input\.",
    ),
    "the last share instead of the sum": Wrong(
        "by-hand-loop",
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
        r"rule for y gives -[\d.]+, but differences say -",
    ),
    "a sum in place of the square": Wrong(
        "divide",
        DIVIDE.format("apply(divide, g, y)", "-1.0 * apply(divide, g * x, y + y)"),
        "rule for y gives -",
    ),
    "rules on bare arrays": Wrong(
        "divide",
        DIVIDE.format("Value(g.array / y.array)", "Value(-g.array * x.array / y.array**2)"),
        "A second derivative is lost",
    ),
    "the x of the other rule as a bare array": Wrong(
        "divide",
        DIVIDE.format("apply(divide, g, y)", "-1.0 * g * apply(divide, Value(x.array), y * y)"),
        "A second derivative is lost",
    ),
    "what arrives as a bare array": Wrong(
        "divide",
        DIVIDE.format("apply(divide, Value(g.array), y)", "-1.0 * apply(divide, g * x, y * y)"),
        "A second derivative is lost",
    ),
    "a value in a value": Wrong("stopped", STOPPED + "Value(x)", "A Value is made of an array"),
    "the value itself": Wrong("stopped", STOPPED + "x", "x itself must not be returned"),
    "a recorded copy": Wrong(
        "stopped",
        STOPPED + "1.0 * x",
        r"[\d.]+ still comes back: your Value was made by an operation",
    ),
    "an operation without rules": Wrong(
        "stopped",
        STOPPED + "apply(Op('stop', lambda a: a, ()), x)",
        "Here no rule is wanted: make a Value without an operation",
    ),
    "a rule that gives nothing": Wrong(
        "stopped",
        STOPPED + "apply(Op('stop', lambda a: a, (lambda g, x: None,)), x)",
        "Here no rule is wanted: make a Value without an operation",
    ),
    "a rule that gives zero": Wrong(
        "stopped",
        STOPPED + "apply(Op('stop', lambda a: a, (lambda g, x: 0.0 * g,)), x)",
        "a record is there",
    ),
    "shares replaced": Wrong(
        "write-the-loop",
        loop("cotangents[x] + share if x in cotangents else share", "share"),
        "Only one contribution is left at x, 2.0: add them up",
    ),
    "the first share kept": Wrong(
        "write-the-loop",
        loop(
            "cotangents[x] = cotangents[x] + share if x in cotangents else share",
            "cotangents.setdefault(x, share)",
        ),
        "Only one contribution is left at x, 3.0: add them up",
    ),
    "walked forward": Wrong(
        "write-the-loop", loop("reversed(tape.records)", "tape.records"), "Nothing comes to x"
    ),
    "no cotangent to begin with": Wrong(
        "write-the-loop",
        loop("{target: Value(np.ones_like(target.array))}", "{}"),
        "begin with the target's cotangent",
    ),
    "one 1 for all elements": Wrong(
        "write-the-loop", loop("np.ones_like(target.array)", "1.0"), "begin with a one for each"
    ),
    "an array to begin with": Wrong(
        "write-the-loop",
        loop("Value(np.ones_like(target.array))", "np.ones_like(target.array)"),
        "A rule wants g, a Value",
    ),
    "inputs that are not unpacked": Wrong(
        "write-the-loop",
        loop("rule(g, *inputs)", "rule(g, inputs)"),
        r"rule\(g, \*inputs\)",
    ),
    "broadcasts not undone": Wrong(
        "write-the-loop",
        loop("summed_to(rule(g, *inputs), x.array.shape)", "rule(g, *inputs)"),
        r"of shape \(4, 2\) for a source of shape \(2,\): undo the broadcast",
    ),
    "the loop of the lesson": Wrong(
        "write-the-loop",
        "def gradients(tape, target, sources):\n"
        "    cotangents = {target: Value(np.ones_like(target.array))}\n"
        "    backward(tape.records, cotangents)\n"
        "    return [cotangents.get(source) for source in sources]",
        "Write the loop here: do not ask",
    ),
    "the tape asked for each source": Wrong(
        "write-the-loop",
        "def gradients(tape, target, sources):\n"
        "    return [tape.gradient(target, source) for source in sources]",
        "Write the loop here: do not ask",
    ),
    "rules for all inputs": Wrong(
        "write-the-loop",
        loop("if x in tape.followed:", "if True:"),
        "A rule ran for the constant 3",
    ),
    "a walk for each source": Wrong(
        "write-the-loop",
        LOOP.replace("gradients(tape, target, sources)", "one(tape, target, *sources)")
        + "def gradients(tape, target, sources):\n"
        "    return [one(tape, target, source)[0] for source in sources]",
        "Rules ran 9 times, where 3 are enough",
    ),
    "a record that nothing comes to": Wrong(
        "write-the-loop",
        loop("        if g is None:\n            continue\n", ""),
        "Where no g has come in, go on to the next record",
    ),
    "a cotangent that is not there": Wrong(
        "write-the-loop",
        loop("cotangents.get(source) for", "cotangents[source] for"),
        "ask with cotangents.get",
    ),
    "zero in place of None": Wrong(
        "write-the-loop",
        loop("cotangents.get(source) for", "cotangents.get(source, 0.0) for"),
        "None, and not 0.0",
    ),
    "the dictionary": Wrong(
        "write-the-loop",
        loop("[cotangents.get(source) for source in sources]", "cotangents"),
        "should return a list",
    ),
    "a list turned round for good": Wrong(
        "write-the-loop",
        loop("in reversed(tape.records):", "in tape.records:").replace(
            "    for op", "    tape.records.reverse()\n    for op", 1
        ),
        "The records have changed",
    ),
    "all shares summed over the first axis": Wrong(
        "write-the-loop",
        loop(
            "share = summed_to(rule(g, *inputs), x.array.shape)",
            "share = rule(g, *inputs)\n"
            "                if share.array.shape != x.array.shape:\n"
            "                    share = Value(share.array.sum(axis=0))",
        ),
        "let summed_to find the axes",
    ),
    "a source in the middle removed": Wrong(
        "write-the-loop",
        loop("cotangents.get(output)", "cotangents.pop(output, None)"),
        r"A source may lie in the middle: .* is 3, and not None\. Do not remove its cotangent",
    ),
    "shares added as arrays": Wrong(
        "write-the-loop",
        loop("cotangents[x] + share if", "Value(cotangents[x].array + share.array) if"),
        "The second derivative of x\\*\\*3 at 3 is 18, and not .*Add contributions as Values",
    ),
    "the gradients as arrays": Wrong(
        "write-the-loop",
        loop(
            "[cotangents.get(source) for source in sources]",
            "[cotangents[s].array if s in cotangents else None for s in sources]",
        ),
        "and not None. Add contributions as Values",
    ),
    "the arguments of a rule exchanged": Wrong(
        "sine",
        COSINE.format("-1.0") + "sine = Op('sin', np.sin, (lambda x, g: g * apply(cosine, x),))",
        "g comes first: lambda g, x",
    ),
    "the bare array": Wrong("stopped", STOPPED + "x.array", "should return a Value"),
    "a fixed number": Wrong(
        "stopped", STOPPED + "Value(3.0)", "The number should stay the same: here"
    ),
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
    "arrays in the rule of the cosine": Wrong(
        "sine",
        "cosine = Op('cosine', np.cos, (lambda g, x: g * -np.sin(x.array),))\n"
        "sine = Op('sin', np.sin, (lambda g, x: g * apply(cosine, x),))",
        r"\AThe second derivative of the cosine should be -cos\(x\): .*apply\(sine, x\).*\n2 of 3",
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
        "A second derivative is lost",
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
        "by-hand-loop", "answers = [1, 1, 2, 10, 10, 20, 4, 5, 20, None]", "None is no number"
    ),
    "an answer in words": Wrong(
        "by-hand-loop", "answers = [1, 1, 2, 10, 10, 20, 4, 5, 20, 'five']", "'five' is no number"
    ),
    "answers by their number": Wrong(
        "by-hand-loop", "answers = dict(enumerate([1] * 10))", "Ten answers in a list"
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

IN_ANOTHER_STYLE = {
    "ten answers in an array": Right(
        "by-hand-loop", "answers = np.array([1, 1, 2, 10, 10, 20, 4, 5, 20, 5])"
    ),
    "a loop that counts down": Right(
        "write-the-loop",
        loop(
            "for op, inputs, output in reversed(tape.records):",
            "for op, inputs, output in "
            "[tape.records[i] for i in range(len(tape.records) - 1, -1, -1)]:",
        ),
    ),
    "shares in lists, added at the end": Right(
        "write-the-loop",
        """
def gradients(tape, target, sources):
    shares = {target: [Value(np.ones(target.array.shape))]}
    def total(each):
        return sum(each[1:], start=each[0])
    for op, inputs, output in tape.records[::-1]:
        if output in shares:
            g = total(shares[output])
            for i, x in enumerate(inputs):
                if x in tape.followed:
                    share = op.rules[i](g, *inputs)
                    shares.setdefault(x, []).append(summed_to(share, x.array.shape))
    return tuple(total(shares[x]) if x in shares else None for x in sources)
""",
    ),
    "a loop that lets go of what it used and was not asked for": Right(
        "write-the-loop",
        loop(
            "cotangents.get(output)",
            "(cotangents.get if output in sources else cotangents.pop)(output, None)",
        ),
    ),
    "a copy of the array": Right("stopped", STOPPED + "Value(x.array.copy())"),
}
