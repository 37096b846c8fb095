"""PyTorch's layers, ops and models: gradients beside its own, a page, its random state alone."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (see .ci/run)")

from torch import nn  # noqa: E402
from torch_tables import LAYERS, NOT_TRIED, OPS, WITH_MORE  # noqa: E402

import minitape.viz.adapters.torch as adapter  # noqa: E402
from minitape.viz.player.page import page  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def check(program, sources):
    """Play a program, and compare every gradient with PyTorch's own of a run of its own."""
    torch.manual_seed(1)
    own = torch.autograd.grad(program(), list(sources.values()), allow_unused=True)
    state = torch.get_rng_state()
    torch.manual_seed(1)
    with adapter.recording():
        target = program()
    assert torch.equal(torch.get_rng_state(), state)
    player = adapter.step(target, sources)
    assert torch.equal(torch.get_rng_state(), state)
    for (name, found), expected in zip(player.gradients.items(), own, strict=True):
        if expected is None:
            assert found is None, name
            continue
        expected = expected.to_dense() if expected.is_sparse else expected
        expected, found = expected.detach().float().numpy(), np.asarray(found)
        bound = 1e-6 * np.abs(expected).max(initial=1e-30)
        np.testing.assert_allclose(found, expected, rtol=0, atol=bound, err_msg=name)
    assert not any("hook" in note for note in player.trace.notes)
    assert "<script" in page(player.trace)


def of_layer(layer, run, shape):
    """A loss of what a layer gives, and its sources."""
    x = torch.randn(shape, requires_grad=True)

    def loss():
        out = run(layer, x)
        out = out[0] if isinstance(out, tuple) else out
        return (out * torch.linspace(0.5, 1.5, out.numel()).reshape(out.shape)).square().mean()

    loss()  # a lazy layer has its parameters after the first call
    return loss, {"x": x, **dict(layer.named_parameters())}


def of_op(name):
    x, y, v = (torch.randn(*shape, requires_grad=True) for shape in [(3, 3), (3, 3), (3,)])

    def loss():
        out = OPS[name](x, y, v)
        return (out * torch.linspace(0.5, 1.5, out.numel()).reshape(out.shape)).square().sum()

    return loss, {"x": x, "y": y, "v": v}


def programs():
    """All that the tables have: a name, what makes a loss, its sources."""
    torch.manual_seed(0)
    for name, (arguments, shape) in LAYERS.items():
        layer = getattr(nn, name)(*arguments)
        yield name, *of_layer(layer, lambda layer, x: layer(x), shape)
    for name, (kind, arguments, run) in WITH_MORE.items():
        yield name, *of_layer(kind(*arguments), run, (3, 4))
    for name in OPS:
        yield f"op {name}", *of_op(name)


@pytest.mark.parametrize("name", list(LAYERS))
def test_a_layer(name):
    torch.manual_seed(0)
    arguments, shape = LAYERS[name]
    check(*of_layer(getattr(nn, name)(*arguments), lambda layer, x: layer(x), shape))


@pytest.mark.parametrize("name", list(WITH_MORE))
def test_a_layer_that_takes_more(name):
    torch.manual_seed(0)
    kind, arguments, run = WITH_MORE[name]
    check(*of_layer(kind(*arguments), run, (3, 4)))


def test_no_layer_is_left_out():
    layers = {n for n, v in vars(nn).items() if isinstance(v, type) and issubclass(v, nn.Module)}
    assert layers - {*LAYERS, *WITH_MORE} - NOT_TRIED == set()


@pytest.mark.parametrize("name", list(OPS))
def test_an_op(name):
    torch.manual_seed(0)
    check(*of_op(name))


def models():
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    small = {"vocab_size": 17, "max_position_embeddings": 16}
    of_bert = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    of_bert["intermediate_size"] = 16
    return {
        "GPT-2": lambda: transformers.GPT2LMHeadModel(
            transformers.GPT2Config(vocab_size=17, n_positions=16, n_embd=8, n_layer=2, n_head=2)
        ),
        "BERT": lambda: transformers.BertForMaskedLM(transformers.BertConfig(**of_bert, **small)),
        "Llama": lambda: transformers.LlamaForCausalLM(
            transformers.LlamaConfig(**of_bert, **small, num_key_value_heads=1)
        ),
    }


@pytest.mark.parametrize("name", ["GPT-2", "BERT", "Llama"])
def test_a_model_of_transformers(name):
    make = models()[name]
    torch.manual_seed(0)
    model = make()
    words = torch.tensor([[3, 1, 4, 1, 5]])
    check(lambda: model(input_ids=words, labels=words).loss, dict(model.named_parameters()))
