"""What a compiler does with your step."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

TRACES = "traces = {{'a': {}, 'b': {}, 'c': {}, 'd': {}}}"
TERM = "@tf.function\ndef p_log_p(p):\n    {}"
IN_ORDER = """
def in_order(lines):
    names = {{line.name for line in lines}}
    missing = {{line.name: {} for line in lines}}
    ready = [line for line in lines if missing[line.name] == 0]
    for done in ready:
        for line in lines:
            {}
    return {}
"""
COUNTED = "sum(each in names for each in line.inputs)"
EACH_USE = (
    "uses = line.inputs.count(done.name)\n            missing[line.name] -= uses\n"
    "            if uses and missing[line.name] == 0:\n                ready.append(line)"
)
ONCE = (
    "if done.name in line.inputs:\n                missing[line.name] -= 1\n"
    "                if missing[line.name] == 0:\n                    ready.append(line)"
)
NEEDED = """
dropped = {!r}
def needed(lines, wanted):
    {}
"""
BACK = """used, left = set(wanted), []
    for line in reversed(lines):
        if line.name in used:
            left.append(line)
            used.update(line.inputs)
    return left[::-1]"""
DOWN = """used = set(wanted)
    for line in lines:
        if line.name in {}:
            used.update(line.inputs)
    return [line for line in lines if line.name in used]"""
AGAIN = """used = set(wanted)
    for _ in lines:
        for line in lines:
            if line.name in used:
                used |= set(line.inputs)
    return [line for line in lines if line.name in used]"""
TODO = """rows, todo, found = {{line.name: line for line in lines}}, list(wanted), set()
    while todo:
        name = todo.pop()
        if {}:
            found.add(name)
            todo.extend(rows[name].inputs)
    return [line for line in lines if line.name in found]"""
VISITED = """rows, found = {line.name: line for line in lines}, []
    def visit(name):
        if name in rows:
            for each in rows[name].inputs:
                visit(each)
            found.append(rows[name])
    for name in wanted:
        visit(name)
    return found"""

WRONG = {
    "only the value goes": Wrong("needed", NEEDED.format("g", BACK), "does another line use them"),
    "the derivative goes": Wrong("needed", NEEDED.format("hijkl", BACK), "if only g were wanted"),
    "what is used again goes": Wrong("needed", NEEDED.format("efg", BACK), "used again"),
    "what folding removes": Wrong(
        "needed", NEEDED.format("abcfg", BACK), "as long as nobody folds"
    ),
    "nothing goes": Wrong("needed", NEEDED.format("", BACK), "dropped is empty"),
    "one step back": Wrong(
        "needed",
        NEEDED.format("fg", DOWN.format("wanted")),
        "What do .they. use",
    ),
    "one pass from the top": Wrong(
        "needed",
        NEEDED.format("fg", DOWN.format("used")),
        "What do .they. use|Too few lines",
    ),
    "the last first": Wrong(
        "needed", NEEDED.format("fg", BACK.replace("left[::-1]", "left")), "not in their old order"
    ),
    "all of them": Wrong("needed", NEEDED.format("fg", "return lines"), "Too many lines"),
    "one result only": Wrong(
        "needed",
        NEEDED.format("fg", BACK.replace("set(wanted)", "{wanted[0]}")),
        "followed one of them",
    ),
    "names of what is needed": Wrong(
        "needed",
        NEEDED.format("fg", BACK.replace("left[::-1]", "[line.name for line in left[::-1]]")),
        "not their names",
    ),
    "twice in the list": Wrong(
        "needed",
        NEEDED.format("fg", VISITED),
        "comes twice|not in their old order",
    ),
    "numbers looked up": Wrong(
        "needed",
        NEEDED.format("fg", TODO.format("True")),
        "not lines",
    ),
    "a trace for each value": Wrong(
        "by-hand-traces", TRACES.format(10, 10, 1, 2), "Does their value matter"
    ),
    "Python numbers as tensors": Wrong(
        "by-hand-traces", TRACES.format(1, 1, 1, 2), "Where does a Python number end up"
    ),
    "the same number again": Wrong(
        "by-hand-traces", TRACES.format(1, 10, 10, 2), "the same Python number again"
    ),
    "a trace for each batch": Wrong(
        "by-hand-traces", TRACES.format(1, 10, 1, 20), "different.*shapes"
    ),
    "new traces in each epoch": Wrong(
        "by-hand-traces", TRACES.format(1, 10, 1, 10), "until the next epoch"
    ),
    "sizes counted twice": Wrong(
        "by-hand-traces", TRACES.format(1, 10, 1, 4), "three of the four sizes are the same"
    ),
    "the last batch forgotten": Wrong(
        "by-hand-traces", TRACES.format(1, 10, 1, 1), "the last batch of each epoch"
    ),
    "one number missing": Wrong(
        "by-hand-traces", "traces = {'a': 1, 'b': 10, 'c': 1}", "Keep the names"
    ),
    "the trap itself": Wrong(
        "p-log-p",
        TERM.format("return tf.where(p > 0.0, p * tf.math.log(p), 0.0)"),
        "Which numbers go into it(.|\n)*\n1 of 4",
    ),
    "no choice": Wrong(
        "p-log-p", TERM.format("return p * tf.math.log(p)"), "nan among the values(.|\n)*0.5 of 4"
    ),
    "a zero is chosen inside": Wrong(
        "p-log-p",
        TERM.format(
            "inside = tf.where(p > 0.0, p, 0.0)\n"
            "    return tf.where(p > 0.0, p * tf.math.log(inside), 0.0)"
        ),
        "Which numbers go into it(.|\n)*\n1 of 4",
    ),
    "the size": Wrong(
        "p-log-p",
        TERM.format(
            "return tf.where(p == 0.0, 0.0, p * tf.math.log(tf.where(p == 0.0, 1.0, abs(p))))"
        ),
        "not positive must give 0",
    ),
    "the logarithm alone": Wrong(
        "p-log-p",
        TERM.format("return tf.math.log(tf.where(p > 0.0, p, 1.0))"),
        "That is the logarithm",
    ),
    "a little more in the logarithm": Wrong(
        "p-log-p",
        TERM.format("return p * tf.math.log(tf.maximum(p, 0.0) + 0.01)"),
        "not p times its logarithm",
    ),
    "not below a millionth": Wrong(
        "p-log-p",
        TERM.format("return tf.maximum(p, 0.0) * tf.math.log(tf.maximum(p, 1e-6))"),
        "the slope must be 0(.|\n)*\n1 of 4",
    ),
    "a stopped gradient": Wrong(
        "p-log-p",
        TERM.format(
            "inside = tf.stop_gradient(tf.where(p > 0.0, p, 1.0))\n"
            "    return p * tf.math.log(inside)"
        ),
        "does a path lead through the logarithm",
    ),
    "a Python loop": Wrong(
        "p-log-p",
        TERM.format(
            "return tf.stack([q * tf.math.log(q) if q > 0 else 0.0 * q for q in tf.unstack(p)])"
        ),
        "It runs its Python at each call(.|\n)*3 of 4",
    ),
    "no graph": Wrong("p-log-p", "def p_log_p(p):\n    return p", "Keep the line @tf.function"),
    "zeros everywhere": Wrong(
        "p-log-p", TERM.format("return 0.0 * p"), "nothing arrives(.|\n)*\n0 of 4"
    ),
    "one number for all": Wrong(
        "p-log-p", TERM.format("return tf.reduce_sum(p)"), "has the shape of p"
    ),
    "the list as it is": Wrong(
        "in-order",
        "def in_order(lines):\n    return lines",
        "runs before something that it uses(.|\n)*\n0 of 4",
    ),
    "backward": Wrong(
        "in-order",
        IN_ORDER.format(COUNTED, EACH_USE, "ready[::-1]"),
        "runs before something that it uses",
    ),
    "by the alphabet": Wrong(
        "in-order",
        "def in_order(lines):\n    return sorted(lines)",
        "runs before something that it uses",
    ),
    "names for lines": Wrong(
        "in-order",
        IN_ORDER.format(COUNTED, EACH_USE, "[line.name for line in ready]"),
        "not their names",
    ),
    "a result that is used twice is done once": Wrong(
        "in-order", IN_ORDER.format(COUNTED, ONCE, "ready"), "uses a result twice"
    ),
    "only those that can run first": Wrong(
        "in-order",
        "def in_order(lines):\n    names = {line.name for line in lines}\n"
        "    return [line for line in lines if not names & set(line.inputs)]",
        "lines are missing",
    ),
    "v is waited for": Wrong(
        "in-order", IN_ORDER.format("len(line.inputs)", EACH_USE, "ready"), "lines are missing"
    ),
    "a line for each use": Wrong(
        "in-order",
        IN_ORDER.format(
            COUNTED, "if done.name in line.inputs:\n                ready.append(line)", "ready"
        ),
        "more than once",
    ),
}

IN_ANOTHER_STYLE = {
    "from the results down": Right(
        "needed",
        NEEDED.format("gf", TODO.format("name in rows and name not in found")),
    ),
    "again and again": Right(
        "needed",
        NEEDED.format(["f", "g"], AGAIN),
    ),
    "one choice, inside": Right(
        "p-log-p", TERM.format("return p * tf.math.log(tf.where(p > 0.0, p, 1.0))")
    ),
    "a product with zeros and ones": Right(
        "p-log-p",
        TERM.format(
            "inside = tf.where(p > 0.0, p, tf.ones_like(p))\n"
            "    return inside * tf.math.log(inside) * tf.cast(p > 0.0, tf.float32)"
        ),
    ),
    "a set of names that are known": Right(
        "in-order",
        """
def in_order(lines):
    names, known, order = {line.name for line in lines}, set(), []
    while len(order) < len(lines):
        for line in lines:
            if line.name not in known and not (set(line.inputs) & names) - known:
                order.append(line)
                known.add(line.name)
    return order
""",
    ),
    "counts of different inputs": Right(
        "in-order",
        IN_ORDER.format("len({each for each in line.inputs if each in names})", ONCE, "ready"),
    ),
    "from the back": Right(
        "in-order",
        """
def in_order(lines):
    rows, found = {line.name: line for line in lines}, []

    def visit(line):
        for each in line.inputs:
            if each in rows:
                visit(rows[each])
        if line not in found:
            found.append(line)

    for line in lines:
        visit(line)
    return found
""",
    ),
}
