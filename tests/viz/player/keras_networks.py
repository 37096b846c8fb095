"""Random networks of nested Keras layers: the same seed gives the same network.

Every layer keeps the shape [2, 4, 4] of its input, so that any layer may stand in any other.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import minitape as tf
from minitape import viz

layers = tf.keras.layers
BATCH, TIME, WIDTH, WORDS = 2, 4, 4, 9
DEPTH = 2  # how deep blocks lie in blocks


class Attention(layers.Layer):
    """Self-attention of one head or two, with its projections in a dictionary."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.heads = rng.choice([1, 2])
        self.project = {name: layers.Dense(WIDTH, use_bias=rng.random() < 0.5) for name in "qkvo"}

    def call(self, x: Any) -> Any:
        size = WIDTH // self.heads
        q, k, v = (
            tf.transpose(
                tf.reshape(self.project[name](x), [BATCH, TIME, self.heads, size]), [0, 2, 1, 3]
            )
            for name in "qkv"
        )
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / size**0.5)
        joined = tf.reshape(tf.transpose(weights @ v, [0, 2, 1, 3]), [BATCH, TIME, WIDTH])
        return self.project["o"](joined)


class Experts(layers.Layer):
    """A list of layers that are weighed by another one."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.experts = [
            layers.Dense(WIDTH, activation=rng.choice(["relu", None])) for _ in range(2)
        ]
        self.gate = layers.Dense(2, activation="softmax")

    def call(self, x: Any) -> Any:
        shares = self.gate(x)
        return sum(each(x) * shares[..., i : i + 1] for i, each in enumerate(self.experts))


class Raw(layers.Layer):
    """Weights of its own, in no layer; one of them may never be used."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.scale = self.add_weight(shape=(WIDTH,), initializer="ones", name="scale")
        self.mix = self.add_weight(shape=(WIDTH, WIDTH), initializer="orthogonal", name="mix")
        self.spare = self.add_weight(shape=(3,), name="spare") if rng.random() < 0.5 else None
        self.loose = tf.Variable([0.1] * WIDTH) if rng.random() < 0.5 else None

    def call(self, x: Any) -> Any:
        out = tf.einsum("btw,wv->btv", x * self.scale, self.mix)
        return out if self.loose is None else out + self.loose


class Picture(layers.Layer):
    """Convolution over the sequence as if it were an image, with a pool."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.conv = layers.Conv2D(2, 3, padding="same", activation="relu")
        self.pool = rng.choice([layers.MaxPooling2D(2), layers.AveragePooling2D(2)])
        self.back = layers.Dense(TIME * WIDTH)
        self.flat = layers.Flatten()

    def call(self, x: Any) -> Any:
        small = self.pool(self.conv(x[..., None]))
        return tf.reshape(self.back(self.flat(small)), [BATCH, TIME, WIDTH])


class Tied(layers.Layer):
    """One layer used three times, and perhaps a sibling that has another name for it."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.shared = layers.Dense(WIDTH, activation="tanh")
        self.again = self.shared if rng.random() < 0.5 else layers.Dense(WIDTH)

    def call(self, x: Any) -> Any:
        return self.again(self.shared(self.shared(x))) + self.shared(x)


def recurrent(rng: random.Random) -> Any:
    kind = rng.choice([layers.SimpleRNN, layers.LSTM, layers.GRU])
    if rng.random() < 0.25:
        half = kind(WIDTH // 2, return_sequences=True)
        return layers.Bidirectional(half)
    return kind(WIDTH, return_sequences=True)


def stacked(rng: random.Random) -> Any:
    return tf.keras.Sequential([layers.Dense(5, activation="relu"), layers.Dense(WIDTH)])


SMALL: tuple[Callable[[random.Random], Any], ...] = (
    lambda rng: layers.Dense(WIDTH, activation=rng.choice([None, "relu", "sigmoid", "gelu"])),
    lambda rng: layers.LayerNormalization(),
    lambda rng: layers.BatchNormalization(),
    lambda rng: layers.Conv1D(WIDTH, rng.choice([1, 3]), padding="same"),
    lambda rng: layers.TimeDistributed(layers.Dense(WIDTH)),
    lambda rng: layers.PReLU(),
    lambda rng: layers.Dropout(0.25),
    recurrent, stacked, Attention, Experts, Raw, Picture, Tied,
)  # fmt: skip


class Block(layers.Layer):
    """Layers and blocks in an order, joined with the input in one of several ways."""

    def __init__(self, rng: random.Random, depth: int, spare: bool) -> None:
        super().__init__()
        self.join = rng.choice(["last", "residual", "gate", "twice", "concat", "layers"])
        parts = [
            Block(rng, depth - 1, spare) if depth and rng.random() < 0.4 else rng.choice(SMALL)(rng)
            for _ in range(rng.randint(1, 2))
        ]
        # Layers are found in lists, in dictionaries, and in what lies in those.
        self.held = rng.choice(
            [parts, {"first": parts[0], "rest": parts[1:]}, [[each] for each in parts]]
        )
        self.parts_of = lambda: parts
        if self.join == "concat":
            self.narrow = layers.Dense(WIDTH)
        if self.join == "layers":
            self.both = rng.choice([layers.Add, layers.Multiply, layers.Average, layers.Maximum])()
        if spare and rng.random() < 0.7:
            self.unused = {"one": layers.Dense(3), "inside": [layers.Embedding(5, 2)]}
            self.unused["one"].build((None, WIDTH))
            self.unused["inside"][0].build((None,))

    def call(self, x: Any) -> Any:
        h = x
        for part in self.parts_of():
            h = part(h)
        if self.join == "residual":
            return x + h
        if self.join == "gate":
            return x * tf.sigmoid(h)
        if self.join == "twice":
            return h + self.parts_of()[0](x)
        if self.join == "concat":
            return self.narrow(tf.concat([x, h], axis=-1))
        return self.both([x, h]) if self.join == "layers" else h


class Network(tf.keras.Model):
    """Embeddings, blocks, and a head of one of several kinds."""

    def __init__(self, rng: random.Random, spare: bool) -> None:
        super().__init__()
        self.tables = {"word": layers.Embedding(WORDS, WIDTH)}
        if rng.random() < 0.7:
            self.tables["place"] = layers.Embedding(TIME, WIDTH)
        self.blocks = [Block(rng, rng.randint(0, DEPTH), spare) for _ in range(rng.randint(1, 2))]
        self.head = layers.Dense(3) if rng.random() < 0.7 else None
        if spare:
            self.never = layers.Embedding(WORDS, 2)
            self.never.build((None,))

    def call(self, words: Any) -> Any:
        x = self.tables["word"](words)
        if "place" in self.tables:
            x = x + self.tables["place"](tf.range(TIME)[None])
        for block in self.blocks:
            x = block(x)
        if self.head is None:  # the table of the words is the head, too
            return tf.matmul(x, self.tables["word"].embeddings, transpose_b=True)
        return self.head(tf.reduce_mean(x, axis=1))


def drawn(seed: int) -> viz.Player:
    """Give the player of a random network; those of odd seeds have layers that nothing uses."""
    rng = random.Random(seed)
    tf.random.set_seed(seed)
    network = Network(rng, spare=seed % 2 == 1)
    words = tf.constant([[rng.randrange(WORDS) for _ in range(TIME)] for _ in range(BATCH)])
    network(words)
    with viz.recording(), tf.GradientTape() as tape:
        scores = network(words, training=rng.random() < 0.5)
        if len(scores.shape) == 3 or rng.random() < 0.5:
            loss = tf.reduce_mean(tf.square(scores))
        else:
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant([0, 2]), scores)
            )
    return viz.step(tape, loss, network.trainable_variables)
