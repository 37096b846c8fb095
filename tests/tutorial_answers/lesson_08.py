"""Static graphs."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

BOTH = """
@tf.function
def both(a):
    b = a**2
    y = a * b
    total = tf.gradients(y, a{})[0]
    partial = tf.gradients(y, a{})[0]
    return total, partial
"""
HUBER = """
@tf.function
def huber(x):
    {}
"""
SAVINGS = """
@tf.function
def savings(r, n):
    {}
"""

MONEY = """
@tf.function
def savings(r, n):
    _, money = tf.while_loop(
        lambda year, money: year < n, lambda year, money: {},
        [tf.constant(0), tf.constant({})],
    )
    return money, tf.gradients(money, r)[0]
"""

HUNDRED = """
@tf.function
def savings(r, n):
    _, grown = tf.while_loop(
        lambda i, grown: {} n, lambda i, grown: (i + 1, grown * (1.0 + r)),
        [tf.constant({}), tf.constant(1.0)],
    )
    return {} * grown, tf.gradients({}, r)[0]
"""

WRONG = {
    "the derivative first": Wrong(
        "savings",
        MONEY.format("(year + 1, money * (1.0 + r))", "100.0").replace(
            "return money, tf.gradients(money, r)[0]", "return tf.gradients(money, r)[0], money"
        ),
        "The other order",
    ),
    "branches that return nothing": Wrong(
        "huber",
        HUBER.format(
            "def near():\n        0.5 * x**2\n    def far():\n        abs(x) - 0.5\n"
            "    return tf.cond(abs(x) < 1.0, near, far)"
        ),
        "Do both of its functions return a value",
    ),
    "a year too few": Wrong(
        "savings", HUNDRED.format("i <", 1, 100.0, "100.0 * grown"), "once too seldom"
    ),
    "what 1 becomes": Wrong("savings", HUNDRED.format("i <", 0, 1.0, "grown"), "what 1 becomes"),
    "a derivative without the hundred": Wrong(
        "savings", HUNDRED.format("i <", 0, 100.0, "grown"), "lacks a factor of 100"
    ),
    "a wrong operation in the loop": Wrong(
        "savings",
        MONEY.format("(year + 1, money * (1.0 + 2.0 * r))", "100.0"),
        "it is 121 after two years",
    ),
    "the rate added": Wrong(
        "savings", MONEY.format("(year + 1, money + r)", "100.0"), "That adds r itself"
    ),
    "a condition that is no function": Wrong(
        "savings",
        MONEY.format("(year + 1, money * (1.0 + r))", "100.0").replace(
            "lambda year, money: year < n", "n > 0"
        ),
        "Condition and body are functions",
    ),
    "a condition of one variable": Wrong(
        "savings",
        MONEY.format("(year + 1, money * (1.0 + r))", "100.0").replace(
            "lambda year, money: year < n", "lambda year: year < n"
        ),
        "take all the variables",
    ),
    "a whole number times a float": Wrong(
        "savings",
        MONEY.format("(year + 1, money * (1.0 + r))", "100.0").replace(
            "tf.gradients(money, r)[0]", "n * money / (1.0 + r)"
        ),
        r"tf\.cast\(n, tf\.float32\) before it meets a float",
    ),
    "a tape after the loop": Wrong(
        "savings",
        MONEY.format("(year + 1, money * (1.0 + r))", "100.0").replace(
            "    return money, tf.gradients(money, r)[0]",
            "    with tf.GradientTape() as tape:\n        tape.watch(r)\n"
            "        money = 1.0 * money\n    return money, tape.gradient(money, r)",
        ),
        "does a tape begin before the loop",
    ),
    "the derivative by b": Wrong(
        "total-and-partial",
        "@tf.function\ndef both(a):\n    b = a**2\n    return tf.gradients(a * b, [a, b])",
        "That is the derivative with respect to b",
    ),
    "the tensor stopped": Wrong(
        "total-and-partial",
        "@tf.function\ndef both(a):\n    b = a**2\n    z = tf.stop_gradient(a) * b\n"
        "    return tf.gradients(a * b, a)[0], tf.gradients(z, a, stop_gradients=b)[0]",
        "is a itself inside tf.stop_gradient",
    ),
    "a number asked for": Wrong(
        "huber",
        HUBER.format("return 0.5 * x**2 if x.numpy() < 1.0 else abs(x) - 0.5"),
        r"numpy\(\)(?!.*tf.cond wants two functions)",
    ),
    "the target waits for itself": Wrong(
        "counts", "counts = {'u': 3, 'v': 1, 'w': 1, 'y': 1}", "nobody uses its result"
    ),
    "one use forgotten": Wrong(
        "counts",
        "counts = {'u': 2, 'v': 1, 'w': 1, 'y': 0}",
        "u: how many uses of it lead to y",
    ),
    "the uses on the left": Wrong(
        "counts", "counts = {'u': 1, 'v': 1, 'w': 1, 'y': 0}", "u: how many uses"
    ),
    "uses that lead nowhere": Wrong(
        "counts", "counts = {'u': 3, 'v': 3, 'w': 1, 'y': 0}", "z does not lead to y"
    ),
    "values in place of functions": Wrong(
        "huber",
        "@tf.function\ndef huber(x):\n    return tf.cond(abs(x) < 1.0, 0.5 * x**2, abs(x) - 0.5)",
        "tf.cond wants two functions",
    ),
    "a loop without end": Wrong(
        "savings",
        MONEY.format("(year, money * (1.0 + r))", "100.0"),
        "does not end",
    ),
    "a whole number of money": Wrong(
        "savings",
        MONEY.format("(year + 1, money * (1.0 + r))", "100"),
        "begin with whole years and 100.0",
    ),
    "interest on the first year's money": Wrong(
        "savings",
        MONEY.format("(year + 1, money + 100.0 * r)", "100.0"),
        "the first 100 only",
    ),
    "three counts": Wrong("counts", "counts = {'u': 3, 'v': 1, 'w': 1}", "Keep the four names"),
    "numbers of one place": Wrong(
        "total-and-partial",
        "@tf.function\ndef both(a):\n    return tf.constant(27.0), tf.constant(9.0)",
        "Is a path cut",
    ),
    "one of the two": Wrong(
        "total-and-partial",
        "@tf.function\ndef both(a):\n    return tf.gradients(a**3, a)[0]",
        "Return a pair",
    ),
    "nothing held fast": Wrong(
        "total-and-partial", BOTH.format("", ""), "The partial one is the total again"
    ),
    "the two exchanged": Wrong(
        "total-and-partial",
        BOTH.format(", stop_gradients=b", ""),
        "The other order: first the total",
    ),
    "a constant in the product as well": Wrong(
        "total-and-partial",
        BOTH.format("", ", stop_gradients=[a, b]").replace(
            "tf.gradients(y, a, ", "2 * tf.gradients(y, a, ", 1
        ),
        "which is 9",
    ),
    "the if kept": Wrong(
        "huber",
        HUBER.format("if abs(x) < 1.0:\n        return 0.5 * x**2\n    return abs(x) - 0.5"),
        "write tf.cond in place of the if",
    ),
    "the branches exchanged": Wrong(
        "huber",
        HUBER.format("return tf.cond(abs(x) < 1.0, lambda: abs(x) - 0.5, lambda: 0.5 * x**2)"),
        "At 0.5 it should be",
    ),
    "a border that is too far": Wrong(
        "huber",
        HUBER.format("return tf.cond(abs(x) < 2.5, lambda: 0.5 * x**2, lambda: abs(x) - 0.5)"),
        "where is the border",
    ),
    "a border at 1.5": Wrong(
        "huber",
        HUBER.format("return tf.cond(abs(x) < 1.5, lambda: 0.5 * x**2, lambda: abs(x) - 0.5)"),
        "where is the border",
    ),
    "a border at the root of 3": Wrong(
        "huber",
        HUBER.format("return tf.cond(x * x < 3.0, lambda: 0.5 * x**2, lambda: abs(x) - 0.5)"),
        "where is the border",
    ),
    "a sign lost": Wrong(
        "huber",
        HUBER.format("return tf.cond(abs(x) < 1.0, lambda: 0.5 * x**2, lambda: x - 0.5)"),
        "which branch ran",
    ),
    "a Python loop": Wrong(
        "savings",
        SAVINGS.format(
            "money = tf.constant(100.0)\n    with tf.GradientTape() as tape:\n"
            "        tape.watch(r)\n        for _ in range(n):\n"
            "            money = money * (1.0 + r)\n"
            "    return money, tape.gradient(money, r)"
        ),
        "is there a Python loop",
    ),
    "a closed form": Wrong(
        "savings",
        SAVINGS.format(
            "money = 100.0 * (1.0 + r) ** tf.cast(n, tf.float32)\n"
            "    return money, tf.gradients(money, r)[0]"
        ),
        "there is no loop in the graph",
    ),
    "the rate alone": Wrong(
        "savings",
        SAVINGS.format(
            "_, money = tf.while_loop(lambda i, m: i < n, lambda i, m: (i + 1, m * r), "
            "[tf.constant(0), tf.constant(100.0)])\n    return money, tf.gradients(money, r)[0]"
        ),
        "the interest alone",
    ),
    "a rate that is not in the graph": Wrong(
        "savings",
        SAVINGS.format(
            "_, money = tf.while_loop(lambda i, m: i < n, lambda i, m: (i + 1, m * 1.1), "
            "[tf.constant(0), tf.constant(100.0)])\n    return money, tf.gradients(money, r)[0]"
        ),
        "The derivative is None",
    ),
    "both by a formula": Wrong(
        "total-and-partial", "@tf.function\ndef both(a):\n    return 3 * a**2, a**2", "by a formula"
    ),
    "the branch by the sign": Wrong(
        "huber",
        HUBER.format("return tf.cond(x > 0.0, lambda: 0.5 * x**2, lambda: abs(x) - 0.5)"),
        "on one side of 0 only",
    ),
    "a total by a formula": Wrong(
        "total-and-partial",
        BOTH.format("", ", stop_gradients=b").replace(
            "total = tf.gradients(y, a)[0]", "total = 3 * a**2"
        ),
        "for each of them",
    ),
    "a huber that is no graph": Wrong(
        "huber",
        "def huber(x):\n    return tf.cond(abs(x) < 1.0, lambda: 0.5 * x**2, lambda: abs(x) - 0.5)",
        "Keep the line @tf.function",
    ),
    "both without a graph": Wrong(
        "total-and-partial",
        "def both(a):\n    b = a**2\n    y = a * b\n"
        "    return tf.gradients(y, a)[0], tf.gradients(y, a, stop_gradients=b)[0]",
        "Keep the line @tf.function",
    ),
    "savings without a graph": Wrong(
        "savings",
        "def savings(r, n):\n    return 100.0 * (1.0 + r) ** 2, r",
        "Keep the line @tf.function",
    ),
    "the money alone": Wrong(
        "savings",
        SAVINGS.format(
            "_, money = tf.while_loop(lambda i, m: i < n, lambda i, m: (i + 1, m * (1.0 + r)), "
            "[tf.constant(0), tf.constant(100.0)])\n    return money"
        ),
        "Return a pair",
    ),
    "a year too many": Wrong(
        "savings",
        SAVINGS.format(
            "_, money = tf.while_loop(lambda i, m: i <= n, lambda i, m: (i + 1, m * (1.0 + r)), "
            "[tf.constant(0), tf.constant(100.0)])\n    return money, tf.gradients(money, r)[0]"
        ),
        "once too often",
    ),
    "a loop and a formula for its derivative": Wrong(
        "savings",
        MONEY.format("(year + 1, money * (1.0 + r))", "100.0").replace(
            "tf.gradients(money, r)[0]", "tf.cast(n, tf.float32) * money / (1.0 + r)"
        ),
        r"ask tf\.gradients for it(.|\n)*2 of 3",
    ),
    "a loop with a float year and a formula": Wrong(
        "savings",
        SAVINGS.format(
            "k = tf.cast(n, tf.float32)\n"
            "    _, m = tf.while_loop(lambda i, m: i < k, lambda i, m: (i + 1.0, m * (1.0 + r)),\n"
            "        (0.0, 100.0))\n    return m, k * m / (1.0 + r)"
        ),
        r"by a formula or a difference(.|\n)*2 of 3",
    ),
    "a loop that carries the rate, and a formula": Wrong(
        "savings",
        SAVINGS.format(
            "_, m, q = tf.while_loop(lambda i, m, q: i < n, lambda i, m, q: (i + 1, m * q, q),\n"
            "        (0, 100.0, 1.0 + r))\n    return m, tf.cast(n, tf.float32) * m / q"
        ),
        r"by a formula or a difference(.|\n)*2 of 3",
    ),
    "a formula in a branch": Wrong(
        "savings",
        SAVINGS.format(
            "k = tf.cast(n, tf.float32)\n    money = 100.0 * (1.0 + r) ** k\n"
            "    return money, tf.cond(n > 0, lambda: k * money / (1.0 + r), lambda: 0.0 * r)"
        ),
        "by a formula or a difference(.|\n)*1 of 3",
    ),
    "a loop that computes nothing": Wrong(
        "savings",
        MONEY.format("(year + 1, money * (1.0 + r))", "100.0").replace(
            "    return money",
            "    money = 100.0 * (1.0 + r) ** tf.cast(n, tf.float32)\n    return money",
        ),
        "the money is not made of what it gives(.|\n)*2 of 3",
    ),
    "a difference of two loops": Wrong(
        "savings",
        """
@tf.function
def savings(r, n):
    def grown(r):
        return tf.while_loop(
            lambda i, m: i < n, lambda i, m: (i + 1, m * (1.0 + r)), [0, 100.0 + 0.0 * r]
        )[1]

    return grown(r), (grown(r + 0.01) - grown(r - 0.01)) / 0.02
""",
        "by a formula or a difference",
    ),
    "another b held fast": Wrong(
        "total-and-partial",
        BOTH.format("", ", stop_gradients=[a**2]"),
        "is what stands in stop_gradients the tensor b itself",
    ),
    "a slope of one rate": Wrong(
        "savings",
        SAVINGS.format(
            "_, money = tf.while_loop(lambda i, m: i < n, lambda i, m: (i + 1, m * (1.0 + r)), "
            "[tf.constant(0), tf.constant(100.0)])\n"
            "    years = tf.cast(n, tf.float32)\n    return money, 100 * years * 1.1 ** (years - 1)"
        ),
        "should be 100 n",
    ),
}

LOOP = (
    "_, m = tf.while_loop(lambda i, m: i < n, lambda i, m: (i + 1, m + m * r), [0, 100.0 + 0 * r])"
)
IN_ANOTHER_STYLE = {
    "a hundred times a loop from 1": Right(
        "savings", HUNDRED.format("i <", 0, 100.0, "100.0 * grown")
    ),
    "the derivative in the same loop": Right(
        "savings",
        SAVINGS.format(
            "_, money, slope = tf.while_loop(lambda i, m, s: i < n,\n"
            "        lambda i, m, s: (i + 1, m * (1.0 + r), s * (1.0 + r) + m),\n"
            "        [tf.constant(0), tf.constant(100.0), tf.constant(0.0)])\n"
            "    return money, slope"
        ),
    ),
    "a list of one gradient": Right(
        "savings", SAVINGS.format(LOOP + "\n    return m, tf.gradients(m, r)")
    ),
    "a tape inside": Right(
        "savings",
        SAVINGS.format(
            "with tf.GradientTape() as tape:\n        tape.watch(r)\n        "
            + LOOP
            + "\n    return m, tape.gradient(m, r)"
        ),
    ),
    "lists of gradients": Right(
        "total-and-partial",
        "@tf.function\ndef both(a):\n    b = a * a\n    y = a * b\n"
        "    return [tf.gradients(y, a), tf.gradients(y, a, stop_gradients=[b])]",
    ),
    "held fast by stop_gradient": Right(
        "total-and-partial",
        "@tf.function\ndef both(a):\n    b = a * a\n    y, z = a * b, a * tf.stop_gradient(b)\n"
        "    return tf.gradients(y, a)[0], tf.gradients(z, a)[0]",
    ),
    "tried with a number before the check": Right(
        "huber",
        HUBER.format("return tf.cond(abs(x) < 1.0, lambda: 0.5 * x**2, lambda: abs(x) - 0.5)")
        + "\n\nhuber(0.5)\n",
    ),
    "savings tried with numbers before the check": Right(
        "savings",
        MONEY.format("(year + 1, money * (1.0 + r))", "100.0")
        + "\n\nsavings(tf.constant(0.1), 2)\n",
    ),
    "money and derivative in one vector": Right(
        "savings",
        SAVINGS.format(
            "step = tf.stack([tf.stack([1.0 + r, 0.0]), tf.stack([1.0, 1.0 + r])])\n"
            "    _, both = tf.while_loop(lambda i, both: i < n,\n"
            "        lambda i, both: (i + 1, tf.linalg.matvec(step, both)),\n"
            "        (0, tf.constant([100.0, 0.0])))\n    return both[0], both[1]"
        ),
    ),
    "the derivative in a loop with a float year": Right(
        "savings",
        SAVINGS.format(
            "k = tf.cast(n, tf.float32)\n"
            "    _, m, s = tf.while_loop(lambda i, m, s: i < k,\n"
            "        lambda i, m, s: (i + 1.0, m * (1.0 + r), s * (1.0 + r) + m),\n"
            "        (0.0, 100.0, 0.0))\n    return m, s"
        ),
    ),
    "where in place of cond": Right(
        "huber", HUBER.format("return tf.where(abs(x) < 1.0, 0.5 * x**2, abs(x) - 0.5)")
    ),
}
