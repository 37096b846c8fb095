"""Short formulas of ops that minitape has no op of the same meaning for.

A formula names the map that a cotangent goes through (`conv^T(g, k)`), its inputs as {0}, {1}. An
op that stands in no row has the chain rule in general: the transposed derivative of the op, times
g.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..record.notation import name, to_mathml
from ..trace.trace import Formula

Row = tuple[str, tuple[str, ...]]  # the op, and its rule for each input; one rule is for all
OWN = "own rule of "  # before the name of an op whose rule the program has written itself

CONVOLUTION: Row = ("conv({0}, {1})", ("conv^T(g, {1})", "∑_p window_p({0}) · g_p", "∑ g"))
MOVED: Row = ("reshape({0})", ("reshape(g)",))
TURNED: Row = ("transpose({0})", ("transpose(g)",))
TAKEN: Row = ("{0}[…]", ("g at its place, else 0",))
POOLED: Row = ("maxpool({0})", ("g at the winners, else 0",))
AVERAGED: Row = ("avgpool({0})", ("g / n over each window",))
REPEATED: Row = ("broadcast({0})", ("∑ g",))
SAME: Row = ("{0}", ("g",))
JOINED: Row = ("concat({all})", ("the part of g for {own}",))
STACKED: Row = ("stack({all})", ("the slice of g for {own}",))
PARTED: Row = ("split({0})", ("concat({gs})",))
CHOSEN: Row = ("where({0}, {1}, {2})", ("0", "where({0}, g, 0)", "where(¬ {0}, g, 0)"))
BEST: Row = ("max {0}", ("g at the winner, else 0",))
LOOKED_UP: Row = ("{0}[{1}]", ("scatter(g, {1})",))
PUT = ("g, 0 where it was written", "g where written")
WRITTEN: Row = ("{0} with {last} written in", ("g, 0 where it was written", "", "g where written"))
AFFINE: Row = ("{1} {2} + {0}", ("∑ g", "g {2}^⊤", "{1}^⊤ g"))
NORMED: Row = (
    "norm({0}) · {1} + {2}",
    ("(u − mean u − x̂ · mean(u · x̂)) / s, u = g · {1}", "∑ g · x̂", "∑ g"),
)
ENTROPY: Row = ("H({1}, {0})", ("g · (softmax({0}) − e_{1})",))
ATTENTION: Row = (
    "softmax({0} {1}^⊤ / √d) {2}",
    ("g_S {1} / √d", "g_S^⊤ {0} / √d", "softmax({0} {1}^⊤ / √d)^⊤ g"),
)
ROUNDS: Row = ("the last of all rounds", ("∑ over rounds",))

# Names of PyTorch, JAX and TensorFlow, which hardly overlap.
ROWS: dict[str, Row] = {
    name: row
    for names, row in [
        # Elementary ops too: where values are unknown, a namesake cannot be run.
        ("add AddV2", ("{0} + {1}", ("g",))), ("sub Sub", ("{0} − {1}", ("g", "−g"))),
        ("mul Mul", ("{0} · {1}", ("g · {1}", "g · {0}"))), ("neg Neg", ("−{0}", ("−g",))),
        ("div RealDiv", ("{0} / {1}", ("g / {1}", "−g · {0} / {1}^2"))),
        ("mm bmm", ("{0} {1}", ("g {1}^⊤", "{0}^⊤ g"))),
        ("tanh Tanh", ("tanh({0})", ("g · (1 − tanh({0})^2)",))),
        ("sigmoid", ("σ({0})", ("g · σ({0}) · (1 − σ({0}))",))),
        ("abs", ("|{0}|", ("g · sign({0})",))), ("relu", ("relu({0})", ("g · [{0} > 0]",))),
        ("pow", ("{0}^p", ("g · p · {0}^(p − 1)",))), ("sum", ("∑ {0}", ("broadcast(g)",))),
        ("mean", ("mean {0}", ("broadcast(g / n)",))),
        ("var", ("var {0}", ("g · 2 · ({0} − mean {0}) / (n − 1)",))),
        ("softmax safe_softmax", ("softmax({0})", ("s · (g − ∑ g · s), s = softmax({0})",))),
        ("leaky_relu", ("leaky_relu({0})", ("g where {0} > 0, else g · slope",))),
        ("clamp hardtanh", ("clamp({0})", ("g inside of the bounds, else 0",))),
        ("masked_fill", ("where(mask, c, {0})", ("where(mask, 0, g)",))),
        ("index_put setitem", ("{0} with {1} written in", PUT)),
        ("copy_slices", ("{0}, a part written anew", PUT)),
        ("exp Exp", ("e^{0}", ("g · e^{0}",))), ("log Log", ("log {0}", ("g / {0}",))),
        ("sin Sin", ("sin {0}", ("g · cos {0}",))), ("cos Cos", ("cos {0}", ("−g · sin {0}",))),
        ("integer_pow", ("{0}^p", ("g · p · {0}^(p − 1)",))),
        ("real imag", ("a part of {0}", ("g as a complex number",))),
        ("conj", ("conj({0})", ("conj(g)",))),
        ("pad Pad PadV2", ("pad({0})", ("g without the edge",))),
        ("cumsum Cumsum", ("cumsum({0})", ("cumsum of g from the end",))),
        ("cond", ("the branch that was taken", ("the rule of that branch",))),
        ("dynamic_update_slice", ("{0} with {1} written in", PUT)),
        ("reduce_window_sum", ("sums of windows of {0}", ("g to each of its window",))),
        ("scatter-add scatter_add", ("{0} with {last} added in", ("g", "", "g where added"))),
        ("index_select", TAKEN), ("native_group_norm", NORMED),
        ("mse_loss", ("mean (x − y)^2", ("g · 2 · (x − y) / n", "g · 2 · (y − x) / n"))),
        ("binary_cross_entropy_with_logits", ("mean H(y, σ({0}))", ("g · (σ({0}) − y) / n",))),
        ("linalg_vector_norm", ("‖{0}‖", ("g · {0} / ‖{0}‖",))),
        ("flip roll", TURNED), ("tril triu", ("{0}, cut to a triangle", ("g, cut likewise",))),
        ("mkldnn_rnn_layer", ("lstm({all})", ("back through time",))),
        ("convolution conv_general_dilated Conv2D DepthwiseConv2dNative", CONVOLUTION),
        ("view unsafe_view reshape_alias reshape Reshape squeeze unsqueeze Squeeze ExpandDims "
         "expand_dims flatten unflatten", MOVED),
        ("t transpose permute Transpose", TURNED),
        ("select slice index getitem narrow gather StridedSlice Slice dynamic_slice diagonal "
         "as_strided GatherNd", TAKEN),
        ("max_pool2d_with_indices max_pool1d_with_indices reduce_window_max MaxPool", POOLED),
        ("avg_pool2d adaptive_avg_pool2d mkldnn_adaptive_avg_pool2d AvgPool", AVERAGED),
        ("expand repeat broadcast_in_dim BroadcastTo Tile", REPEATED),
        ("clone alias contiguous to_copy copy_ convert_element_type Cast copy Identity", SAME),
        ("cat concatenate ConcatV2", JOINED),
        ("stack Pack", STACKED),
        ("unsafe_split split split_with_sizes SplitV Split unbind Unpack chunk", PARTED),
        ("SelectV2", CHOSEN),
        ("where", ("where(condition, {0}, {1})",
                   ("where(condition, g, 0)", "where(¬ condition, g, 0)"))),
        ("select_n", ("where({0}, {2}, {1})", ("0", "where(¬ {0}, g, 0)", "where({0}, g, 0)"))),
        ("max min amax amin reduce_max reduce_min Max Min TopKV2 topk sort", BEST),
        ("GatherV2", LOOKED_UP),
        ("embedding", ("{0}[indices]", ("scatter(g, indices)",))),
        ("scatter TensorScatterUpdate", WRITTEN),
        ("addmm", AFFINE),
        ("native_layer_norm native_batch_norm FusedBatchNormV3", NORMED),
        ("nll_loss", ("mean of −{0} at target", ("−g / n at target, else 0",))),
        ("SparseSoftmaxCrossEntropyWithLogits", ENTROPY),
        ("SoftmaxCrossEntropyWithLogits", ("H({1}, {0})", ("g · (softmax({0}) − {1})",))),
        ("scaled_dot_product_flash_attention_for_cpu scaled_dot_product_attention "
         "scaled_dot_product_fused_attention_overrideable scaled_dot_product_efficient_attention",
         ATTENTION),
        ("stop_gradient", ("{0}, cut off", ("0",))),
        ("scan while", ROUNDS),
        ("gelu", ("{0} · Φ({0})", ("g · (Φ({0}) + {0} · φ({0}))",))),
        ("MatMul^T BatchMatMulV2^T", ("{0} {1}^⊤", ("g {1}", "g^⊤ {0}"))),
        ("T^MatMul T^BatchMatMulV2", ("{0}^⊤ {1}", ("{1} g^⊤", "{0} g"))),
        ("BiasAdd", ("{0} + {1}", ("g", "∑ g"))),
        ("native_dropout FusedDropout", ("{0} · mask / (1 − p)", ("g · mask / (1 − p)",))),
    ]
    for name in names.split()
}  # fmt: skip


def forward_formula(op: str, names: Sequence[str]) -> Formula:
    """The formula of an op.

    Example:
        >>> forward_formula("Conv2D", ["x", "k"]).text, forward_formula("zigzag", ["x"]).text
        ('conv(x, k)', 'zigzag(x)')
    """
    op = op.removeprefix(OWN)
    row = ROWS.get(op)
    return _filled(row[0] if row else f"{_plain(op)}({{all}})", names, 0, 1)


def rule_formula(op: str, names: Sequence[str], position: int, results: int = 1) -> Formula:
    """The formula of an op's rule for one input, where `results` cotangents come in.

    Example:
        >>> rule_formula("Conv2D", ["x", "k"], 0).text, rule_formula("zigzag", ["x"], 0).text
        ('conv^T(g, k)', '(∂ zigzag / ∂ x)^⊤ g')
    """
    if op.startswith(OWN):
        return _filled(f"{_plain(op.removeprefix(OWN))}.backward({{gs}})", names, 0, results)
    rules = ROWS[op][1] if op in ROWS else ()
    text = rules[0] if len(rules) == 1 else "".join(rules[position : position + 1])
    general = f"(∂ {_plain(op)} / ∂ {{own}})^⊤ {'g' if results == 1 else '({gs})'}"
    return _filled(text or general, names, position, results)


def _plain(op: str) -> str:
    return op.replace("{", "").replace("}", "")


def _filled(text: str, names: Sequence[str], position: int, results: int) -> Formula:
    """The formula with names in it, as text and as MathML."""
    cotangents = ["g"] if results == 1 else [f"g_{i}" for i in range(results)]
    lists = {"all": list(names), "gs": cotangents, "last": list(names[-1:])}
    lists |= {"own": [names[position] if position < len(names) else "…"]}
    lists |= {str(i): [each] for i, each in enumerate([*names, "…", "…", "…"])}
    plain = {key: ", ".join(each) for key, each in lists.items()}
    shown = {key: ", ".join(map(_symbol, each)) for key, each in lists.items()}
    written = re.sub(r"\{(\w+)\}", lambda found: plain[found[1]], text)
    latex = _latex(text, shown)
    return Formula(written, latex, to_mathml(latex))


_PIECE = re.compile(
    r"\{(?P<place>\w+)\}|\^\((?P<power>[^()]*)\)|(?P<word>[^\W\d_]{2,}|x̂|(?<=\^)T)"
    r"|(?P<sign>∑|⊤|√d)|(?<=[\w}⊤∑]) (?=[\w{|σΦφ√])"
)
_SIGNS = {"∑": r"{\sum}", "⊤": r"\top ", "√d": r"\sqrt{d}"}


def _latex(text: str, shown: Mapping[str, str]) -> str:
    r"""A short formula in the LaTeX that `viz.record.notation` reads: words stay words.

    Example:
        >>> _latex("∑_p window_p({0}) · g_p", {"0": "x"})
        '{\\sum}_p\\ \\mathrm{window}_p(x) · g_p'
    """

    def written(piece: re.Match[str]) -> str:
        if piece["place"]:
            return shown[piece["place"]]
        if piece["power"]:
            return f"^{{{piece['power']}}}"
        if piece["word"]:
            return rf"\mathrm{{{piece['word']}}}"
        return _SIGNS[piece["sign"]] if piece["sign"] else r"\ "

    return _PIECE.sub(written, text)


def _symbol(text: str) -> str:
    """A name as an atom; the number at its end is an index."""
    found = re.fullmatch(r"(.*[^\W\d_])_(\d+)", text)
    return f"{{{name(found[1])}_{{{found[2]}}}}}" if found else name(text)
