"""The list of pictures of docs/PICTURES.md: what each shows, says, and is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pictured

SIZE = {"width": 1400, "height": 900}
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
        "matmul",
        "A row meets a column",
        "One element of a weight's gradient is a row of the transposed input times a column"
        " of the incoming gradient: one product for each example, and they add up.",
        "Step player at the gradient of W2: three matrices side by side, one row and one "
        "column lit, below them the products and their sum as arrows head to tail.",
        pictured.classifier,
        step=("pull", "matmul", "W2"),
        at="2,2",
    ),
    screen(
        "cross-entropy",
        "Probability minus truth",
        "The gradient of softmax and cross entropy is, for each class, the probability "
        "less 1 for the true class: the arrows point from the truth to what the model said.",
        "Step player at the gradient of the logits: probabilities, the truth and their "
        "difference as matrices, below them bars for each example with an empty frame at the "
        "true class.",
        pictured.classifier,
        step=("pull", "sparse_softmax_cross_entropy", "logits"),
    ),
    screen(
        "opened",
        "A fused op, opened",
        "The same op opened into its elementary steps: two paths meet at the logits, one "
        "brings the probability and one minus the truth, and the gradient is the same.",
        "The graph of the classifier with the cross entropy opened in a frame: exp, sum, log "
        "and the picked logit, and two paths that meet.",
        pictured.classifier,
        step=("pull", "sparse_softmax_cross_entropy", "logits"),
        keys=("o", *["ArrowRight"] * 6),
    ),
    screen(
        "convolution",
        "A window moves over an image",
        "An element of a kernel's gradient adds up the image under the moved window, times "
        "the gradient there; where that is zero, nothing is added.",
        "Step player at the gradient of a kernel: a window framed on the image and on what "
        "comes back, below them the products that are not zero.",
        pictured.convolution,
        step=("pull", "convolution", "kernel"),
        at="2,1,0,0",
    ),
    screen(
        "pooling",
        "The winner gets all",
        "Max pooling sends each number back to the one element that won its window; all "
        "others get exactly zero.",
        "Step player at max pooling: the winners of all windows are framed, one window is "
        "drawn on the feature maps and on what they get.",
        pictured.convolution,
        step=("pull", "max_pool", "maps"),
    ),
    screen(
        "images",
        "Images stay images",
        "Batches, channels and kernels are tiles, however many: one element of one kernel is "
        "the sum over two windows, one in each image of the batch.",
        "Step player with two images of three channels as heat maps, a window framed in each "
        "image of one channel, and twelve kernels as tiles.",
        pictured.colours,
        step=("pull", "convolution", "kernel"),
    ),
    screen(
        "embedding",
        "A word that comes twice",
        "The gradient of an embedding is zero for words that did not occur, and a sum for "
        "the word that occurred twice.",
        "Step player at gather: row 3 of the table gets the sum of rows 0 and 2 of what comes"
        " back, rows of other words are zero.",
        pictured.words,
        step=("pull", "gather", "table"),
    ),
    screen(
        "attention",
        "A softmax moves its whole row",
        "No attention weight moves alone: the weights of a row share a sum of 1, so every "
        "incoming gradient of the row counts for every score in it.",
        "Step player at the softmax of an attention head: the last row of the weights and of "
        "what comes back is lit, and four products add up.",
        pictured.attention,
        step=("pull", "softmax", "scores"),
    ),
    screen(
        "recurrent",
        "Ten contributions that fade",
        "A weight that is used in ten rounds gets ten contributions; those of early rounds "
        "came through more tanh, and are so small that they hardly count.",
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
        "none",
        "Why a gradient is None",
        "NumPy is on no tape: the cross stands on the edge where the path ends. Beside it stand the"
        " line that took it there, a correction that was run, and the graph that it gives.",
        "Player of a gradient that is None: the graph breaks between two nodes, a sentence says "
        "which line left the tape, and below stand the changed line with its gradient and the "
        "whole graph.",
        pictured.left_for_numpy,
        step=("unconnected",),
    ),
    screen(
        "film",
        "Training as a film",
        "Two runs from the same start after 32 steps: through sigmoids hardly anything comes "
        "back to the first layer, so it has not begun to learn.",
        "Two decision boundaries side by side, the gradient's size for each weight as bars, "
        "and both losses over 240 steps on one axis.",
        pictured.two_runs,
        keys=("ArrowLeft",) * 6,
    ),
    screen(
        "phone",
        "On a phone",
        "The same step on a phone: marks instead of digits, the sum below, the buttons at "
        "the thumb.",
        "The step of the first picture in a narrow window.",
        pictured.classifier,
        step=("pull", "matmul", "W2"),
        at="2,2",
        size=PHONE,
    ),
    Shown(
        "jacobian",
        "What moves what",
        "Every probability moves with every score of its own example, and with none of "
        "another: the off-diagonal blocks are not small numbers: no path exists there.",
        "Jacobian of a softmax over two examples as a heat map of six by six, with two full "
        "blocks on the diagonal and nothing beside them.",
        pictured.softmax_jacobian,
    ),
    Shown(
        "memory",
        "What a tape keeps",
        "Memory grows in the forward pass and falls in the backward pass, as each op frees "
        "what it saved.",
        "Bars of the bytes that a tape holds, step by step: rising through four layers, then "
        "falling.",
        pictured.kept,
    ),
]
