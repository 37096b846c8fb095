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

    A course may take lessons in another order, so a word can be defined in several. An everyday
    word, such as *key*, may be used before it gets its second meaning.
    """

    lesson: str
    means: str
    pytorch: str = NONE
    jax: str = NONE
    again: tuple[str, ...] = ()
    everyday: bool = False

    @property
    def lessons(self) -> tuple[str, ...]:
        """The numbers of all lessons that define it."""
        return (self.lesson, *self.again)


TERMS = {
    # Lesson 1
    "derivative": Term("01", "How much a result changes, per unit of a small change of an input."),
    "slope": Term("01", "The plain word for a derivative."),
    "central difference": Term("01", "How much a result changes from a little less to a little more of an input, per unit of the input.", "`gradcheck`", "`check_grads`"),
    "finite differences": Term("01", "The method of central differences: slopes from runs with slightly changed inputs.", "`gradcheck`", "`check_grads`"),
    "gradient": Term("01", "The list of all slopes, one for each unknown.", "`x.grad`", "`jax.grad(f)(x)`"),
    "chain rule": Term("01", "Along a path, slopes multiply."),
    "reverse mode": Term("01", "The chain rule, multiplied from the output back; also backpropagation.", "`z.backward()`", "`jax.grad`, `jax.vjp`"),
    "tape": Term("01", "A list of the operations that ran, walked backward for gradients.", "the graph behind `grad_fn`", "a traced function"),
    "cotangent": Term("01", "A number on its way backward: how much the target changes when this value does.", "`grad_output`", "the argument of a `vjp`"),
    "gradient descent": Term("01", "Take a step against the gradient, compute the gradient again, and repeat.", "`torch.optim.SGD`", NONE),
    "learning rate": Term("01", "How much of the gradient a step takes.", "`lr`", NONE),
    # Lesson 3
    "computational graph": Term("03", "Which value was made from which, drawn with arrows.", "the graph behind `grad_fn`", "a jaxpr"),
    "operator overloading": Term("03", "`+` and `*` get a meaning of their own, which records."),
    "source transformation": Term("03", "A program is read, and another one is written that computes its derivative."),
    "record": Term("03", "One line of a tape: an operation, its inputs and its output.", "`y.grad_fn`", "an equation of a jaxpr", everyday=True),
    "accumulate": Term("03", "Add what arrives to what is there.", everyday=True),
    "broadcasting": Term("03", "A small array is used as if it were repeated; its gradient is summed.", everyday=True),
    # Lesson 4
    "detached": Term("04", "A value with the same numbers and without their history.", "`x.detach()`", "`lax.stop_gradient(x)`"),
    "straight-through estimator": Term("04", "A rule that passes the gradient on where the slope is 0."),
    "gradient check": Term("04", "A comparison of a derivative rule with the slope from two runs.", "`torch.autograd.gradcheck`", "`jax.test_util.check_grads`", again=("11",)),
    # Lesson 5
    "hidden layer": Term("05", "Units between input and output: sums of what comes in, then an activation."),
    "dense layer": Term("05", "A layer that computes x W + b.", "`nn.Linear`"),
    "activation": Term("05", "A function after a layer, such as relu."),
    "relu": Term("05", "The larger of a number and 0; its slope is 1 or 0.", "`F.relu`", "`jax.nn.relu`", again=("04",)),
    "logit": Term("05", "A score before softmax."),
    "softmax": Term("05", "Turns scores into positive numbers that add up to 1.", "`torch.softmax(s, dim=-1)`", "`jax.nn.softmax(s)`"),
    "cross-entropy": Term("05", "Minus the logarithm of the probability that the right class got.", "`F.cross_entropy`"),
    "epoch": Term("05", "Once through all training examples.", everyday=True),
    # Lesson 6
    "implicit function theorem": Term("06", "If f(t, p) stays 0, t follows p with the slope -f_p / f_t."),
    "custom gradient": Term("06", "Your own derivative rule for a function, which replaces the rules of its ops.", "`torch.autograd.Function`", "`jax.custom_vjp`"),
    # Lesson 8
    "trace": Term("08", "The list of the operations of one run, written down without numbers.", "a graph of `torch.fx`", "a jaxpr"),
    "jaxpr": Term("08", "JAX's name for a trace, and how JAX prints it.", NONE, "`jax.make_jaxpr(f)(x)`"),
    "constant folding": Term("08", "What does not depend on the arguments is computed once, before the program runs."),
    "dead code elimination": Term("08", "Only the lines that a wanted result needs are kept.", "`torch.compile`", "XLA does it"),
    "fusion": Term("08", "Several operations become one loop, so the values between them are never written to memory.", "`torch.compile`", "XLA does it"),
    "XLA": Term("08", "The compiler behind JAX.", NONE, "`jax.jit(f).lower(x).compile()`"),
    "retracing": Term("08", "Python runs again and makes another trace, for another shape, dtype or Python number.", "recompilation"),
    "graph break": Term("08", "A place where the compiler hands over to Python.", "a break, or an error with `fullgraph=True`", "an error"),
    "topological order": Term("08", "Each line comes after the lines whose results it uses.", again=("03",)),
    "Kahn's algorithm": Term("08", "Count what each line waits for, and take a line when its count is 0."),
    # Lesson 9
    "adjoint method": Term("09", "The backward pass through a differential equation."),
    "checkpointing": Term("09", "Some states are kept, and the others computed again in the backward pass; also rematerialisation.", "`torch.utils.checkpoint`", "`jax.checkpoint`"),
    "event": Term("09", "A moment that depends on the state, such as a contact.", everyday=True),
    # Lesson 10
    "query": Term("10", "What a look-up searches for.", "the first argument of `F.scaled_dot_product_attention`", "the first argument of `jax.nn.dot_product_attention`"),
    "key": Term("10", "What an entry of a look-up is found by.", "the second argument", "the second argument", everyday=True),
    "value": Term("10", "What an entry of a look-up returns.", "the third argument", "the third argument", everyday=True),
    "attention weights": Term("10", "The softmax of the scores: how much each value counts in the answer.", "returned by `nn.MultiheadAttention`"),
    "mask": Term("10", "Numbers that are added to the scores: 0 where a position may look, and a very negative one elsewhere.", "`attn_mask`", "`bias`, or a boolean `mask`"),
    "causal mask": Term("10", "No position looks at a later one.", "`is_causal=True`", "`is_causal=True`", again=("19",)),
    "scaled dot products": Term("10", "Products of queries and keys, divided by the root of their width.", "`F.scaled_dot_product_attention`", "`jax.nn.dot_product_attention`"),
    "self-attention": Term("10", "Queries, keys and values are made from the same rows."),
    "cross-attention": Term("10", "Queries are made from different rows than keys and values."),
    # Lesson 11
    "dead unit": Term("11", "A unit that is closed for every example, so that no gradient gets through."),
    "hyperparameter": Term("11", "A number that you choose, and that no gradient chooses for you."),
    "overfitting": Term("11", "The network gets better on the examples that it has seen, and no better on others."),
    "early stopping": Term("11", "Stop training when the loss on unseen examples is lowest."),
    "data leakage": Term("11", "The training data contain the answers of the test."),
    # Lesson 13
    "kernel": Term("13", "A small table of weights that lies on a window of the image; also filter.", "`nn.Conv2d(...).weight`, (out, in, 3, 3)", "the second argument of `conv_general_dilated`"),
    "feature map": Term("13", "The outputs of one kernel, one for each window."),
    "stride": Term("13", "How far the window moves.", "`stride`", "`window_strides`"),
    "padding": Term("13", "Zeros around the image, so that the window can reach over the edge.", "`padding`", "`padding`"),
    "cross-correlation": Term("13", "A convolution whose kernel is not flipped: what deep learning calls convolution."),
    "convolution": Term("13", "One kernel, laid on every window of an image.", "`F.conv2d`", "`lax.conv_general_dilated`"),
    "transposed convolution": Term("13", "The backward pass of a convolution: each number stamps the kernel onto its window.", "`F.conv_transpose2d`", "`lax.conv_transpose(..., transpose_kernel=True)`"),
    "weight sharing": Term("13", "One weight is used in many places, so its gradient is a sum over them."),
    "max pooling": Term("13", "The largest number of a window, or of a whole map.", "`F.max_pool2d`, `torch.amax`", "`h.max((1, 2))`"),
    "receptive field": Term("13", "The pixels that one number of a map depends on."),
    # Lesson 14
    "dual number": Term("14", "A value and its slope.", "`torch.autograd.forward_ad`", "what `jax.jvp` pushes"),
    "tangent": Term("14", "How a value changes when the input moves in one direction.", "the second argument of `jvp`", "the second argument of `jax.jvp`"),
    "Jacobian": Term("14", "The table of all slopes: a row for each output, a column for each input.", "`torch.func.jacrev`, `jacfwd`", "`jax.jacrev`, `jax.jacfwd`", again=("03", "02", "11")),
    "JVP": Term("14", "The Jacobian times a tangent: one forward pass.", "`torch.func.jvp`", "`jax.jvp`"),
    "VJP": Term("14", "A cotangent times the Jacobian: one backward pass.", "`torch.func.vjp`", "`jax.vjp`"),
    "Hessian": Term("14", "The table of the slopes of the gradient.", "`torch.func.hessian`", "`jax.hessian`", again=("02", "17")),
    # Lesson 15
    "expectation": Term("15", "The mean over all draws, weighted by their density."),
    "reparametrisation": Term("15", "Draw the noise first, then compute.", "`rsample()`", "`mu + sigma * jax.random.normal(key)`"),
    "score function": Term("15", "The slope of log p with respect to a parameter; REINFORCE multiplies it by the result.", "the gradient of `log_prob`", "the gradient of `logpdf`"),
    "baseline": Term("15", "A constant that is subtracted from the results: it lowers the variance of the estimate and keeps its mean."),
    "policy gradient": Term("15", "The score function's method, used to learn which actions to choose."),
    # Lesson 16
    "state": Term("16", "What one step hands to the next.", "`h`, for an LSTM `(h, c)`", "the carry of `lax.scan`", again=("09",)),
    "recurrent network": Term("16", "A network that feeds its state back to itself; also RNN.", "`nn.RNN`", "`lax.scan(cell, h, xs)`"),
    "unrolling": Term("16", "A loop written out, one step after the other."),
    "backpropagation through time": Term("16", "A backward pass through all steps of a loop; also BPTT."),
    "eigenvalue": Term("16", "The factor by which a matrix stretches a direction that it does not turn.", "`torch.linalg.eigvals`", "`jnp.linalg.eigvals`", again=("02", "17")),
    "vanishing gradient": Term("16", "A gradient that shrinks with every step back, until nothing arrives.", again=("18",)),
    "exploding gradient": Term("16", "A gradient that grows with every step back.", again=("18",)),
    "gate": Term("16", "A number between 0 and 1 that lets a part of something through."),
    "LSTM": Term("16", "A cell with gates and a memory that adds: long short-term memory.", "`nn.LSTM`"),
    "GRU": Term("16", "A smaller LSTM, in which one gate mixes old and new.", "`nn.GRU`"),
    "truncated BPTT": Term("16", "The state is cut every few steps, so the backward pass ends there.", "`h.detach()`", "`lax.stop_gradient(h)`"),
    "clipping by norm": Term("16", "A gradient that is too long is scaled down as a whole; its direction stays.", "`nn.utils.clip_grad_norm_`"),
    # Lesson 17
    "curvature": Term("17", "How fast a slope changes.", again=("02",)),
    "condition number": Term("17", "The largest curvature over the smallest.", "`torch.linalg.cond`", "`jnp.linalg.cond`"),
    "momentum": Term("17", "A step that remembers the steps before it, as a heavy ball does.", "`optim.SGD(w, lr=r, momentum=m)`", "`optimizers.momentum(r, m)`"),
    "Adam": Term("17", "A mean of recent gradients, divided by the root of a mean of their squares.", "`optim.Adam`", "`optimizers.adam`"),
    "bias correction": Term("17", "Averages that start at 0 are divided by the weight that they have seen so far."),
    "weight decay": Term("17", "Each step also removes a small fraction of the weight.", "`optim.AdamW`"),
    "schedule": Term("17", "A learning rate that changes during training.", "`optim.lr_scheduler`", "a function of the step"),
    "warm-up": Term("17", "A schedule that starts with a small rate."),
    "underflow": Term("17", "A number that is too small for its dtype becomes 0."),
    "loss scaling": Term("17", "The loss is multiplied and the gradient divided, so that no slope underflows.", "`torch.amp.GradScaler`"),
    "bfloat16": Term("17", "A float of 16 bits with the range of float32 and two to three digits.", "`torch.bfloat16`", "`jnp.bfloat16`"),
    "master weights": Term("17", "A copy of the weights in 32 bits, to which the steps are added."),
    # Lesson 18
    "initialisation": Term("18", "How the weights are drawn before training.", "`nn.init.kaiming_normal_(w)`", "`jax.nn.initializers.he_normal()`"),
    "saturation": Term("18", "The input of a unit is so large, in absolute value, that its slope is nearly 0."),
    "residual connection": Term("18", "A straight path past a layer, which adds to its input instead of replacing it."),
    "batch norm": Term("18", "Scales each unit to mean 0 and standard deviation 1 over the examples of a batch.", "`nn.BatchNorm1d`"),
    "layer norm": Term("18", "Scales each example to mean 0 and standard deviation 1 over its units.", "`nn.LayerNorm`", "`jax.nn.standardize`"),
    "running average": Term("18", "A stored number that moves a little toward each new one.", "`running_mean`"),
    "inference mode": Term("18", "The way a network is run after training: a batch norm uses its stored numbers.", "`net.eval()`"),
    "standard deviation": Term("18", "The root of the variance: how far numbers typically lie from their mean.", "`torch.std(x, correction=0)`", "`jnp.std`", everyday=True),
    "leaky ReLU": Term("18", "A relu with a small slope below 0, instead of none.", "`F.leaky_relu`", "`jax.nn.leaky_relu`"),
    # Lesson 19
    "transformer": Term("19", "A network that reads and writes with attention, in blocks of heads and MLPs.", "`nn.TransformerEncoder`"),
    "token": Term("19", "A piece of text with a number."),
    "embedding": Term("19", "The row of numbers that a token has.", "`nn.Embedding`", "`rows[ids]`"),
    "positional embedding": Term("19", "The row of numbers that a position has."),
    "block": Term("19", "Heads and an MLP, each of which adds to the rows.", "`nn.TransformerEncoderLayer`", everyday=True),
    "head": Term("19", "A separate attention, on a part of each query, key and value.", "`nn.MultiheadAttention`"),
    "MLP": Term("19", "Two dense layers, applied to each row separately: a multi-layer perceptron."),
    "sampling": Term("19", "The next token is drawn with the probabilities that softmax gives.", "`torch.multinomial`", "`jax.random.categorical`"),
    "temperature": Term("19", "What the logits are divided by, before the softmax."),
    "perplexity": Term("19", "e to the power of the mean cost: the number of tokens between which a model hesitates."),
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
            "The terms of the course: what each means, which lesson defines it, and what it is called in PyTorch "
            "and JAX. `python tutorials/terms.py` writes this page.",
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
