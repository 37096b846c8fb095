"""What a closed fold is called: by what is made in it, never by where it is cut."""

from __future__ import annotations

import random
import re
from typing import Any

import minitape as tf
from minitape import viz
from minitape.viz.trace.trace import Formula, Line, Node
from minitape.viz.views.folding import by_number
from minitape.viz.views.of_tapes import pictures


def op(i: int, text: str = "", op: str = "multiply", name: str = "", line: int = 0) -> Node:
    place = Line("p.py", line) if line else None
    formula = Formula(text) if text else None
    return Node(i, "op", (), "float32", (), op=op, name=name, formula=formula, line=place)


def named(*pairs: Node) -> list[str]:
    """What pieces of two ops are called."""
    pieces = by_number([node.id for node in pairs], pairs, len(pairs) // 2)
    return [each if isinstance(each, int) else each.label for each in pieces]


def test_a_piece_is_called_by_its_first_and_last_result() -> None:
    made = [op(i, name=name) for i, name in enumerate(["p[4]", "p[5]", "p[6]", "p[7]", "z", "h"])]
    assert named(*made) == ["p[4] … [5]", "p[6] … [7]", "z … h"]


def test_a_piece_without_names_is_called_by_its_last_expression() -> None:
    made = [op(0, "a · b"), op(1, "c · multiply_1"), op(2, "e^c", "exp"), op(3, "log exp", "log")]
    assert named(*made) == ["c · …", "log …"]


def test_a_function_that_is_applied_is_no_result_without_a_name() -> None:
    made = [op(0, "log x", "log"), op(1, "log x + log (1 + y)", "add"), op(2), op(3, "w_1 + log")]
    assert named(*made) == ["log x + log (1 + y)", "w_1 + …"]


def test_a_piece_of_which_no_expression_says_anything_is_called_by_its_lines() -> None:
    made = [op(0, line=12), op(1, "multiply_1 · multiply_1", line=14), op(2), op(3, op="add")]
    assert named(*made) == ["line 12 … 14", "multiply … add"]


def test_pieces_that_would_be_called_alike_are_told_apart_by_their_places() -> None:
    made = [op(i, "W · multiply_1") for i in range(6)]
    assert named(*made) == ["multiply 1–2", "multiply 3–4", "multiply 5–6"]


def random_program(seed: int) -> Any:
    """Sums of long lines that no function and no name divides."""
    rng = random.Random(seed)
    a, b, c = (tf.Variable(0.3 * i + 0.2) for i in range(3))
    with viz.recording(), tf.GradientTape() as tape:
        for _ in range(3):
            a = a * tf.sin(b - c) + tf.exp(-b * b) / (1 + c * c) - tf.tanh(a * b) * (a - c) * b
            b = tf.sqrt(tf.square(a) + 1) * tf.cos(c) - rng.random() * a * b * c + tf.sigmoid(a * c)
        y = a * b
    return viz.step(tape, y, c)


def test_no_fold_of_a_program_is_called_by_the_numbers_of_its_ops() -> None:
    for seed in range(3):
        names = [each.name for each in pictures(random_program(seed).trace)]
        assert len(names) > 10
        assert not [name for name in names if re.search(r"\bops \d", name)]
