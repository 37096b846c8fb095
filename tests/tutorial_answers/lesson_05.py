"""Backpropagation through a network."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

SCORES = """
def scores_gradient(scores, labels):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return {}
"""

SPOILT = 'spoilt = {{"A": "{}", "B": "{}", "C": "{}", "D": "{}", "E": "{}"}}'

WRONG = {
    "the closed unit forgotten": Wrong(
        "by-hand",
        "cotangents = {'y': 4.0, 'h': [4.0, 12.0], 'z': [4.0, 12.0], 'w': [8.0, 24.0]}",
        "z: the second unit is closed",
    ),
    "the weight of the second unit forgotten": Wrong(
        "by-hand",
        "cotangents = {'y': 4.0, 'h': [4.0, 4.0], 'z': [4.0, 0.0], 'w': [8.0, 0.0]}",
        "The cotangent of h is another number",
    ),
    "the factor 2 of the square forgotten": Wrong(
        "by-hand",
        "cotangents = {'y': 2.0, 'h': [2.0, 6.0], 'z': [2.0, 0.0], 'w': [4.0, 0.0]}",
        "The cotangent of y is another number",
    ),
    "half an answer": Wrong(
        "by-hand",
        "cotangents = {'y': 4.0, 'h': [4.0, None], 'z': [4.0, 0.0], 'w': [8.0, 0.0]}",
        "The cotangent of h is missing",
    ),
    "a number for two units": Wrong(
        "by-hand",
        "cotangents = {'y': 4.0, 'h': 4.0, 'z': [4.0, 0.0], 'w': [8.0, 0.0]}",
        "has as many numbers as h: 2",
    ),
    "three numbers for two units": Wrong(
        "by-hand",
        "cotangents = {'y': 4.0, 'h': [4.0, 12.0, 1.0], 'z': [4.0, 0.0], 'w': [8.0, 0.0]}",
        r"\AThe cotangent of h has as many numbers as h: 2\.\n3 of 4",
    ),
    "zeros": Wrong(
        "by-hand",
        "cotangents = {'y': 0.0, 'h': [0.0, 0.0], 'z': [0.0, 0.0], 'w': [0.0, 0.0]}",
        "the slope of y squared is 2 y",
    ),
    "two gradients of three": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return g @ w.T, x.T @ g",
        "Return the three gradients",
    ),
    "the first two exchanged": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return x.T @ g, g @ w.T, g.sum(axis=0)",
        "The first two are exchanged",
    ),
    "shapes that do not fit": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return g @ w, x @ g, g.sum(axis=0)",
        "which products of these have the shape of x",
    ),
    "a mean over the rows": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return g @ w.T, x.T @ g / len(x), g.sum(axis=0)",
        "there is no mean here",
    ),
    "the rows of the bias not added up": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return g @ w.T, x.T @ g, g",
        "add up the rows of g",
    ),
    "the mean of the rows": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return g @ w.T, x.T @ g, g.mean(axis=0)",
        "the mean would be for a mean in the loss",
    ),
    "a transpose at the wrong place": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return g @ w.T, g.T @ x, g.sum(axis=0)",
        "The gradient for w has the shape of w",
    ),
    "the mean of the loss forgotten": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    return e / e.sum(axis=1, keepdims=True) - np.eye(scores.shape[1])[labels]",
        r"where is the 1 / len\(labels\)\?\n[^T]*\d",
    ),
    "one softmax for all rows": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    return (e / e.sum() - np.eye(scores.shape[1])[labels]) / len(labels)",
        "each row needs a softmax of its own",
    ),
    "a softmax of the columns": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    return (e / e.sum(axis=0) - np.eye(scores.shape[1])[labels]) / len(labels)",
        "those of a row should",
    ),
    "sign and mean": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    return np.eye(scores.shape[1])[labels] - e / e.sum(axis=1, keepdims=True)",
        "Two slips",
    ),
    "a tape": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    s = tf.Variable(scores)\n"
        "    with tf.GradientTape() as tape:\n"
        "        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, s)\n"
        "        loss = tf.reduce_mean(losses)\n    return tape.gradient(loss, s).numpy()",
        "No tape here",
    ),
    "three classes for ever": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n"
        "    e = np.exp(scores - scores.max(axis=1, keepdims=True))\n"
        "    return (e / e.sum(axis=1, keepdims=True) - np.eye(3)[labels]) / len(labels)",
        r"There are scores.shape\[1\] classes, here 5",
    ),
    "whole rows in place of an element": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    p = e / e.sum(axis=1, keepdims=True)\n    p[labels] -= 1\n    return p / len(labels)",
        "one element of each row",
    ),
    "the largest score of all": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores - scores.max())\n"
        "    truth = np.eye(scores.shape[1])[labels]\n"
        "    return (e / e.sum(axis=1, keepdims=True) - truth) / len(labels)",
        "the largest score of each row",
    ),
    "truth minus probability": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    truth = np.eye(scores.shape[1])[labels]\n"
        "    return (truth - e / e.sum(axis=1, keepdims=True)) / len(labels)",
        "The sign is wrong",
    ),
    "overflow": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    truth = np.eye(scores.shape[1])[labels]\n"
        "    return (e / e.sum(axis=1, keepdims=True) - truth) / len(labels)",
        "With a score of 1000",
    ),
    "scores held within limits": Wrong(
        "scores-gradient",
        SCORES.format("(p - np.eye(scores.shape[1])[labels]) / len(labels)").replace(
            "scores - scores.max(axis=1, keepdims=True)", "np.clip(scores, -500, 500)"
        ),
        "With a score of 1000",
    ),
    "a logarithm is not told of large scores": Wrong(
        "scores-gradient",
        SCORES.format("-np.log(p) / len(labels)"),
        r"\A(?![\s\S]*1000)[\s\S]*a softmax of each row, and 1 taken",
    ),
    "a mean for the inputs": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return g @ w.T / len(x), x.T @ g, g.sum(axis=0)",
        "For x every row has a gradient of its own; there is no mean here",
    ),
    "the probabilities alone": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    return e / e.sum(axis=1, keepdims=True) / len(labels)",
        "probability of the right class",
    ),
    "infinities covered up": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    p = np.nan_to_num(e / e.sum(axis=1, keepdims=True))\n"
        "    return (p - np.eye(scores.shape[1])[labels]) / len(labels)",
        "take the largest score of each row away first",
    ),
    "the rows of the bias added up and kept as a row": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return g @ w.T, x.T @ g, g.sum(axis=0, keepdims=True)",
        "leave keepdims out",
    ),
    "everything added up for the bias": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return g @ w.T, x.T @ g, g.sum()",
        "add up the rows only",
    ),
    "the wrong axis for the bias": Wrong(
        "dense-backward",
        "def dense_backward(x, w, g):\n    return g @ w.T, x.T @ g, g.sum(axis=1)",
        "axis=0 adds up the rows",
    ),
    "whole columns in place of an element": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n"
        "    e = np.exp(scores - scores.max(axis=1, keepdims=True))\n"
        "    p = e / e.sum(axis=1, keepdims=True)\n    p[:, labels] -= 1\n"
        "    return p / len(labels)",
        "takes whole columns",
    ),
    "a word for a number": Wrong(
        "by-hand",
        "cotangents = {'y': 'four', 'h': [4.0, 12.0], 'z': [4.0, 0.0], 'w': [8.0, 0.0]}",
        "missing, or no number",
    ),
    "a mean over the classes": Wrong(
        "scores-gradient",
        SCORES.format("(p - np.eye(scores.shape[1])[labels]) / scores.shape[1]"),
        "not by the number of classes",
    ),
    "a mean over all scores": Wrong(
        "scores-gradient",
        SCORES.format("(p - np.eye(scores.shape[1])[labels]) / scores.size"),
        "or of all scores",
    ),
    "one from every class": Wrong(
        "scores-gradient", SCORES.format("(p - 1) / len(labels)"), "of the right class only"
    ),
    "a logarithm": Wrong(
        "scores-gradient", SCORES.format("-np.log(p)"), "a softmax of each row, and 1 taken"
    ),
    "rows that are not kept": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    return e / e.sum(axis=1)",
        "needs keepdims=True",
    ),
    "a list of cotangents": Wrong(
        "by-hand",
        "cotangents = [4.0, [4.0, 12.0], [4.0, 0.0], [8.0, 0.0]]",
        "Keep the form: a dictionary",
    ),
    "the weights only": Wrong(
        "slips",
        SPOILT.format("w1", "w2", "w1 b1 w2 b2", "b1", "w1 b1"),
        "A: b1 is computed from the same wrong numbers",
    ),
    "a gate that spoils all": Wrong(
        "slips",
        SPOILT.format("w1 b1 w2 b2", "w2", "w1 b1 w2 b2", "b1", "w1 b1"),
        "before it comes to relu",
    ),
    "a gradient that goes on": Wrong(
        "slips",
        SPOILT.format("w1 b1", "w1 b1 w2", "w1 b1 w2 b2", "b1", "w1 b1"),
        "What goes back uses w2 itself",
    ),
    "the last layer alone": Wrong(
        "slips", SPOILT.format("w1 b1", "w2", "w2 b2", "b1", "w1 b1"), "to the first layer, too"
    ),
    "a bias that goes on": Wrong(
        "slips", SPOILT.format("w1 b1", "w2", "w1 b1 w2 b2", "w1 b1", "w1 b1"), "D: which line uses"
    ),
    "its own gradient": Wrong(
        "slips",
        SPOILT.format("w1 b1", "w2", "w1 b1 w2 b2", "b1", "w2"),
        "What is computed with the new w2",
    ),
    "the step spoils what was before it": Wrong(
        "slips", SPOILT.format("w1 b1", "w2", "w1 b1 w2 b2", "b1", "w1 b1 w2"), "from right numbers"
    ),
    "one is empty": Wrong(
        "slips",
        SPOILT.format("w1 b1", "w2", "w1 b1 w2 b2", "b1", ""),
        "E: nothing is written yet(.|\\n)*4 of 5",
    ),
    "other names": Wrong(
        "slips", SPOILT.format("W_1", "w2", "w1 b1 w2 b2", "b1", "w1 b1"), "names out of w1"
    ),
    "a list of slips": Wrong("slips", "spoilt = ['w1']", "Keep the names A to E"),
}

IN_ANOTHER_STYLE = {
    "lists of names": Right(
        "slips",
        "spoilt = {'E': ['b1', 'w1'], 'A': ('w1', 'b1'), 'B': {'w2'}, 'D': 'b1',"
        " 'C': 'b2,w2,b1,w1'}",
    ),
    "columns and tuples": Right(
        "by-hand", "cotangents = {'w': (8, 0), 'z': np.array([4, 0]), 'h': [[4], [12]], 'y': [4]}"
    ),
    "row by row": Right(
        "dense-backward",
        "def dense_backward(x, w, g):\n    for_x = np.stack([w @ row for row in g])\n"
        "    return for_x, sum(np.outer(a, row) for a, row in zip(x, g)), sum(g)",
    ),
    "by logarithms": Right(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n"
        "    logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)\n"
        "    return (np.exp(logs) - np.eye(scores.shape[1])[labels]) / len(scores)",
    ),
    "lists of rows": Right(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    rows = []\n"
        "    for row, label in zip(scores, labels):\n        e = np.exp(row - max(row))\n"
        "        p = e / e.sum()\n        p[label] -= 1\n        rows.append(p / len(scores))\n"
        "    return rows",
    ),
}
