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

# %% [markdown] slide="Eight networks in the waiting room, all of them sick. One of them has the *best* test accuracy of all.\n\n**Which one is that, and what is wrong with it?**" notes="2 minutes. One sheet of paper for each student, with the numbers 1 to 8 down the side. They write a diagnosis before each fold is opened. 4 and 5 are for home."
# # 11. My network does not learn: a clinic
#
# Eight networks sit in the waiting room, and all of them are sick. Some stand still, one says `nan`, some only seem slow. And one has
# the best test accuracy of all. **Which one is that, and what is wrong with it?** In this lesson you go from a symptom to its cause with
# a number or a tool, not by trying.
#
# You need lessons 4, 5 and 18. You type no code today: run each cell, and write your diagnosis on paper before you open an answer. The
# lesson treats six of the eight. Patients 4 and 5 and the exercises are homework, and six more patients wait under *Further*.
#
# Afterwards you can
#
# - name the numbers that a healthy training run has,
# - go from each of eight symptoms to its cause, with a number or a tool,
# - say which mistakes no tool for derivatives can find.

# %% tags=["setup"]
from collections.abc import Callable
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import promising

viz.figures()

# %% [markdown] slide="## What health looks like\n\nDigits, 64-32-10 with relu, learning rate 0.5, 300 steps.\n\nA network that knows nothing has the loss $\\log 10 = 2.303$. **Learn this number by heart.**" notes="2 minutes. The ward is a folded cell. Ask the class not to open it: the causes are in it."
# ## What health looks like
#
# First we must know what health looks like. The task is that of lesson 5: digits of 8 × 8 pixels. The network has 64 inputs, 32 relu
# units and 10 scores. The learning rate is 0.5, a batch has 64 images, and the training takes 300 steps.
#
# The next cell holds the network, its training, and all patients. **Its code is folded, because the causes are in it. Run it unread,
# and open it after the last patient.**


# %% tags=["setup", "folded"]
class Patient(NamedTuple):
    """A network and its training; the healthy one has these values."""

    scale: float = 1.0
    spread: tuple = (0.18, 0.25)
    bias: float = 0.0
    layers: Callable | None = None
    loss: Callable | None = None
    activation: Callable = tf.nn.relu
    output: Callable = tf.identity
    rate: float = 0.5
    clip: float | None = None  # the length to which a gradient is shortened
    shift: int = 0  # added to each label
    count: int = 1297  # how many images it trains on
    copied: bool = False
    still: int = 0  # so many of the variables, from the first on, never change

    def weights(self):
        draw = np.random.default_rng(2)
        first, second = (draw.normal(size=size) for size in [(64, 32), (32, 10)])
        parts = [first * self.spread[0], np.full(32, self.bias), second * self.spread[1]]
        return [tf.Variable(part) for part in [*parts, np.zeros(10)]]

    def scores(self, v, x):
        hidden = self.activation(x @ v[0] + v[1])
        return self.output((self.layers(hidden) if self.layers else hidden) @ v[2] + v[3])

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
    unseen: np.ndarray  # the loss on the 500 test images, every ten steps
    lengths: np.ndarray  # of the gradients of both matrices at each step
    moved: float  # the largest change of a weight of layer 1
    dead: list  # the fraction of dead units after each of the first steps, and at the end
    train: float  # accuracy on the images that it trained on
    test: float  # accuracy on 500 new images at once
    alone: float  # accuracy when each of them is given alone
    v: list  # the weights at the end


def trained(patient, targets=labels, steps=300):
    v, draw = patient.weights(), np.random.default_rng(3)
    updated = [tf.Variable(each) for each in v] if patient.copied else v
    begin, losses, unseen, lengths, dead = v[0].numpy(), [], [], [], []
    pixels, targets = patient.scale * images, (targets + patient.shift) % 10
    for step in range(steps):
        chosen = draw.integers(0, patient.count, 64)
        if step % 10 == 0:
            given = patient.scores(v, tf.constant(pixels[1297:]))
            unseen.append(float(patient.error(given, targets[1297:])))
        with tf.GradientTape() as tape:
            loss = patient.error(patient.scores(v, tf.constant(pixels[chosen])), targets[chosen])
        gradients = tape.gradient(loss, v)
        if patient.clip:
            gradients, _ = tf.clip_by_global_norm(gradients, patient.clip)
        for variable, gradient in list(zip(updated, gradients, strict=True))[patient.still :]:
            variable.assign_sub(patient.rate * gradient)
        losses.append(float(loss))
        lengths.append([float(tf.norm(gradients[k])) for k in (0, 2)])
        if step < 4 or step == 299:
            dead.append(float(np.mean((pixels[:1297] @ v[0].numpy() + v[1].numpy() <= 0).all(0))))
    groups = [range(patient.count), range(1297, 1797)]
    given = [patient.scores(v, tf.constant(pixels[group])) for group in groups]
    single = [patient.scores(v, tf.constant(pixels[k : k + 1])) for k in groups[1]]
    given.append(np.concatenate(single))
    right = [
        float(np.mean(np.argmax(each, 1) == labels[group]))
        for each, group in zip(given, [*groups, groups[1]], strict=True)
    ]
    moved = float(np.abs(v[0].numpy() - begin).max())
    return Chart(*map(np.array, (losses, unseen, lengths)), moved, dead, *right, v)


def card(chart):
    """What everybody sees: the loss and the accuracy."""
    end = np.mean(chart.losses[-20:])
    accuracy = 100 * chart.test
    return f"loss {chart.losses[0]:6.2f} at the start, {end:4.2f} at the end, test {accuracy:.{accuracy < 1:d}f} %"


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
        loss = patient.error(scores, (labels[:count] + patient.shift) % 10)
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
    3: Patient(rate=20.0),
    4: Patient(spread=(2.0, 0.25), loss=by_the_book),
    5: Patient(output=tf.nn.softmax),
    6: Patient(shift=1),
    7: Patient(count=40),
    8: Patient(layers=centred),
}
AT_HOME = {
    9: Patient(copied=True),
    10: Patient(loss=divided_again),
    11: Patient(activation=own_relu),
    14: Patient(spread=(30.0, 0.25), activation=tf.sigmoid),
}

# %% tags=["given"] slide="The numbers of the healthy one"
# Given.
well = trained(HEALTHY)
print(card(well))
print(f"first gradients: layer 1 {well.lengths[0][0]:.2f}, layer 2 {well.lengths[0][1]:.2f}")
print(f"largest change of a weight of layer 1: {well.moved:.1f}")
print(f"units that are 0 for every image: {100 * well.dead[-1]:.0f} %")

# %% [markdown] slide=""
# A unit that is closed for every example is called a **dead unit**. Two of 32 units are dead even here, and the network reads 97 of 100
# digits: a few do no harm.
#
# A network that knows nothing gives all ten classes the same probability, and has the loss $\log 10 = 2.303$. A start far above that is a
# finding, and a loss that ends *at* it is another. The healthy start is a little above, because random scores are not quite equal.

# %% [markdown] slide=""
# ## The waiting room
#
# Here are the eight, each with the healthy one behind it, dashed. Patients 4 and 5 you will treat at home.

# %% tags=["given"] slide=""
# Given.
charts = {number: trained(patient) for number, patient in WARD.items()}

# %% tags=["picture"] slide="The waiting room: eight curves" alt="Eight small panels with the loss of patients over 300 steps, each with the healthy run as a dashed line that falls from 2.5 to 0.1. Patients 1 and 2 stay at about 2.3; on the panel of 1 stands that it goes from 239 up to 58 million, above the picture. 3 jumps about above 2.3 and is cut off at 3.2; on its panel stands that it goes up to 2028. 4 has no line but the words 10.65, inf, nan. 5 falls slowly to 1.7. 6 and 8 fall like the healthy one, and 7 falls faster, to nearly 0."
figure, panels = plt.subplots(
    2, 4, figsize=(8.6, 4.8), sharex=True, sharey=True, layout="constrained"
)
for panel, (number, chart) in zip(panels.flat, charts.items(), strict=True):
    panel.plot(well.losses, "--", color="gray", linewidth=1)
    panel.plot(np.where(chart.losses < 4, chart.losses, np.nan), "-")
    panel.set_title(f"patient {number}", fontsize=12)
    panel.set_ylim(0, 3.2)
    if not np.isfinite(chart.losses[-1]):
        panel.text(60, 1.6, "first losses:\n10.65, inf, nan", fontsize=11)
    elif chart.losses.max() > 100:
        begin, most = chart.losses[0], chart.losses.max()
        above = f"up to {most:.0f}" if most < 1e6 else f"up to {most / 1e6:.0f} million"
        above = f"from {begin:.0f}\n{above}" if begin > 100 else above
        panel.text(60, 1.1, f"{above} ↑", fontsize=11)
figure.supxlabel("steps", fontsize=12)
figure.supylabel("loss", fontsize=12)
plt.show()

# %% slide="One of them beats the healthy network: which? | It is number 8. Is it sick at all?"
with viz.predict(
    "One of the eight has a better test accuracy than the healthy network. Which one? Nobody can know this from the curves. "
    "Guess, and remember your guess.",
    "Number 8. Is it sick at all? Wait for it. And patient 6 has a healthy curve, yet reads almost nothing.",
):
    for number, chart in charts.items():
        print(f"patient {number}: {card(chart)}")

# %% [markdown] slide="" notes="4 minutes a patient, no more. Card, paper, fold. Students who try things at random should say what they expect before they run. If time is short, leave out 2; 8 never."
# ## Curves that stand still
#
# ### Patient 1
#
# The loss begins at 239, shoots up to 58 million, and before long stands at 2.30 forever.

# %% slide="Patient 1: 239, then 2.30 forever. How large is its first gradient? | The first steps kill the units"
with viz.predict(
    "Loss 239 at the start, then 2.30 forever. In the healthy network the first gradient of layer 1 has the length 0.92. Is it here "
    "smaller, the same, or larger? And what became of the relu units?",
    "More than 500 times larger. The first steps throw the weights so far that units die: after four steps one of 32 "
    "is left, and before long it dies too. Then nothing arrives. The pixels are 0 to 255 and not 0 to 1.",
):
    sick = charts[1]
    print("gradients of layer 1:", *(f"{length:.0f}" for length in sick.lengths[:6, 0]))
    dead = [f"{100 * share:.0f} %" for share in sick.dead]
    print("dead units after 1, 2, 3, 4, 300 steps:", *dead)
    print("fixed:", card(trained(WARD[1]._replace(scale=1.0))))

# %% tags=["picture"] slide="What the flow of gradients shows: an explosion"
viz.flow({"layer 1": list(sick.lengths[:20, 0]), "layer 2": list(sick.lengths[:20, 1])})

# %% [markdown]
# From step 4 on, but for one step, both layers are exactly zero: their rings lie on each other. The two dots at step 14: one image of that batch opened the last unit, for one step.
#
# The tool sees an explosion, and advises a smaller learning rate, or a gradient that is *clipped*, that is, shortened. It cannot know where the pixels come
# from. *Further* tries its advice: the network reads six digits of ten, or eight. Both help, and neither cures. **Fix the cause.**

# %% [markdown] slide=""
# ### Patient 2
#
# The loss is 2.30 from start to end.

# %% slide="Patient 2: 2.30 from start to end. Its gradient: None, zero, or small? | Zero: every unit is closed"
tape, loss, v, *_ = examined(WARD[2])
with viz.predict(
    "Loss 2.30 from start to end. Is the gradient of layer 1 None, zero, or just small?",
    "Exactly zero: connected, but each relu is closed for each image. The bias begins at -8.",
):
    print(viz.explain(tape, loss, v[0]).text)
    print("fixed:", card(trained(WARD[2]._replace(bias=0.0))))

# %% [markdown] slide=""
# The tool names a line of the folded cell: this one you may look at. (Jupyter's menu *View*, *Show Line Numbers*, numbers
# the lines.) All that learns is the last bias: it learns how frequent each digit is. A histogram shows it at a glance: what goes into the
# relu units?

# %% tags=["picture", "given"] slide="What goes into the units: all of it is negative" alt="Two histograms of the inputs of the relu units. Healthy: from -2 to 2, about half of them above 0. Patient 2: the same shape, moved to the left by 8; all of it lies below 0, where relu gives 0."
# Given: this only draws.
_, panels = plt.subplots(1, 2, figsize=(7, 2.2), sharey=True)
for panel, name, patient in zip(panels, ["healthy", "patient 2"], [HEALTHY, WARD[2]], strict=True):
    first, bias, *_ = patient.weights()
    panel.hist((images @ first.numpy() + bias.numpy()).ravel(), 40, color="#0072b2")
    panel.axvline(0.0, color="black", linewidth=1)
    panel.set(title=name, xlabel="input of a unit", xlim=(-11, 4), yticks=[])
plt.show()

# %% [markdown] slide="## A gradient makes a promise\n\nA small step against $g$ should lower the loss by the rate times $|g|^2$.\n\nCompare this promise with the fall that really comes." notes="3 minutes. The promise is the first-order change of lesson 1. Ask for its sign if the rate is far too large."
# ## A wild curve
#
# ### Patient 3
#
# The loss jumps about, partly above the picture, and ends at 2.92. There is a sharp test for the size of a step. A gradient *promises*
# how much the loss falls: for a small step against $g$ it is the rate times $|g|^2$. We compare this promise with the fall that really
# comes:


# %% tags=["given"] slide="Promise and fall of the healthy network"
# Given.
def promise(patient):
    """The promised and the real fall of the loss in the first step."""
    exam = examined(patient, 8)
    gradients = exam.tape.gradient(exam.loss, exam.v)
    promised = patient.rate * sum(float(tf.reduce_sum(g**2)) for g in gradients)
    moved = [w - patient.rate * g for w, g in zip(exam.v, gradients, strict=True)]
    after = patient.error(patient.scores(moved, exam.x), (labels[:8] + patient.shift) % 10)
    return promised, float(exam.loss - after)


for rate in (0.01, 0.5):
    promised, fall = promise(HEALTHY._replace(rate=rate))
    print(f"rate {rate:5}: promised {promised:.3f}, real {fall:.3f}")

# %% slide="Patient 3: will its promise be kept? | A fall is promised, and the loss rises"
with viz.predict(
    "With a small rate, promise and fall agree. Patient 3 is promised a fall of 36. Does its loss really fall by about 36, by about 1, or does it rise?",
    "It rises, by 26.5. The rate is 20, forty times too large. Steps so long kill all units, as in patient 1.",
):
    print("patient 3 : promised {:.1f}, real {:.1f}".format(*promise(WARD[3])))
    print("its largest loss:", round(charts[3].losses.max()))
    print("dead units after 1, 2, 3, 4, 300 steps:", *(f"{100 * d:.0f} %" for d in charts[3].dead))
    print("fixed:", card(trained(WARD[3]._replace(rate=0.5))))

# %% tags=["picture", "given"] minutes=1 slide="A promise is a straight line, and the loss bends away"
# Given: the loss of the healthy network after one step, for longer and longer steps.
rates = np.linspace(0.0, 6.0, 25)
start = float(examined(HEALTHY, 8).loss)
slope = promise(HEALTHY._replace(rate=1.0))[0]
falls = [promise(HEALTHY._replace(rate=rate))[1] for rate in rates]
promising(
    rates,
    [start - fall for fall in falls],
    slope,
    {0.5: "69 % kept", 2.0: "the lowest", 5.0: "no gain"},
    alt="The loss after one step, over the rate from 0 to 6. A dashed straight line, the promise, falls from the start and is at 0 before the rate 1.5. The real loss leaves it, is lowest at the rate 2, as high as at first at 5, and rises on. A green bar between the two grows as it moves to the right, until the promise is at 0. Of the promise 0.99 at the rate 0.01, 0.69 at 0.5, and -0.73 at 20 is kept, which is far outside.",
)

# %% [markdown] slide=""
# The promise is a straight line, and knows nothing of the bend. It even promises a loss below 0. For a small step both agree.
#
# For this one step, on eight images, a rate of 2 would be best. A training has to survive 300 steps on other images, so it takes less.

# %% [markdown] slide=""
# Once all units are dead, only the last bias still changes, and it makes the curve jump. A learning rate is a **hyperparameter**: a number that you choose, and that no gradient
# chooses for you.

# %% [markdown] slide=""
# ## Healthy curves
#
# ### Patient 6
#
# The curve is as good as the healthy one. The loss ends at 0.08. And of 500 test images it reads one.

# %% slide="Patient 6: loss 0.08, and 0.2 % are right. Has it learnt? | It has learnt everything | Look at what it was taught"
with viz.predict(
    "A network that guesses reads 10 %. This one reads 0.2 %. Has it learnt nothing, something, or everything?",
    "Everything: to be wrong so often, you have to know the answer. Its labels are one too high, for each image. Look at your data, with your own eyes.",
    alt="Ten images of digits in a row, each with the label that the network is given above it. Each label is one more than the digit: over a 2 stands 3, over a 9 stands 0.",
):
    figure, panels = plt.subplots(1, 10, figsize=(7.5, 1.2))
    for panel, image, label in zip(panels, images, (labels + WARD[6].shift) % 10, strict=False):
        panel.imshow(image.reshape(8, 8), cmap="gray_r")
        panel.set_title(f"{label}", fontsize=14)
        panel.axis("off")
    plt.show()
    print("fixed:", card(trained(WARD[6]._replace(shift=0))))

# %% [markdown] slide=""
# **No tool for derivatives finds that**, because no derivative is wrong. A look at ten inputs and their labels before the
# training would have.
#
# ### Patient 7
#
# The best loss of all: 0.006 at the end, where the healthy network has 0.08. Of the test images it reads 81 %.

# %% slide="Patient 7: the lowest loss, and 81 %. Which number would you ask for? | All right on what it has seen"
with viz.predict(
    "Loss 0.006, test 81 %. Which number would you ask for first: the length of its gradient, its accuracy on the images that it trained on, or its learning rate?",
    "Its accuracy on the images that it trained on: 100 %. It has 40 of them, and knows them by heart.",
):
    for name, chart in [("patient 7", charts[7]), ("healthy", well)]:
        print(
            f"{name:9}: {chart.train:.0%} of what it trained on, {chart.test:.0%} of 500 new images"
        )

# %% tags=["picture", "given"] minutes=1 slide="The loss that it sees goes on falling; the other one has stopped" alt="Two curves over 300 steps on a logarithmic axis. The loss of patient 7 on its 40 images falls from 2.3 to 0.006, and goes on falling. Its loss on 500 new images, dashed, falls to 0.7 in the first 60 steps and stays there."
# Given: this only draws.
_, panel = plt.subplots(figsize=(5.6, 2.6))
panel.semilogy(charts[7].losses, "-")
panel.semilogy(10 * np.arange(30), charts[7].unseen, "--")
panel.text(110, 0.035, "on its 40 images", color="C0")
panel.text(110, 0.85, "on 500 new images", color="C1")
panel.set(xlabel="step", ylabel="loss")
plt.show()

# %% [markdown] slide="## Learnt by heart\n\n**Overfitting**: better on what it has seen, no better on what it has not.\n\n**Early stopping**: stop where the loss on unseen examples is lowest. It pays where that loss rises again.\n\n**Data leakage**: the training has seen what the test asks." notes="3 minutes. Who has ever chosen a rate by the test accuracy? That was a leak."
# This is called **overfitting**: a network gets better on what it has seen, and no better on what it has not. The cure is more data: with all 1297 images it is
# the healthy network. If there are no more, stop where the loss on unseen examples is lowest. This is **early stopping**. Here that loss is flat
# from step 100 on; often it rises again, and then stopping pays.
#
# But keep a third set of examples for that. If you choose the step, or the rate, by the test images, then the training has seen what the test asks. This is
# **data leakage**, and the accuracy that you report is too good.
#
# Learning by heart is also a useful *test*: a network of this size that cannot learn even one batch by heart has a mistake in it.

# %% [markdown] slide=""
# ## The best of all
#
# ### Patient 8
#
# The curve is healthy. The gradients are healthy. 98 % of 500 new images are right, a few more than with the healthy
# network. That is no accident. We drew the first weights again for 20 starts: in 16 of them this network was better, and in two it was
# worse, by one image and by three. It is used on a telephone, one image at a time ...

# %% slide="Patient 8, on a telephone: one image at a time | 11 %, as good as guessing"
with viz.predict(
    "98 % of 500 images at once. How many are right if it gets one image at a time: 98 %, about 80 %, or about 10 %?",
    "11 %, as good as guessing! It takes a mean over the batch, so what it says of one image depends on the "
    "other images. Alone, its hidden units minus their own mean are zero.",
):
    for name, chart in [("patient 8", charts[8]), ("healthy", well)]:
        print(f"{name:9}: {chart.test:.0%} of 500 at once, {chart.alone:.0%} one at a time")
    rows = [(images[1297:][labels[1297:] == digit], digit) for digit in range(10)]
    hits = [np.argmax(WARD[8].scores(charts[8].v, x), 1) == digit for x, digit in rows]
    print(f"patient 8: {np.mean(np.concatenate(hits)):.0%} in ten batches, of one digit each")

# %% [markdown] slide=""
# In a batch of one digit it does no better: what it says depends on its neighbours. The tool for that is the **Jacobian**, the table of all
# derivatives: here one for each score and each pixel. The derivatives of one image's scores with respect to the pixels of *another* image must be zero.
# In the picture each square is the largest derivative, in absolute value, of any score of one image with respect to any pixel of the other.

# %% tags=["picture"] slide="Whose pixels move whose scores?" alt="Two tables of 4 by 4 squares, rows for the image whose scores are looked at, columns for the image whose pixels change, darker where more arrives. Healthy: only the diagonal is dark, everything else is 0. Patient 8: no square is white."
figure, panels = plt.subplots(1, 2, figsize=(8, 3.9))
largest_of = {}
for name, patient in [("healthy", HEALTHY), ("patient 8", WARD[8])]:
    exam = examined(patient, 4)
    whole = np.abs(exam.tape.jacobian(exam.scores, exam.x).numpy())
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
figure.suptitle("the largest derivative of a score, in absolute value", fontsize=12)
plt.tight_layout()
plt.show()

# %% tags=["given"] slide="Fixed: the mean over the units"
# Given.
over_units = WARD[8]._replace(layers=lambda h: h - tf.reduce_mean(h, axis=1, keepdims=True))
print("fixed:", card(trained(over_units)))

# %% [markdown] slide=""
# The mean should be over the units of one image, `axis=1`. A batch norm does take its mean over the batch, on purpose, while it trains. For use it has
# running averages (lesson 18). Forget to switch, and you have this patient: *Further* counts what is left of 97 %.

# %% [markdown] slide=""
# ## What gives it away
#
# Here are the numbers that you can ask of any training, for all eight. An orange one is far from the healthy one in
# the first column: by a factor of 4, or, in the last four rows, by more than 10 of 100.

# %% tags=["picture", "given"] minutes=0.5 slide="One look at eight numbers: whom does each give away?" notes="1 minute. Cover all but the first row. Whom has it found? Then the next row. Ask why the column of 8 is white down to the last row." alt="A table with a column for the healthy network and one for each patient, and a row for each of eight numbers. Patients 1 and 4 have an orange field in the first row, the loss at the start. 2 and 5 have one at the first gradient, and 3 at the promise. In 6 only the three accuracies are orange, in 7 the loss at the end, which is too low, and both accuracies on new images. In 8 only the last row is orange: one image at a time."
# Given: this only draws.
asked = {
    "loss at the start": lambda p, c: c.losses[0],
    "loss at the end": lambda p, c: np.mean(c.losses[-20:]),
    "first gradient, layer 1": lambda p, c: c.lengths[0][0],
    "part of the promise kept": lambda p, c: np.divide(*promise(p)[::-1]),
    "dead units at the end [%]": lambda p, c: 100 * c.dead[-1],
    "right, of what it saw [%]": lambda p, c: 100 * c.train,
    "right, of 500 new ones [%]": lambda p, c: 100 * c.test,
    "right, one at a time [%]": lambda p, c: 100 * c.alone,
}
sheet = np.array(
    [
        [
            ask(p, c)
            for p, c in zip([HEALTHY, *WARD.values()], [well, *charts.values()], strict=True)
        ]
        for ask in asked.values()
    ]
)
with np.errstate(all="ignore"):
    apart = ~(np.abs(np.log(sheet[:4] / sheet[:4, :1])) < np.log(4))  # by a factor of 4
apart = np.concatenate([apart, np.abs(sheet[4:] - sheet[4:, :1]) > 10])  # by 10 of 100
_, panel = plt.subplots(figsize=(8.6, 3.4))
panel.imshow(apart, cmap=ListedColormap(["white", "#f6c9a5"]), aspect="auto")
for (row, column), number in np.ndenumerate(sheet):
    text = f"{number:.0f}" if row > 3 and number > 1 or number > 100 else f"{number:.2g}"
    panel.text(column, row, text, ha="center", va="center", fontsize=12)
panel.set_xticks(range(9), ["healthy", *map(str, WARD)])
panel.set_yticks(range(len(asked)), asked)
panel.tick_params(length=0, labeltop=True, labelbottom=False, labelsize=12)
panel.spines[:].set_visible(False)
panel.axvline(0.5, color="black", linewidth=1)
plt.show()

# %% [markdown] slide="## What gives it away, patient by patient\n\n| | what was wrong | what gave it away |\n|:--|:--|:--|\n| 1 | pixels up to 255 | first loss, first gradient |\n| 2 | all units closed | a gradient of 0 |\n| 3 | the rate | promise and fall |\n| 6 | labels one too high | ten inputs with labels |\n| 7 | 40 images | accuracy on what it saw |\n| 8 | a mean over the batch | one example alone |"
# | patient | what is wrong | what gives it away |
# |:--|:--|:--|
# | 1 | pixels up to 255 | the loss at the start, the first gradient |
# | 2 | bias -8: all units are closed | a gradient of exactly zero: `viz.explain`, `viz.check` |
# | 3 | the rate | promise and fall |
# | 6 | labels one too high | an accuracy far *below* a guess; ten inputs with their labels |
# | 7 | 40 images learnt by heart | the accuracy on the images that it trained on |
# | 8 | a mean over the batch | alone and in a batch; the Jacobian |
#
# None of the eight has a wrong derivative rule. In 3 the step is too long. The others compute exactly what they were
# told; they were told something other than what was meant. Wrong rules are at home: patients 10 and 11.
#
# At the first step `viz.check` finds nothing in patients 1, 3, 6, 7 and 8. It finds the dead units of 1 and 3 at the end.

# %% [markdown] slide="## The checklist\n\n1. Loss at the start: log(classes).\n2. No gradient zero; lengths as in a run that works.\n3. The weights moved.\n4. Promised and real fall agree as the rate shrinks.\n5. Your own rules pass a gradient check.\n6. The *error* has the right shape; the scores are scores.\n7. No nan, no infinity: else the *first* one.\n8. Alone as in a batch.\n9. Seen against unseen; one batch by heart.\n10. Ten inputs with labels." notes="2 minutes. Leave the checklist on the wall."
# ## The checklist
#
# 1. The loss at the start is about $\log(\text{classes})$. If not: scale, weights at the start.
# 2. The gradient of each layer has a length that is not zero, and like that of a run that works: `viz.flow`. If you have no
#    such run, look at the fraction of its own length by which a matrix of weights moves in the first step, rate · |g| / |w|. Layer 1 of the
#    healthy network moves by 0.06, that of patient 1 by 31, and that of patient 10 by 0.0009.
# 3. The weights moved.
# 4. Promised and real fall of the loss agree as the rate becomes smaller. If not, the gradient is wrong. If they do, a
#    part of it may still be missing: items 2 and 3.
# 5. What you wrote yourself passes a **gradient check**: `tf.check_gradients` compares a rule with the slope from two runs, as in lesson 1.
# 6. The shape of the *error* is what you think: `viz.check`. The loss gets scores, not probabilities.
# 7. No value is `nan` or infinite. If one is, look for the *first*.
# 8. One example alone gives what it gives in a batch.
# 9. The accuracy on what it has seen is not much better than on what it has not. And it can learn one batch by heart: if a network of this size
#    cannot, even with smaller rates, it has a mistake in it.
# 10. You have looked at ten inputs with their labels, with your own eyes.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `check_numerics` | `set_detect_anomaly` | `jax_debug_nans` |\n| `tf.check_gradients` | `gradcheck` | `check_grads` |\n| `training=False` | `net.eval()` | an argument |\n| loss of logits | `F.cross_entropy` | `log_softmax` |"
# ## The same elsewhere
#
# What a loss calls *logits* are scores.
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `tf.debugging.check_numerics(x, "x")`: an error at the first `nan` | `torch.autograd.set_detect_anomaly(True)`, for the backward pass | `jax.config.update("jax_debug_nans", True)` |
# | `tf.check_gradients(f, [x])`, here alone | `torch.autograd.gradcheck(f, (x,))`, in float64 | `jax.test_util.check_grads(f, (x,), order=1)` |
# | `layer(x, training=False)` | `net.eval()` | an argument of your own |
# | `tf.nn.sparse_softmax_cross_entropy_with_logits` | `F.cross_entropy(scores, labels)`; `F.nll_loss` wants the logarithms of probabilities | `-jax.nn.log_softmax(scores)[label]` |
# | `tf.clip_by_global_norm(g, 1.0)` | `nn.utils.clip_grad_norm_(parameters, 1.0)` | by hand |

# %% [markdown] slide="## At home: patients 4 and 5\n\nOne says 10.65, inf, nan. The other is only slow."
# ## Homework: two of the eight, and one question
#
# ### Patient 4
#
# Loss 10.65, then infinity, and then `nan` forever. The first of them has a cause, and the others usually
# follow from it. So look for the *first* number that is not finite. `viz.check` searches everything that a tape has recorded. At the start
# all is finite. After one step, a few images give an infinity. So we examine this patient after its first step, on all 1297 training images:

# %% slide="Patient 4: inf, nan, nan. Which operation was the first? | The logarithm of a probability that became 0"
exam = examined(WARD[4], 1297, trained(WARD[4], steps=1).v)
with viz.predict(
    "Loss 10.65, inf, nan, nan. Which operation makes the first of them: the matrix product, exp, the division, or log?",
    "log: a probability was so small that float32 made it 0, and log(0) is minus infinity. Softmax and "
    "logarithm belong in one operation, which never forms that probability (lesson 5).",
):
    print("losses:", *(f"{each:.2f}" for each in charts[4].losses[:4]))
    print(viz.check(exam.tape, exam.loss, exam.v))
    print("fixed:", card(trained(WARD[4]._replace(loss=None))))
    print("both:  ", card(trained(WARD[4]._replace(loss=None, spread=(0.18, 0.25)))))

# %% [markdown] slide="## One patient, two illnesses\n\nWith its loss fixed, patient 4 still begins at 10.65, far above 2.303: its first weights are eleven times too large.\n\nFix both: 2.53, and 97 %."
# With its loss fixed, it still begins at 10.65. That is far above 2.303, so it is a finding. The first weights have
# a spread of 2.0, eleven times that of the healthy ones. A patient may have two illnesses, and one may hide the
# other: as long as the scores are small, this loss does no harm. With both fixed it is healthy.

# %% [markdown] slide="## Patient 5 is slow\n\nLoss 1.75 at the end, 66 % right. \"Take a larger rate\", says somebody. Or look at the ten scores of one image:"
# ### Patient 5
#
# It learns, but slowly: the loss ends at 1.75, and 66 % are right. Somebody says: "Take a larger rate." Somebody else looks at the
# ten scores of one image.

# %% tags=["given"] slide="Patient 5 is slow"
# Given.
scores = WARD[5].scores(charts[5].v, tf.constant(images[:1])).numpy()[0]
print(scores.round(2), " sum", scores.sum().round(2))

# %% slide="How low can the loss of patient 5 get? | A softmax of a softmax cannot be sure"
with viz.predict(
    "The scores of each image lie between 0 and 1, and their sum is 1. How low can the loss get at best: 0, 0.7 or 1.46?",
    "1.46, which is log(1 + 9/e). The scores are probabilities already, and the loss applies the softmax once more. Even if the network is sure, its "
    "scores are one 1 and nine 0s, and the second softmax gives the 1 only 23 %. A larger rate helps, and no rate gets below the floor.",
):
    print(f"log(1 + 9/e) = {np.log(1 + 9 / np.e):.3f}")
    for rate in (0.5, 2.0, 8.0):
        print(f"rate {rate:3}:", card(trained(WARD[5]._replace(rate=rate))))
    print("fixed:   ", card(trained(WARD[5]._replace(output=tf.identity))))

# %% [markdown] slide=""
# The loss wants *scores*, not probabilities. Each library has a loss that takes scores and one that takes probabilities, and their names are
# alike. No derivative is wrong here, so no check of gradients complains.
#
# What gave the two away? Patient 4 the loss at the start, and the first value that is not finite; patient 5 the scores of one image, and the floor of
# its loss. At the first step `viz.check` finds nothing in patient 4 either, and what is wrong in 5. It finds the infinity of 4 after that step.

# %% [markdown] slide="## The rate, or the gradient?\n\nMake the rate ten times smaller, and again.\n\n- The ratio of fall and promise goes to 1: the step was too long.\n- It stays away from 1: the gradient is wrong."
# ### The rate, or the gradient?
#
# Is it the rate, or is the gradient wrong? Make the rate ten times smaller, and again. Here is patient 1, with its large pixels:


# %% tags=["given"] slide="Patient 1: its gradient is right, its step was too long"
# Given.
def promises(patient):
    """Promised and real fall for smaller and smaller rates."""
    for rate in (1e-3, 1e-4, 1e-5):
        promised, fall = promise(patient._replace(rate=rate))
        ratio = fall / promised
        print(f"rate {rate}: promised {promised:.3g}, real {fall:.3g}, ratio {ratio:.2f}")


promises(WARD[1])

# %% [markdown] slide=""
# The ratio goes to 1: the gradient keeps its promise, and even a rate of 0.001 was too large. If the ratio stays *away* from 1, the gradient is
# wrong. A missing part of the gradient does not show here: without it less is promised, and the loss falls by less.

# %% [markdown] slide="## Exercises\n\n1. Six patients of your own\n2. Three mistakes in one loop\n3. The first bad value\n4. Promise and fall"
# ## Exercises
#
# Replace each `...` with your code, run the cell, and run the check below it.

# %% [markdown]
# **Exercise 1.** Six patients, A to F, with another task: points of three kinds in the plane. They are yours: write your name into `name`; the order and the
# numbers are made from it. `case("A", name)` gives a `Case`. Its `train()` returns a dictionary:
#
# - `"losses"`, and `"lengths"`, of the gradients of both matrices at each step,
# - `"moved"`, the largest change of a weight of layer 1,
# - `"at once"` and `"alone"`, two accuracies.
#
# Its `record()` returns `tape, loss, variables`. For each letter, give the cause **and the number of `train()` that shows it**, such as
# `"A": ("rate", 12.3)`. The causes are a *scale* of the points that is too large, *dead units*, a *small loss* (it is divided once more), a *batch
# mean*, a *rate* that is too large, and a *stale copy*: the steps move a copy of the weights. If a number fits two causes, look at a second one.
# `case("healthy", name)` is for comparison. Make the case again before you train it again: `train()` goes on from where it was.

# %% tags=["needed", "setup"]
from zlib import crc32

CAUSES = ["scale", "dead units", "small loss", "batch mean", "rate", "stale copy"]


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
        if self._cause == "batch mean":
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


def case(letter, name):
    """One of the six of a student, or "healthy"; another name gives another six."""
    seed = crc32(name.encode())
    hidden = dict(zip("ABCDEF", np.random.default_rng(seed).permutation(CAUSES), strict=True))
    return Case(str(hidden[letter]) if letter in hidden else None, seed + ord(letter[0]))


# %% nbgrader={"grade": false, "grade_id": "named-six", "locked": false, "schema_version": 3, "solution": true, "task": false}
name = ""  # yours
diagnosis = {"A": None, "B": None, "C": None, "D": None, "E": None, "F": None}
### BEGIN SOLUTION
name = "Ada"
for letter in diagnosis:
    chart = case(letter, name).train()
    first = chart["lengths"][0][0]
    if first == 0:
        diagnosis[letter] = "dead units", first
    elif chart["moved"] == 0:
        diagnosis[letter] = "stale copy", chart["moved"]
    elif first > 2:
        diagnosis[letter] = "scale", first
    elif chart["losses"][0] < 0.1:
        diagnosis[letter] = "small loss", chart["losses"][0]
    elif chart["at once"] - chart["alone"] > 0.2:
        diagnosis[letter] = "batch mean", chart["alone"]
    else:
        diagnosis[letter] = "rate", chart["moved"]
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "named-six-check", "locked": true, "points": 6, "schema_version": 3, "solution": false, "task": false}
with viz.Score(6) as score:
    assert isinstance(name, str), "name is a text, in quotes."
    assert name.strip(), "Write your name first: it makes your six."
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
        ), f"{letter}: give a cause and the number that shows it, such as ('rate', 12.3)."
    hints = {
        "scale": "{}: compare its first gradients with those of the healthy one.",
        "dead units": "{}: what exactly is the first gradient of layer 1?",
        "small loss": "{}: which loss does it start with, and which one is healthy for three classes?",
        "batch mean": "{}: compare its two accuracies.",
        "rate": "{}: its first gradients are healthy. How far did its weights move?",
        "stale copy": "{}: its first gradients are healthy. How far did its weights move?",
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
            "batch mean": [
                share * each for share in (1, 100, -1, -100) for each in (chart["alone"], apart)
            ],
            "rate": large,
            "stale copy": [0.0],
        }

    for letter in "ABCDEF":
        cause, said = case(letter, name)._cause, diagnosis.get(letter)
        if not said or said[0] != cause:
            hint = hints[cause].format(letter) if said else f"{letter}: no diagnosis yet."
            score.part(1, False, hint)
            continue
        number, shown = float(said[1]), telling(case(letter, name).train())[cause]
        bad = f"{letter}: nan is a consequence. Which number of the first step shows its cause?"
        hint = (
            bad
            if np.isnan(number)
            else f"{letter}: {number:.4g} does not show it: a healthy one, or one with another cause, can have such a number, too. If you rounded it, give three digits."
        )
        near = 0.2 if cause == "small loss" else 0.05  # one digit is enough
        score.part(1, any(np.isclose(number, each, rtol=near, atol=0) for each in shown), hint)
    score.total("each of the six was found by a number, not by trying.")
score.earned

# %% [markdown]
# **Exercise 2.** Three mistakes in one loop. Fix them; everything else stays. That the network subtracts a mean is not a
# mistake. `learnt(x, y)` returns the function that classifies.


# %% nbgrader={"grade": false, "grade_id": "three-mistakes", "locked": false, "schema_version": 3, "solution": true, "task": false}
def learnt(x, y):
    """Trains on points x of shape (n, 2) with kinds y (0, 1 or 2); returns a function of points."""
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
    """Trains on points x of shape (n, 2) with kinds y (0, 1 or 2); returns a function of points."""
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

    draw = np.random.default_rng()  # other points each time
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
            "learnt returns nothing: it should return the function that classifies."
        )
        found = np.asarray(answer(points[400:]))
    except (AttributeError, IndexError, NameError, TypeError, ValueError) as error:
        assert not (len(targets) == 2 and "None" in str(error)), (
            "After one step v holds tensors, which the tape does not watch. Which method changes a variable and leaves it a variable?"
        )
        raise AssertionError(f"It stops with {type(error).__name__}: {error}") from error
    assert targets, (
        "No gradient was computed: the loop stays, with tape.gradient in each of its steps."
    )
    assert found.shape == (200,), (
        f"For 200 points the function should return 200 kinds, shape (200,), not {found.shape}."
    )
    at_once = float(np.mean(found == kinds[400:]))
    assert len(targets) >= 50, (
        f"tape.gradient is called {len(targets)} times: the loop has 100 steps, and their number was no mistake."
    )
    alone = float(np.mean([answer(point[None])[0] for point in points[400:]] == kinds[400:]))
    score.part(
        1,
        at_once > 0.95,
        f"{at_once:.0%} at once: are the weights moving, and is the gradient full size, neither smaller nor larger?",
    )
    if len(targets) > 150:
        hint = (
            f"{len(targets)} steps: their number was no mistake. What makes each of them so small?"
        )
    else:
        hint = f"The loss begins with {targets[0]:.3g}. For three kinds about log(3) = 1.1 is healthy: is it a mean?"
    score.part(2, 0.3 < targets[0] < 5 and len(targets) <= 150, hint)
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
        said = "Two far points in the same batch change what it says of the others: whose mean is subtracted?"
        score.part(2, False, said)
    else:
        said = f"{alone:.0%} one at a time: over which axis is the mean?"
        if at_once <= 0.95:
            said = (
                "Whether one point depends on the others shows only when it learns: fix that first."
            )
        right_axis = not mixed and alone > at_once - 0.05 and len(set(found)) > 1
        score.part(2, right_axis, said)
    score.total("it learns, and one point alone gives what it gives in a batch.")
score.earned

# %% [markdown]
# **Exercise 3.** The first bad value. A recording, `with viz.recording() as journal:`, has `entries`, in the order in which the operations
# ran. Each has `entry.op.name`, and `entry.inputs` and `entry.outputs`, two tuples of tensors. Write
# `first_bad(journal)`: the name of the first operation with an output that is not finite, or `None`.


# %% nbgrader={"grade": false, "grade_id": "first-bad", "locked": false, "schema_version": 3, "solution": true, "task": false}
def first_bad(journal):
    """The name of the first operation that returned nan or infinity; None if none did."""
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
                f"It stops with {error}. The operations are in journal.entries, in their order."
            ) from error
        except AttributeError as error:
            raise AssertionError(
                f"It stops with {error}. entry.inputs and entry.outputs are tuples: go through their tensors."
            ) from error
        except ValueError as error:
            raise AssertionError(
                f"It stops with {error}: np.isfinite answers for each element. Which method makes one answer of them?"
            ) from error

    def risky(z):
        return tf.sqrt(tf.math.log(z) - 1.0) * 0.0 + tf.exp(z)

    def steep(z):
        return tf.reduce_sum(tf.exp(z * z)) - 1.0

    low, high = np.random.default_rng().uniform([1.1, 4.0], [2.6, 9.0])  # other numbers each time
    found = name_of_first_bad(risky, [high, low])
    assert found is not None, (
        "Nothing is found yet. In this program the second of two elements is nan, after a few good entries. "
        "Does it look at all entries before it says None, and at all elements: .all(), not .any()?"
    )
    assert isinstance(found, str), f"Return the name, entry.op.name, not {type(found).__name__}."
    hint = f"The first bad value comes from the root, and you say {found!r}."
    if found in ("multiply", "add"):
        hint += " That one only received the nan: look at the outputs, from the first entry on."
    score.part(1, found == "sqrt", hint)
    infinite = [name_of_first_bad(risky, [high, 0.0]), name_of_first_bad(steep, [1.0, 30.0])]
    hint = "log(0) and exp(900) are infinities: those are bad too, whichever operation and element it is."
    score.part(1, infinite == ["log", "exp"], hint)
    quiet = name_of_first_bad(risky, [8.0, 9.0])
    large = name_of_first_bad(lambda z: z * 1.0, [1e308, 1e308])
    hint = "If everything is finite, the answer is None."
    if quiet is None:
        hint += " 1e308 is finite, and the sum of two of them is not: ask each element."
    score.part(1, quiet is None and large is None, hint)
    score.total("the first one has a cause, and the others usually follow from it.")
score.earned

# %% [markdown]
# **Exercise 4.** Promise and fall. `f` is a function without arguments, which reads the variables in the list `v`. Write
# `promise_and_fall(f, v, rate)`: the fall that the gradient promises for one step, and the real one. Afterwards the
# variables must have their old values.


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
        """What the function returns; an array of two numbers is a pair, too."""
        given = promise_and_fall(*arguments)
        return (
            list(given) if isinstance(given, np.ndarray | tf.Tensor) and np.ndim(given) else given
        )

    answer = told(bowl, [a, b], 0.1)
    assert answer is not None, "Return two numbers: the promised fall and the real one."
    assert (
        isinstance(answer, tuple | list) and [is_number(each) for each in answer] == [True] * 2
    ), (
        "Return two numbers, in a pair: the promised fall, the real one. Is each of them one number, and not an array?"
    )
    promised, fall = map(float, answer)
    length = 4 * (1 + 4 + 9)  # the squared length of the gradient
    true_fall = 14 * (1 - 0.8**2)
    slips = [
        (length, "The promise is for one step: times the rate."),
        (-0.1 * length, "A promised fall is positive: the step goes along -g."),
        (
            0.05 * length,
            "No half: the promise is of first order.",
        ),
        (
            0.01 * length,
            "The rate once: the step is rate times g, and its fall is that times g again.",
        ),
        (0.1 * length**0.5, "The length of the gradient is squared in the promise."),
        (true_fall, "That is the real fall: the promised one comes first in the pair."),
    ]
    hints = [hint for slip, hint in slips if np.isclose(promised, slip)]
    hints.append("Add the squares over all variables and elements.")
    right_promise = np.isclose(promised, 0.1 * length)
    kept = np.allclose(a, [1.0, 2.0]) and np.isclose(float(b), 3.0)
    a.assign([1.0, 2.0])
    b.assign(3.0)
    later = float(np.random.default_rng().uniform(0.03, 0.07))  # another rate each time
    promised_later, smaller = map(float, told(bowl, [a, b], later))

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
        hint = "That step went uphill."
    elif np.isclose(fall, true_fall):
        hint = "At another rate it is wrong: take the rate that is given."
    else:
        hint = "The real fall: f before the step minus f after it."
    if right_promise:
        hints = [
            "Right for this function and this rate only: take the gradient of f, and the rate given."
        ]
    later_too = np.allclose([promised_later, elsewhere[0]], [later * length, true_elsewhere[0]])
    score.part(1, right_promise and later_too, hints[0])
    later_too = np.allclose(
        [smaller, elsewhere[1]], [14 * (1 - (1 - 2 * later) ** 2), true_elsewhere[1]]
    )
    score.part(2, np.isclose(fall, true_fall) and later_too, hint)
    said = "The variables should have their old values afterwards: another name for v is the same variables."
    score.part(1, kept, said)
    score.total("for a small rate the two agree.")
score.earned

# %% [markdown] slide="**To think about.** Invent a patient: one mistake of your own whose curve looks healthy for 100 steps. Which mistake can no automatic check find?"
# **To think about.** In words, for 2 points, graded by hand: invent a patient, one mistake of your own whose curve looks healthy for 100 steps, and give it to
# your neighbour. Which mistake can no automatic check find?
#
# <details><summary>An answer</summary>
# A check compares what a program does with what somebody has written down that it should do. It cannot know what nobody wrote down: labels that are
# wrong, a question that the data cannot answer, a loss that is not what you want.
# </details>

# %% [markdown]
# ## What to remember
#
# - Know the healthy numbers: $\log(\text{classes})$ at the start, lengths of gradients, how far weights move.
# - An accuracy below a guess means that something was learnt. Perfect on what it has seen, it may be poor on what it has not.
# - The best accuracy of the ward belonged to the patient that was useless outside.
# - Fix the cause. With a smaller rate, or a clipped gradient, a sick network looks better and stays sick.
#
# **Read on.** Karpathy, *A Recipe for Training Neural Networks*, 2019; Zhang, Bengio, Hardt, Recht, Vinyals,
# *Understanding Deep Learning Requires Rethinking Generalization*, 2017; Glorot, Bengio, *Understanding the
# Difficulty of Training Deep Feedforward Neural Networks*, 2010; Ioffe, Szegedy, *Batch Normalization*, 2015.

# %% [markdown]
# ## Further: what a smaller rate is worth
#
# A smaller rate is what many try first. Here it is for patient 1, and a clipped gradient:

# %% tags=["given", "varies"]
# Given.
for rate, clip in [(0.01, None), (0.0007, None), (0.00005, None), (0.1, 1.0)]:
    name = f"rate {rate:g}" + ", clipped" * bool(clip)
    print(f"{name:18}", card(trained(WARD[1]._replace(rate=rate, clip=clip))))

# %% [markdown]
# At 0.0007, about the best rate, the network reads six digits of ten. With clipped gradients it
# reads eight.

# %% [markdown]
# ## Further: a batch norm left in training mode
#
# Here the first layer of the healthy network gets a batch norm:


# %% tags=["given"]
# Given: the healthy network with a batch norm, trained.
def with_batch_norm():
    """Its two modes, as functions from images to scores."""
    v, draw = HEALTHY.weights(), np.random.default_rng(3)
    kept = [np.zeros(32), np.ones(32)]

    def scores(x, training, learn=False):
        z = x @ v[0]
        if training:
            mean = tf.reduce_mean(z, axis=0)
            variance = tf.reduce_mean((z - mean) ** 2, axis=0)
        else:
            mean, variance = kept
        if learn:
            kept[0] = 0.9 * kept[0] + 0.1 * mean.numpy()
            kept[1] = 0.9 * kept[1] + 0.1 * variance.numpy()
        z = (z - mean) / tf.sqrt(variance + 1e-5) + v[1]
        return tf.nn.relu(z) @ v[2] + v[3]

    for _ in range(300):
        chosen = draw.integers(0, 1297, 64)
        with tf.GradientTape() as tape:
            loss = cross_entropy(scores(tf.constant(images[chosen]), True, True), labels[chosen])
        for variable, gradient in zip(v, tape.gradient(loss, v), strict=True):
            variable.assign_sub(0.5 * gradient)
    return scores


normed = with_batch_norm()

# %%
with viz.predict(
    "A batch norm, trained well: 97 % of 500 images are right. Somebody forgets to switch it to use. Images come one at a time. How many are right: 97 %, about half, or about 10 %?",
    "9 %. Each image is its own mean, so every hidden unit is 0 before its bias. With the running averages it is 97 %, alone as in a batch.",
):
    single = [tf.constant(images[k : k + 1]) for k in range(1297, 1797)]
    for mode in (True, False):
        at_once = np.argmax(normed(tf.constant(images[1297:]), mode), 1) == labels[1297:]
        alone = [np.argmax(normed(x, mode)) for x in single] == labels[1297:]
        print(
            f"training={mode!s:5}: {at_once.mean():.0%} at once, {alone.mean():.0%} one at a time"
        )

# %% [markdown]
# ## Further: patient 8, in words
#
# `viz.jacobian` says in words what the picture of patient 8 shows:

# %% tags=["given"]
# Given.
for name, patient in [("healthy", HEALTHY), ("patient 8", WARD[8])]:
    exam = examined(patient, 4)
    print(f"{name}: {viz.jacobian(exam.tape, exam.scores, exam.x, batch_jacobian=True).words}")

# %% [markdown]
# ## Further: six more patients
#
# Here are their cards. 13 has another task. Write a diagnosis before you open an answer.

# %% tags=["given"]
# Given.
charts |= {number: trained(patient) for number, patient in AT_HOME.items()}
charts[12] = trained(HEALTHY, targets=np.random.default_rng(9).permutation(labels))
for number in (9, 10, 11, 12, 14):
    print(f"patient {number}: {card(charts[number])}")

# %% [markdown]
# ### Patient 9
#
# Its gradients are as healthy as you could wish, 0.92 in layer 1, and the loss stays at about 2.4.

# %%
with viz.predict(
    "The gradients are right, the rate is right, and the loss stays at 2.4. What else must happen in a step, "
    "and did it?",
    "The weights must move, and they did not: a copy of them is updated. Ask the tape which variables it "
    "watched, and whether those are the ones that you update.",
):
    print("largest change of a weight that the network uses:", charts[9].moved)
    network = HEALTHY.weights()
    updated = [tf.Variable(each) for each in network]
    with tf.GradientTape() as tape:
        loss = HEALTHY.error(HEALTHY.scores(network, tf.constant(images[:8])), labels[:8])
    watched = tape.watched_variables()
    print("updated and watched:", [any(each is w for w in watched) for each in updated])
    print("fixed:", card(trained(AT_HOME[9]._replace(copied=False))))

# %% [markdown]
# Such copies are made by `load`, by "the best weights so far", or by `x = tf.Variable(x)` in a function. The test costs one
# line: *did the weights move?*
#
# ### Patient 10
#
# It learns, but slowly: the loss ends at 1.88. Somebody says: "Take a larger rate." Somebody else examines it first.

# %%
exam = examined(AT_HOME[10])
with viz.predict(
    "Loss 1.88 at the end: slow. What is wrong: the data, the network, or a derivative?",
    "A derivative. The gradient function of the loss divides by the batch, and the mean had done so "
    "already: everything is 64 times too small.",
):
    print(viz.check(exam.tape, exam.loss, exam.v))
    print(f"too small by a factor of {well.lengths[0][0] / charts[10].lengths[0][0]:.1f}")
    promises(AT_HOME[10])
    print("fixed:       ", card(trained(AT_HOME[10]._replace(loss=None))))
    print("a rate of 32:", card(trained(AT_HOME[10]._replace(rate=32.0))))

# %% [markdown]
# The tool runs the loss twice, with slightly different scores, and compares the difference with the rule. It changes each score
# by an amount of its own, so that mistakes hardly cancel.
#
# The real fall is 8 times the promise, at each rate. It is 8 and not 64 because `promise` takes 8 images, and the rule divides by
# their number once more. And the larger rate? 32 is 64 times 0.5, and the curve is as good as new. But the mistake
# is still there. The next student, who takes batches of 16 images, has a rate that is four times too large.
#
# If you compare promise and fall yourself, compare like with like: the same batch before and after, no dropout, plain steps. In float32, stop before the
# fall is smaller than about a ten-thousandth of the loss. At a rate of 1e-6 rounding alone can change the ratio of the healthy network by a tenth. The
# promises here are in float64.
#
# ### Patient 11
#
# Loss about 1, 62 % right. It has a relu with a gradient of its own, "which is faster": `tf.custom_gradient` puts a
# function of yours in the place of a derivative, as in lesson 6. A gradient check compares such a rule with
# the slope from two runs. Make your diagnosis from its report:

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
    print("patient 11:        ", card(charts[11]))
    promises(AT_HOME[11])
    print("layer 1 kept still:", card(trained(HEALTHY._replace(still=2))))
    print(f"a weight of layer 1 moved by {charts[11].moved:.1f}, healthy: {well.moved:.1f}")
    print("fixed:             ", card(trained(AT_HOME[11]._replace(activation=tf.nn.relu))))

# %% [markdown]
# "It learns a little" is a symptom: a wrong derivative learns a little, and so does a network whose first layer stands still.
#
# ### Patient 12
#
# All gradients are right, all weights move, all shapes fit. The loss stays at 2.25, and 7 % are right.

# %% tags=["given"]
# Given.
lengths = charts[12].lengths[0]
print(f"first gradients: layer 1 {lengths[0]:.2f}, layer 2 {lengths[1]:.2f}")

# %% [markdown]
# Can it learn at all? We let it learn *one* batch by heart:

# %% tags=["given"]
# Given.
v, targets = HEALTHY.weights(), np.random.default_rng(9).permutation(labels)[:64]
for _ in range(300):
    with tf.GradientTape() as tape:
        scores = HEALTHY.scores(v, tf.constant(images[:64]))
        loss = HEALTHY.error(scores, targets)
    for variable, gradient in zip(v, tape.gradient(loss, v), strict=True):
        variable.assign_sub(0.5 * gradient)
print(f"loss {float(loss):.2f}, {np.mean(np.argmax(scores, 1) == targets):.0%} of 64 right")

# %%
with viz.predict(
    "All gradients are right, and the network can learn. What is left to look at?",
    "The data. The labels were shuffled, and the images were not.",
    alt="Ten images of digits in a row, each with the label that the network is given above it. The labels do not belong to them.",
):
    figure, panels = plt.subplots(1, 10, figsize=(7.5, 1.2))
    for panel, image, label in zip(panels, images, targets, strict=False):
        panel.imshow(image.reshape(8, 8), cmap="gray_r")
        panel.set_title(f"{label}", fontsize=14)
        panel.axis("off")
    plt.show()

# %% [markdown]
# ### Patient 13
#
# It has another task: how much ink is on the page? A linear model says one number for an image, and its loss is the mean squared
# error. That is easy, because the answer is a sum of the pixels. But after 2000 steps the loss is still 0.0437.

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
    "The guesses have the shape (200, 1), the targets (200,). Which shape does their difference have?",
    "(200, 200): each guess is compared with every target, and the best answer to all of them is their "
    "mean. Nothing warned, for this is a legal broadcast.",
    alt="The guess over the ink on the page, for 500 new pages. Crosses, patient 13: a nearly level cloud about the mean, 1.9. "
    "Dots, fixed: a straight line from 1.4 to 2.6.",
):
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        w = tf.Variable(np.zeros((64, 1)))
        error = tf.constant(images[:200]) @ w - tf.constant(ink[:200])
        loss = tf.reduce_mean(error**2)
    print(error.shape)
    print(viz.check(tape, loss, w))
    loss, better = fitted(tf.constant(ink[:200, None]))
    print(f"fixed: loss {loss:.4f}, guesses from {better.min():.2f} to {better.max():.2f}")
    plt.figure(figsize=(5, 2.6))
    plt.plot(ink[1297:], guesses, "x", markersize=3, label="patient 13")
    plt.plot(ink[1297:], better, "o", markersize=2, label="fixed")
    plt.xlabel("ink on the page")
    plt.ylabel("guess")
    plt.legend()
    plt.show()

# %% [markdown]
# You need no notebook for this. `minitape explain train.py` runs a script of yours and reports the same for each of
# its tapes, with corrections that it has tried.

# %% [markdown]
# ### Patient 14
#
# Loss 0.69 and three quarters of the digits right. "A bit weak." It has sigmoid units.

# %%
with viz.predict(
    "Loss 0.69, 73 % right. In the healthy network the first gradient of layer 1 is about twice that of layer 2. "
    "And here?",
    "64 times smaller. (That it is 64 again is chance.) The weights of layer 1 are so large that the units are at "
    "0 or 1, where the sigmoid is flat. Layer 1 hardly learns: kept still, it reads as many.",
):
    for name, chart in [("healthy", well), ("patient 14", charts[14])]:
        print(f"{name:9}: layer 1 {chart.lengths[0][0]:.3f}, layer 2 {chart.lengths[0][1]:.3f}")
    print(f"smaller by a factor of {charts[14].lengths[0][1] / charts[14].lengths[0][0]:.0f}")
    print("layer 1 kept still:", card(trained(AT_HOME[14]._replace(still=2))))
    print("fixed:", card(trained(AT_HOME[14]._replace(spread=(0.18, 0.25)))))

# %% tags=["picture"] slide=""
viz.curve(tf.sigmoid, (-8.0, 8.0), at=5.0, title="Flat on both sides")

# %% tags=["picture"] slide="Where the inputs of the units lie" alt="Two histograms of the inputs of all sigmoid units, with the curve of the sigmoid over them. Patient 14: the inputs reach from -300 to 300, where the curve looks like a single step, and nearly all of them lie on its flat parts. Fixed: they lie between about -2 and 2, where the curve rises."
figure, panels = plt.subplots(1, 2, figsize=(8, 2.6))
for panel, spread, name in [(panels[0], 30.0, "patient 14"), (panels[1], 0.18, "fixed")]:
    inputs = (
        images[:500] @ AT_HOME[14]._replace(spread=(spread, 0.25)).weights()[0].numpy()
    ).ravel()
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
# if that layer is kept still. The last layer learns alone, from 32 random questions about the image. A good
# result does not prove that all layers learn.
#
# Fixed, it reads fewer than the healthy network after 300 steps. The slope of a sigmoid is at
# most 1/4, so it learns more slowly than with relu. After 1500 steps both read 98 %. `viz.flow` warns from a factor of 1000 between the layers on: to it
# this patient, with 64, is healthy. To you it is not.

# %% [markdown]
# ## Further: from the history
#
# Xavier Glorot and Yoshua Bengio drew gradients by layer in 2010 and derived how weights
# should begin. In 2017 Chiyuan Zhang and others trained large networks on random labels, and the networks learnt them
# all by heart: a low training loss proves nothing about the data.
