"""What one has to know of an op to show and explain it: facts that stand beside its rules.

    relu.says(gate="off", kinks=(0.0,), fault="dead", flat="its input is not positive there, ...")

The engine computes with none of them. Pictures, explanations and quizzes ask `op.facts`, so that
an op of yours is shown like those that come with the package, and no table elsewhere names ops.
What is not said of an op has the default below, and then nothing is claimed.
"""

from __future__ import annotations

from typing import NamedTuple


class Facts(NamedTuple):
    """What is said of one op.

    Attributes:
        called: What learners call it, where its name is a word of the engine's own.
        also: Another public function that is this op, if the program says that.
        plain: The op whose formula it has, and from which it differs where a zero meets what is
            not finite.
        sign: The sign of an equation, between its operands or before the only one: "·".
        moves: How its result consists of elements of its inputs, none of them changed: "same",
            "shape", "part", "picks", "copies", "joins" or "turns"; "pads" adds constants.
        reduces: What it makes of many elements: "sum", "mean", "product", "largest", "smallest",
            "variance", "deviation".
        extreme: Which of several elements it takes: "largest" or "smallest".
        product: Whether it is a product of matrices.
        matrix: Whether it is given a square matrix as a whole, which limits for its single
            numbers do not make safe.
        running: Whether each element of its result is made of all elements so far.
        activation: Whether a layer may end in it.
        unpicked: What an element is that no element of its result is made of: "never picked".
        gate: What an element is that it lets nothing of through: "off".
        flat: Where its slope is 0, as the end of a sentence about such elements.
        fault: What such a place is called among findings ("dead", "saturated"), "" for no mistake.
        kinks: The inputs at which its slope jumps, and is a choice.
        jumps: Why it has no derivative, or one of 0: "steps", "truth" (true or false), "position".
        undefined: What a result that is not finite comes from: "log" or "division".
        grows: Whether its result may be too large for its dtype.
        shrinks: Whether its result may be too small for its dtype, and become 0.
        steep: Whether its slope has no bound near 0.
        pole: Its derivative, where that is infinite at an input of size 1.
        rule: How its gradient goes back, as the end of a sentence.
        shares: Whether its results are probabilities of one row, so that each input moves all.
        axes: The words for the axes of each input, and of the result; ("example", "class") says
            nothing of an array that has not two axes.
        keeps_axes: Whether each axis of the result is that of the inputs, as for an op that
            is computed element by element, whose declaration says so.
        logarithm: The public function that is its logarithm, and loses no digits.
        applies: The op that it applies itself, as a loss does that takes logits: "softmax".
    """

    called: str = ""
    also: str = ""
    plain: str = ""
    sign: str = ""
    moves: str = ""
    reduces: str = ""
    extreme: str = ""
    product: bool = False
    matrix: bool = False
    running: bool = False
    activation: bool = False
    unpicked: str = ""
    gate: str = ""
    flat: str = ""
    fault: str = ""
    kinks: tuple[float, ...] = ()
    jumps: str = ""
    undefined: str = ""
    grows: bool = False
    shrinks: bool = False
    steep: bool = False
    pole: str = ""
    rule: str = ""
    shares: bool = False
    axes: tuple[tuple[str, ...], ...] = ()
    keeps_axes: bool = False
    logarithm: str = ""
    applies: str = ""


NOTHING = Facts()  # what is said of an op of which nothing is said
