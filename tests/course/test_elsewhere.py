"""The tables *here / PyTorch / JAX* at the ends of lessons: each row is an assertion.

Those about a library run where it is installed, and those about minitape everywhere.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import minitape as tf

FOLDER = Path(__file__).parents[2] / "tutorials"
WITH_A_TABLE = [
    path.stem
    for path in sorted(FOLDER.glob("[0-9]*.py"))
    if "## The same elsewhere" in path.read_text("utf-8")
]


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture
def jax():
    return pytest.importorskip("jax", reason="JAX is not installed")


@pytest.mark.parametrize("lesson", WITH_A_TABLE)
def test_a_table_has_three_columns_and_stands_on_a_slide(lesson):
    text = (FOLDER / f"{lesson}.py").read_text("utf-8")
    marker, table = re.findall(
        r"^(# %%.*)\n# ## The same elsewhere\n(.*?)^# %%", text, re.M | re.S
    )[0]
    rows = [line for line in table.splitlines() if line.startswith("# |")]
    assert len(rows) >= 4
    assert all(len(re.split(r"(?<!\\)\|", row)) == 5 for row in rows)
    assert "| PyTorch | JAX |" in marker  # on the slide


# Lesson 1


def test_here_each_gradient_is_new_and_a_tie_goes_to_the_first():
    x, w = tf.Variable(3.0), tf.Variable(3.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x * x
        assert float(tape.gradient(y, x)) == 6
    with tf.GradientTape() as tape:
        y = tf.maximum(x, w)
    assert [float(each) for each in tape.gradient(y, [x, w])] == [1, 0]


def test_pytorch_adds_to_what_is_there_and_halves_a_tie(torch):
    x = torch.tensor(3.0, requires_grad=True)
    (x * x).backward()
    assert x.grad == 6
    (x * x).backward()
    assert x.grad == 12
    torch.optim.SGD([x], lr=0.1).zero_grad()
    assert x.grad is None
    u, w = (torch.tensor(3.0, requires_grad=True) for _ in range(2))
    torch.maximum(u, w).backward()
    assert u.grad == w.grad == 0.5


def test_jax_differentiates_a_function_and_halves_a_tie(jax):
    assert jax.grad(lambda x: x * x)(3.0) == 6
    a, b = jax.grad(jax.numpy.maximum, (0, 1))(3.0, 3.0)
    assert a == b == 0.5


# Lesson 13: convolution

IMAGE = np.arange(25.0).reshape(1, 5, 5, 1) % 7
KERNEL = np.arange(9.0).reshape(3, 3, 1, 1) - 4


def convolved_here():
    """The feature map, the gradient of the image and the largest of the map, by minitape."""
    image = tf.constant(IMAGE)
    with tf.GradientTape() as tape:
        tape.watch(image)
        out = tf.nn.conv2d(image, tf.constant(KERNEL), 1, "VALID")
    return out.numpy(), tape.gradient(out, image).numpy(), tf.reduce_max(out, [1, 2]).numpy()


def test_here_images_have_their_channels_last():
    out, back, _ = convolved_here()
    assert out.shape == (1, 3, 3, 1)
    by_hand = [[(IMAGE[0, i : i + 3, j : j + 3, 0] * KERNEL[:, :, 0, 0]).sum() for j in range(3)]
               for i in range(3)]  # fmt: skip
    np.testing.assert_allclose(out[0, :, :, 0], by_hand)
    assert back.shape == IMAGE.shape


def test_pytorch_has_channels_first_and_kernels_with_outputs_first(torch):
    out, back, largest = convolved_here()
    image = torch.tensor(IMAGE.transpose(0, 3, 1, 2), requires_grad=True)
    kernel = torch.tensor(KERNEL.transpose(3, 2, 0, 1))
    made = torch.nn.functional.conv2d(image, kernel)
    np.testing.assert_allclose(made.detach().numpy()[:, 0], out[..., 0])
    made.sum().backward()
    spread = torch.nn.functional.conv_transpose2d(torch.ones_like(made), kernel)
    np.testing.assert_allclose(image.grad.numpy()[:, 0], back[..., 0])
    np.testing.assert_allclose(spread.detach().numpy()[:, 0], back[..., 0])
    np.testing.assert_allclose(torch.amax(made, (2, 3)).detach().numpy(), largest)
    assert torch.nn.Conv2d(3, 8, 5).weight.shape == (8, 3, 5, 5)


def test_jax_is_told_where_the_channels_are(jax):
    out, back, largest = convolved_here()
    names = ("NHWC", "HWIO", "NHWC")
    kernel = KERNEL.astype(np.float32)

    def convolve(image):
        return jax.lax.conv_general_dilated(image, kernel, (1, 1), "VALID", dimension_numbers=names)

    made, pull = jax.vjp(convolve, IMAGE.astype(np.float32))
    np.testing.assert_allclose(made, out, rtol=1e-5)
    (spread,) = pull(jax.numpy.ones_like(made))
    np.testing.assert_allclose(spread, back, rtol=1e-5)
    turned = jax.lax.conv_transpose(
        jax.numpy.ones_like(made), kernel, (1, 1), "VALID", dimension_numbers=names,
        transpose_kernel=True,
    )  # fmt: skip
    np.testing.assert_allclose(turned, back, rtol=1e-5)
    np.testing.assert_allclose(made.max((1, 2)), largest, rtol=1e-5)


# Lesson 14: dual numbers


def test_here_forward_mode_is_an_accumulator():
    v = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0])) as pushed:
        y = tf.reduce_sum(v**3)
    assert float(pushed.jvp(y)) == 3
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
    pulled = tape.gradient(y, v, output_gradients=tf.constant([1.0, 10.0]))
    np.testing.assert_allclose(pulled.numpy(), [2.0, 40.0])


def test_pytorch_has_jvp_vjp_and_the_jacobians(torch):
    from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

    def f(v):
        return (v**3).sum()

    v, one = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
    assert jvp(f, (v,), (one,))[1] == 3
    assert torch.equal(vjp(f, v)[1](torch.tensor(1.0))[0], torch.tensor([3.0, 12.0]))
    assert torch.equal(jacfwd(torch.square)(v), jacrev(torch.square)(v))
    assert torch.allclose(hessian(f)(v), torch.diag(6 * v))
    assert torch.allclose(jvp(grad(f), (v,), (one,))[1], 6 * v * one)
    assert vmap(grad(lambda x: x * x))(v).shape == (2,)
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="scalar outputs"):
        (w * 2).backward()


def test_jax_has_the_same_names(jax):
    jnp = jax.numpy

    def f(v):
        return (v**3).sum()

    v, one = jnp.array([1.0, 2.0]), jnp.array([1.0, 0.0])
    assert jax.jvp(f, (v,), (one,))[1] == 3
    assert jnp.allclose(jax.vjp(f, v)[1](1.0)[0], jnp.array([3.0, 12.0]))
    assert jnp.allclose(jax.jacfwd(jnp.square)(v), jax.jacrev(jnp.square)(v))
    assert jnp.allclose(jax.hessian(f)(v), jnp.diag(6 * v))
    assert jnp.allclose(jax.jvp(jax.grad(f), (v,), (one,))[1], 6 * v * one)
    assert jax.vmap(jax.grad(lambda x: x * x))(v).shape == (2,)


# Lesson 15: expectations


def test_here_noise_of_numpy_has_no_path_and_the_mean_has_one():
    mu, noise = tf.Variable(0.0), np.linspace(-1.0, 1.0, 5).astype(np.float32)
    with tf.GradientTape(persistent=True) as tape:
        x = mu + noise
        y = tf.reduce_mean(x)
        drawn = tf.constant(noise)
    assert float(tape.gradient(y, mu)) == 1
    assert tape.gradient(drawn, mu) is None


def test_pytorch_draws_with_a_path_and_without_and_knows_log_p(torch):
    mu = torch.tensor(0.5, requires_grad=True)
    law = torch.distributions.Normal(mu, 2.0)
    assert law.rsample().requires_grad and not law.sample().requires_grad
    law.log_prob(torch.tensor(2.5)).backward()
    assert mu.grad == pytest.approx((2.5 - 0.5) / 4)


def test_jax_draws_by_a_key_and_knows_log_p(jax):
    key = jax.random.key(0)
    assert jax.grad(lambda mu: mu + 2.0 * jax.random.normal(key))(0.5) == 1
    log_p = jax.scipy.stats.norm.logpdf
    assert jax.grad(lambda mu: log_p(2.5, mu, 2.0))(0.5) == pytest.approx((2.5 - 0.5) / 4)


# Lesson 16: recurrence


def test_here_a_layer_takes_the_batch_first_and_a_gradient_is_clipped_as_a_whole():
    assert tf.keras.layers.LSTM(16)(tf.ones([2, 5, 1])).shape == (2, 16)
    clipped, length = tf.clip_by_global_norm([tf.constant([30.0]), tf.constant([40.0])], 1.0)
    np.testing.assert_allclose([each.numpy()[0] for each in clipped], [0.6, 0.8], rtol=1e-6)
    assert float(length) == 50
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * tf.stop_gradient(x)
    assert float(tape.gradient(y, x)) == 3


def test_pytorch_takes_time_first_detaches_a_state_and_clips_in_place(torch):
    for kind in (torch.nn.RNN, torch.nn.LSTM):
        assert kind(1, 16)(torch.ones(5, 2, 1))[0].shape == (5, 2, 16)  # time, batch, features
        _, last = kind(1, 16)(torch.ones(5, 2, 1))
        assert (last if kind is torch.nn.RNN else last[0]).shape == (1, 2, 16)
        _, last = kind(1, 16, batch_first=True)(torch.ones(2, 5, 1))
        assert (last if kind is torch.nn.RNN else last[0]).shape == (1, 2, 16)
    x = torch.tensor(3.0, requires_grad=True)
    (x * x.detach()).backward()
    assert x.grad == 3
    w = [torch.zeros(1, requires_grad=True) for _ in range(2)]
    for each, gradient in zip(w, (30.0, 40.0), strict=True):
        each.grad = torch.tensor([gradient])
    assert torch.nn.utils.clip_grad_norm_(w, 1.0) == 50
    np.testing.assert_allclose([each.grad[0] for each in w], [0.6, 0.8], rtol=1e-5)


def test_jax_scans_along_the_first_axis_and_stops_a_gradient(jax):
    def last(w, xs):
        return jax.lax.scan(lambda h, x: (w * h + x, None), 0.0, xs)[0]

    xs = jax.numpy.array([1.0, 3.0, 2.0])
    assert jax.grad(last)(2.0, xs) == 7  # as in exercise 1, on paper 2 w x1 + x2
    assert jax.grad(lambda x: x * jax.lax.stop_gradient(x))(3.0) == 3


# Lesson 17: from gradient to step

GIVEN = (3.0, -1.0, 2.5)  # gradients


def stepped_here(optimizer) -> float:
    """Where a weight is after a step for each of the gradients, from 1."""
    w = tf.Variable(1.0)
    for each in GIVEN:
        optimizer.apply_gradients([(tf.constant(each), w)])
    return float(w)


def stepped_by_pytorch(torch, make) -> float:
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = make([w])
    for each in GIVEN:
        w.grad = torch.tensor(each)
        optimizer.step()
    return float(w.detach())


def test_here_momentum_adam_and_decay_are_the_formulas():
    k = tf.keras.optimizers
    w, m = 1.0, 0.0
    for each in GIVEN:
        m = 0.9 * m + each
        w -= 0.1 * m
    assert stepped_here(k.SGD(0.1, momentum=0.9)) == pytest.approx(w, rel=1e-6)
    assert (k.Adam(0.1).epsilon, k.AdamW(0.1).weight_decay) == (1e-7, 0.004)
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(v**3)
        gradient = inner.gradient(y, v)
    np.testing.assert_allclose(outer.jacobian(gradient, v).numpy(), [[6.0, 0.0], [0.0, 12.0]])


def test_pytorch_takes_the_same_steps_with_another_epsilon_and_another_decay(torch):
    k, optim = tf.keras.optimizers, torch.optim
    theirs = stepped_by_pytorch(torch, lambda w: optim.SGD(w, lr=0.1, momentum=0.9))
    assert theirs == pytest.approx(stepped_here(k.SGD(0.1, momentum=0.9)), rel=1e-6)
    theirs = stepped_by_pytorch(torch, lambda w: optim.Adam(w, lr=0.1))
    assert theirs == pytest.approx(stepped_here(k.Adam(0.1)), rel=1e-5)
    w = [torch.zeros(1, requires_grad=True)]
    assert optim.Adam(w).defaults["eps"] == 1e-8
    assert optim.AdamW(w).defaults["weight_decay"] == 0.01
    found = torch.func.hessian(lambda v: (v**3).sum())(torch.tensor([1.0, 2.0]))
    assert torch.allclose(found, torch.tensor([[6.0, 0.0], [0.0, 12.0]]))


def test_pytorch_scales_a_loss(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    scaler.scale(w * 3.0).backward()
    assert w.grad == 3072
    scaler.step(optimizer)  # which divides first
    assert float(w.detach()) == pytest.approx(1 - 0.1 * 3)


def test_jax_has_momentum_and_adam_among_its_examples_and_scales_by_hand(jax):
    from jax.example_libraries import optimizers

    k = tf.keras.optimizers
    for (begin, update, weights), ours in [
        (optimizers.momentum(0.1, 0.9), k.SGD(0.1, momentum=0.9)),
        (optimizers.adam(0.1), k.Adam(0.1)),
    ]:
        there = begin(1.0)
        for step, each in enumerate(GIVEN):
            there = update(step, each, there)
        assert float(weights(there)) == pytest.approx(stepped_here(ours), rel=1e-5)
    assert inspect.signature(optimizers.adam).parameters["eps"].default == 1e-8
    found = jax.hessian(lambda v: (v**3).sum())(jax.numpy.array([1.0, 2.0]))
    np.testing.assert_allclose(found, [[6.0, 0.0], [0.0, 12.0]])
    half = jax.numpy.float16(1e-4)

    def loss(w, scale):
        return w * w * jax.numpy.float16(1e-4) * jax.numpy.float16(scale)

    assert jax.grad(loss)(half, 1) == 0
    assert float(jax.grad(loss)(half, 1024)) / 1024 == pytest.approx(2e-8, rel=0.01)
