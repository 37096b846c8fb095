"""PyTorch's tape in the player: 25 programs, gradients beside PyTorch's own."""

from __future__ import annotations

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (see .ci/run)")

from again import assert_every_step_follows  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402
from torch_rules import RULES  # noqa: E402

import minitape.viz.adapters.torch as adapter  # noqa: E402
from minitape.viz.adapters.torch_watch import latest  # noqa: E402
from minitape.viz.player.page import page  # noqa: E402
from minitape.viz.trace.schema import schema  # noqa: E402
from minitape.viz.trace.trace import Trace  # noqa: E402


def leaf(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape), requires_grad=True)


def numbers(*values):
    return [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]


def scalars():
    a, b = numbers(2.0, -3.0)
    return torch.tanh(a * b + a) * b, {"a": a, "b": b}


def powers():
    x = leaf(3)
    return (x**3 + 2.0 * x**2).sum(), {"x": x}


def quotient():
    a, b = numbers(2.0, -3.0)
    return (a / b - b) / a, {"a": a, "b": b}


def line():
    x, w, b = torch.arange(4.0, dtype=torch.float64), *numbers(2.0, 1.0)
    return ((w * x + b - 1.0) ** 2).mean(), {"w": w, "b": b}


def broadcast():
    x, b = leaf(3, 4), leaf(4, seed=1)
    return (x * b + b).exp().mean(), {"x": x, "b": b}


def of_module(model, x):
    return model(x).square().mean(), dict(model.named_parameters())


def mlp():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1)).double()
    return of_module(model, leaf(4, 3).detach())


def classifier():
    w, x = leaf(3, 4), leaf(5, 3, seed=1).detach()
    return functional.cross_entropy(x @ w, torch.tensor([0, 1, 2, 3, 0])), {"w": w}


def convnet():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()).double()
    return of_module(model, leaf(1, 1, 6, 6).detach())


def attention():
    q, k, v = leaf(4, 3), leaf(4, 3, seed=1), leaf(4, 3, seed=2)
    weights = torch.softmax(q @ k.T / 3**0.5, dim=-1)
    return (weights @ v).square().sum(), {"q": q, "k": k, "v": v}


def layer_normalisation():
    x, g, b = leaf(3, 4), leaf(4, seed=1), leaf(4, seed=2)
    return functional.layer_norm(x, (4,), g, b).square().sum(), {"x": x, "g": g, "b": b}


def normalisation_by_hand():
    x = leaf(3, 4)
    centred = x - x.mean(-1, keepdim=True)
    scale = (centred**2).mean(-1, keepdim=True) + 1e-3
    return (centred * scale.rsqrt()).pow(3).sum(), {"x": x}


def rnn():
    w, u = leaf(3, 3), leaf(2, 3, seed=1)
    h = torch.zeros(1, 3, dtype=torch.float64)
    for x in leaf(4, 1, 2, seed=2).detach():
        h = torch.tanh(x @ u + h @ w)
    return h.sum(), {"w": w, "u": u}


def lstm():
    torch.manual_seed(0)
    model = nn.LSTMCell(2, 3).double()
    return model(leaf(1, 2).detach())[0].sum(), dict(model.named_parameters())


def reuse():
    (x,) = numbers(1.5)
    y = x * x
    return y * y + y * x, {"x": x}


def branches():
    x = leaf(5)
    return torch.where(x > 0, x * 2.0, x.exp()).sum(), {"x": x}


def python_branch():
    (x,) = numbers(2.0)
    return (x * 3.0 if x > 1 else -x).sin(), {"x": x}


def in_place():
    x = leaf(4)
    y = x * 2.0
    y.mul_(3.0).add_(x)
    return (y * y).sum(), {"x": x}


def in_place_on_a_view():
    x = leaf(3, 3)
    y = x * 1.0
    y[0] = x[1] * x[2]
    y[:, 1].mul_(2.0)
    return y.square().sum(), {"x": x}


def views():
    x = leaf(2, 6)
    return (x.view(3, 4).T.reshape(-1)[2:8] * 2.0).sum(), {"x": x}


def several_outputs():
    x = leaf(6)
    a, b, c = x.split([1, 2, 3])
    return (a.sum() * b.sum()).exp() + c.square().sum(), {"x": x}


def maxima():
    x = leaf(3, 4)
    values, _ = x.max(dim=1)
    return values.square().sum(), {"x": x}


def partly_without_gradient():
    a, b = numbers(2.0, 3.0)
    with torch.no_grad():
        scale = a * b
    return scale * a + b.detach() * a, {"a": a, "b": b}


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(context, g):
        (x,) = context.saved_tensors
        return g * x  # half of what is right, on purpose


def custom():
    x = leaf(3)
    return (Twice.apply(x) * 2.0).sum(), {"x": x}


def embedding():
    table = leaf(5, 3)
    return functional.embedding(torch.tensor([0, 2, 2]), table).square().sum(), {"table": table}


def joined():
    a, b = leaf(2, 3), leaf(2, 2, seed=1)
    c = torch.cat([a, b], dim=1)
    return (torch.stack([c, c]) * c).sum(), {"a": a, "b": b}


PROGRAMS = [
    scalars, powers, quotient, line, broadcast, mlp, classifier, convnet, attention,
    layer_normalisation, normalisation_by_hand, rnn, lstm, reuse, branches, python_branch, in_place,
    in_place_on_a_view, views, several_outputs, maxima, partly_without_gradient, custom, embedding,
    joined,
]  # fmt: skip


def played(program):
    with adapter.recording():
        target, sources = program()
    return adapter.step(target, sources).trace, target, sources


def whole(array):
    assert array.is_whole
    return np.reshape(array.data, array.shape)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_every_gradient_is_pytorch_s_own(program):
    trace, target, sources = played(program)
    own = torch.autograd.grad(target, list(sources.values()), allow_unused=True)
    for node, expected in zip(trace.sources, own, strict=True):
        found = trace.gradients[node]
        if expected is None:
            assert found is None
        else:
            np.testing.assert_allclose(whole(found), expected.numpy(), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_every_trace_is_valid(program):
    trace = played(program)[0]
    assert Trace.from_json(trace.to_json()) == trace
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema())
    validator.validate(json.loads(trace.to_json()))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_every_step_has_what_came_in_and_totals_add_up(program):
    trace = played(program)[0]
    totals = {}
    for step in trace.steps:
        if step.kind == "seed":
            totals[step.node] = whole(step.cotangent)
        if step.kind == "pull":
            came = [g for g in (step.cotangent, *step.cotangents) if g is not None]
            assert [o.value for o in step.operands if o.kind == "cotangent"] == came
            totals[step.to] = totals.get(step.to, 0) + whole(step.contribution)
            np.testing.assert_allclose(whole(step.total), totals[step.to], rtol=1e-6)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_every_step_follows_in_numpy_from_its_operands_alone(program):
    assert_every_step_follows(played(program)[0], RULES, rtol=1e-6)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_every_op_and_every_rule_has_a_formula(program):
    trace = played(program)[0]
    assert all(node.formula.text for node in trace.nodes if node.kind == "op")
    assert all(step.formula.text for step in trace.steps if step.kind == "pull")


def test_formulas_of_namesakes_are_minitape_s():
    trace = played(scalars)[0]
    texts = {trace.nodes[s.node].op: s.formula.text for s in trace.steps if s.kind == "pull"}
    assert texts["add"] == "g" and texts["mul"].startswith("g · ")


def test_nodes_have_lines_and_modules():
    trace = played(mlp)[0]
    ops = [node for node in trace.nodes if node.kind == "op"]
    assert {"Sequential", "0"} <= {name for node in ops for name in node.scope}
    assert all("model(x)" in node.line.text for node in ops)


def test_without_a_recording_the_gradients_are_the_same():
    latest.clear()
    target, sources = attention()
    trace = adapter.step(target, sources).trace
    for node, own in zip(
        trace.sources, torch.autograd.grad(target, list(sources.values())), strict=True
    ):
        np.testing.assert_allclose(whole(trace.gradients[node]), own.numpy(), rtol=1e-6)


def test_the_learner_s_graph_and_gradients_are_left_alone():
    trace, target, sources = played(reuse)
    assert sources["x"].grad is None
    target.backward()
    assert sources["x"].grad is not None


REASONS = {
    "does not require a gradient": lambda x, z: (x * z, torch.ones(1)),
    "No path leads": lambda x, z: (x * 2.0, z),
    "only floating and complex": lambda x, z: (x * 2.0, torch.tensor([1])),
    "has no grad_fn": lambda x, z: ((x * 2.0).detach(), x),
}


@pytest.mark.parametrize("words", list(REASONS))
def test_why_a_gradient_is_none_is_said(words):
    target, source = REASONS[words](*numbers(2.0, 3.0))
    trace = adapter.step(target, source).trace
    assert words in trace.notes[0]
    assert Trace.from_json(trace.to_json()) == trace


def played_layer(sources):
    torch.manual_seed(0)
    layer = nn.Linear(3, 1)
    loss = layer(torch.ones(2, 3)).square().mean()
    own = torch.autograd.grad(loss, list(layer.parameters()), retain_graph=True)
    gradients = adapter.step(loss, sources(layer)).gradients
    for found, expected in zip(gradients.values(), own, strict=True):
        np.testing.assert_allclose(np.asarray(found), expected.numpy(), rtol=1e-6)
    return list(gradients)


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (lambda layer: layer, ["weight", "bias"]),
        (lambda layer: layer.named_parameters(), ["weight", "bias"]),
        (lambda layer: list(layer.named_parameters()), ["weight", "bias"]),
        (lambda layer: dict(layer.named_parameters()), ["weight", "bias"]),
        (lambda layer: layer.parameters(), ["layer.weight", "layer.bias"]),
        (lambda layer: nn.ParameterList(layer.parameters()), ["0", "1"]),
        (lambda layer: {"w": layer.weight, "b": layer.bias}, ["w", "b"]),
    ],
)
def test_sources_are_given_in_any_form(sources, names):
    assert played_layer(sources) == names


def test_parameters_of_the_program_s_module_are_called_by_it():
    layer = nn.Linear(3, 1)
    loss = layer(torch.ones(2, 3)).sum()
    assert list(adapter.step(loss, layer.parameters()).gradients) == ["layer.weight", "layer.bias"]


def released(x):
    y = (x * x).sum()
    y.backward()
    return y


def overwritten(x):
    y = x.exp()
    z = y.sum() + (y * y).sum()
    y.mul_(2.0)
    return z


def updated(x):
    y = (x * x).sum()
    with torch.no_grad():
        x -= 0.1
    return y


REFUSED = {
    "no scalar, but of shape \\[3\\].*y.sum()": lambda x: (x * x, x),
    "give the loss itself": lambda x: (1.5, x),
    "weight for each element.*ones_like": lambda x: (x * x, x, torch.ones(2)),
    "got float. Write grad_outputs": lambda x: (x * x, x, 1.0),
    "got str among the sources.*model.parameters": lambda x: (x.sum(), "x"),
    "retain_graph=True": lambda x: (released(x), x),
    "A tensor of shape \\[3\\] was written to": lambda x: (overwritten(x), x),
    "optimizer's step comes after": lambda x: (updated(x), x),
    "use_reentrant=False": lambda x: (checkpoint(torch.sin, x, use_reentrant=True).sum(), x),
}


@pytest.mark.parametrize("words", list(REFUSED))
def test_what_pytorch_refuses_is_refused_with_what_to_write(words):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    target, sources, *cotangent = REFUSED[words](x)
    with pytest.raises((TypeError, RuntimeError), match=words):
        adapter.step(target, sources, *cotangent)


def test_a_list_is_no_tensor():
    with pytest.raises(TypeError, match=r"expected a torch\.Tensor, got list"):
        adapter.step([1.0], torch.ones(1))


@pytest.mark.parametrize("width", [8, 64])
def test_a_page_of_a_transformer_layer_is_at_most_165_kb(width):
    torch.manual_seed(0)
    model = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
    with adapter.recording():
        loss = model(torch.randn(2, 10, width)).square().mean()
    trace = adapter.step(loss, dict(model.named_parameters())).trace
    assert len(page(trace)) < 165_000  # the program is 70 of it


def test_a_hook_that_changes_a_gradient_is_said():
    (x,) = numbers(3.0)
    y = x * 2.0
    y.register_hook(lambda g: 10 * g)
    x.register_hook(lambda g: -g)
    trace = adapter.step(y * y, x).trace
    assert whole(trace.gradients[trace.sources[0]]) == -240.0
    assert trace.notes == (
        "A hook on `y` makes 120.0 of what arrives there, 12.0.",
        "A hook on `x` makes −240.0 of what arrives there, 240.0.",
    )


def test_what_pytorch_s_own_functions_compute_inside_has_values():
    torch.manual_seed(0)
    model = nn.GRU(2, 3)
    with adapter.recording():
        loss = model(torch.ones(2, 1, 2))[0].sum()
    trace = adapter.step(loss, dict(model.named_parameters())).trace
    assert all(node.value is not None for node in trace.nodes)


def test_what_is_compiled_is_recorded_uncompiled():
    (x,) = numbers(3.0)
    f = torch.compile(lambda x: x.sin() * x, backend="eager")
    with adapter.recording():
        y = f(x)
    assert {"sin", "mul"} <= {node.op for node in adapter.step(y, x).trace.nodes}


@pytest.mark.parametrize("frozen", [0, 1, 2])
def test_a_constant_stands_where_the_op_takes_it(frozen):
    x, w, b = leaf(2, 3), leaf(4, 3, seed=1), leaf(4, seed=2)
    [x, w, b][frozen].requires_grad_(False)
    with adapter.recording():
        y = functional.linear(x, w, b).sum()
    trace = adapter.step(y, [x, w, b]).trace
    (affine,) = [node for node in trace.nodes if node.op == "addmm"]
    shapes = [trace.nodes[i].shape for i in affine.inputs]
    assert shapes == [s for s in [(4,), (2, 3), (3, 4)] if s in shapes]


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(
    ("op", "roles"),
    [
        (functional.conv2d, ["image", "kernel", "map"]),
        (functional.conv_transpose2d, ["map", "kernel", "image"]),
    ],
)
def test_a_convolution_says_how_its_window_moves(groups, op, roles):
    image, kernel = torch.ones(1, 4, 8, 8), torch.ones(4, 4 // groups, 3, 3, requires_grad=True)
    made = op(image, kernel, stride=2, padding=(1, 0), groups=groups)
    trace = adapter.step(made.sum(), {"kernel": kernel}).trace
    (node,) = [each for each in trace.nodes if each.op == "convolution"]
    told = {each.name: json.loads(each.json) for each in node.attributes}
    assert told["windows"] == [[2, 1, 1], [2, 0, 1]]
    assert told["roles"] == roles


def of_layer():
    model = nn.Linear(3, 2)
    return model, dict(model.named_parameters())


def square(x):
    return (x.sin() ** 2).sum()


def written_in_place(x):
    y = x * 1.0
    y[0] = y[1] * 2.0
    return y.sum()


WITHOUT_NUMBERS = {
    "grad": lambda x: torch.func.grad(square)(x),
    "grad of what is written in place": lambda x: torch.func.grad(written_in_place)(x),
    "jacrev": lambda x: torch.func.jacrev(torch.sin)(x),
    "jacfwd": lambda x: torch.func.jacfwd(torch.sin)(x),
    "hessian": lambda x: torch.func.hessian(square)(x),
    "vjp": lambda x: torch.func.vjp(square, x)[1](torch.tensor(1.0, dtype=torch.float64)),
    "vmap": lambda x: torch.vmap(torch.func.grad(lambda y: y.sin()))(x),
    "meta": lambda x: nn.Linear(3, 1, device="meta")(torch.ones(2, 3, device="meta")).shape,
    "trace": lambda x: torch.jit.trace(torch.nn.Tanh(), torch.ones(2))(torch.ones(2)),
    "export": lambda x: len(torch.export.export(nn.Linear(3, 1), (torch.ones(2, 3),)).graph.nodes),
    "float8": lambda x: x.to(torch.float8_e4m3fn).float(),
}


@pytest.mark.parametrize("name", list(WITHOUT_NUMBERS))
def test_what_has_no_numbers_to_note_runs_as_without_a_recording(name):
    program, x = WITHOUT_NUMBERS[name], leaf(3)
    expected = program(x)
    with adapter.recording():
        found = program(x)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


def test_a_functional_call_s_gradients_are_those_without_a_recording():
    model, parameters = of_layer()

    def loss(given):
        return torch.func.functional_call(model, given, (torch.ones(4, 3),)).square().sum()

    expected = torch.func.grad(loss)(parameters)
    with adapter.recording():
        found = torch.func.grad(loss)(parameters)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_roundings_are_no_hook(dtype):
    torch.manual_seed(0)
    w, x = torch.randn(6, 6, dtype=dtype, requires_grad=True), torch.randn(5, 6, dtype=dtype)
    h = x @ w
    y = (h * h).sum() + (h * 3).sum() + h.tanh().sum() + (h.sigmoid() * h).sum()
    assert adapter.step(y, {"w": w}).trace.notes == ()


def test_a_hook_in_bfloat16_is_said():
    x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    y = x * 2.0
    y.register_hook(lambda g: 1.2 * g)
    (note,) = adapter.step(y.sum(), x).trace.notes
    assert note.startswith("A hook on `y` makes [1.203, 1.203] of")


def test_dtypes_are_pytorch_s():
    x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    nodes = adapter.step((x * 2.0).double().sum(), x).trace.nodes
    ops = [node.dtype for node in nodes if node.kind == "op"]
    assert ops == ["bfloat16", "float64", "float64"]


def test_a_target_that_is_itself_a_source_has_the_gradient_one():
    (x,) = numbers(3.0)
    y = x * 2.0
    for target, sources in [(x, [x]), (y, [y]), (y, [x, y])]:
        trace = adapter.step(target, sources).trace
        own = torch.autograd.grad(target, sources, retain_graph=True)
        assert [whole(trace.gradients[n]) for n in trace.sources] == [float(g) for g in own]
        assert trace.notes == ()


def test_two_leaves_that_share_memory_are_two_sources():
    x = leaf(3)
    z = x.detach().requires_grad_()
    trace = adapter.step((x * x * z).sum(), [x, z]).trace
    for node, expected in zip(trace.sources, [2 * x * z, x * x], strict=True):
        np.testing.assert_allclose(whole(trace.gradients[node]), expected.detach().numpy())


def test_what_a_reentrant_checkpoint_hides_is_not_called_detached():
    model, parameters = of_layer()
    x = torch.ones(2, 3, requires_grad=True)
    y = checkpoint(model, x, use_reentrant=True).sum()
    notes = adapter.step(y, parameters).trace.notes
    assert all("use_reentrant=False" in note for note in notes)
    y.backward()
    assert len(notes) == 2
    assert all(each.grad is not None for each in parameters.values())
