"""The words of the course, each with one plain sentence: `python tutorials/terms.py` writes the page.

A lesson prints a term in bold where it defines it. `tests/course/test_terms.py` finds a term that a
lesson uses before it, or a lesson that it needs, has defined it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[1] / "docs" / "GLOSSARY.md"
NONE = "–"


class Term(NamedTuple):
    """A word: where it is defined, what it means, and what it is called elsewhere.

    A course may take lessons in another order, so a word can be defined in several.
    """

    lesson: str
    means: str
    pytorch: str = NONE
    jax: str = NONE
    again: tuple[str, ...] = ()

    @property
    def lessons(self) -> tuple[str, ...]:
        """The numbers of all lessons that define it."""
        return (self.lesson, *self.again)


TERMS = {
    # Lesson 1
    "derivative": Term("01", "How much a result changes, per unit of a small change of an input."),
    "slope": Term("01", "The plain word for a derivative."),
    "gradient": Term("01", "The list of all slopes, one for each unknown.", "`x.grad`", "`jax.grad(f)(x)`"),
    "chain rule": Term("01", "Along a path, slopes multiply."),
    "reverse mode": Term("01", "The chain rule multiplied from the back; also backpropagation.", "`z.backward()`", "`jax.grad`, `jax.vjp`"),
    "tape": Term("01", "A list of the operations that ran, walked backward for gradients.", "the graph behind `grad_fn`", "a traced function"),
    "cotangent": Term("01", "A number on its way backward: how much the target changes when this value does.", "`grad_output`", "the argument of a `vjp`"),
    "gradient descent": Term("01", "Step against the gradient, look again.", "`torch.optim.SGD`", NONE),
    "learning rate": Term("01", "How much of the gradient a step takes.", "`lr`", NONE),
    # Lesson 13
    "kernel": Term("13", "A small table of weights that lies on a window of the image; also filter.", "`nn.Conv2d(...).weight`, (out, in, 3, 3)", "the second argument of `conv_general_dilated`"),
    "feature map": Term("13", "The outputs of one kernel, one for each window."),
    "stride": Term("13", "How far the window moves.", "`stride`", "`window_strides`"),
    "padding": Term("13", "Zeros around the image, so that the window can reach over the edge.", "`padding`", "`padding`"),
    "cross-correlation": Term("13", "A convolution whose kernel is not turned around: what deep learning calls convolution."),
    "convolution": Term("13", "One kernel, laid on every window of an image.", "`F.conv2d`", "`lax.conv_general_dilated`"),
    "transposed convolution": Term("13", "The backward pass of a convolution: each number stamps the kernel onto its window.", "`F.conv_transpose2d`", "`lax.conv_transpose`"),
    "weight sharing": Term("13", "One weight is used in many places, so its gradient is a sum over them."),
    "max pooling": Term("13", "The largest number of a window, or of a whole map.", "`F.max_pool2d`, `torch.amax`", "`h.max((1, 2))`"),
    "receptive field": Term("13", "The pixels that one number of a map depends on."),
    # Lesson 14
    "dual number": Term("14", "A value and its slope.", "`torch.autograd.forward_ad`", "what `jax.jvp` pushes"),
    "tangent": Term("14", "How a value changes when the input moves in one direction.", "the second argument of `jvp`", "the second argument of `jax.jvp`"),
    "Jacobian": Term("14", "The table of all slopes: a row for each output, a column for each input.", "`torch.func.jacrev`, `jacfwd`", "`jax.jacrev`, `jax.jacfwd`"),
    "JVP": Term("14", "The Jacobian times a tangent: one forward pass.", "`torch.func.jvp`", "`jax.jvp`"),
    "VJP": Term("14", "A cotangent times the Jacobian: one backward pass.", "`torch.func.vjp`", "`jax.vjp`"),
    "Hessian": Term("14", "The table of the slopes of the gradient.", "`torch.func.hessian`", "`jax.hessian`", again=("17",)),
    # Lesson 15
    "expectation": Term("15", "The mean over all draws, weighted by their density."),
    "reparametrisation": Term("15", "Draw the noise first, then compute.", "`rsample()`", "`mu + sigma * jax.random.normal(key)`"),
    "score function": Term("15", "The slope of log p with respect to a parameter; REINFORCE multiplies it by the result.", "the gradient of `log_prob`", "the gradient of `logpdf`"),
    "baseline": Term("15", "A constant taken from the results: it calms the estimate and leaves its mean."),
    "policy gradient": Term("15", "The score function's way, for a method that learns which actions to choose."),
    # Lesson 16
    "state": Term("16", "What one step hands to the next.", "`h`, for an LSTM `(h, c)`", "the carry of `lax.scan`"),
    "recurrent network": Term("16", "A network that feeds its state back to itself; also RNN.", "`nn.RNN`", "`lax.scan(cell, h, xs)`"),
    "unrolling": Term("16", "A loop written out, one step after the other."),
    "backpropagation through time": Term("16", "A walk back through all steps of a loop; also BPTT."),
    "eigenvalue": Term("16", "The factor by which a matrix stretches a direction that it does not turn.", "`torch.linalg.eigvals`", "`jnp.linalg.eigvals`", again=("17",)),
    "vanishing gradient": Term("16", "A gradient that shrinks with every step back, until nothing arrives."),
    "exploding gradient": Term("16", "A gradient that grows with every step back."),
    "gate": Term("16", "A number between 0 and 1 that lets a part of something through."),
    "LSTM": Term("16", "A cell with gates and a memory that adds: long short-term memory.", "`nn.LSTM`"),
    "GRU": Term("16", "A smaller LSTM, in which one gate mixes old and new.", "`nn.GRU`"),
    "truncated BPTT": Term("16", "The state is cut every few steps, so the walk back ends there.", "`h.detach()`", "`lax.stop_gradient(h)`"),
    "clipping by norm": Term("16", "A gradient that is too long is scaled down as a whole; its direction stays.", "`nn.utils.clip_grad_norm_`"),
    # Lesson 17
    "curvature": Term("17", "How fast a slope changes."),
    "condition number": Term("17", "The largest curvature over the smallest.", "`torch.linalg.cond`", "`jnp.linalg.cond`"),
    "momentum": Term("17", "A step that remembers the steps before it, as a heavy ball does.", "`optim.SGD(w, lr=r, momentum=m)`", "`optimizers.momentum(r, m)`"),
    "Adam": Term("17", "The mean of the last gradients, divided by the root of the mean of their squares.", "`optim.Adam`", "`optimizers.adam`"),
    "bias correction": Term("17", "Means that start at 0 are divided by what they have seen so far."),
    "weight decay": Term("17", "Each step takes a small part of the weight away.", "`optim.AdamW`"),
    "schedule": Term("17", "A learning rate that changes during training.", "`optim.lr_scheduler`", "a function of the step"),
    "warm-up": Term("17", "A schedule that starts with a small rate."),
    "underflow": Term("17", "A number too small for its digits becomes 0."),
    "loss scaling": Term("17", "The loss is multiplied and the gradient divided, so that no slope underflows.", "`torch.amp.GradScaler`"),
    "master weights": Term("17", "The copy of the weights in 32 bits, to which the steps are added."),
}  # fmt: skip


def page(titles: dict[str, str]) -> str:
    """The page of all terms, in the order of the alphabet.

    Args:
        titles: by a lesson's number its file's name, without the ending.
    """
    rows = [
        f"| {word} | {term.means} | "
        + ", ".join(f"[{int(n)}](../tutorials/{titles[n]}.ipynb)" for n in term.lessons)
        + f" | {term.pytorch} | {term.jax} |"
        for word, term in sorted(TERMS.items(), key=lambda each: each[0].lower())
    ]
    return "\n".join(
        [
            "# Glossary",
            "",
            "The words of the lessons, each where it is defined, with its name in PyTorch and in JAX. Made by "
            "`python tutorials/terms.py`.",
            "",
            "| word | meaning | lesson | PyTorch | JAX |",
            "|:--|:--|:--|:--|:--|",
            *rows,
            "",
        ]
    )


def main() -> None:
    """Writes the page."""
    titles = {path.stem[:2]: path.stem for path in Path(__file__).parent.glob("[0-9]*.py")}
    PAGE.write_text(page(titles), "utf-8")


if __name__ == "__main__":
    main()
