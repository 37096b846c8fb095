"""Recurrence."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

HAND = "for_w = {}\nfor_inputs = {}"
CUT = (
    "def cut_every(k, w, xs):\n    h = tf.zeros_like(w)\n    for t, x in enumerate(xs):\n"
    "        {}\n        {}\n    return h"
)
STEP = "h = w * h + x"
FORGET = (
    "def let_through(gates):\n    n = len(gates)\n    return {}\n"
    "def bias_for(steps, share):\n    f = share ** (1 / steps)\n    return {}"
)
THROUGH, BIAS = "[np.prod(gates[i:]) for i in range(n)]", "np.log(f / (1 - f))"
CLIP = "def clip(gradients, limit):\n    {}\n    return {}"
LENGTH = "length = np.sqrt(sum(np.sum(g**2) for g in gradients))"

WRONG = {
    "the last use alone": Wrong("by-hand", HAND.format(5, [4, 2, 1]), "used three times"),
    "the states without their path": Wrong("by-hand", HAND.format(6, [4, 2, 1]), "early use"),
    "the value of the last state": Wrong("by-hand", HAND.format(12, [4, 2, 1]), "is the value"),
    "inputs in the wrong order": Wrong("by-hand", HAND.format(7, [1, 2, 4]), "wrong order"),
    "inputs without their path": Wrong("by-hand", HAND.format(7, [1, 1, 1]), "addition copies"),
    "one number for the inputs": Wrong("by-hand", HAND.format(7, 4), "three numbers"),
    "only the inputs": Wrong("by-hand", HAND.format(None, [4, 2, 1]), "2 of 4 points"),
    "no cut": Wrong("cut-every", CUT.format("pass", STEP), "Nothing was cut"),
    "a cut at every step": Wrong(
        "cut-every", CUT.format("h = tf.stop_gradient(h)", STEP), "at every step"
    ),
    "the weight is cut": Wrong(
        "cut-every",
        "def cut_every(k, w, xs):\n    w, h = tf.stop_gradient(w), tf.zeros_like(w)\n"
        "    for x in xs:\n        h = w * h + x\n    return h",
        "not the weight",
    ),
    "cut after a step": Wrong(
        "cut-every",
        CUT.format(STEP, "h = tf.stop_gradient(h) if t % k == 0 else h"),
        "in another place",
    ),
    "cut after the last step, too": Wrong(
        "cut-every",
        CUT.format(STEP, "h = tf.stop_gradient(h) if (t + 1) % k == 0 else h"),
        "not after it",
    ),
    "the result is cut": Wrong(
        "cut-every",
        CUT.format("pass", STEP).replace("return h", "return tf.stop_gradient(h)"),
        "not the result",
    ),
    "one step too late": Wrong(
        "cut-every",
        CUT.format(STEP, "h = tf.stop_gradient(h) if t % k == 0 else h"),
        "in another place|not the weight",
    ),
    "the state begins anew": Wrong(
        "cut-every", CUT.format("h = tf.zeros_like(w) if t % k == 0 else h", STEP), "has changed"
    ),
    "a plain number": Wrong(
        "cut-every", CUT.format("pass", STEP).replace("return h", "return float(h)"), "a tensor"
    ),
    "from the first gate on": Wrong("forget", FORGET.format("np.cumprod(gates)", BIAS), "last one"),
    "one step for each": Wrong("forget", FORGET.format("gates", BIAS), "one step for each"),
    "gates in the wrong order": Wrong(
        "forget", FORGET.format(f"{THROUGH}[::-1]", BIAS), "wrong order"
    ),
    "a gate missing": Wrong(
        "forget", FORGET.format("[np.prod(gates[i + 1 :]) for i in range(n)]", BIAS), "is missing"
    ),
    "the gate for its bias": Wrong("forget", FORGET.format(THROUGH, "f"), "that is the gate"),
    "the sign of the bias": Wrong("forget", FORGET.format(THROUGH, f"-{BIAS}"), "the sign"),
    "one step for all": Wrong(
        "forget", FORGET.format(THROUGH, "np.log(share / (1 - share))"), "after one step"
    ),
    "a share of the share": Wrong(
        "forget",
        FORGET.format(THROUGH, "np.log((1 - (1 - share) / steps) / ((1 - share) / steps))"),
        "with your bias",
    ),
    "each element for itself": Wrong(
        "clip", CLIP.format("pass", "[np.clip(g, -limit, limit) for g in gradients]"), "direction"
    ),
    "each array for itself": Wrong(
        "clip",
        CLIP.format("pass", "[g * min(1, limit / np.linalg.norm(g)) for g in gradients]"),
        "for itself|direction",
    ),
    "short ones are made longer": Wrong(
        "clip", CLIP.format(LENGTH, "[g * limit / length for g in gradients]"), "was changed"
    ),
    "no root": Wrong(
        "clip",
        CLIP.format(
            "length = sum(np.sum(g**2) for g in gradients)",
            "[g * min(1, limit / length) for g in gradients]",
        ),
        "square root",
    ),
    "nothing is done": Wrong("clip", CLIP.format("pass", "gradients"), "The limit was"),
}

IN_ANOTHER_STYLE = {
    "from the end": Right(
        "forget",
        FORGET.format(
            "np.cumprod(gates[::-1])[::-1]", "-np.log(np.exp(-np.log(share) / steps) - 1)"
        ),
    ),
    "two loops": Right(
        "cut-every",
        "def cut_every(k, w, xs):\n    h = w * 0\n    for begin in range(0, len(xs), k):\n"
        "        h = tf.stop_gradient(h)\n        for x in xs[begin : begin + k]:\n"
        "            h = h * w + x\n    return h",
    ),
    "with the framework's own": Right(
        "clip",
        "def clip(gradients, limit):\n    found, _ = tf.clip_by_global_norm("
        "[tf.constant(g) for g in gradients], limit)\n    return [g.numpy() for g in found]",
    ),
}
