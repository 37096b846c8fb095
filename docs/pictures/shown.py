"""The list of pictures of docs/PICTURES.md: what each shows, says, and is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pictured

SIZE = {"width": 1400, "height": 900}
HALL = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}


@dataclass(frozen=True, slots=True)
class Shown:
    """One picture of the page.

    Attributes:
        name: of its file, without the ending.
        heading: of its section.
        sees: what a student sees there, in one line.
        alt: what the picture shows, for those who do not see it.
        program: gives what is shown.
        step: kind of step, op and receiver, for a screen of the player.
        at: the element that the microscope looks at.
        keys: what is pressed then.
        size: of the window.
    """

    name: str
    heading: str
    sees: str
    alt: str
    program: Callable[[], Any]
    step: tuple[str, ...] = ()
    at: str = ""
    keys: tuple[str, ...] = ()
    size: dict[str, int] | None = None

    @property
    def file(self) -> str:
        """The name of its file: an SVG where the picture is one, else a photograph."""
        return f"{self.name}.{'png' if self.size else 'svg'}"


def screen(name: str, heading: str, sees: str, alt: str, program: Any, **more: Any) -> Shown:
    """A photograph of a page."""
    return Shown(name, heading, sees, alt, program, **{"size": SIZE, **more})


PICTURES = [
    screen(
        "first",
        "The first page asks a question",
        "Which input moves the result, and how fast? The player moves each input a little, "
        "computes the result again, and shows the change. The arrow key starts the steps.",
        "The first page of a player: the graph without its numbers, the program as mathematics and"
        " as code, a nudge for each input with the change that it made, and three colours.",
        pictured.presented,
        size=HALL,
    ),
    screen(
        "hall",
        "One step for the last row of a lecture hall",
        "P fills the window with one step: a sentence that says what happens, its equation, the"
        " slope as a line along the curve, and the contributions that have arrived so far.",
        "One step in large type: a sentence, the product of a gradient and a slope, the curve of"
        " h times h with its tangent, and four contributions to h, of which the last one is new.",
        pictured.presented,
        step=("last pull", "multiply", "h"),
        keys=("p",),
        size=HALL,
    ),
    screen(
        "matmul",
        "A row meets a column",
        "One element of a weight's gradient is a row of the transposed input times a column"
        " of the incoming gradient: the sum of one product for each example.",
        "Step player at the gradient of W2: three matrices side by side, one row and one "
        "column lit, below them the products and their sum as arrows head to tail.",
        pictured.classifier,
        step=("pull", "matmul", "W2"),
        at="2,2",
    ),
    screen(
        "cross-entropy",
        "Probability minus truth",
        "The gradient of softmax and cross entropy is the probability of each class, minus 1 for "
        "the true class. The arrows point from the truth to what the model predicted.",
        "Step player at the gradient of the logits: probabilities, the truth and their "
        "difference as matrices, below them bars for each example with an empty frame at the "
        "true class.",
        pictured.classifier,
        step=("pull", "sparse_softmax_cross_entropy", "logits"),
    ),
    screen(
        "opened",
        "A fused op, opened",
        "The same op, opened into its elementary steps. Two paths meet at the logits: one brings "
        "the probability, the other brings minus the truth, and their sum is the same gradient.",
        "The graph of the classifier with the cross entropy opened in a frame: exp, sum, log "
        "and the picked logit, and two paths that meet.",
        pictured.classifier,
        step=("pull", "sparse_softmax_cross_entropy", "logits"),
        keys=("o", *["ArrowRight"] * 6),
    ),
    screen(
        "convolution",
        "A window moves over an image",
        "An element of a kernel's gradient is a sum over all positions of the window: the pixel "
        "under the element, times the incoming gradient there. Zeros add nothing.",
        "Step player at the gradient of a kernel: a window framed on the image and on the "
        "incoming gradient, below them the products that are not zero.",
        pictured.convolution,
        step=("pull", "convolution", "kernel"),
        at="2,1,0,0",
    ),
    screen(
        "pooling",
        "The winner gets everything",
        "Max pooling passes each number back to the largest element of its window; all other "
        "elements get exactly zero.",
        "Step player at max pooling: the winners of all windows are framed, one window is "
        "drawn on the feature maps and on what they get.",
        pictured.convolution,
        step=("pull", "max_pool", "maps"),
    ),
    screen(
        "images",
        "Images stay images",
        "Batches, channels and kernels are drawn as tiles, however many there are. One element of "
        "a kernel's gradient is a sum over two windows, one in each image of the batch.",
        "Step player with two images of three channels as heat maps, a window framed in each "
        "image of one channel, and twelve kernels as tiles.",
        pictured.colours,
        step=("pull", "convolution", "kernel"),
    ),
    screen(
        "embedding",
        "A word that comes twice",
        "The gradient of an embedding is zero for words that do not occur, and a sum for the "
        "word that occurs twice.",
        "Step player at gather: row 3 of the table gets the sum of rows 0 and 2 of the"
        " incoming gradient, rows of other words are zero.",
        pictured.words,
        step=("pull", "gather", "table"),
    ),
    screen(
        "attention",
        "A softmax moves its whole row",
        "No attention weight changes alone: the weights of a row always add up to 1, so every "
        "incoming gradient of the row affects every score in it.",
        "Step player at the softmax of an attention head: the last row of the weights and of "
        "the incoming gradient is lit, and four products add up.",
        pictured.attention,
        step=("pull", "softmax", "scores"),
    ),
    screen(
        "layers",
        "Twelve layers read as twelve layers",
        "On the left the whole model, which never moves; beside it the part that holds the step, "
        "and then the step itself. The backward pass has come as far as layer 8.",
        "A column of twelve layers, the last ones orange, the attention of layer 8 with its"
        " operations, and a product of two matrices written out for one element.",
        pictured.layers,
        step=("pull", "matmul", "value8"),
        size=HALL,
    ),
    screen(
        "recurrent",
        "Ten contributions that fade",
        "A weight that is used in ten steps gets ten contributions. Those of the early steps "
        "came back through more tanh functions, and are so small that they hardly matter.",
        "Step player at a sum of ten small matrices on one scale, the first large, the others"
        " fading, and the running sum of one element as arrows.",
        pictured.recurrent,
        step=("last accumulate", "Wh"),
    ),
    screen(
        "summary",
        "Along a path slopes multiply, where paths meet they add up",
        "The last step writes the chain rule out: each path from a weight to the loss with "
        "its factors, their product, and the sum of the paths.",
        "Summary of a logistic unit with a penalty: two paths for w with their factors, their"
        " sum, one path for b, and what the tape cost.",
        pictured.penalty,
        step=("summary",),
    ),
    screen(
        "touch",
        "Change a number, and compare with the gradient",
        "The dashed line is the change that the gradient predicts, the solid line is the actual "
        "change. They agree near the start, until a unit of the relu switches on or off.",
        "Step player with one weight moved by 0.9: the curve of the loss over the weight, the "
        "dashed line that its gradient predicts, both changes in numbers, and all weights as "
        "cells that can be dragged.",
        pictured.classifier,
        keys=("t", *["Shift+ArrowLeft"] * 9),
    ),
    screen(
        "none",
        "Why a gradient is None",
        "No tape records what NumPy computes. The cross marks the edge where the path ends. Next to"
        " it are the line that left the tape, a correction that was run, and its graph.",
        "Player of a gradient that is None: the graph breaks between two nodes, a sentence says "
        "which line left the tape, and below stand the changed line with its gradient and the "
        "whole graph.",
        pictured.left_for_numpy,
        step=("unconnected",),
    ),
    screen(
        "film",
        "Training as a film",
        "The picture shows two training runs from the same start, after 32 steps. Hardly any "
        "gradient gets back through the sigmoids to the first layer, so the network with sigmoids "
        "has not begun to learn.",
        "Two decision boundaries side by side, the gradient's size for each weight as bars, "
        "and both losses over 240 steps on one axis.",
        pictured.two_runs,
        keys=("ArrowLeft",) * 6,
    ),
    screen(
        "phone",
        "On a phone",
        "The step of the matrix product on a phone: marks instead of digits, the sum below, and "
        "the buttons within reach of the thumb.",
        "The step of the matrix product in a narrow window.",
        pictured.classifier,
        step=("pull", "matmul", "W2"),
        at="2,2",
        size=PHONE,
    ),
    Shown(
        "jacobian",
        "A Jacobian: which output depends on which input",
        "Every probability depends on every score of its own example, and on no score of the other "
        "example. The off-diagonal blocks are not small numbers: there is no path.",
        "Jacobian of a softmax over two examples as a heat map of six by six, with two full "
        "blocks on the diagonal and nothing beside them.",
        pictured.softmax_jacobian,
    ),
    Shown(
        "memory",
        "What a tape saves",
        "Memory grows in the forward pass and falls in the backward pass, as each op frees "
        "what it saved.",
        "Bars of the bytes that a tape holds, step by step: rising through four layers, then "
        "falling.",
        pictured.kept,
    ),
]
