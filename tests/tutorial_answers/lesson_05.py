"""Backpropagation through a network."""

from __future__ import annotations

from tutorial_answers import Wrong

WEIGHTS = """
rng = np.random.default_rng(4)
def first_weights(n_in, n_out):
    return {}
"""

WRONG = {
    "the closed unit forgotten": Wrong(
        "pencil",
        "cotangents = {'y': 4.0, 'h': [4.0, 12.0], 'z': [4.0, 12.0], 'w': [8.0, 24.0]}",
        "z: the second unit is closed",
    ),
    "the weight of the second unit forgotten": Wrong(
        "pencil",
        "cotangents = {'y': 4.0, 'h': [4.0, 4.0], 'z': [4.0, 0.0], 'w': [8.0, 0.0]}",
        "The cotangent of h is another number",
    ),
    "the factor 2 of the square forgotten": Wrong(
        "pencil",
        "cotangents = {'y': 2.0, 'h': [2.0, 6.0], 'z': [2.0, 0.0], 'w': [4.0, 0.0]}",
        "The cotangent of y is another number",
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
        "where is the 1/4",
    ),
    "one softmax for all rows": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    return (e / e.sum() - np.eye(scores.shape[1])[labels]) / len(labels)",
        "each row needs a softmax of its own",
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
    "the probabilities alone": Wrong(
        "scores-gradient",
        "def scores_gradient(scores, labels):\n    e = np.exp(scores)\n"
        "    return e / e.sum(axis=1, keepdims=True) / len(labels)",
        "of the right class only",
    ),
    "standard deviation 1": Wrong(
        "first-weights", WEIGHTS.format("rng.normal(size=(n_in, n_out))"), "explodes"
    ),
    "the variance as the factor": Wrong(
        "first-weights",
        WEIGHTS.format("rng.normal(size=(n_in, n_out)) * 2 / n_in"),
        "Is yours its square root",
    ),
    "no 2 for relu": Wrong(
        "first-weights",
        WEIGHTS.format("rng.normal(size=(n_in, n_out)) / np.sqrt(n_in)"),
        "Is there a 2",
    ),
    "ones on the diagonal": Wrong(
        "first-weights", WEIGHTS.format("np.eye(n_in, n_out)"), "Most weights are 0|mean of the"
    ),
    "a number for one width": Wrong(
        "first-weights",
        WEIGHTS.format("rng.normal(size=(n_in, n_out)) * 0.1414"),
        "At other widths",
    ),
    "the outputs counted": Wrong(
        "first-weights",
        WEIGHTS.format("rng.normal(size=(n_in, n_out)) * np.sqrt(2 / n_out)"),
        "is it the inputs'",
    ),
    "all weights equal": Wrong(
        "first-weights",
        WEIGHTS.format("np.full((n_in, n_out), 0.02)"),
        "All weights are equal",
    ),
    "a mean taken for a sum": Wrong(
        "quiz", "answers = [[[1.0], [1.0]]]", "a mean over 2 elements divides by 2"
    ),
    "relu passed through": Wrong(
        "quiz", "answers = [[[0.5], [0.5]], [[0.5], [0.5]]]", "It still has to be multiplied"
    ),
    "a row for a column": Wrong(
        "quiz", "answers = [[[0.5], [0.5]], [[0.0], [0.5]], [[1.5, 0.0]]]", "It is transposed"
    ),
    "the last question forgotten": Wrong(
        "quiz",
        "answers = [[[0.5], [0.5]], [[0.0], [0.5]], [[1.5], [0.0]]]",
        "3 answers so far. Question 4 of 4",
    ),
}
