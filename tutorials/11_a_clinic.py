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

# %% [markdown] slide="Ten networks in the waiting room, all of them ill. One of them has the *best* test accuracy of all.\n\n**Which one is that, and what is wrong with it?**" notes="2 minutes. One sheet of paper for each student, with the numbers 1 to 10 down the side. They write a diagnosis before each fold is opened."
# # 11. My network does not learn: a clinic
#
# Ten networks sit in the waiting room. All of them are ill. Some stand still, one says `nan`,
# some only seem slow. And one has the best test accuracy of all. Which one is that, and what is wrong with
# it? In this lesson you go from a symptom to its cause with a number or a tool, not by trying. You need lessons 1, 4
# and 5, and of lesson 2 what a Jacobian is. The lesson takes 50 minutes; the exercises are homework, and so are patients 9 and 10.
#
# You type no code today. Run each cell, and write your diagnosis on paper before you open an answer.
#
# Afterwards you can
#
# - name the numbers that a healthy training run has,
# - go from each of ten symptoms to its cause, with a number or a tool,
# - say which mistakes no tool for derivatives can find.

# %% tags=["setup"]
from collections.abc import Callable
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz

viz.figures()

# %% [markdown] slide="## The healthy one\n\n64-32-10 with relu, rate 0.5. Whoever knows nothing has a loss of $\\log 10 = 2.303$." notes="The ward is a folded cell. Ask the class not to open it: the causes are in it. If a part is typed, then the cell after it."
# ## The healthy one
#
# First we must know what health looks like. The task is that of lesson 5: digits of 8 × 8 pixels. The network
# has 64 inputs, 32 relu units and 10 scores; the rate is 0.5, a batch has 64 images, and it takes 300 steps.
# The next cell has the network, the way it is trained, and the ward with nine of the patients.
# **Its code is folded, for the causes stand in it: run it unread, and open it after the last patient.** We visit the
# patients in the order of their numbers, those with like curves together.


# %% tags=["setup", "folded"]
class Patient(NamedTuple):
    """A network and its training; the healthy one has these values."""

    scale: float = 1.0
    spread: tuple = (0.18, 0.25)
    bias: float = 0.0
    layers: Callable | None = None
    loss: Callable | None = None
    activation: Callable = tf.nn.relu
    rate: float = 0.5
    copied: bool = False
    still: int = 0  # so many of the variables, from the first on, never change

    def weights(self):
        draw = np.random.default_rng(2)
        first, second = (draw.normal(size=size) for size in [(64, 32), (32, 10)])
        parts = [first * self.spread[0], np.full(32, self.bias), second * self.spread[1]]
        return [tf.Variable(part) for part in [*parts, np.zeros(10)]]

    def scores(self, v, x):
        hidden = self.activation(x @ v[0] + v[1])
        return (self.layers(hidden) if self.layers else hidden) @ v[2] + v[3]

    def error(self, scores, y):
        return (self.loss or cross_entropy)(scores, y)


def cross_entropy(scores, y):
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=scores)
    return tf.reduce_mean(each)


with np.load("data/digits.npz", allow_pickle=False) as data:
    order = np.random.default_rng(1).permutation(1797)
    images = data["images"][order].reshape(-1, 64) / 16.0
    labels = data["labels"][order].astype(np.int64)


class Chart(NamedTuple):
    """What was measured during 300 steps."""

    losses: np.ndarray
    lengths: np.ndarray  # of the gradients of both kernels at each step
    moved: float  # the largest change of a weight of layer 1
    dead: list  # the share of dead units after each of the first steps, and at the end
    test: float  # accuracy on 500 new images at once
    alone: float  # accuracy when each of them is asked alone
    v: list  # the weights at the end


def trained(patient, targets=labels, steps=300):
    v, draw = patient.weights(), np.random.default_rng(3)
    updated = [tf.Variable(each) for each in v] if patient.copied else v
    begin, losses, lengths, dead = v[0].numpy(), [], [], []
    pixels = patient.scale * images
    for step in range(steps):
        chosen = draw.integers(0, 1297, 64)
        with tf.GradientTape() as tape:
            loss = patient.error(patient.scores(v, tf.constant(pixels[chosen])), targets[chosen])
        gradients = tape.gradient(loss, v)
        for variable, gradient in list(zip(updated, gradients, strict=True))[patient.still :]:
            variable.assign_sub(patient.rate * gradient)
        losses.append(float(loss))
        lengths.append([float(tf.norm(gradients[k])) for k in (0, 2)])
        if step < 4 or step == 299:
            dead.append(float(np.mean((pixels[:1297] @ v[0].numpy() + v[1].numpy() <= 0).all(0))))
    news = [patient.scores(v, tf.constant(pixels[1297:]))]
    news.append(
        np.concatenate(
            [patient.scores(v, tf.constant(pixels[k : k + 1])) for k in range(1297, 1797)]
        )
    )
    right = [float(np.mean(np.argmax(each, 1) == labels[1297:])) for each in news]
    moved = float(np.abs(v[0].numpy() - begin).max())
    return Chart(np.array(losses), np.array(lengths), moved, dead, *right, v)


def card(chart):
    """What everybody sees: the loss and the accuracy."""
    end = np.mean(chart.losses[-20:])
    return f"loss {chart.losses[0]:6.2f} at the start, {end:4.2f} at the end, test {100 * chart.test:.0f} %"


class Exam(NamedTuple):
    """One step of a patient, recorded for the tools."""

    tape: tf.GradientTape
    loss: tf.Tensor
    v: list
    x: tf.Tensor
    scores: tf.Tensor


def examined(patient, count=64, v=None):
    v = patient.weights() if v is None else v
    x = tf.constant(patient.scale * images[:count])
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        scores = patient.scores(v, x)
        loss = patient.error(scores, labels[:count])
    return Exam(tape, loss, v, x, scores)


def divided_again(scores, y):
    @tf.custom_gradient
    def entropy(s):
        wrong = (tf.nn.softmax(s) - tf.one_hot(y, 10, dtype=s.dtype)) / len(y) ** 2
        return cross_entropy(s, y), lambda g: g * wrong

    return entropy(scores)


def by_the_book(scores, y):
    powers = tf.exp(tf.cast(scores, tf.float32))
    p = powers / tf.reduce_sum(powers, 1, keepdims=True)
    return -tf.reduce_mean(tf.math.log(tf.gather(p, y, batch_dims=1)))


def centred(hidden):
    return hidden - tf.reduce_mean(hidden, axis=0, keepdims=True)


@tf.custom_gradient
def own_relu(x):
    return tf.nn.relu(x), lambda g: g * tf.cast(x < 0.0, x.dtype)


HEALTHY = Patient()
WARD = {
    1: Patient(scale=255.0),
    2: Patient(bias=-8.0),
    3: Patient(copied=True),
    4: Patient(rate=20.0),
    5: Patient(spread=(2.0, 0.25), loss=by_the_book),
    6: Patient(loss=divided_again),
    7: Patient(activation=own_relu),
    8: Patient(layers=centred),
    10: Patient(spread=(30.0, 0.25), activation=tf.sigmoid),
}

# %% tags=["given"]
# Given.
well = trained(HEALTHY)
print(card(well))
print(f"first gradients: layer 1 {well.lengths[0][0]:.2f}, layer 2 {well.lengths[0][1]:.2f}")
print(f"largest change of a weight of layer 1: {well.moved:.1f}")
print(f"units that no image ever wakes: {100 * well.dead[-1]:.0f} %")

# %% tags=["picture"] slide=""
viz.flow({"layer 1": list(well.lengths[:60, 0]), "layer 2": list(well.lengths[:60, 1])})

# %% [markdown]
# (Two of 32 units are dead even here, and it reads 97 of 100: a few do no harm.)
#
# Learn one number by heart. A network that knows nothing, and gives all ten classes the same
# probability, has the loss $\log 10 = 2.303$. A start far above that is a finding, and a loss that ends
# *at* it is another. (The healthy start is a little above: random scores are not quite equal.)

# %% [markdown] slide=""
# ## The waiting room
#
# Nine of the ten, each with the healthy one behind it, dashed. (Number 9 has another task.)

# %% tags=["given"] slide=""
# Given.
charts = {number: trained(patient) for number, patient in WARD.items()}

# %% tags=["picture"] alt="Nine small panels with the loss of patients over 300 steps, each with the healthy run as a dashed line that falls from 2.5 to 0.1. Patients 1, 2 and 3 stay at about 2.3; on the panel of 1 stands that it goes from 239 up to 58 million, above the picture. 4 jumps about above 2.3 and is cut off at 3.2; on its panel stands that it goes up to 2028. 5 has no line but the words 10.65, inf, nan. 6 falls slowly to 1.9 and 7 to about 1; 8 falls like the healthy one; 10 falls to 0.7."
figure, panels = plt.subplots(3, 3, figsize=(7.5, 4.2), sharex=True, sharey=True)
for panel, (number, chart) in zip(panels.flat, charts.items(), strict=True):
    panel.plot(well.losses, "--", color="gray", linewidth=1, label="healthy")
    panel.plot(np.where(chart.losses < 4, chart.losses, np.nan), "-")
    panel.set_title(f"patient {number}", fontsize=12)
    panel.set_ylim(0, 3.2)
    if not np.isfinite(chart.losses[-1]):
        panel.text(20, 1.0, "first losses:\n10.65, inf, nan", fontsize=12)
    elif chart.losses.max() > 100:
        begin, most = chart.losses[0], chart.losses.max()
        above = f"up to {most:.0f}" if most < 1e6 else f"up to {most / 1e6:.0f} million"
        above = f"from {begin:.0f}\n{above}" if begin > 100 else above
        panel.text(40, 0.7, f"{above} ↑", fontsize=12)
panels[0, 1].legend(loc="center", frameon=False)
panels[2, 1].set_xlabel("steps", fontsize=12)
panels[1, 0].set_ylabel("loss", fontsize=12)
plt.tight_layout()
plt.show()

# %%
with viz.predict(
    "One of the nine has a better test accuracy than the healthy network. Which one?",
    "Number 8. Is it ill at all? Wait for it.",
):
    for number, chart in charts.items():
        print(f"patient {number:2}: {card(chart)}")

# %% [markdown] slide="" notes="3 minutes each from here. Card, paper, fold. Those who try things at random should say what they expect before they run. If time is short leave out 3, then 6, and 8 never."
# ## Curves that stand still
#
# ### Patient 1
#
# The loss begins at 239, shoots up to 58 million, and before long stands at 2.30 for ever.

# %%
with viz.predict(
    "Loss 239 at the start, then 2.30 for ever. Healthy is a first gradient of 0.92 in layer 1. What is it here: "
    "smaller, the same, larger? And what became of the relu units?",
    "More than 500 times larger. The first steps throw the weights so far that units die: after four one of 32 "
    "is left, and before long it dies too. Then nothing arrives. The pixels are 0 to 255 and not 0 to 1.",
):
    ill = charts[1]
    print("gradients of layer 1:", *(f"{length:.0f}" for length in ill.lengths[:6, 0]))
    dead = [f"{100 * share:.0f} %" for share in ill.dead]
    print("dead units after 1, 2, 3, 4, 300 steps:", *dead)

# %% tags=["picture"]
viz.flow({"layer 1": list(ill.lengths[:20, 0]), "layer 2": list(ill.lengths[:20, 1])})

# %% [markdown] slide=""
# (The dots at step 14: one image of that batch woke the last unit, for one step.)
#
# The tool sees an explosion, and advises a smaller rate. It cannot know where the pixels come from. Try its advice,
# to see what it is worth:

# %% tags=["given"] slide="A smaller rate does not cure"
# Given.
print("mended:    ", card(trained(WARD[1]._replace(scale=1.0))))
for rate in (0.01, 0.0007, 0.00005):
    print(f"rate {rate:<7}", card(trained(WARD[1]._replace(rate=rate))))

# %% [markdown]
# A smaller rate is what many try first. It helps, and it does not cure: at 0.0007, which is
# about the best rate, six digits of ten are read. Mend the cause.

# %% [markdown] slide=""
# ### Patient 2
#
# The loss is 2.30 from start to end. (All that learns is the last bias, of how frequent each digit is.)

# %%
tape, loss, v, *_ = examined(WARD[2])
with viz.predict(
    "Loss 2.30 from start to end. Is the gradient of layer 1 None, zero, or just small?",
    "Exactly zero: connected, but each relu is closed for each image. The bias begins at -8.",
):
    print(viz.explain(tape, loss, v[0]).text)
    print("mended:", card(trained(WARD[2]._replace(bias=0.0))))

# %% [markdown]
# The tool names a line of the folded cell: this one you may look at. (Jupyter's menu *View*, *Show Line Numbers*, numbers
# the lines.) And where on the way back does the gradient become zero? Go through the steps for one image: the cotangent arrives at
# the relu, and leaves it as zeros.

# %% tags=["given"]
# Given.
tape, loss, v, *_ = examined(WARD[2], 1)
viz.step(tape, loss, v[0], title="Patient 2, one image")

# %% [markdown] slide=""
# ### Patient 3
#
# Gradients as healthy as one could wish (0.92), and the loss stays at about 2.4.

# %%
with viz.predict(
    "The gradients are right, the rate is right, and the loss stays at 2.4. What else must happen in a step, "
    "and did it?",
    "The weights must move, and they did not: a copy of them is updated. Ask the tape which variables it "
    "watched, and whether those are the ones that you update.",
):
    print("largest change of a weight that the network uses:", charts[3].moved)
    network = HEALTHY.weights()
    updated = [tf.Variable(each) for each in network]
    with tf.GradientTape() as tape:
        loss = HEALTHY.error(HEALTHY.scores(network, tf.constant(images[:8])), labels[:8])
    watched = tape.watched_variables()
    print("updated and watched:", [any(each is w for w in watched) for each in updated])
    print("mended:", card(trained(WARD[3]._replace(copied=False))))

# %% [markdown]
# Copies can be made by `load`, by "the best weights so far", by `x = tf.Variable(x)` in a function. The test costs one
# line: *did the weights move?*

# %% [markdown] slide="## Patient 4\n\nLoss 2.92. A gradient *promises* a fall: for a small step along $-g$ it is the rate times $|g|^2$.\n\nCompare it with the fall that really comes."
# ## Wild curves
#
# ### Patient 4
#
# The loss goes up, farther than the picture shows, and ends at 2.92. For the size of a step there is a fine test: a gradient *promises* how
# much the loss falls. For a small step along $-g$ it is the rate times $|g|^2$. Compare it with the fall that
# really comes:


# %% tags=["given"]
# Given.
def promise(patient):
    """The promised and the real fall of the loss in the first step."""
    exam = examined(patient, 8)
    gradients = exam.tape.gradient(exam.loss, exam.v)
    promised = patient.rate * sum(float(tf.reduce_sum(g**2)) for g in gradients)
    moved = [w - patient.rate * g for w, g in zip(exam.v, gradients, strict=True)]
    after = patient.error(patient.scores(moved, exam.x), labels[:8])
    return promised, float(exam.loss - after)


for rate in (0.01, 0.5):
    promised, fall = promise(HEALTHY._replace(rate=rate))
    print(f"rate {rate:5}: promised {promised:.3f}, real {fall:.3f}")

# %%
with viz.predict(
    "With a small rate, promise and fall agree. What will they be for patient 4?",
    "A fall of 36.1 is promised, and the loss rises by 26.5: the rate is 20.",
):
    print("patient 4 : promised {:.1f}, real {:.1f}".format(*promise(WARD[4])))
    print("its largest loss:", round(charts[4].losses.max()))
    print("dead units after 1, 2, 3, 4, 300 steps:", *(f"{100 * d:.0f} %" for d in charts[4].dead))
    print("mended:", card(trained(WARD[4]._replace(rate=0.5))))

# %% [markdown]
# Another cause, and the same end as that of patient 1: the first steps are so long that all units die. What jumps about
# afterwards is the last bias alone.
#
# Is it the rate, or is the gradient wrong? Make the rate ten times smaller, and again. Patient 1, with its large pixels:


# %% tags=["given"] slide="Is it the rate, or the gradient?"
# Given.
def promises(number):
    """Promised and real fall for smaller and smaller rates."""
    for rate in (1e-3, 1e-4, 1e-5):
        promised, fall = promise(WARD[number]._replace(rate=rate))
        ratio = fall / promised
        print(f"rate {rate}: promised {promised:.3g}, real {fall:.3g}, ratio {ratio:.2f}")


promises(1)

# %% [markdown]
# Their ratio goes to 1: the gradient keeps its promise, and even a rate of 0.001 was too large. If the ratio stands still
# *away* from 1, the gradient is wrong. (A part of the gradient that is missing does not show: without it less is promised, and
# less falls.)
#
# Compare like with like: the same batch before and after, no dropout, plain steps. (With momentum or Adam the promise is
# the product of $g$ and what is subtracted.) And in float32 stop before the fall is smaller than about a ten-thousandth of the loss. At a rate of
# 1e-6 rounding alone can change the ratio of the healthy network by a tenth. (The promises here are in float64.)

# %% [markdown] slide=""
# ### Patient 5
#
# Loss 10.65, then infinity, and then `nan` for ever. The first of them has a cause, and the others usually
# follow from it. So look for the *first* number that is not finite. `viz.check` looks through what a tape has recorded for
# whatever is suspicious. At the start all is finite; after one step few images give an infinity. So we examine this
# patient there, with all 1297 images that it trains on:

# %%
sick = examined(WARD[5], 1297, trained(WARD[5], steps=1).v)
with viz.predict(
    "Loss 10.65, inf, nan, nan. Which operation makes the first of them: the matrix product, exp, the division, log?",
    "log: a probability was so small that float32 made it 0, and log(0) is minus infinity. Softmax and "
    "logarithm belong in one operation, which never has that probability (lesson 5).",
):
    print("losses:", *(f"{each:.2f}" for each in charts[5].losses[:4]))
    print(viz.check(sick.tape, sick.loss, sick.v))
    print("mended:", card(trained(WARD[5]._replace(loss=None))))
    print("both:  ", card(trained(WARD[5]._replace(loss=None, spread=(0.18, 0.25)))))

# %% [markdown] slide="## One patient, two illnesses\n\nMended, patient 5 still begins at 10.65, far above 2.303: its first weights are eleven times too large.\n\nMend both: 2.53, and 97 %."
# Mended, it still begins at 10.65, and you know since the beginning of the lesson that this is a finding. The first weights have
# a spread of 2.0, eleven times that of the healthy ones. A patient may have two illnesses, and one may hide the
# other: as long as the scores are small, this loss does no harm. With both mended it is healthy.

# %% [markdown] slide="## Slow curves\n\n**Patient 6.** It learns, but so slowly! Loss 1.88 at the end.\n\nSomebody says: take a larger rate." notes="Whoever takes a rate of 32 has the healthy curve, and the mistake. It comes back with the next size of batch."
# ## Slow curves
#
# ### Patient 6
#
# It learns, but so slowly! Loss 1.88 at the end. Somebody says: "Take a larger rate." Somebody else examines it first.

# %%
sick = examined(WARD[6])
with viz.predict(
    "Loss 1.88 at the end: slow. What is wrong: the data, the network, or a derivative?",
    "A derivative. The gradient function of the loss divides by the batch, and the mean had done so "
    "already: everything is 64 times too small.",
):
    print(viz.check(sick.tape, sick.loss, sick.v))
    print(f"too small by a factor of {well.lengths[0][0] / charts[6].lengths[0][0]:.1f}")
    promises(6)
    print("mended:      ", card(trained(WARD[6]._replace(loss=None))))
    print("a rate of 32:", card(trained(WARD[6]._replace(rate=32.0))))

# %% [markdown]
# (The tool runs the loss twice, with slightly other scores, and compares the difference with the rule. Each score changes
# by an amount of its own, so that mistakes hardly cancel.)
#
# What really falls is 8 times the promise, at each rate. (8 and not 64, since `promise` takes 8 images: the rule divides by
# their number once more.) And the larger rate? 32 is 64 times 0.5, and the curve is as good as new. But the mistake
# is still there, and the next who takes batches of 16 images has a rate that is four times too large.

# %% [markdown] slide="### Patient 7\n\nIts relu has a gradient of its own. One tool compares such a rule with the slope from two runs:"
# ### Patient 7
#
# Loss about 1, 62 % right. It has a relu with a gradient of its own, "which is faster". (`tf.custom_gradient` puts a
# function of yours in the place of a derivative; lesson 6 is about it.) `tf.check_gradients` compares such a rule with
# the slope from two runs, as in lesson 1. Make your diagnosis from what it says:

# %% tags=["given"]
# Given.
print("open:  ", tf.check_gradients(own_relu, [[0.5]], order=1))
print("closed:", tf.check_gradients(own_relu, [[-1.0]], order=1))

# %%
with viz.predict(
    "The rule of this relu lets the gradient through where the unit is closed: wrong everywhere. Still 62 % are "
    "right. Is such a derivative better than none, that is, than a first layer that never changes?",
    "It is worse! Kept still, that layer gives 77 %. The wrong rule throws its weights about, and the last layer, whose "
    "gradient is right, learns in spite of it. That is why such mistakes live long. (It is so for each of the six starts "
    "that we tried.) Check what you wrote yourself, alone.",
):
    print("patient 7:         ", card(charts[7]))
    promises(7)
    print("layer 1 kept still:", card(trained(HEALTHY._replace(still=2))))
    print(f"a weight of layer 1 moved by {charts[7].moved:.1f}, healthy: {well.moved:.1f}")
    print("mended:            ", card(trained(WARD[7]._replace(activation=tf.nn.relu))))

# %% [markdown] slide=""
# ## A smooth curve
#
# ### Patient 8
#
# The curve is healthy. The gradients are healthy. 98 % of 500 new images are right, a few more than of the healthy
# one. (So it is in 16 of 20 starts that we tried, with the first weights drawn anew and the same batches; in two it was worse, by
# one image and by three. What counts is that the test sees nothing.) It is used on a telephone, one image at a time ...

# %%
with viz.predict(
    "What is its accuracy when it is asked for one image at a time?",
    "11 %, as good as guessing! It takes a mean over the batch: what it says of one image depends on the "
    "other images. Alone, its hidden units minus the mean of themselves are zero.",
):
    for name, chart in [("patient 8", charts[8]), ("healthy", well)]:
        print(f"{name:9}: {chart.test:.0%} of 500 at once, {chart.alone:.0%} one at a time")
    rows = [(images[1297:][labels[1297:] == digit], digit) for digit in range(10)]
    hits = [np.argmax(WARD[8].scores(charts[8].v, x), 1) == digit for x, digit in rows]
    print(f"patient 8: {np.mean(np.concatenate(hits)):.0%} in ten batches, of one digit each")

# %% [markdown]
# In a batch of one digit it fares no better: what it says depends on who sits next to it. The tool is the Jacobian, the table of all derivatives: of each score by each pixel. The derivatives of one image's scores
# by the pixels of *another* image must be zero.
# In the picture each square is the largest derivative, in size, of any score of one image by any pixel of the other.

# %% tags=["given"] slide=""
# Given.
for name, patient in [("healthy", HEALTHY), ("patient 8", WARD[8])]:
    sick = examined(patient, 4)
    print(f"{name}: {viz.jacobian(sick.tape, sick.scores, sick.x, batch_jacobian=True).words}")

# %% tags=["picture"] slide="Whose pixels move whose scores?" alt="Two tables of 4 by 4 squares, rows for the image whose score is asked, columns for the image whose pixels change, darker where more arrives. Healthy: only the diagonal is dark, everything else is 0. Patient 8: no square is white."
figure, panels = plt.subplots(1, 2, figsize=(8, 3.9))
largest_of = {}
for name, patient in [("healthy", HEALTHY), ("patient 8", WARD[8])]:
    sick = examined(patient, 4)
    whole = np.abs(sick.tape.jacobian(sick.scores, sick.x).numpy())
    largest_of[name] = whole.max(axis=(1, 3))
darkest = 1.5 * max(each.max() for each in largest_of.values())
for panel, (name, largest) in zip(panels, largest_of.items(), strict=True):
    panel.imshow(largest, cmap="Greys", vmin=0, vmax=darkest)
    for row, column in np.ndindex(4, 4):
        panel.text(
            column, row, f"{largest[row, column]:.2f}", ha="center", va="center", fontsize=13
        )
    panel.set_title(name, fontsize=14)
    panel.set_xlabel("pixels of image", fontsize=12)
    panel.set_xticks(range(4))
    panel.set_yticks(range(4))
panels[0].set_ylabel("scores of image", fontsize=12)
figure.suptitle("the largest derivative of a score by a pixel, in size", fontsize=12)
plt.tight_layout()
plt.show()

# %% tags=["given"] slide="Mended: the mean over the units"
# Given.
over_units = WARD[8]._replace(layers=lambda h: h - tf.reduce_mean(h, axis=1, keepdims=True))
print("mended:", card(trained(over_units)))

# %% [markdown]
# The mean belongs over a unit's neighbours, `axis=1`. (Batch normalisation mixes the examples on purpose while
# it trains, and therefore keeps running means to be used later. Whoever forgets those is this patient.)

# %% [markdown] slide="## An eleventh\n\nAll gradients are right, all weights move, all shapes fit. The loss stays at 2.25, and 7 % are right. Why?"
# ## An eleventh
#
# Here all gradients are right, all weights move, all shapes fit:

# %% tags=["given"] slide=""
# Given.
shuffled = trained(HEALTHY, targets=np.random.default_rng(9).permutation(labels))
print(card(shuffled))
print(
    f"first gradients: layer 1 {shuffled.lengths[0][0]:.2f}, layer 2 {shuffled.lengths[0][1]:.2f}"
)

# %% [markdown]
# Can it learn at all? An old test is to let it learn *one* batch by heart:

# %% tags=["given"] slide=""
# Given.
v, targets = HEALTHY.weights(), np.random.default_rng(9).permutation(labels)[:64]
for _ in range(300):
    with tf.GradientTape() as tape:
        scores = HEALTHY.scores(v, tf.constant(images[:64]))
        loss = HEALTHY.error(scores, targets)
    for variable, gradient in zip(v, tape.gradient(loss, v), strict=True):
        variable.assign_sub(0.5 * gradient)
print(f"loss {float(loss):.2f}, {np.mean(np.argmax(scores, 1) == targets):.0%} of 64 right")

# %% [markdown]
# It can. So the network is able to learn.

# %% tags=["picture"]
with viz.predict(
    "All gradients are right, and the network can learn. What is left to look at, and with which tool?",
    "The data, with your own eyes. The labels were shuffled apart from the images.",
    alt="Ten images of digits in a row, each with the label that the network is given above it. The labels do not belong to them.",
):
    figure, panels = plt.subplots(1, 10, figsize=(7.5, 1.2))
    for panel, image, label in zip(panels, images, targets, strict=False):
        panel.imshow(image.reshape(8, 8), cmap="gray_r")
        panel.set_title(f"{label}", fontsize=14)
        panel.axis("off")
    plt.show()

# %% [markdown]
# **No tool for derivatives finds that**, for no derivative is wrong: look at your data.
#
# | patient | what is wrong | what speaks |
# |:--|:--|:--|
# | 1 | pixels up to 255 | the loss at the start, the first gradient |
# | 2 | bias -8: all relus closed | a gradient of exactly zero: `viz.explain`, `viz.check` |
# | 3 | a copy is updated | the weights did not move |
# | 4 | the rate | promise and fall |
# | 5 | log of 0, large weights | the loss at the start, the first value that is not finite: `viz.check` |
# | 6 | a factor in a rule | the first gradient; `viz.check`; promise and fall |
# | 7 | a wrong rule | `tf.check_gradients`; `viz.check`; promise and fall |
# | 8 | a mean over the batch | alone and in a batch; the Jacobian |
# | 9, 10 | for you | at the end, under *Further* |
# | 11 | shuffled labels | ten inputs with their labels |
#
# Only 6 and 7 have a wrong rule. In 5 the rules are right and the arithmetic fails; in 4 the step is too long. The others
# have right derivatives of a program that was not meant.
#
# Of 1, 3, 4, 5, 8, 10 and 11 `viz.check` says nothing at the first step. (Of 5 it speaks after that step; at the end it
# sees the dead units of 1 and 4.)

# %% [markdown] slide="## The checklist\n\n1. Loss at the start: log(classes).\n2. No gradient zero; lengths as in a run that works.\n3. The weights moved.\n4. Promised and real fall come together.\n5. Your own ops pass a gradient check.\n6. The *error* has the right shape.\n7. No nan, no infinity: else the *first* one.\n8. Alone as in a batch.\n9. One batch by heart.\n10. Look at ten inputs with labels." notes="Leave the checklist on the wall. The eleventh patient: the labels were shuffled apart from the images."
# ## The checklist
#
# 1. The loss at the start is about $\log(\text{classes})$. If not: scale, weights at the start.
# 2. The gradient of each layer has a length that is not zero, and like that of a run that works: `viz.flow`. Without
#    such a run: the share of its own length that a kernel moves in the first step, rate · |g| / |w|. Layer 1 of the
#    healthy one moves by 0.06, of patient 1 by 31, of patient 6 by 0.0009.
# 3. The weights moved.
# 4. Promised and real fall of the loss come together when the rate becomes smaller. If not, the gradient is wrong. (If yes, a
#    part of it may still be missing: items 2 and 3. In float32 stop in time.)
# 5. What you wrote yourself passes `tf.check_gradients`, each op alone.
# 6. The shape of the *error* is what you think: `viz.check`.
# 7. No value is `nan` or infinite. If one is: look for the *first*.
# 8. One example alone gives what it gives in a batch.
# 9. The network can learn one batch by heart. If it cannot (try smaller rates, too), no more data will help.
# 10. You have looked at ten inputs with their labels, with your own eyes.
#
# *From the history.* Xavier Glorot and Yoshua Bengio drew gradients by layer in 2010 and derived how weights
# should begin. In 2017 Chiyuan Zhang and others trained large networks on random labels, and they learnt them
# all by heart: a low training loss proves nothing about the data.

# %% [markdown] slide="## Exercises\n\nSix more patients; three mistakes in one loop; the first bad value; promise and fall"
# ## Exercises
#
# Replace each `...` by your code, run the cell, and run the check under it.

# %% [markdown]
# **Exercise 1.** Six more patients, A to F, with another task (points of three kinds in the plane). `case("A")` gives
# a `Case`. Its `train()` gives a dictionary: `"losses"`; `"lengths"`, of the gradients of both kernels in each step; `"moved"`, the
# largest change of a weight of layer 1; `"at once"` and `"alone"`, two accuracies. Its `record()` gives `tape, loss,
# variables`. Fill in each cause **with the number of `train()` that shows it**, such as `"A": ("rate", 12.3)`. (Where a number fits
# two causes, look at a second one before you decide.) `case("healthy")` is for comparison. Make a case anew before you
# train it again: `train()` goes on from the weights that are there.

# %% tags=["needed", "setup"]
CAUSES = ["scale", "dead units", "small loss", "leak", "rate", "stale copy"]


class Case:
    """A small network for three kinds of points; `cause` is one of CAUSES, or None."""

    def __init__(self, cause, seed):
        self._cause, self._draw = cause, np.random.default_rng(seed)
        self._kinds = self._draw.integers(0, 3, 300)
        corners = np.array([[0.0, 1.0], [0.9, -0.5], [-0.9, -0.5]])
        self._points = corners[self._kinds] + 0.18 * self._draw.normal(size=(300, 2))
        self._points *= self._draw.uniform(300, 500) if cause == "scale" else 1.0
        sizes = [((2, 12), 1.0), ((12, 3), 0.12)]
        kernels = [tf.Variable(spread * self._draw.normal(size=s)) for s, spread in sizes]
        low = -self._draw.uniform(20, 40) if cause == "dead units" else 0.1
        self.variables = [
            kernels[0],
            tf.Variable(np.full(12, low)),
            kernels[1],
            tf.Variable(np.zeros(3)),
        ]

    def scores(self, points):
        v = self.variables
        hidden = tf.nn.relu(points @ v[0] + v[1])
        if self._cause == "leak":
            hidden = hidden - tf.reduce_mean(hidden, axis=0, keepdims=True)
        return hidden @ v[2] + v[3]

    def record(self, chosen=slice(0, 32)):
        with viz.recording(), tf.GradientTape(persistent=True) as tape:
            scores = self.scores(tf.constant(self._points[chosen]))
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(self._kinds[chosen], scores)
            loss = tf.reduce_mean(each) / (50.0 if self._cause == "small loss" else 1.0)
        return tape, loss, self.variables

    def train(self):
        used = (
            [tf.Variable(v) for v in self.variables]
            if self._cause == "stale copy"
            else self.variables
        )
        begin, losses, lengths = self.variables[0].numpy(), [], []
        for _ in range(200):
            tape, loss, v = self.record(self._draw.integers(0, 200, 32))
            gradients = tape.gradient(loss, v)
            for variable, gradient in zip(used, gradients, strict=True):
                variable.assign_sub((60.0 if self._cause == "rate" else 0.5) * gradient)
            losses.append(float(loss))
            lengths.append([float(tf.norm(gradients[k])) for k in (0, 2)])
        tests = [self.scores(tf.constant(self._points[200:])).numpy()]
        tests.append(
            np.concatenate([self.scores(tf.constant(p[None])) for p in self._points[200:]])
        )
        right = [float(np.mean(t.argmax(1) == self._kinds[200:])) for t in tests]
        moved = float(np.abs(self.variables[0].numpy() - begin).max())
        return {
            "losses": losses,
            "lengths": lengths,
            "moved": moved,
            "at once": right[0],
            "alone": right[1],
        }


def case(letter, seed=2029):
    """One of the six, or "healthy"; another seed gives other six."""
    hidden = dict(zip("ABCDEF", np.random.default_rng(seed).permutation(CAUSES), strict=True))
    return Case(str(hidden[letter]) if letter in hidden else None, seed + ord(letter[0]))


# %% nbgrader={"grade": false, "grade_id": "six", "locked": false, "schema_version": 3, "solution": true, "task": false}
diagnosis = {"A": None, "B": None, "C": None, "D": None, "E": None, "F": None}
### BEGIN SOLUTION
for letter in diagnosis:
    chart = case(letter).train()
    first = chart["lengths"][0][0]
    if first == 0:
        diagnosis[letter] = "dead units", first
    elif chart["moved"] == 0:
        diagnosis[letter] = "stale copy", chart["moved"]
    elif first > 20:
        diagnosis[letter] = "scale", first
    elif chart["losses"][0] < 0.1:
        diagnosis[letter] = "small loss", chart["losses"][0]
    elif chart["at once"] - chart["alone"] > 0.2:
        diagnosis[letter] = "leak", chart["alone"]
    else:
        diagnosis[letter] = "rate", chart["moved"]
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "six-check", "locked": true, "points": 6, "schema_version": 3, "solution": false, "task": false}
with viz.Score(6) as score:
    assert isinstance(diagnosis, dict), (
        "diagnosis is a dictionary: a cause and a number for each letter."
    )
    assert any(diagnosis.values()), "No diagnosis yet: begin with the loss, and with `moved`."
    for letter, said in diagnosis.items():
        cause = said[0] if isinstance(said, tuple | list) and said else said
        assert cause is None or cause in CAUSES, (
            f"{cause!r} is not among the causes: {', '.join(CAUSES)}."
        )
        assert said is None or (
            cause is not said and np.array(said[1:]).dtype.kind in "fiu" and len(said) == 2
        ), f"{letter}: a cause and the number that shows it are wanted, such as ('rate', 12.3)."
    hints = {
        "scale": "{}: compare its first gradients with those of the healthy one. What makes all of them large?",
        "dead units": "{}: what exactly is the first gradient of layer 1? Ask viz.explain.",
        "small loss": "{}: a start of log(3) = 1.1 is healthy. What does its loss begin with?",
        "leak": "{}: compare its two accuracies.",
        "rate": "{}: its first gradients are healthy, and its weights move. How far?",
        "stale copy": "{}: its gradients are healthy. Did anything move?",
    }

    def telling(chart):
        """For each cause the numbers of a chart that show it."""
        losses, lengths, moved = chart["losses"], chart["lengths"], chart["moved"]
        apart = chart["at once"] - chart["alone"]
        large = [n for n in [*losses, *np.ravel(lengths), moved] if n > 3]  # no healthy one is
        return {
            "scale": large,
            "dead units": [0.0],
            "small loss": [
                *losses[:5],
                *np.ravel(lengths[:5]),
                max(losses),
                np.max(lengths),
                moved,
            ],
            "leak": [
                share * each for share in (1, 100, -1, -100) for each in (chart["alone"], apart)
            ],
            "rate": large,
            "stale copy": [0.0],
        }

    for letter in "ABCDEF":
        cause, said = case(letter)._cause, diagnosis.get(letter)
        if not said or said[0] != cause:
            hint = hints[cause].format(letter) if said else f"{letter}: no diagnosis yet."
            score.part(1, False, hint)
            continue
        number, shown = float(said[1]), telling(case(letter).train())[cause]
        bad = f"{letter}: nan is a consequence. Which number of the first step shows its cause?"
        hint = (
            bad
            if np.isnan(number)
            else f"{letter}: {number:.4g} does not show it: a healthy one, or one with another cause, can have such a number, too. (If it is rounded, give three digits.)"
        )
        near = 0.2 if cause == "small loss" else 0.05  # one digit is enough
        score.part(1, any(np.isclose(number, each, rtol=near, atol=0) for each in shown), hint)
    score.total("each of the six was found by a number, not by trying.")
score.earned

# %% [markdown]
# **Exercise 2.** Three mistakes in one loop. Mend them; everything else stays. (That the network takes a mean away is no
# mistake.) `learnt(x, y)` gives the function that classifies.


# %% nbgrader={"grade": false, "grade_id": "three-mistakes", "locked": false, "schema_version": 3, "solution": true, "task": false}
def learnt(x, y):
    """Trains on points x of shape (n, 2) with kinds y (0, 1 or 2); gives a function of points."""
    draw = np.random.default_rng(0)
    v = [tf.Variable(draw.normal(size=(2, 12))), tf.Variable(0.4 * draw.normal(size=(12, 3)))]

    def scores(points):
        hidden = tf.nn.relu(points @ v[0])
        hidden = hidden - tf.reduce_mean(hidden, axis=0, keepdims=True)
        return hidden @ v[1]

    for _ in range(100):
        with tf.GradientTape() as tape:
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=scores(x))
            loss = tf.reduce_mean(each) / len(y)
        v = [w - 0.5 * g for w, g in zip(v, tape.gradient(loss, v), strict=True)]
    return lambda points: np.argmax(scores(points), 1)


### BEGIN SOLUTION
def learnt(x, y):
    """Trains on points x of shape (n, 2) with kinds y (0, 1 or 2); gives a function of points."""
    draw = np.random.default_rng(0)
    v = [tf.Variable(draw.normal(size=(2, 12))), tf.Variable(0.4 * draw.normal(size=(12, 3)))]

    def scores(points):
        hidden = tf.nn.relu(points @ v[0])
        hidden = hidden - tf.reduce_mean(hidden, axis=1, keepdims=True)
        return hidden @ v[1]

    for _ in range(100):
        with tf.GradientTape() as tape:
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=scores(x))
            loss = tf.reduce_mean(each)
        for w, g in zip(v, tape.gradient(loss, v), strict=True):
            w.assign_sub(0.5 * g)
    return lambda points: np.argmax(scores(points), 1)


### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "three-mistakes-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
with viz.Score(5) as score:
    from unittest import mock

    draw = np.random.default_rng(8)
    kinds = draw.integers(0, 3, 600)
    corners = np.array([[0.9, 0.6], [-1.0, 0.4], [0.1, -1.1]])
    points = tf.constant(corners[kinds] + 0.15 * draw.normal(size=(600, 2)))
    gradient, targets = tf.GradientTape.gradient, []

    def heard(tape, target, *rest, **more):
        targets.append(float(np.mean(target)))
        return gradient(tape, target, *rest, **more)

    try:
        with mock.patch.object(tf.GradientTape, "gradient", heard):
            answer = learnt(points[:400], kinds[:400])
        assert answer is not None, (
            "learnt gives nothing: it should give the function that classifies."
        )
        found = np.asarray(answer(points[400:]))
    except (AttributeError, IndexError, NameError, TypeError, ValueError) as error:
        assert not (len(targets) == 2 and "None" in str(error)), (
            "After one step v holds tensors, which the tape does not watch: keep the variables, and change them in place."
        )
        raise AssertionError(f"It stops with {type(error).__name__}: {error}") from error
    assert targets, (
        "No gradient was taken: the loop stays, with tape.gradient in each of its steps."
    )
    assert found.shape == (200,), (
        f"For 200 points 200 kinds are wanted, shape (200,), and not {found.shape}."
    )
    at_once = float(np.mean(found == kinds[400:]))
    assert len(targets) >= 50, (
        f"tape.gradient is called {len(targets)} times: the loop has 100 steps, and their number was no mistake."
    )
    alone = float(np.mean([answer(point[None])[0] for point in points[400:]] == kinds[400:]))
    score.part(
        2,
        at_once > 0.95,
        f"{at_once:.0%} at once: are the weights moving, and is the gradient full size, neither smaller nor larger?",
    )
    if len(targets) > 150:
        hint = (
            f"{len(targets)} steps: their number was no mistake. What makes each of them so small?"
        )
    else:
        hint = f"The loss begins with {targets[0]:.3g}. For three kinds about log(3) = 1.1 is healthy: is it a mean?"
    score.part(1, 0.3 < targets[0] < 5 and len(targets) <= 150, hint)
    first = np.random.default_rng(0)
    hidden, second = (
        np.maximum(points[:400] @ first.normal(size=(2, 12)), 0),
        first.normal(size=(12, 3)),
    )
    powers = np.exp(hidden @ (0.4 * second))
    without = -np.log((powers / powers.sum(1, keepdims=True))[range(400), kinds[:400]]).mean()
    far = np.array([[3000.0, 2000.0], [-3000.0, 1000.0]])
    beside = np.concatenate([points[400:440], far])  # two far points in the same batch
    mixed = not np.array_equal(np.asarray(answer(tf.constant(beside)))[:40], found[:40])
    if np.isclose(targets[0], without):
        score.part(
            2, False, "The mean is gone: everything else stays. Over which axis should it be?"
        )
    elif mixed and alone > 0.95:
        said = "Two far points beside them change what it says of the others: whose mean is taken away?"
        score.part(2, False, said)
    else:
        said = f"{alone:.0%} one at a time: over which axis is the mean?"
        if at_once <= 0.95:
            said = (
                "Whether one point depends on the others is seen when it learns: mend that first."
            )
        right_axis = not mixed and alone > at_once - 0.05 and len(set(found)) > 1
        score.part(2, right_axis, said)
    score.total("it learns, and one point alone gives what it gives in a batch.")
score.earned

# %% [markdown]
# **Exercise 3.** The first bad value. A journal (`with viz.recording() as journal:`) has `entries`, each with
# `entry.op.name`, `entry.inputs` and `entry.outputs` (tuples of tensors), in the order in which they ran. Write
# `first_bad(journal)`: the name of the first operation whose output is not finite, or `None`.


# %% nbgrader={"grade": false, "grade_id": "first-bad", "locked": false, "schema_version": 3, "solution": true, "task": false}
def first_bad(journal):
    """The name of the first operation that gave nan or infinity; None if none did."""
    ### BEGIN SOLUTION
    for entry in journal.entries:
        if not all(np.isfinite(output.numpy()).all() for output in entry.outputs):
            return entry.op.name
    return None
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "first-bad-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:

    def name_of_first_bad(program, number):
        with np.errstate(all="ignore"), viz.recording() as journal:
            program(tf.constant(number, tf.float64))
        try:
            with np.errstate(all="ignore"):
                return first_bad(journal)
        except TypeError as error:
            raise AssertionError(
                f"It stops with {error}. The operations stand in journal.entries, in their order."
            ) from error
        except AttributeError as error:
            raise AssertionError(
                f"It stops with {error}. entry.inputs and entry.outputs are tuples: go through their tensors."
            ) from error
        except ValueError as error:
            raise AssertionError(
                f"It stops with {error}: np.isfinite answers for each element, and .all() makes one answer of them."
            ) from error

    def risky(z):
        return tf.sqrt(tf.math.log(z) - 1.0) * 0.0 + tf.exp(z)

    def steep(z):
        return tf.reduce_sum(tf.exp(z * z)) - 1.0

    found = name_of_first_bad(risky, [5.0, 2.0])
    assert found is not None, (
        "Nothing is found yet: log(2) - 1 is negative, and its root is nan. It is the second of two elements. "
        "Does it look at all entries before it says None, and at all elements: .all(), not .any()?"
    )
    assert isinstance(found, str), (
        f"The name is wanted, entry.op.name, and not {type(found).__name__}."
    )
    hint = f"The first bad value comes from the root, and you say {found!r}."
    if found in ("multiply", "add"):
        hint += " That one only received the nan: look at the outputs, from the first entry on."
    score.part(1, found == "sqrt", hint)
    infinite = [name_of_first_bad(risky, [9.0, 0.0]), name_of_first_bad(steep, [1.0, 30.0])]
    hint = "log(0) and exp(900) are infinities: those are bad too, whichever operation and element it is."
    score.part(1, infinite == ["log", "exp"], hint)
    quiet = name_of_first_bad(risky, [8.0, 9.0])
    large = name_of_first_bad(lambda z: z * 1.0, [1e308, 1e308])
    hint = "Where all is finite the answer is None."
    if quiet is None:
        hint += " 1e308 is finite, and the sum of two of them is not: ask each element."
    score.part(1, quiet is None and large is None, hint)
    score.total("the first one has a cause, the others usually follow from it.")
score.earned

# %% [markdown]
# **Exercise 4.** Promise and fall. Write `promise_and_fall(f, v, rate)` for a function `f` without arguments that reads
# the variables in the list `v`: the fall that the gradient promises for one step, and the real one. The
# variables must have their old values afterwards.


# %% nbgrader={"grade": false, "grade_id": "promise", "locked": false, "schema_version": 3, "solution": true, "task": false}
def promise_and_fall(f, v, rate):
    """Two numbers; the variables are as they were."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        before = f()
    gradients = tape.gradient(before, v)
    promised = rate * sum(float(tf.reduce_sum(g * g)) for g in gradients)
    kept = [w.numpy().copy() for w in v]
    for w, g in zip(v, gradients, strict=True):
        w.assign_sub(rate * g)
    after = f()
    for w, old in zip(v, kept, strict=True):
        w.assign(old)
    return promised, float(before - after)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "promise-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    a, b = tf.Variable([1.0, 2.0], dtype=tf.float64), tf.Variable(3.0, dtype=tf.float64)

    def bowl():
        return tf.reduce_sum(a * a) + b * b

    def is_number(each):
        return not isinstance(each, tuple | list) and np.shape(each) == ()

    def told(*arguments):
        """What the function gives; an array of two numbers is a pair, too."""
        given = promise_and_fall(*arguments)
        return (
            list(given) if isinstance(given, np.ndarray | tf.Tensor) and np.ndim(given) else given
        )

    answer = told(bowl, [a, b], 0.1)
    assert answer is not None, "Two numbers are wanted: the promised fall and the real one."
    assert (
        isinstance(answer, tuple | list) and [is_number(each) for each in answer] == [True] * 2
    ), (
        "Two numbers are wanted, in a pair: the promised fall, the real one. Is each of them one number, and not an array?"
    )
    promised, fall = map(float, answer)
    length = 4 * (1 + 4 + 9)  # the squared length of the gradient
    true_fall = 14 * (1 - 0.8**2)
    slips = [
        (length, "The promise is for one step: times the rate."),
        (-0.1 * length, "A promised fall is positive: the step goes along -g."),
        (
            0.05 * length,
            "No half: the promise is of first order, the rate times the squared length.",
        ),
        (
            0.01 * length,
            "The rate once: the step is rate times g, and its fall is that times g again.",
        ),
        (0.1 * length**0.5, "The promise is the rate times the *squared* length of the gradient."),
        (true_fall, "That is the real fall: the promised one comes first in the pair."),
    ]
    hints = [hint for slip, hint in slips if np.isclose(promised, slip)]
    hints.append("Add the squares over all variables and elements.")
    right_promise = np.isclose(promised, 0.1 * length)
    kept = np.allclose(a, [1.0, 2.0]) and np.isclose(float(b), 3.0)
    a.assign([1.0, 2.0])
    b.assign(3.0)
    promised_later, smaller = map(float, told(bowl, [a, b], 0.05))

    def valley():
        return tf.reduce_sum(a**4)

    a.assign([1.0, 2.0])
    elsewhere = told(valley, [a], 0.01)
    true_elsewhere = [0.01 * (4**2 + 32**2), 17 - 0.96**4 - 1.68**4]
    a.assign([1.0, 2.0])
    if fall == 0:
        hint = "Nothing fell: f reads the variables themselves. Change them in place, and back afterwards."
    elif np.isclose(fall, -true_fall):
        hint = "A fall is before minus after: yours has the other sign."
    elif np.isclose(fall, 14 * (1 - 1.2**2)):
        hint = "That step went uphill: w.assign_sub(rate * g)."
    elif np.isclose(fall, true_fall):
        hint = "At the rate 0.05 it is wrong: take the rate that is given."
    else:
        hint = "The real fall: f before the step minus f after it."
    if right_promise:
        hints = [
            "Right for this function and this rate only: take the gradient of f, and the rate given."
        ]
    later_too = np.allclose([promised_later, elsewhere[0]], [0.05 * length, true_elsewhere[0]])
    score.part(1, right_promise and later_too, hints[0])
    later_too = np.allclose([smaller, elsewhere[1]], [14 * (1 - 0.9**2), true_elsewhere[1]])
    score.part(2, np.isclose(fall, true_fall) and later_too, hint)
    said = "The variables should have their old values afterwards."
    score.part(
        1, kept, said + " Keep w.numpy().copy() of each: another name for v is the same variables."
    )
    score.total("for a small rate the two agree.")
score.earned

# %% [markdown]
# **To think about.** Invent a patient: one mistake of your own whose curve looks healthy for 100 steps. Give it to
# your neighbour. Which mistake can no automatic check find?
#
# <details><summary>An answer</summary>
# A check compares what a program does with what somebody has written down that it should do. What stands nowhere, no check
# can know: labels that are wrong, a question that the data cannot answer, a loss that is not what one wants.
# </details>

# %% [markdown]
# ## What to remember
#
# - Know the healthy numbers: $\log(\text{classes})$ at the start, lengths of gradients, how far weights move.
# - "It learns a little" is a symptom too: a wrong derivative learns a little, and so does a network whose first layer
#   stands still.
# - The best accuracy of the ward belonged to the patient that was useless outside.
# - Mend the cause. With another rate an ill network can have a healthy curve (patient 6).
#
# **Read on.** Karpathy, *A Recipe for Training Neural Networks*, 2019; Zhang, Bengio, Hardt, Recht, Vinyals,
# *Understanding Deep Learning Requires Rethinking Generalization*, 2017; Glorot, Bengio, *Understanding the
# Difficulty of Training Deep Feedforward Neural Networks*, 2010; Ioffe, Szegedy, *Batch Normalization*, 2015.
#
# Next: everything together, on the tape that you wrote yourself.

# %% [markdown]
# ## Further: patients 9 and 10
#
# ### Patient 9
#
# Another task: how much ink is on the page? One number for an image, by a linear model and the mean squared
# error. That is easy: the answer is a sum of the pixels. But after 2000 steps the loss is still 0.0437.

# %% tags=["given"] slide=""
# Given.
ink = images.sum(1) / 10.0


def fitted(targets):
    """A linear model of 200 pages; gives the last loss and the guesses for new pages."""
    w, b = tf.Variable(np.zeros((64, 1))), tf.Variable(np.zeros(1))
    for _ in range(2000):
        with tf.GradientTape() as tape:
            error = tf.constant(images[:200]) @ w + b - targets
            loss = tf.reduce_mean(error**2)
        for variable, gradient in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(0.05 * gradient)
    return float(loss), (images[1297:] @ w.numpy() + b.numpy())[:, 0]


loss, guesses = fitted(tf.constant(ink[:200]))
print(f"loss {loss:.4f}, guesses from {guesses.min():.2f} to {guesses.max():.2f}")
print(f"the pages have {ink[1297:].min():.2f} to {ink[1297:].max():.2f}")
print(f"variance of the targets: {ink[:200].var():.4f}")

# %% tags=["picture"]
with viz.predict(
    "The loss is nearly the variance of the targets, so the model guesses nearly the mean for each page. "
    "The predictions have the shape (200, 1), the targets (200,). What shape has their difference?",
    "(200, 200): each prediction is compared with every target, and the best answer to all of them is their "
    "mean. Nothing warned, for this is a legal broadcast.",
    alt="The guess over the ink on the page, for 500 new pages. Crosses, patient 9: a nearly level cloud about the mean, 1.9. "
    "Dots, mended: a straight line from 1.4 to 2.6.",
):
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        w = tf.Variable(np.zeros((64, 1)))
        error = tf.constant(images[:200]) @ w - tf.constant(ink[:200])
        loss = tf.reduce_mean(error**2)
    print(error.shape)
    print(viz.check(tape, loss, w))
    loss, better = fitted(tf.constant(ink[:200, None]))
    print(f"mended: loss {loss:.4f}, guesses from {better.min():.2f} to {better.max():.2f}")
    plt.figure(figsize=(5, 2.6))
    plt.plot(ink[1297:], guesses, "x", markersize=3, label="patient 9")
    plt.plot(ink[1297:], better, "o", markersize=2, label="mended")
    plt.xlabel("ink on the page")
    plt.ylabel("guess")
    plt.legend()
    plt.show()

# %% [markdown]
# You need no notebook for this. `minitape explain train.py` runs a script of yours and says the same of each of
# its tapes, with corrections that it has tried.

# %% [markdown]
# ### Patient 10
#
# Loss 0.69 and three quarters of the digits right. "A bit weak." It has sigmoid units.

# %%
with viz.predict(
    "Loss 0.69, 73 % right. In the healthy network the first gradient of layer 1 is about twice that of layer 2. "
    "And here?",
    "64 times smaller. (That it is 64 again is chance.) The weights of layer 1 are so large that the units are at "
    "0 or 1, where the sigmoid is flat. Layer 1 hardly learns: kept still, it reads as many.",
):
    for name, chart in [("healthy", well), ("patient 10", charts[10])]:
        print(f"{name:9}: layer 1 {chart.lengths[0][0]:.3f}, layer 2 {chart.lengths[0][1]:.3f}")
    print(f"smaller by a factor of {charts[10].lengths[0][1] / charts[10].lengths[0][0]:.0f}")
    print("layer 1 kept still:", card(trained(WARD[10]._replace(still=2))))
    print("mended:", card(trained(WARD[10]._replace(spread=(0.18, 0.25)))))

# %% tags=["picture"] slide=""
viz.curve(tf.sigmoid, (-8.0, 8.0), at=5.0, title="Flat on both sides")

# %% tags=["picture"] slide="Where the inputs of the units lie" alt="Two histograms of the inputs of all sigmoid units, with the curve of the sigmoid over them. Patient 10: the inputs reach from -300 to 300, where the curve looks like a single step, and nearly all of them lie on its flat parts. Mended: they lie between about -2 and 2, where the curve rises."
figure, panels = plt.subplots(1, 2, figsize=(8, 2.6))
for panel, spread, name in [(panels[0], 30.0, "patient 10"), (panels[1], 0.18, "mended")]:
    inputs = (images[:500] @ WARD[10]._replace(spread=(spread, 0.25)).weights()[0].numpy()).ravel()
    reach = 10 * spread if spread > 1 else 5.0
    panel.hist(inputs, np.linspace(-reach, reach, 41), color="lightgray", edgecolor="gray")
    title = f"{name}: from {-reach:.0f} to {reach:.0f}"
    panel.set(title=title, xlabel="input of a unit", ylabel="how many")
    x = np.linspace(-reach, reach, 401)
    curve = panel.twinx()
    curve.plot(x, tf.sigmoid(tf.constant(x)), color="black")
    curve.set_ylabel("sigmoid")
    print(f"{name}: beyond 5 on either side lie {np.mean(np.abs(inputs) > 5):.0%}")
plt.tight_layout()
plt.show()

# %% [markdown]
# And yet it reads three digits of four, with a first layer that is as random as at the start: it reads as many
# where that layer is kept still. The last layer learns alone, from 32 random questions about the image. A good
# result is no proof that all layers learn. (Mended it reads fewer than the healthy one after 300 steps: the slope of a sigmoid is at
# most 1/4, so it learns more slowly than with relu. After 1500 steps both read 98 %.) `viz.flow` speaks up from a factor of 1000 between the layers on: to it
# this patient, with 64, is healthy. To you it is not.
