# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The same backward pass in four frameworks
#
# A small network, written four times: with minitape, PyTorch, JAX and TensorFlow. The frameworks differ
# in how they learn what to differentiate: PyTorch keeps a function at every result, JAX traces your
# function into a program, TensorFlow and minitape record a tape. **Do they do the same on the way back?**
#
# You need none of the other frameworks here: where one is not installed, the trace that it wrote is read
# from a file. A trace is plain data, and the player plays it, whoever wrote it.

# %%
from pathlib import Path

import minitape as tf
from minitape import viz

X = [[0.5, -1.0, 2.0], [1.5, 0.0, -0.5], [-1.0, 1.0, 0.25], [2.0, -0.5, 1.0]]
W = [[0.1, -0.4, 0.7, 0.2], [0.3, 0.5, -0.6, -0.1], [-0.2, 0.8, 0.4, 0.6]]
V = [[0.9], [-0.3], [0.5], [-0.8]]


# %% [markdown]
# ## minitape
#
# The loss is the mean square of `tanh(x @ w) @ v`.


# %%
def in_minitape():
    x, w, v = tf.constant(X), tf.Variable(W), tf.Variable(V)
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.tanh(x @ w)
        loss = tf.reduce_mean((h @ v) ** 2)
    return viz.step(tape, loss, [w, v])


mine = in_minitape()
mine

# %% [markdown]
# ## The others
#
# Each adapter is imported by name; it needs its framework and nothing else.


# %%
def in_torch():
    import torch

    from minitape.viz.adapters import torch as player

    w, v = torch.tensor(W, requires_grad=True), torch.tensor(V, requires_grad=True)
    with player.recording():
        h = torch.tanh(torch.tensor(X) @ w)
        loss = ((h @ v) ** 2).mean()
    return player.step(loss, {"w": w, "v": v}).trace


# %%
def in_jax():
    import jax.numpy as jnp

    from minitape.viz.adapters import jax as player

    def loss(w, v):
        h = jnp.tanh(jnp.array(X) @ w)
        return jnp.mean((h @ v) ** 2)

    return player.step(loss, jnp.array(W), jnp.array(V)).trace


# %%
def in_tensorflow():
    import tensorflow

    from minitape.viz.adapters import tensorflow as player

    def loss(w, v):
        h = tensorflow.tanh(tensorflow.constant(X) @ w)
        return tensorflow.reduce_mean((h @ v) ** 2)

    return player.step(loss, tensorflow.constant(W), tensorflow.constant(V)).trace


# %%
def trace_of(framework, run):
    try:
        return run()
    except ImportError:
        return viz.Trace.load(Path("traces") / f"{framework}.json")


others = {"torch": in_torch, "jax": in_jax, "tensorflow": in_tensorflow}
traces = {framework: trace_of(framework, run) for framework, run in others.items()}

# %% [markdown]
# ## Side by side
#
# `viz.beside` pairs the tensors of two traces by their values and names, and compares what both know: the
# values on the way forward, and what has arrived at each tensor on the way back.

# %%
for framework, trace in traces.items():
    print(f"{framework}: {viz.beside(mine, trace).words}")

# %% [markdown]
# Step through both: where one takes several steps for what is a single one in the other, the other waits.

# %%
viz.beside(mine, traces["torch"], title="minitape and PyTorch")

# %% [markdown]
# Now look at the names on the timeline of the others. The multiplication of matrices is `matmul`, `mm`,
# `dot_general` or `MatMul`; the square is a power or a product. The numbers on the way back are the same,
# because the chain rule is the same.
#
# **Yours?** `viz.adapters.own` plays an engine that you wrote yourself, and says at which step it first
# differs: see [docs/ADAPTERS.md](../../docs/ADAPTERS.md).
